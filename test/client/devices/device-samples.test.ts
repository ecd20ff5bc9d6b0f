import { describe, expect, test } from 'vitest';
import {
  decodeCatalogue,
  decodeEnergyFlow,
  decodeLatestState,
} from '../../../src/client/devices/device-samples.ts';
import { decodeTimeSeries } from '../../../src/client/devices/time-series.ts';
import type { FieldSample } from '../../../src/client/dialects/field-sample.ts';
import { dataOf, samplesOf } from '../dialects/fixture.ts';

const PATH = '/apis/path';
const AT = '2026-08-24T07:55:01.000Z';
const AT_MS = Date.parse(AT);

/** Key, unit and text of each sample. */
function shown(samples: readonly FieldSample[]): unknown[] {
  return samples.map(({ key, tag, text }) => [key, tag, text?.value]);
}

/** The newest number of each key. */
function numbers(data: unknown): Record<string, number | undefined> {
  const samples = decodeTimeSeries(data, PATH);
  return Object.fromEntries(samples.map(({ key, number }) => [key, number?.value]));
}

describe('the samples of a time series', () => {
  test.each([
    { elements: [1, 2, 3], newest: 3 },
    { elements: [1, 2, null], newest: 2 },
    { elements: [null, 7, null, null], newest: 7 },
    { elements: [5, 0], newest: 0 },
    { elements: [5, -4], newest: -4 },
    { elements: ['1200', '1250.5'], newest: 1250.5 },
    { elements: [' 42 '], newest: 42 },
    { elements: [3, '', ' '], newest: 3 },
    { elements: [3, 'L', '--', 'NaN', 'Infinity'], newest: 3 },
    { elements: [3, Infinity], newest: 3 },
    { elements: [{ vd: '237.4' }], newest: 237.4 },
    { elements: [{ value: 12 }, {}], newest: 12 },
    { elements: [{ value: '12' }, { vd: null }], newest: 12 },
    { elements: [{ value: null, vd: '9' }], newest: 9 },
    { elements: [{ value: 8, vd: '9' }], newest: 8 },
    { elements: [4, { value: { value: 5 } }, { vd: [6] }], newest: 4 },
    { elements: [4, true, [5], { vd: '' }], newest: 4 },
    { elements: ['12345678901234567890'], newest: 12345678901234567890 },
  ])('take $newest out of $elements', ({ elements, newest }) => {
    expect(numbers({ payload: { fields: { pvInputPower: elements } } })).toEqual({
      pvInputPower: newest,
    });
  });

  test.each([
    { what: 'no payload', data: {} },
    { what: 'a null payload', data: { payload: null } },
    { what: 'no fields', data: { payload: {} } },
    { what: 'null fields', data: { payload: { timeSeries: null, fields: null } } },
    { what: 'empty fields', data: { payload: { timeSeries: [], fields: {} } } },
  ])('are none with $what', ({ data }) => {
    expect(decodeTimeSeries(data, PATH)).toEqual([]);
  });

  test.each([
    { what: 'an empty array', elements: [] },
    { what: 'an array of nulls', elements: [null, null] },
    { what: 'null for an array', elements: null },
    { what: 'text for an array', elements: '12' },
    { what: 'an object for an array', elements: { 0: 1 } },
  ])('have no value with $what', ({ elements }) => {
    expect(decodeTimeSeries({ payload: { fields: { pvInputPower: elements } } }, PATH)).toEqual([
      { key: 'pvInputPower' },
    ]);
  });

  test.each([
    { elements: ['L', 'B'], newest: 'B' },
    { elements: ['010', '011', null], newest: '011' },
    { elements: [' L ', ''], newest: 'L' },
    { elements: [3, 4], newest: '4' },
    { elements: [{ vd: '07' }], newest: '07' },
  ])('keep the text $newest of $elements as it is', ({ elements, newest }) => {
    const [sample] = decodeTimeSeries({ payload: { fields: { workingMode: elements } } }, PATH);
    expect(sample?.text?.value).toBe(newest);
  });

  test('carry the unit that a formatter names', () => {
    const payload = {
      fields: { pvPower: [1.2], batterySOC: [50] },
      formatters: { pvPower: { unit: 'kW' }, batterySOC: 'none' },
    };
    const samples = decodeTimeSeries({ payload }, PATH);
    expect(samples.map(({ key, tag }) => [key, tag])).toEqual([
      ['pvPower', 'kW'],
      ['batterySOC', undefined],
    ]);
  });

  test.each([
    { data: null },
    { data: 'no data' },
    { data: [] },
    { data: { payload: 'none' } },
    { data: { payload: { fields: [] } } },
  ])('cannot be read from $data', ({ data }) => {
    expect(() => decodeTimeSeries(data, PATH)).toThrow(
      expect.objectContaining({
        code: 'SERVICE_PAYLOAD_INVALID',
        message: expect.stringContaining(`${PATH}: unexpected answer: `) as string,
      }),
    );
  });

  const timeSeries = [
    '2026-08-24T07:45:01.000Z',
    '2026-08-24T07:50:02.000Z',
    '2026-08-24T07:55:01.000Z',
  ];

  test('are dated each by its own element', () => {
    const fields = { pvInputPower: [1, 2, null], batterySOC: [93, null, null], load: [1, 2, 3] };
    const samples = decodeTimeSeries({ payload: { timeSeries, fields } }, PATH);
    expect(samples.map(({ number }) => number?.measuredAtMs)).toEqual(
      [timeSeries[1], timeSeries[0], timeSeries[2]].map((instant) => Date.parse(instant ?? '')),
    );
  });

  test('take number and text from the elements that are theirs', () => {
    const payload = { timeSeries, fields: { mixed: [1, 'L', null] } };
    const [sample] = decodeTimeSeries({ payload }, PATH);
    expect(sample?.number).toEqual({ value: 1, measuredAtMs: Date.parse(timeSeries[0] ?? '') });
    expect(sample?.text).toEqual({ value: 'L', measuredAtMs: Date.parse(timeSeries[1] ?? '') });
  });

  test.each([
    { instants: [] },
    { instants: ['soon'] },
    { instants: [null] },
    { instants: [1_787_558_101_000] },
    { instants: 'never' },
  ])('are not dated by $instants', ({ instants }) => {
    const payload = { timeSeries: instants, fields: { pvInputPower: [1] } };
    expect(decodeTimeSeries({ payload }, PATH)[0]?.number).toEqual({ value: 1 });
  });
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
    { time: undefined, atMs: undefined },
  ])('of the time $time is dated $atMs', ({ time, atMs }) => {
    const { samples, measuredAtMs } = decodeLatestState(
      { time, fields: { batteryVoltage: { unit: 'V', value: 52.4 } } },
      PATH,
    );
    expect(measuredAtMs).toBe(atMs);
    expect(samples[0]?.number).toEqual({ value: 52.4, measuredAtMs: atMs });
    expect(samples[0]?.text).toEqual({ value: '52.4', measuredAtMs: atMs });
  });

  test('of seconds in a fixture is dated like any other', () => {
    const { measuredAtMs } = decodeLatestState(dataOf('latest-with-seconds'), PATH);
    expect(measuredAtMs).toBe(AT_MS);
  });

  test('has every field with its unit', () => {
    expect(shown(samplesOf('latest-with-numeric-text', 'latest'))).toEqual([
      ['acOutputActivePower', 'kW', '0.85'],
      ['batteryVoltage', 'V', '52.4'],
      ['batterySOC', '%', undefined],
      ['pvInputPower', 'W', undefined],
      ['workingStates', undefined, '4'],
    ]);
  });

  test('has fields by the name they stand under', () => {
    const fields = { outer: { key: 'inner', unit: ' kW ', value: 1 }, bare: { value: 2 } };
    expect(shown(decodeLatestState({ fields }, PATH).samples)).toEqual([
      ['outer', 'kW', '1'],
      ['bare', undefined, '2'],
    ]);
  });

  test('keeps fields without a value, and passes over what is no field', () => {
    const fields = { empty: {}, nothing: { value: null, unit: 5 }, number: 5, none: null };
    expect(shown(decodeLatestState({ fields }, PATH).samples)).toEqual([
      ['empty', undefined, undefined],
      ['nothing', undefined, undefined],
    ]);
  });

  test.each([
    { data: null },
    { data: undefined },
    { data: {} },
    { data: { fields: null } },
    { data: { fields: 'none', firingAlarms: 'none' } },
    { data: dataOf('latest-without-fields') },
  ])('says nothing in $data', ({ data }) => {
    expect(decodeLatestState(data, PATH)).toEqual({ samples: [], firingAlarms: [] });
  });

  test.each([{ data: 'offline' }, { data: [] }, { data: 5 }])(
    'cannot be read from $data',
    ({ data }) => {
      expect(() => decodeLatestState(data, PATH)).toThrow(
        expect.objectContaining({ code: 'SERVICE_PAYLOAD_INVALID' }),
      );
    },
  );

  test('names each alarm once, at its first level', () => {
    const { firingAlarms } = decodeLatestState(dataOf('latest-with-repeated-alarms'), PATH);
    expect(firingAlarms).toEqual([
      { key: 'lineLoss', level: 'warning' },
      { key: 'gridVoltLows', level: 'critical' },
      { key: 'batteryNoConnected', level: 'unknown' },
    ]);
  });

  test('may say nothing of alarms', () => {
    expect(decodeLatestState(dataOf('latest-without-alarms'), PATH)).toMatchObject({
      samples: [{ key: 'batteryVoltage' }],
      firingAlarms: [],
    });
  });
});

describe('the energy flow', () => {
  test('has the attributes of its nodes, whatever the nodes are called', () => {
    expect(shown(samplesOf('family-hpvinv02-flow', 'flow'))).toEqual([
      ['generationPower', 'kW', '1.2'],
      ['batteryVoltage', 'V', '52.1'],
      ['batteryCapacity', '%', '88'],
      ['outputActivePower', 'kW', '0.85'],
    ]);
  });

  test('has nothing of nodes that are null, empty or without a value', () => {
    expect(shown(samplesOf('flow-with-null-nodes', 'flow'))).toEqual([
      ['pv1Power', 'W', '820'],
      ['load_power', 'kW', '0.43'],
    ]);
  });

  test('has the further values of a node without a value', () => {
    const node = { extraValues: [{ key: 'batteryCapacity', unit: '%', value: 93 }, null, 5] };
    expect(shown(decodeEnergyFlow({ batteryFlow: node }, PATH))).toEqual([
      ['batteryCapacity', '%', '93'],
    ]);
  });

  test('takes the fields beside the nodes for what the nodes do not show', () => {
    expect(shown(samplesOf('flow-with-whole-state', 'flow'))).toEqual([
      ['GridPower', 'W', '640'],
      ['generationPower', 'kW', '2.2'],
      ['batteryCapacity', '%', '97'],
    ]);
  });

  test('takes the field of a node that shows none of its value', () => {
    const data = {
      deviceAttributeState: { fields: { GridPower: { unit: 'W', value: 600 } } },
      gridFlow: { value: { key: 'GridPower', unit: 'W', value: null } },
    };
    expect(shown(decodeEnergyFlow(data, PATH))).toEqual([['GridPower', 'W', '600']]);
  });

  test('takes an attribute from the first node that shows it', () => {
    const data = {
      gridFlow: { value: { key: 'power', unit: 'W', value: 1 } },
      loadFlow: { value: { key: 'power', unit: 'W', value: 2 } },
    };
    expect(shown(decodeEnergyFlow(data, PATH))).toEqual([['power', 'W', '1']]);
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
    { data: null },
    { data: {} },
    { data: { deviceAttributeState: null, gridFlow: null, isSupportFlow: true } },
    { data: { deviceAttributeState: 'none', gridFlow: 'none' } },
  ])('says nothing in $data', ({ data }) => {
    expect(decodeEnergyFlow(data, PATH)).toEqual([]);
  });

  test('cannot be read from text', () => {
    expect(() => decodeEnergyFlow('Energy flow rule not exists', PATH)).toThrow(
      expect.objectContaining({ code: 'SERVICE_PAYLOAD_INVALID' }),
    );
  });
});

describe('the attribute catalogue', () => {
  test('has keys and units, and no values', () => {
    expect(samplesOf('attributes-catalogue', 'catalogue')).toEqual([
      { key: 'pvPower', tag: 'kW' },
      { key: 'outputActivePower', tag: 'kW' },
      { key: 'mainsPower', tag: 'kW' },
      { key: 'mainsCurrentFlowDirection' },
      { key: 'batteryCapacity', tag: '%' },
      { key: 'workingMode' },
    ]);
  });

  test('passes over entries without a key', () => {
    const data = [{ key: 'a' }, { unit: 'W' }, { key: ' ' }, { key: 5 }, 'b', null];
    expect(decodeCatalogue(data, PATH)).toEqual([{ key: 'a' }]);
  });

  test.each([{ data: null }, { data: undefined }, { data: [] }])(
    'is empty in $data',
    ({ data }) => {
      expect(decodeCatalogue(data, PATH)).toEqual([]);
    },
  );

  test.each([{ data: 'none' }, { data: {} }])('cannot be read from $data', ({ data }) => {
    expect(() => decodeCatalogue(data, PATH)).toThrow(
      expect.objectContaining({ code: 'SERVICE_PAYLOAD_INVALID' }),
    );
  });
});

describe('the words for codes', () => {
  test('are those of the latest state and of the energy flow, where they differ from the value', () => {
    const fields = {
      workingStates: { value: '4', valueDisplay: 'Line Mode' },
      mode: { value: 4, valueDisplay: ' Line Mode ' },
      pvPower: { value: 1.2, valueDisplay: '1.2' },
      gridState: { value: null, valueDisplay: '--' },
    };
    const wordsOf = (samples: readonly FieldSample[]) =>
      samples.map(({ key, words }) => [key, ...[...(words ?? [])].flat()]);
    const expected = [
      ['workingStates', '4', 'Line Mode'],
      ['mode', '4', 'Line Mode'],
      ['pvPower'],
      ['gridState'],
    ];
    expect(wordsOf(decodeLatestState({ fields }, PATH).samples)).toEqual(expected);
    const flow = { deviceAttributeState: { fields } };
    expect(wordsOf(decodeEnergyFlow(flow, PATH))).toEqual(expected);
  });

  test.each(['enumValues', 'enumValueDisplays'])('are the %s of the catalogue', (name) => {
    const [attribute] = decodeCatalogue(
      [{ key: 'mode', [name]: [{ value: 'L', text: 'Line Mode' }, { value: 5, text: 'Five' }, 7] }],
      PATH,
    );
    expect([...(attribute?.words ?? [])]).toEqual([
      ['L', 'Line Mode'],
      ['5', 'Five'],
    ]);
  });

  test.each([[[]], [null], ['none'], [[{ value: {}, text: 'x' }]]])(
    'are none where the catalogue has %j',
    (enumValues) => {
      expect(decodeCatalogue([{ key: 'mode', enumValues }], PATH)).toEqual([
        { key: 'mode', tag: undefined },
      ]);
    },
  );
});
