import { expect, test } from 'vitest';
import type { Family, InverterState } from '../../../src/simulator/simulator.ts';
import { startSimulator, textOf } from './simulated-service.ts';

type Read = (truth: InverterState) => number;

// When the battery charges, when it is full and PV is fed in, when it discharges, and when it is
// empty and the grid helps.
const INSTANTS = [
  '2026-06-03T03:00:00Z',
  '2026-06-03T07:00:00Z',
  '2026-06-03T12:00:00Z',
  '2026-06-03T22:00:00Z',
];

const pv1: Read = (truth) => truth.pvStrings[0].powerWatts;
const heat: Read = (truth) => truth.inverterTemperatureCelsius;
const apparent: Read = (truth) => truth.outputApparentPowerVoltAmperes;
const pvToday: Read = (truth) => truth.energy().today.pvWattHours;
const pvEver: Read = (truth) => truth.energy().lifetime.pvWattHours;

/**
 * What service.md#keys says of keys, units, scales and signs, in the energy flow, or else the latest state.
 * What an exporter shows of every family is held by test/doors/families.test.ts.
 */
const ROWS: readonly (readonly [Family, string, string, Read, 'flow'?])[] = [
  ['hpvinv02', 'pvPower', 'kW', pv1],
  ['hpvinv02', 'bmsCurrentSOC', '%', () => 100],
  ['hpvinv02', 'pvGeneratedEnergyOfDay', 'kWh', pvToday],
  ['hpvinv02', 'pvGeneratedEnergyOfTotal', 'kWh', pvEver],
  ['hpvinv02', 'outputApparentPower', 'VA', apparent],
  ['uwb1', 'pv1Power', 'W', pv1, 'flow'],
  ['pi30', 'PV1ChargingPower', 'W', pv1, 'flow'],
  ['pi30', 'inverterHeatSinkTemperature', '℃', heat],
  ['mega-eco', 'pvInputPower', 'kW', pv1, 'flow'],
  ['sierro', 'batteryCapacity', 'Ah', () => 100],
];

/** One step of the last digit, in the unit of the tag. */
const STEPS: Readonly<Record<string, number>> = { kW: 0.001, V: 0.1, A: 0.1, kWh: 0.1 };

/** All that an answer shows, by the keys. */
async function shown(service: Awaited<ReturnType<typeof startSimulator>>, place?: 'flow') {
  const query = { deviceId: service.deviceId };
  if (place === undefined)
    return Object.values((await service.ask('latestState', { query })).data['fields'] ?? {});
  const { data } = await service.ask('energyFlow', { query });
  const nodes = ['pvPanelFlow', 'gridFlow', 'batteryFlow', 'loadFlow'].map((name) => data[name]);
  // A node without a value shows null.
  return nodes.flatMap((node) => [
    node?.['value'] ?? {},
    ...Object.values(node?.['extraValues'] ?? {}),
  ]);
}

const MEASURED = [...new Set(ROWS.map(([family]) => family))];
test.each(MEASURED)('%s measures the physics, in its units and with its signs', async (family) => {
  const rows = ROWS.filter(([of]) => of === family);
  for (const instant of INSTANTS) {
    const service = await startSimulator({ family }, instant);
    const truth = service.simulator.truth(service.deviceId, Date.parse(instant));
    for (const [, key, unit, expected, place] of rows) {
      const found = (await shown(service, place)).find((field) => textOf(field['key']) === key);
      expect(found, key).toMatchObject({ key, unit });
      const value = expected(truth) / (unit.startsWith('k') ? 1000 : 1);
      const apart = Math.abs(Number(found?.['value']) - value);
      expect(apart, `${key} at ${instant}`).toBeLessThanOrEqual((STEPS[unit] ?? 1) / 2 + 1e-9);
    }
  }
});

const HPVINV_SAYS = { mainsCurrentFlowDirection: '-', mode: 'L', workingMode: '1' };
test.each<readonly [Family, says: Readonly<Record<string, string>>]>([
  ['hpvinv02', { ...HPVINV_SAYS, batteryStatus: '011' }],
])('%s says in words %j', async (family, says) => {
  const fields = await shown(await startSimulator({ family }, '2026-06-03T07:00:00Z'));
  for (const [key, value] of Object.entries(says))
    expect(fields.find((field) => textOf(field['key']) === key)).toMatchObject({ value });
});

test('an energy flow without a rule is refused, and one without keys shows nothing', async () => {
  const flowOf = async (family: Family) => {
    const { ask, deviceId } = await startSimulator({ family });
    return ask('energyFlow', { query: { deviceId } });
  };
  const refused = { code: 70_132, data: 'Energy flow rule not exists' };
  expect(await flowOf('classic')).toMatchObject(refused);
  const { code, data } = await flowOf('hpvinv02');
  expect(code).toBe(0);
  expect(data['gridFlow']).toMatchObject({ value: null, key: null, flowDirection: 2 });
});

test('the remote latest state has the same fields, and the ids', async () => {
  const { ask, deviceId, stationId } = await startSimulator({ family: 'mega-eco' });
  const query = { deviceId, dataSource: '2' };
  const latest = (await ask('latestState', { query })).data;
  const remote = (await ask('remoteLatestState', { query })).data;
  expect(remote).toMatchObject({
    deviceId,
    stationId,
    time: latest['time'],
    fields: latest['fields'],
  });
  expect(await ask('latestState', { query: { ...query, dataSource: '3' } })).toMatchObject({
    code: 20_101,
  });
});

test.each([
  ['1', ['mode', 'pvPower'], 0],
  ['3', ['outputSourcePrioritySetting'], 0],
  ['', ['mode', 'outputSourcePrioritySetting'], 0],
  ['2', [], 20_101],
])('the attributes of category "%s" name %j', async (category, keys, code) => {
  const { ask, deviceId } = await startSimulator({ family: 'hpvinv02' });
  const answer = await ask('attributes', { query: { deviceId, category } });
  expect(answer.code).toBe(code);
  const named = Object.values(answer.data).map((attribute) => attribute['key']);
  expect(named).toEqual(expect.arrayContaining(keys));
});

const HOUR = '2026-06-21T03:50:00Z';
const FUTURE = '2026-06-22T00:00:00Z';
const UNITS = { formatters: { BatteryVoltage: { unit: 'V' } } };
const LATE = { batteryVoltage: [expect.any(Number), expect.any(Number), null] };
const TEXTS = { batteryVoltage: { 0: expect.stringMatching(/^\d\d(\.\d)?$/) as string } };
test.each<readonly [Family, keys: readonly string[], from: string, payload: object]>([
  ['uwb1', ['load_power'], HOUR, { timeSeries: { length: 3 }, fields: {} }],
  ['mega-eco', ['a'], HOUR, { fields: { a: [null, null, null] } }],
  ['classic', ['a'], HOUR, { fields: {}, formatters: {} }],
  ['pi30', ['BatteryVoltage', 'generationPower'], HOUR, UNITS],
  ['mega-eco', ['batteryVoltage'], HOUR, { fields: LATE }],
  ['sierro', ['batteryVoltage'], HOUR, { fields: TEXTS }],
  ['pi30', ['a'], FUTURE, { timeSeries: [], fields: {} }],
])('the keys history of %s with %j from %s is %j', async (family, keys, fromTime, payload) => {
  const { ask, deviceId } = await startSimulator({ family });
  const body = { deviceId, page: 1, count: 9, fromTime, toTime: '2026-06-22T01:00:00Z', keys };
  const { data } = await ask('readings', { body });
  expect(data['payload']).toMatchObject(payload);
});
