import { describe, expect, test } from 'vitest';
import {
  decodeCatalogue,
  decodeEnergyFlow,
  decodeLatestState,
} from '../../../src/client/devices/device-samples.ts';
import { decodeSeries, samplesAtEnd } from '../../../src/client/devices/series.ts';
import type { FieldSample } from '../../../src/client/dialects/interpret.ts';
import { toNumber, toText } from '../../../src/client/dialects/unit.ts';
import { ANSWER } from '../../support/answer.ts';

const AT = '2026-08-24T07:55:01.000Z';
const AT_MS = Date.parse(AT);

/** Key, unit and text of each sample. */
function shown(samples: readonly FieldSample[]): unknown[] {
  return samples.map(({ key, tag, text }) => [key, tag, text?.value]);
}

const latestOf = (data: unknown) => decodeLatestState(data, ANSWER);
const flowOf = (data: unknown) => shown(decodeEnergyFlow(data, ANSWER).samples);

test.each<readonly [element: unknown, number?: number | undefined, text?: string]>([
  [3, 3, '3'],
  [-0.5, -0.5, '-0.5'],
  [' 52.4 ', 52.4, '52.4'],
  ['011', 11, '011'],
  ['12345678901234567890', 12345678901234567890, '12345678901234567890'],
  ['L', undefined, 'L'],
  ['NaN', undefined, 'NaN'],
  ['1e999', undefined, '1e999'],
  ...['0x10', '0b1', '0o7', 'Infinity', '-', '.'].map((text) => [text, undefined, text] as const),
  ['+.5e-1', 0.05, '+.5e-1'],
  ...['', ' ', null, undefined].map((element) => [element] as const),
  [true, undefined, 'true'],
  // A number that is too large for JSON's readers came, and is none.
  ...[NaN, Infinity].map((element) => [element, undefined, String(element)] as const),
  [{ vd: '237.4' }, 237.4, '237.4'],
  [{ value: '04', vd: '4' }, 4, '04'],
  [{ value: null, vd: 5 }, 5, '5'],
  ...[{}, { vd: '' }, []].map((element) => [element] as const),
  // What came is not missing, whatever it is.
  ...[[5], { val: 5 }, { value: { value: 5 } }].map(
    (element) => [element, undefined, 'no value that is known'] as const,
  ),
])('the element %j is the number %j and the text %j', (element, number, text) => {
  expect([toNumber(element), toText(element)]).toEqual([number, text]);
});

const decodeNewest = (data: unknown, answer = ANSWER) =>
  samplesAtEnd(decodeSeries(data, answer), []);

describe('the samples of a time series', () => {
  const timeSeries = ['2026-08-24T07:45:01.000Z', '2026-08-24T07:50:02.000Z', AT];
  const [firstMs, secondMs] = timeSeries.map((at) => Date.parse(at));

  test('are the newest number and the newest text of a key, each with its date', () => {
    const fields = {
      pv: [1, 2, null],
      soc: [93, '', ' '],
      mode: ['010', '011', { value: 'L' }],
      none: [null, null],
      empty: [],
      gone: null,
      text: '12',
      object: { 0: 1 },
    };
    const [pv, soc, mode, ...others] = decodeNewest({ payload: { timeSeries, fields } });
    expect(pv?.number).toEqual({ value: 2, measuredAtMs: secondMs });
    expect(soc?.number).toEqual({ value: 93, measuredAtMs: firstMs });
    expect(mode?.number).toEqual({ value: 11, measuredAtMs: secondMs });
    expect(mode?.text).toEqual({ value: 'L', measuredAtMs: AT_MS });
    const texts = others.map(({ text }) => text?.value);
    expect(texts).toEqual([undefined, undefined, undefined, 'no list', 'no list']);
  });

  test('carry the unit that a formatter names', () => {
    const fields = { pvPower: [1.2], batterySOC: [50], batteryVoltage: [52] };
    const formatters = {
      pvPower: { unit: ' kW ' },
      batterySOC: 'none',
      batteryVoltage: { unit: ' ' },
    };
    const tags = decodeNewest({ payload: { fields, formatters } }).map(({ tag }) => tag);
    expect(tags).toEqual(['kW', undefined, undefined]);
  });

  test('are the newest by their times, in whatever order these come', () => {
    const series = decodeSeries(
      { payload: { timeSeries: [AT, ...timeSeries.slice(0, 2)], fields: { pv: [3, 1, 2] } } },
      ANSWER,
    );
    expect(samplesAtEnd(series, ['pv', 'soc'])).toEqual([
      {
        key: 'pv',
        number: { value: 3, measuredAtMs: AT_MS },
        text: { value: '3', measuredAtMs: AT_MS },
      },
      { key: 'soc' },
    ]);
  });

  test.each([[[]], [['soon']], [[null]], ['never']])('are not dated by %j', (instants) => {
    const payload = { timeSeries: instants, fields: { pvInputPower: [1] } };
    expect(decodeNewest({ payload })[0]?.text).toEqual({ value: '1' });
  });
});

test.each([[AT_MS], [AT_MS / 1000], [AT]])('a series is dated by %j', (time) => {
  const payload = { timeSeries: [time], fields: { pv: [1] } };
  expect(decodeNewest({ payload })[0]?.number).toEqual({ value: 1, measuredAtMs: AT_MS });
});

test('beside dated values, those without a plausible time say nothing', () => {
  const payload = { timeSeries: [AT, '0000-00-00', null], fields: { pv: [1, 2, 3, 4] } };
  expect(decodeNewest({ payload })[0]?.number).toEqual({ value: 1, measuredAtMs: AT_MS });
});

describe('the latest state', () => {
  test.each([
    AT,
    '2026-08-24 07:55:01',
    '2026-08-24T10:55:01+03:00',
    AT_MS / 1000,
    String(AT_MS / 1000),
    AT_MS,
    String(AT_MS),
  ])('of the time %j is dated by it', (time) => {
    const state = latestOf({ time, fields: { batteryVoltage: { unit: 'V', value: 52.4 } } });
    expect(state.measuredAtMs).toBe(AT_MS);
    expect(state.samples[0]?.text).toEqual({ value: '52.4', measuredAtMs: AT_MS });
  });

  test.each(['', ' ', 'soon', null, {}])('of the time %j is not dated', (time) => {
    expect(latestOf({ time }).measuredAtMs).toBeUndefined();
  });

  test('has fields by the name they stand under, and passes over what is none', () => {
    const fields = {
      outer: { key: 'inner', unit: ' kW ', value: 1 },
      bare: { value: 2 },
      nothing: { value: null, unit: 5 },
      number: 5,
      none: null,
    };
    expect(shown(latestOf({ fields }).samples)).toEqual([
      ['outer', 'kW', '1'],
      ['bare', undefined, '2'],
      ['nothing', undefined, undefined],
    ]);
  });
});

describe('the energy flow', () => {
  test('has the attributes of its nodes, whatever they are called', () => {
    const data = {
      gridFlow: { value: { key: 'power', unit: 'W', value: 1 } },
      loadFlow: { value: { key: 'power', unit: 'W', value: 2 } },
      anyFlow: { extraValues: [{ key: 'batteryCapacity', unit: '%', value: 93 }, null, 5] },
      upsFlow: null,
      ctFlow: {},
      isSupportFlow: true,
    };
    expect(flowOf(data)).toEqual([
      ['power', 'W', '1'],
      ['batteryCapacity', '%', '93'],
    ]);
  });

  test('takes the fields beside the nodes for what the nodes do not show', () => {
    const fields = { GridPower: { unit: 'W', value: 600 }, soc: { unit: '%', value: 9 } };
    const gridFlow = { value: { key: 'GridPower', unit: 'W', value: null } };
    expect(flowOf({ deviceAttributeState: { fields }, gridFlow })).toEqual([
      ['GridPower', 'W', '600'],
      ['soc', '%', '9'],
    ]);
  });

  test.each([
    ['in its state', { deviceAttributeState: { time: AT }, time: 5 }],
    ['beside its nodes', { time: AT }],
  ])('is dated %s', (_where, data) => {
    const gridFlow = { value: { key: 'GridPower', unit: 'W', value: 640 } };
    const [sample] = decodeEnergyFlow({ ...data, gridFlow }, ANSWER).samples;
    expect(sample?.text).toEqual({ value: '640', measuredAtMs: AT_MS });
  });
});

describe('the attribute catalogue', () => {
  test.each(['enumValues', 'enumValueDisplays'])('has keys, units and words, by its %s', (name) => {
    const codes = [{ value: 'L', text: 'Line Mode' }, { value: 5, text: 'Five' }, 7];
    const entries = [
      { key: 'mode', [name]: codes },
      { key: 'pvPower', unit: 'kW', [name]: [{ value: {}, text: 'x' }] },
      { unit: 'W' },
      { key: ' ' },
      { key: 5 },
      'b',
      null,
    ];
    const words = new Map([
      ['L', 'Line Mode'],
      ['5', 'Five'],
    ]);
    expect(decodeCatalogue(entries, ANSWER).samples).toEqual([
      { key: 'mode', words },
      { key: 'pvPower', tag: 'kW' },
    ]);
  });
});

type Decode = (data: unknown, answer: typeof ANSWER) => unknown;
const NO_FIELDS = { timeSeries: null, fields: null };
const NO_NODES = { deviceAttributeState: null, gridFlow: null };
const NO_WORDS = [{ key: '', enumValues: 'none' }];

test.each<[what: string, decode: Decode, data: unknown[], nothing: unknown]>([
  ['a time series', decodeNewest, [{}, { payload: null }, { payload: NO_FIELDS }], []],
  [
    'a latest state',
    decodeLatestState,
    [null, undefined, {}, { fields: 'none', firingAlarms: 'none' }],
    { samples: [], firingAlarms: [] },
  ],
  ['an energy flow', decodeEnergyFlow, [null, {}, NO_NODES, { gridFlow: 'none' }], { samples: [] }],
  ['a catalogue', decodeCatalogue, [null, undefined, [], NO_WORDS], { samples: [] }],
])('%s may say nothing', (_what, decode, data, nothing) => {
  for (const one of data) expect(decode(one, ANSWER)).toEqual(nothing);
});

test.each<[what: string, decode: Decode, data: unknown[]]>([
  ['a time series', decodeNewest, [null, 'no data', [], { payload: 'none' }]],
  ['a latest state', decodeLatestState, ['offline', [], 5]],
  ['an energy flow', decodeEnergyFlow, ['Energy flow rule not exists']],
  ['a catalogue', decodeCatalogue, ['none', {}]],
])('%s is refused where it is of another shape', (_what, decode, data) => {
  const invalid = expect.objectContaining({ code: 'SERVICE_PAYLOAD_INVALID' }) as Error;
  for (const one of data) expect(() => decode(one, ANSWER)).toThrow(invalid);
});
