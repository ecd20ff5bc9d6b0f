import { describe, expect, test } from 'vitest';
import {
  decodeCatalogue,
  decodeEnergyFlow,
  decodeLatestState,
} from '../../src/client/device-state.ts';
import type { FieldSample } from '../../src/client/dialects/field-sample.ts';
import { dataOf, samplesOf } from './dialects/fixture.ts';

const PATH = '/apis/path';
const AT = '2026-08-24T07:55:01.000Z';
const AT_MS = Date.parse(AT);

/** Key, unit and text of each sample. */
function shown(samples: readonly FieldSample[]): unknown[] {
  return samples.map(({ key, tag, text }) => [key, tag, text?.value]);
}

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
