import { describe, expect, test } from 'vitest';
import {
  decodeCatalogue,
  decodeEnergyFlow,
  decodeLatestState,
} from '../../../src/client/devices/device-samples.ts';
import { decodeTimeSeries } from '../../../src/client/devices/time-series.ts';
import { type FieldSample, toNumber, toText } from '../../../src/client/dialects/field-sample.ts';

const PATH = '/apis/path';
const AT = '2026-08-24T07:55:01.000Z';
const AT_MS = Date.parse(AT);

/** Key, unit and text of each sample. */
function shown(samples: readonly FieldSample[]): unknown[] {
  return samples.map(({ key, tag, text }) => [key, tag, text?.value]);
}

const latestOf = (data: unknown) => decodeLatestState(data, PATH);
const flowOf = (data: unknown) => shown(decodeEnergyFlow(data, PATH));

describe('an element', () => {
  test.each([
    { element: 3, number: 3, text: '3' },
    { element: -0.5, number: -0.5, text: '-0.5' },
    { element: ' 52.4 ', number: 52.4, text: '52.4' },
    { element: '011', number: 11, text: '011' },
    { element: '12345678901234567890', number: 12345678901234567890, text: '12345678901234567890' },
    { element: 'L', number: undefined, text: 'L' },
    { element: '+', number: undefined, text: '+' },
    { element: '', number: undefined, text: undefined },
    { element: ' ', number: undefined, text: undefined },
    { element: null, number: undefined, text: undefined },
    { element: undefined, number: undefined, text: undefined },
    { element: true, number: undefined, text: undefined },
    { element: NaN, number: undefined, text: undefined },
    { element: 'NaN', number: undefined, text: 'NaN' },
    { element: Infinity, number: undefined, text: undefined },
    { element: '1e999', number: undefined, text: '1e999' },
    { element: { vd: '237.4' }, number: 237.4, text: '237.4' },
    { element: { value: '04', vd: '4' }, number: 4, text: '04' },
    { element: { value: null, vd: 5 }, number: 5, text: '5' },
    { element: { vd: '' }, number: undefined, text: undefined },
    { element: {}, number: undefined, text: undefined },
    { element: { value: { value: 5 } }, number: undefined, text: undefined },
    { element: [5], number: undefined, text: undefined },
  ])('of $element is the number $number and the text $text', ({ element, number, text }) => {
    expect(toNumber(element)).toBe(number);
    expect(toText(element)).toBe(text);
  });
});

describe('the samples of a time series', () => {
  const samplesOf = (payload: unknown) => decodeTimeSeries({ payload }, PATH);
  const timeSeries = ['2026-08-24T07:45:01.000Z', '2026-08-24T07:50:02.000Z', AT];
  const [firstMs, secondMs] = timeSeries.map((at) => Date.parse(at));

  test.each([
    { elements: [1, 2, 3], number: 3, text: '3' },
    { elements: [null, 7, null, null], number: 7, text: '7' },
    { elements: [5, 0], number: 0, text: '0' },
    { elements: [3, '', 'L', ' '], number: 3, text: 'L' },
    { elements: ['010', '011', null], number: 11, text: '011' },
    { elements: [4, true, [5], { vd: [6] }], number: 4, text: '4' },
    { elements: [{ value: 12 }, {}], number: 12, text: '12' },
    { elements: [null, null], number: undefined, text: undefined },
    { elements: [], number: undefined, text: undefined },
    { elements: null, number: undefined, text: undefined },
    { elements: '12', number: undefined, text: undefined },
    { elements: { 0: 1 }, number: undefined, text: undefined },
  ])('take the number $number and the text $text out of $elements', (row) => {
    const [sample] = samplesOf({ fields: { pvInputPower: row.elements } });
    expect(sample?.key).toBe('pvInputPower');
    expect([sample?.number?.value, sample?.text?.value]).toEqual([row.number, row.text]);
  });

  test.each([
    { payload: undefined },
    { payload: null },
    { payload: {} },
    { payload: { timeSeries: null, fields: null } },
    { payload: { timeSeries: [], fields: {} } },
  ])('are none in $payload', ({ payload }) => {
    expect(samplesOf(payload)).toEqual([]);
  });

  test('carry the unit that a formatter names', () => {
    const fields = { pvPower: [1.2], batterySOC: [50], batteryVoltage: [52] };
    const formatters = {
      pvPower: { unit: ' kW ' },
      batterySOC: 'none',
      batteryVoltage: { unit: ' ' },
    };
    expect(samplesOf({ fields, formatters }).map(({ tag }) => tag)).toEqual([
      'kW',
      undefined,
      undefined,
    ]);
  });

  test('are dated each by its own element, number and text apart', () => {
    const fields = { pv: [1, 2, null], soc: [93, null, null], mixed: [1, 'L', null] };
    const [pv, soc, mixed] = samplesOf({ timeSeries, fields });
    expect(pv?.number).toEqual({ value: 2, measuredAtMs: secondMs });
    expect(soc?.number).toEqual({ value: 93, measuredAtMs: firstMs });
    expect(mixed?.number).toEqual({ value: 1, measuredAtMs: firstMs });
    expect(mixed?.text).toEqual({ value: 'L', measuredAtMs: secondMs });
  });

  test.each([[[]], [['soon']], [[null]], [[1_787_558_101_000]], ['never']])(
    'are not dated by %j',
    (instants) => {
      const [sample] = samplesOf({ timeSeries: instants, fields: { pvInputPower: [1] } });
      expect(sample?.number).toEqual({ value: 1 });
    },
  );
});

describe('the latest state', () => {
  test.each([
    { time: AT, atMs: AT_MS },
    { time: '2026-08-24T07:55:01Z', atMs: AT_MS },
    { time: '2026-08-24 07:55:01', atMs: AT_MS },
    { time: '2026-08-24T10:55:01+03:00', atMs: AT_MS },
    { time: AT_MS / 1000, atMs: AT_MS },
    { time: String(AT_MS / 1000), atMs: AT_MS },
    { time: AT_MS, atMs: AT_MS },
    { time: String(AT_MS), atMs: AT_MS },
    { time: '', atMs: undefined },
    { time: 'soon', atMs: undefined },
    { time: null, atMs: undefined },
    { time: {}, atMs: undefined },
  ])('of the time $time is dated $atMs', ({ time, atMs }) => {
    const state = latestOf({ time, fields: { batteryVoltage: { unit: 'V', value: 52.4 } } });
    expect(state.measuredAtMs).toBe(atMs);
    expect(state.samples[0]?.number).toEqual({ value: 52.4, measuredAtMs: atMs });
    expect(state.samples[0]?.text).toEqual({ value: '52.4', measuredAtMs: atMs });
  });

  test('has fields by the name they stand under, and passes over what is none', () => {
    const fields = {
      outer: { key: 'inner', unit: ' kW ', value: 1 },
      ...{ bare: { value: 2 }, empty: {}, nothing: { value: null, unit: 5 } },
      ...{ number: 5, none: null },
    };
    expect(shown(latestOf({ fields }).samples)).toEqual([
      ['outer', 'kW', '1'],
      ['bare', undefined, '2'],
      ['empty', undefined, undefined],
      ['nothing', undefined, undefined],
    ]);
  });

  test.each([[null], [undefined], [{}], [{ fields: 'none', firingAlarms: 'none' }]])(
    'says nothing in %j',
    (data) => {
      expect(latestOf(data)).toEqual({ samples: [], firingAlarms: [] });
    },
  );
});

describe('the energy flow', () => {
  test('has the attributes of its nodes, whatever they are called, and of the first that shows one', () => {
    const data = {
      gridFlow: { value: { key: 'power', unit: 'W', value: 1 } },
      loadFlow: { value: { key: 'power', unit: 'W', value: 2 } },
      anyFlow: { extraValues: [{ key: 'batteryCapacity', unit: '%', value: 93 }, null, 5] },
      ...{ upsFlow: null, ctFlow: {}, isSupportFlow: true },
    };
    expect(flowOf(data)).toEqual([
      ['power', 'W', '1'],
      ['batteryCapacity', '%', '93'],
    ]);
  });

  test('takes the fields beside the nodes for what the nodes do not show', () => {
    const data = {
      deviceAttributeState: {
        fields: { GridPower: { unit: 'W', value: 600 }, soc: { unit: '%', value: 9 } },
      },
      gridFlow: { value: { key: 'GridPower', unit: 'W', value: null } },
    };
    expect(flowOf(data)).toEqual([
      ['GridPower', 'W', '600'],
      ['soc', '%', '9'],
    ]);
  });

  test.each([
    { where: 'in its state', data: { deviceAttributeState: { time: AT } } },
    { where: 'beside its nodes', data: { time: AT } },
    { where: 'in its state first', data: { deviceAttributeState: { time: AT }, time: 5 } },
  ])('is dated $where', ({ data }) => {
    const gridFlow = { value: { key: 'GridPower', unit: 'W', value: 640 } };
    const [sample] = decodeEnergyFlow({ ...data, gridFlow }, PATH);
    expect(sample?.number).toEqual({ value: 640, measuredAtMs: AT_MS });
  });

  test.each([
    [null],
    [{}],
    [{ deviceAttributeState: null, gridFlow: null }],
    [{ gridFlow: 'none' }],
  ])('says nothing in %j', (data) => {
    expect(flowOf(data)).toEqual([]);
  });
});

describe('the attribute catalogue', () => {
  test.each(['enumValues', 'enumValueDisplays'])('has keys, units and words, by its %s', (name) => {
    const codes = [{ value: 'L', text: 'Line Mode' }, { value: 5, text: 'Five' }, 7];
    const entries = [
      { key: 'mode', [name]: codes },
      { key: 'pvPower', unit: 'kW', [name]: [{ value: {}, text: 'x' }] },
      ...[{ unit: 'W' }, { key: ' ' }, { key: 5 }, 'b', null],
    ];
    expect(decodeCatalogue(entries, PATH)).toEqual([
      {
        key: 'mode',
        words: new Map([
          ['L', 'Line Mode'],
          ['5', 'Five'],
        ]),
      },
      { key: 'pvPower', tag: 'kW' },
    ]);
  });

  test.each([[null], [undefined], [[]], [[{ key: '', enumValues: 'none' }]]])(
    'is empty in %j',
    (data) => {
      expect(decodeCatalogue(data, PATH)).toEqual([]);
    },
  );
});

test.each([
  {
    what: 'a time series',
    decode: decodeTimeSeries,
    data: [null, 'no data', [], { payload: 'none' }],
  },
  { what: 'a latest state', decode: decodeLatestState, data: ['offline', [], 5] },
  { what: 'an energy flow', decode: decodeEnergyFlow, data: ['Energy flow rule not exists'] },
  { what: 'a catalogue', decode: decodeCatalogue, data: ['none', {}] },
])('$what is refused where it is of another shape', ({ decode, data }) => {
  for (const one of data)
    expect(() => decode(one, PATH)).toThrow(
      expect.objectContaining({
        code: 'SERVICE_PAYLOAD_INVALID',
        message: expect.stringContaining(`${PATH}: unexpected answer: `) as string,
      }),
    );
});

test('the words for a code are those that differ from it', () => {
  const fields = {
    workingStates: { value: '4', valueDisplay: 'Line Mode' },
    mode: { value: 4, valueDisplay: ' Line Mode ' },
    pvPower: { value: 1.2, valueDisplay: '1.2' },
    gridState: { value: null, valueDisplay: '--' },
  };
  const said = {
    workingStates: [['4', 'Line Mode']],
    mode: [['4', 'Line Mode']],
    pvPower: [],
    gridState: [],
  };
  const wordsIn = (samples: readonly FieldSample[]) =>
    Object.fromEntries(samples.map(({ key, words }) => [key, [...(words ?? [])]]));
  expect(wordsIn(latestOf({ fields }).samples)).toEqual(said);
  expect(wordsIn(decodeEnergyFlow({ deviceAttributeState: { fields } }, PATH))).toEqual(said);
});
