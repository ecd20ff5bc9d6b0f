import { describe, expect, test } from 'vitest';
import type { Family, SimulatorOptions } from '../../../../src/simulator/simulator.ts';
import { dataOf, PATHS, startSimulator } from '../running-simulator.ts';

interface Payload {
  readonly timeSeries: readonly string[];
  readonly fields: Readonly<Record<string, readonly unknown[]>>;
  readonly formatters: unknown;
}

// The clock stands at 04:00: four samples, the newest at the clock's instant.
const WINDOW = { fromTime: '2026-06-21T03:45:00Z', toTime: '2026-06-21T04:00:00Z' };

async function payloadOf(
  family: Family,
  change: object = {},
  options: Partial<SimulatorOptions> = {},
): Promise<Payload | null> {
  const { ask, deviceId } = await startSimulator({ family, ...options });
  const body = { deviceId, page: 1, count: 100, orderByTimeAsc: true, ...WINDOW, ...change };
  return dataOf<{ payload: Payload | null }>(await ask(PATHS.readings, body)).payload;
}

describe('the history', () => {
  test('of uwb1 has frames without keys', async () => {
    const payload = await payloadOf('uwb1', { keys: ['pv1Power', 'batteryPercentage'] });
    expect(payload?.timeSeries).toHaveLength(4);
    expect(payload?.fields).toEqual({});
  });

  test.each(['hpvinv02', 'pi30', 'sierro', 'techfine', 'undescribed'] as const)(
    'of %s leaves out a key it lacks',
    async (family) => {
      const payload = await payloadOf(family, { keys: ['feedInPower'] });
      expect(payload?.fields).toEqual({});
    },
  );

  test.each(['mega-eco', 'a-phase-hybrid', 'msdc', 'maniy', 'charge-controller'] as const)(
    'of %s fills a key it lacks with nulls',
    async (family) => {
      const payload = await payloadOf(family, { keys: ['feedInPower'] });
      expect(payload?.fields).toEqual({ feedInPower: [null, null, null, null] });
    },
  );

  test('of mega-eco lacks the keys that only the flow has', async () => {
    const payload = await payloadOf('mega-eco', { keys: ['GridPower', 'batteryCapacity'] });
    expect(payload?.fields['GridPower']).toEqual([null, null, null, null]);
    expect(payload?.fields['batteryCapacity']).not.toContain(null);
  });

  test('of a-phase-hybrid ends in nulls, more or fewer by key', async () => {
    const payload = await payloadOf('a-phase-hybrid', {
      keys: ['generationPower', 'batterySOC', 'batteryPower', 'workingMode'],
    });
    const isNull = (key: string) => payload?.fields[key]?.map((element) => element === null);
    expect(isNull('generationPower')).toEqual([false, false, true, true]);
    expect(isNull('batterySOC')).toEqual([false, false, false, true]);
    expect(isNull('batteryPower')).toEqual([false, false, false, false]);
    expect(payload?.fields['workingMode']).toEqual(['L', 'L', 'L', 'L']);
  });

  test('knows a late key once newer samples are there', async () => {
    const { ask, deviceId, clock } = await startSimulator({ family: 'a-phase-hybrid' });
    clock.advance(600_000);
    const body = { deviceId, page: 1, count: 100, orderByTimeAsc: false, ...WINDOW };
    const answer = await ask(PATHS.readings, { ...body, keys: ['generationPower'] });
    const { payload } = dataOf<{ payload: Payload }>(answer);
    expect(payload.fields['generationPower']).not.toContain(null);
  });

  test('of pi30 carries units, of keys it has', async () => {
    const payload = await payloadOf('pi30', { keys: ['BatteryVoltage', 'generationPower'] });
    expect(payload?.formatters).toEqual({ BatteryVoltage: { unit: 'V' } });
    expect(Object.keys(payload?.fields ?? {})).toEqual(['BatteryVoltage']);
  });

  test('of sierro spells numbers as strings', async () => {
    const payload = await payloadOf('sierro');
    for (const element of Object.values(payload?.fields ?? {}).flat())
      expect(element).toMatch(/^-?\d+(\.\d)?$/);
  });

  test.each([
    { family: 'msdc', payload: null },
    { family: 'pi30', payload: { timeSeries: [], fields: {} } },
  ] as const)('of $family in an empty window has payload $payload', async ({ family, payload }) => {
    const future = { fromTime: '2026-06-22T00:00:00Z', toTime: '2026-06-22T01:00:00Z' };
    const answered = await payloadOf(family, future);
    if (payload === null) expect(answered).toBeNull();
    else expect(answered).toMatchObject(payload);
  });
});
