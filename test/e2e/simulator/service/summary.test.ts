import { describe, expect, test } from 'vitest';
import {
  dataOf,
  envelopeOf,
  PATHS,
  startSimulator,
  type RunningSimulator,
} from '../running-simulator.ts';
import { SteppingClock } from '../stepping-clock.ts';

const CATEGORY = 'pvInverterElectricityQuantityClass';

async function summary(
  { ask, stationId }: RunningSimulator,
  time: string,
): Promise<ReadonlyMap<string, number>> {
  const query = new URLSearchParams({ stationId, summaryCategoryKey: CATEGORY }).toString();
  const { properties } = dataOf<{ properties: { key: string; value: number }[] }>(
    await ask(`${PATHS.summary}?${query}`, { time }),
  );
  return new Map(properties.map(({ key, value }) => [key, value]));
}

describe('the monthly summary', () => {
  test('lists the months of this year so far and the totals of the running one', async () => {
    const months = await summary(await startSimulator(), '2026');
    expect([...months.keys()]).toEqual([
      ...['2026-01', '2026-02', '2026-03', '2026-04', '2026-05', '2026-06'],
      ...['pvTotal', 'gridImport', 'totalConsumption'],
    ]);
    expect(months.get('pvTotal')).toBe(months.get('2026-06'));
    for (const value of months.values()) {
      expect(value).toBeGreaterThan(0);
      expect(Math.abs(value * 100 - Math.round(value * 100))).toBeLessThan(1e-6);
    }
  });

  test('adds up what the devices of the station made, minute by minute', async () => {
    const clock = new SteppingClock('2026-06-02T04:00:00Z');
    const running = await startSimulator({ devicesPerStation: 2 }, clock);
    const months = await summary(running, '2026');
    let [pvKwh, importKwh, loadKwh] = [0, 0, 0];
    for (const deviceId of running.simulator.deviceIds(running.stationId)) {
      for (
        let atMs = Date.parse('2026-06-01T00:00:00+08:00');
        atMs < clock.nowMs();
        atMs += 60_000
      ) {
        const truth = running.simulator.truth(deviceId, atMs);
        pvKwh += truth.pvPowerWatts / 60_000;
        importKwh += truth.gridImportPowerWatts / 60_000;
        loadKwh += truth.loadPowerWatts / 60_000;
      }
    }
    expect(Math.abs((months.get('2026-06') ?? NaN) - pvKwh)).toBeLessThan(0.006);
    expect(Math.abs((months.get('gridImport') ?? NaN) - importKwh)).toBeLessThan(0.006);
    expect(Math.abs((months.get('totalConsumption') ?? NaN) - loadKwh)).toBeLessThan(0.006);
  });

  test('turns to the next month at midnight of the station, not of UTC', async () => {
    const clock = new SteppingClock('2026-06-30T15:59:59Z');
    const running = await startSimulator({}, clock);
    expect((await summary(running, '2026')).has('2026-07')).toBe(false);
    clock.advance(1000);
    const july = await summary(running, '2026');
    expect(july.get('2026-07')).toBe(0);
    expect(july.get('pvTotal')).toBe(0);
    expect(july.get('2026-06')).toBeGreaterThan(100);
  });

  test('lists twelve months of a past year and nothing of a future one', async () => {
    const running = await startSimulator();
    const past = [...(await summary(running, '2025')).keys()];
    expect(past).toHaveLength(12);
    expect(past[11]).toBe('2025-12');
    expect((await summary(running, '2027')).size).toBe(0);
  });

  test('serves the physical month under the month of the clock when physics runs faster', async () => {
    const clock = new SteppingClock('2026-06-29T04:00:00Z');
    const running = await startSimulator({ speed: 86_400 }, clock);
    const before = (await summary(running, '2026')).get('2026-06') ?? NaN;
    // Five days of sun later it is July there, and June still here.
    clock.advance(5000);
    const after = await summary(running, '2026');
    expect(after.get('2026-06')).toBeLessThan(before);
    expect(after.get('2026-06')).toBeGreaterThan(0);
    expect(after.has('2026-07')).toBe(false);
  });

  test.each([
    { when: 'an unknown station', query: { stationId: '1' } },
    { when: 'another category', query: { summaryCategoryKey: 'other' } },
    { when: 'a month for a year', time: '2026-06' },
    { when: 'a year as a number', time: 2026 },
  ])('is refused with code 20101 for $when', async ({ query, time = '2026' }) => {
    const { ask, stationId } = await startSimulator();
    const asked = new URLSearchParams({ stationId, summaryCategoryKey: CATEGORY, ...query });
    const answer = await ask(`${PATHS.summary}?${asked.toString()}`, { time });
    expect(envelopeOf(answer).code).toBe(20_101);
  });

  test('is refused with code 20101 without a query', async () => {
    const { ask } = await startSimulator();
    expect(envelopeOf(await ask(PATHS.summary, { time: '2026' })).code).toBe(20_101);
  });
});
