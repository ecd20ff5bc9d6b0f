import { describe, expect, test } from 'vitest';
import { FAMILIES, type Family, type InverterState } from '../../../src/simulator/simulator.ts';
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

const pv: Read = (truth) => truth.pvPowerWatts;
const pv1: Read = (truth) => truth.pvStrings[0].powerWatts;
const load: Read = (truth) => truth.loadPowerWatts;
const feedIn: Read = (truth) => truth.gridFeedInPowerWatts;
const bought: Read = (truth) => truth.gridImportPowerWatts;
const imported: Read = (truth) => bought(truth) - feedIn(truth);
const exported: Read = (truth) => feedIn(truth) - bought(truth);
const discharging: Read = (truth) => truth.batteryPowerWatts;
const discharged: Read = (truth) =>
  truth.batteryDischargeCurrentAmperes - truth.batteryChargingCurrentAmperes;
const soc: Read = (truth) => truth.batterySocRatio * 100;
const volts: Read = (truth) => truth.batteryVoltageVolts;

/** What the field notes say of keys, units, scales and signs; `latest` or `flow` is where a key is found. */
const ROWS: readonly (readonly [Family, 'latest' | 'flow', string, string, Read])[] = [
  ['classic', 'latest', 'pvInputPower', 'W', pv],
  ['classic', 'latest', 'acOutputActivePower', 'kW', load],
  ['classic', 'latest', 'feedInPower', 'W', feedIn],
  ['classic', 'latest', 'batterySOC', '%', soc],
  ['fchao', 'latest', 'batteryVoltage', 'V', volts],
  ['hpvinv02', 'latest', 'pvPower', 'kW', pv1],
  ['hpvinv02', 'latest', 'generationPower', 'kW', pv],
  ['hpvinv02', 'latest', 'outputActivePower', 'kW', load],
  ['hpvinv02', 'latest', 'mainsPower', 'kW', (truth) => Math.abs(imported(truth))],
  ['hpvinv02', 'latest', 'batteryCapacity', '%', soc],
  ['hpvinv02', 'latest', 'bmsCurrentSOC', '%', () => 100],
  [
    'hpvinv02',
    'latest',
    'pvGeneratedEnergyOfDay',
    'kWh',
    (truth) => truth.energy().today.pvWattHours,
  ],
  ['uwb1', 'flow', 'pv1Power', 'W', pv1],
  ['uwb1', 'flow', 'generationPower', 'kW', pv],
  ['uwb1', 'flow', 'aPhaseMainsPower', 'W', exported],
  ['uwb1', 'latest', 'batteryPower', 'W', discharging],
  ['uwb1', 'latest', 'positiveTerminalBatteryCurrent', 'A', discharged],
  ['pi30', 'flow', 'PV1ChargingPower', 'W', pv1],
  ['pi30', 'flow', 'acOutputActivePower', 'kW', load],
  [
    'pi30',
    'latest',
    'inverterHeatSinkTemperature',
    '℃',
    (truth) => truth.inverterTemperatureCelsius,
  ],
  ['mega-eco', 'flow', 'pvInputPower', 'kW', pv1],
  ['mega-eco', 'flow', 'acOutputActivePower', 'W', load],
  ['mega-eco', 'flow', 'GridPower', 'W', imported],
  ['a-phase-hybrid', 'latest', 'totalLoadPower', 'kW', load],
  ['a-phase-hybrid', 'latest', 'aPhaseFeederPower', 'kW', exported],
  ['a-phase-hybrid', 'latest', 'batteryPower', 'kW', discharging],
  ['a-phase-hybrid', 'latest', 'batterySOH', '%', (truth) => truth.batterySohRatio * 100],
  [
    'a-phase-hybrid',
    'latest',
    'loadDayElectricityConsumption',
    'kWh',
    (truth) => truth.energy().today.loadWattHours,
  ],
  // The tag is wrong: the number is one of kW.
  ['msdc', 'latest', 'outputPower', 'W', (truth) => load(truth) / 1000],
  ['msdc', 'latest', 'totalActivePowerOfTheElectricMeter', 'kW', imported],
  ['msdc', 'latest', 'battery_current', 'A', discharged],
  ['msdc', 'flow', 'load_power', 'kW', load],
  ['sierro', 'latest', 'generationPower', 'W', pv],
  ['sierro', 'latest', 'batteryCurrent', 'A', (truth) => -discharged(truth)],
  ['sierro', 'latest', 'batteryCapacity', 'Ah', () => 100],
  ['maniy', 'latest', 'inputMainsPower', 'kW', bought],
  ['maniy', 'latest', 'mainsInputRealTimePower', 'W', bought],
  ['maniy', 'latest', 'gridConnectedPower', 'W', feedIn],
  ['techfine', 'latest', 'generationPower', 'kW', pv],
  [
    'techfine',
    'latest',
    'outputApparentPower',
    'VA',
    (truth) => truth.outputApparentPowerVoltAmperes,
  ],
  [
    'techfine',
    'latest',
    'tqfTotalElectricityGeneration',
    'kWh',
    (truth) => truth.energy().lifetime.pvWattHours,
  ],
  ['charge-controller', 'flow', 'load_power', 'kW', load],
  ['charge-controller', 'latest', 'batteryRemainingCapacitySOC', '%', soc],
  ['undescribed', 'latest', 'houseDraw', 'W', load],
];

/** One step of the last digit, in the unit of the tag. */
const STEPS: Readonly<Record<string, number>> = { kW: 0.001, V: 0.1, A: 0.1, kWh: 0.1 };

/** All that an answer shows, by the keys. */
async function shown(
  service: Awaited<ReturnType<typeof startSimulator>>,
  place: 'latest' | 'flow',
) {
  const query = { deviceId: service.deviceId };
  const { data } = await service.ask(place === 'latest' ? 'latest-state' : 'energy-flow', {
    query,
  });
  if (place === 'latest') return Object.values(data['fields'] ?? {});
  const nodes = ['pvPanelFlow', 'gridFlow', 'batteryFlow', 'loadFlow'].map((name) => data[name]);
  // A node without a value shows null.
  return nodes.flatMap((node) => [
    node?.['value'] ?? {},
    ...Object.values(node?.['extraValues'] ?? {}),
  ]);
}

test.each(FAMILIES)('%s measures the physics, in its units and with its signs', async (family) => {
  const rows = ROWS.filter(([of]) => of === family);
  expect(rows).not.toEqual([]);
  for (const instant of INSTANTS) {
    const service = await startSimulator({ family }, instant);
    const truth = service.simulator.truth(service.deviceId, Date.parse(instant));
    for (const [, place, key, unit, expected] of rows) {
      const found = (await shown(service, place)).find((field) => textOf(field['key']) === key);
      expect(found, key).toMatchObject({ key, unit });
      const value = expected(truth) / (unit.startsWith('k') ? 1000 : 1);
      const apart = Math.abs(Number(found?.['value']) - value);
      expect(apart, `${key} at ${instant}`).toBeLessThanOrEqual((STEPS[unit] ?? 1) / 2 + 1e-9);
    }
  }
});

test.each([
  {
    family: 'hpvinv02',
    says: { mainsCurrentFlowDirection: '-', mode: 'L', workingMode: '1', batteryStatus: '011' },
  },
  { family: 'undescribed', says: { panelMood: '007', lampColour: 'amber' } },
] as const)('$family says in words $says', async ({ family, says }) => {
  const fields = await shown(await startSimulator({ family }, '2026-06-03T07:00:00Z'), 'latest');
  for (const [key, value] of Object.entries(says))
    expect(fields.find((field) => textOf(field['key']) === key)).toMatchObject({ value });
});

test.each([
  { family: 'classic', code: 70_132 },
  { family: 'hpvinv02', code: 0, value: null },
] as const)(
  'the energy flow of $family is answered with code $code',
  async ({ family, code, ...row }) => {
    const { ask, deviceId } = await startSimulator({ family });
    const { code: answered, data } = await ask('energy-flow', { query: { deviceId } });
    expect(answered).toBe(code);
    if ('value' in row)
      expect(data['gridFlow']).toMatchObject({ value: null, key: null, flowDirection: 2 });
    else expect(data).toBe('Energy flow rule not exists');
  },
);

test('the remote latest state has the same fields, and the ids', async () => {
  const { ask, deviceId, stationId } = await startSimulator({ family: 'mega-eco' });
  const query = { deviceId, dataSource: '2' };
  const latest = (await ask('latest-state', { query })).data;
  const remote = (await ask('remote-latest-state', { query })).data;
  expect(remote).toMatchObject({
    deviceId,
    stationId,
    time: latest['time'],
    fields: latest['fields'],
  });
  expect(await ask('latest-state', { query: { ...query, dataSource: '3' } })).toMatchObject({
    code: 20_101,
  });
});

test.each([
  { category: '1', keys: ['lampColour', 'houseDraw'], code: 0 },
  { category: '3', keys: ['outputSourcePrioritySetting'], code: 0 },
  { category: '', keys: ['lampColour', 'outputSourcePrioritySetting'], code: 0 },
  { category: '2', keys: [], code: 20_101 },
])('the attributes of category "$category" name $keys', async ({ category, keys, code }) => {
  const { ask, deviceId } = await startSimulator({ family: 'undescribed' });
  const answer = await ask('attributes', { query: { deviceId, category } });
  expect(answer.code).toBe(code);
  expect(Object.values(answer.data).map((attribute) => attribute['key'])).toEqual(
    expect.arrayContaining(keys),
  );
});

describe('the keys history', () => {
  const fields = { a: [null, null, null] };
  test.each<{ family: Family; keys: readonly string[]; payload: object | null; from?: string }>([
    { family: 'uwb1', keys: ['load_power'], payload: { timeSeries: { length: 3 }, fields: {} } },
    { family: 'maniy', keys: ['a'], payload: { fields } },
    { family: 'classic', keys: ['a'], payload: { fields: {}, formatters: {} } },
    {
      family: 'pi30',
      keys: ['BatteryVoltage', 'generationPower'],
      payload: { formatters: { BatteryVoltage: { unit: 'V' } } },
    },
    {
      family: 'a-phase-hybrid',
      keys: ['generationPower'],
      payload: { fields: { generationPower: [expect.any(Number), null, null] } },
    },
    {
      family: 'sierro',
      keys: ['batteryVoltage'],
      payload: {
        fields: { batteryVoltage: { 0: expect.stringMatching(/^\d\d(\.\d)?$/) as string } },
      },
    },
    { family: 'msdc', keys: ['a'], from: '2026-06-22T00:00:00Z', payload: null },
    {
      family: 'pi30',
      keys: ['a'],
      from: '2026-06-22T00:00:00Z',
      payload: { timeSeries: [], fields: {} },
    },
  ])(
    'of $family with $keys from $from is $payload',
    async ({ family, keys, from = '2026-06-21T03:50:00Z', payload }) => {
      const { ask, deviceId } = await startSimulator({ family });
      const body = {
        deviceId,
        page: 1,
        count: 9,
        fromTime: from,
        toTime: '2026-06-22T01:00:00Z',
        keys,
      };
      const { data } = await ask('readings', { body });
      if (payload === null) expect(data['payload']).toBeNull();
      else expect(data['payload']).toMatchObject(payload);
    },
  );
});
