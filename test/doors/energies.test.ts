import { describe, expect, test } from 'vitest';
import type { Simulator } from '../../src/simulator/simulator.ts';
import { HOUR_MS, MINUTE_MS, type ScrapedPage, startBoth } from './house.ts';

/** The flows by the counter of the simulated inverter. */
const FLOWS = {
  pv: 'pvWattHours',
  load: 'loadWattHours',
  grid_import: 'gridImportWattHours',
  grid_feed_in: 'gridFeedInWattHours',
  battery_charge: 'batteryChargedWattHours',
  battery_discharge: 'batteryDischargedWattHours',
} as const;
const FLOW_NAMES = Object.keys(FLOWS) as (keyof typeof FLOWS)[];

/** What the service rounds its figures to. */
const HUNDREDTH_KWH = 0.011;
/** The simulator walks past months in longer steps than the running one. */
const COARSER_STEPS = 0.01;

/** What all devices of the simulator together counted, in kWh, in the day or month of an instant. */
function truthKwh(simulator: Simulator, atMs: number, period: 'today' | 'thisMonth') {
  const counters = simulator.stationIds
    .flatMap((stationId) => simulator.deviceIds(stationId))
    .map((deviceId) => simulator.truth(deviceId, atMs).energy()[period]);
  const sum = (flow: keyof typeof FLOWS): number =>
    counters.reduce((total, counter) => total + counter[FLOWS[flow]] / 1000, 0);
  return Object.fromEntries(FLOW_NAMES.map((flow) => [flow, sum(flow)]));
}

function energies(page: ScrapedPage, period: string): Readonly<Record<string, number>> {
  const samples = page.all(`solar_energy_${period}_kwh`);
  return Object.fromEntries(samples.map(({ labels, value }) => [labels['flow'] ?? '', value]));
}

function expectClose(
  shown: Readonly<Record<string, number>>,
  truth: Readonly<Record<string, number>>,
  toleranceRatio = 0,
): void {
  expect(Object.keys(shown).sort()).toEqual([...FLOW_NAMES].sort());
  for (const [flow, kwh] of Object.entries(truth)) {
    const differenceKwh = Math.abs((shown[flow] ?? NaN) - kwh);
    expect(differenceKwh, flow).toBeLessThanOrEqual(HUNDREDTH_KWH + toleranceRatio * kwh);
  }
}

describe('the energies of a station with two devices', () => {
  // The last evening of January in Kyiv, and the last one before the clocks go forward.
  test.each([
    { night: 'of a month', midnight: '2026-02-01T00:00:00+02:00' },
    { night: 'before the clocks change', midnight: '2026-03-29T00:00:00+02:00' },
    { night: 'after the clocks changed', midnight: '2026-03-30T00:00:00+03:00' },
  ])('are those of the simulator over the night $night', async ({ midnight }) => {
    const midnightMs = Date.parse(midnight);
    const eveningMs = midnightMs - 10 * MINUTE_MS;
    const { simulator, scrape, scrapeAfter } = await startBoth({
      now: new Date(eveningMs).toISOString(),
      simulator: { family: 'uwb1', devicesPerStation: 2, timeZone: 'Europe/Kyiv' },
    });
    const evening = await scrape();
    expectClose(energies(evening, 'today'), truthKwh(simulator, eveningMs, 'today'));
    expectClose(energies(evening, 'month'), truthKwh(simulator, eveningMs, 'thisMonth'));

    const later = await scrapeAfter(11 * HOUR_MS + 10 * MINUTE_MS);
    const morningMs = midnightMs + 11 * HOUR_MS;
    expectClose(energies(later, 'today'), truthKwh(simulator, morningMs, 'today'));
    expectClose(energies(later, 'yesterday'), truthKwh(simulator, midnightMs - 1, 'today'), 0.001);
    expectClose(energies(later, 'month'), truthKwh(simulator, morningMs, 'thisMonth'));
    expect(energies(later, 'today')['pv']).toBeLessThan(energies(later, 'yesterday')['pv'] ?? 0);
  });

  test('are those of the simulator for a year, and every year counts for the lifetime', async () => {
    const nowMs = Date.parse('2026-02-03T12:00:00+08:00');
    const { simulator, scrape } = await startBoth({
      now: new Date(nowMs).toISOString(),
      simulator: { family: 'uwb1', devicesPerStation: 2 },
    });
    const page = await scrape();
    const january = truthKwh(simulator, Date.parse('2026-02-01T00:00:00+08:00') - 1, 'thisMonth');
    const february = truthKwh(simulator, nowMs, 'thisMonth');
    const year = Object.fromEntries(
      FLOW_NAMES.map((flow) => [flow, (january[flow] ?? NaN) + (february[flow] ?? NaN)]),
    );
    expectClose(energies(page, 'year'), year, COARSER_STEPS);
    const lifetime = energies(page, 'lifetime');
    // Two whole years, and the days of this one.
    for (const flow of FLOW_NAMES)
      expect((lifetime[flow] ?? NaN) / (energies(page, 'year')[flow] ?? NaN)).toBeGreaterThan(10);
  });

  test('are PV alone where the service measures nothing else', async () => {
    const { scrape } = await startBoth({ simulator: { family: 'hpvinv02' } });
    const page = await scrape();
    for (const period of ['today', 'yesterday', 'month', 'year', 'lifetime'])
      expect(Object.keys(energies(page, period))).toEqual(['pv']);
  });
});
