import { expect, test } from 'vitest';
import { FAMILIES, type Family, type Simulator } from '../../src/simulator/simulator.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, type ScrapedPage, startBoth } from '../doors/house.ts';
import { eventually } from '../support/eventually.ts';
import { temporaryDirectory } from '../support/prometheus.ts';

const POINT_MS = 5 * MINUTE_MS;
/** In Kyiv, the clocks go forward on the 29th, and the month ends four days later. */
const BEGINS = '2026-03-27T00:00:00+02:00';
const WEEK_MS = 7 * DAY_MS;
const STEP_MS = 6 * HOUR_MS;

const POWERS = ['pv', 'load'];
const BATTERY = ['battery_charge', 'battery_discharge'];
const ALL = [...POWERS, 'grid_import', 'grid_feed_in', ...BATTERY];
const ALL_BUT_FEED_IN = [...POWERS, 'grid_import', ...BATTERY];

/** The flows that the time series of a family says. */
const KNOWN: Readonly<Record<Family, readonly string[]>> = {
  classic: ALL,
  fchao: ALL,
  'a-phase-hybrid': ALL,
  hpvinv02: ALL_BUT_FEED_IN,
  techfine: ALL_BUT_FEED_IN,
  sierro: ALL_BUT_FEED_IN,
  'mega-eco': BATTERY,
  msdc: ['pv'],
  'charge-controller': ['pv'],
  // What these measure is in their latest state or in their energy flow alone.
  uwb1: [],
  pi30: [],
  maniy: [],
  undescribed: [],
};

/**
 * By how much the counters of a week may differ from the true line between the points: what rounding does to
 * sums of tens of kWh is far below it. A grid import by the balance is never negative, so that it takes up what
 * the rounding of battery currents leaves over: half a watt on average.
 */
const RATIO = 0.005;
const ROUNDING_WATTS: Readonly<Record<string, number>> = { grid_import: 1 };

/** Energy in kWh, by flow. */
type ByFlow = Readonly<Record<string, number>>;

function countedKwh(page: ScrapedPage): ByFlow {
  const samples = page.all('solar_device_energy_kwh_total');
  return Object.fromEntries(samples.map(({ labels, value }) => [labels['flow'] ?? '', value]));
}

/** How finely the line between two points is summed up. */
const PARTS = 20;

/** What flowed from one instant to another, in kWh, if every power went in a straight line from point to point. */
function lineKwh(simulator: Simulator, deviceId: string, fromMs: number, toMs: number): ByFlow {
  const powers = (atMs: number): readonly number[] => {
    const state = simulator.truth(deviceId, atMs);
    const grid = state.gridImportPowerWatts - state.gridFeedInPowerWatts;
    return [state.pvPowerWatts, state.loadPowerWatts, grid, state.batteryPowerWatts];
  };
  const sums: Record<string, number> = {};
  const add = (flow: string, watts: number): void => {
    const hours = POINT_MS / HOUR_MS / PARTS;
    sums[flow] = (sums[flow] ?? 0) + (Math.max(0, watts) * hours) / 1000;
  };
  let before = powers(fromMs);
  for (let atMs = fromMs + POINT_MS; atMs <= toMs; atMs += POINT_MS) {
    const after = powers(atMs);
    for (let part = 0; part < PARTS; part += 1) {
      const share = (part + 0.5) / PARTS;
      const [pv = 0, load = 0, grid = 0, battery = 0] = before.map(
        (watts, index) => watts + share * ((after[index] ?? NaN) - watts),
      );
      add('pv', pv);
      add('load', load);
      add('grid_import', grid);
      add('grid_feed_in', -grid);
      add('battery_discharge', battery);
      add('battery_charge', -battery);
    }
    before = after;
  }
  return sums;
}

test.each(FAMILIES)(
  'over a week with outages, restarts, a gap, a change of clocks and the end of a month, the counters of a %s are what flowed',
  async (family) => {
    const house = await startBoth({
      now: BEGINS,
      simulator: { family, timeZone: 'Europe/Kyiv' },
      flags: { 'state.dir': temporaryDirectory() },
    });
    const { clock, simulator, deviceId, scrape } = house;
    const startMs = clock.nowMs();
    const gapFromMs = startMs + DAY_MS + 10 * HOUR_MS;
    const gapToMs = gapFromMs + 3 * HOUR_MS;
    simulator.setGap(deviceId, gapFromMs, gapToMs);
    let last: ByFlow = {};
    for (let step = 0; step * STEP_MS <= WEEK_MS; step += 1) {
      // The service is down for twelve hours, and later the exporter is off for a day.
      if (step === 9) simulator.setFault('*', { kind: 'reply', status: 503 });
      if (step === 11) simulator.setFault('*', undefined);
      if (step === 14) await house.stop();
      if (step === 18 || step === 19) await house.restart();
      if (step < 14 || step > 17) {
        const shown = countedKwh(await scrape());
        for (const [flow, kwh] of Object.entries(last))
          if (shown[flow] !== undefined) expect(shown[flow], flow).toBeGreaterThanOrEqual(kwh);
        last = { ...last, ...shown };
      }
      if (step * STEP_MS < WEEK_MS) clock.advance(STEP_MS);
    }
    // From the last point before the gap to the first one after it.
    const lastBeforeMs = gapFromMs - POINT_MS;
    const parts = [
      lineKwh(simulator, deviceId, startMs, lastBeforeMs),
      lineKwh(simulator, deviceId, gapToMs, startMs + WEEK_MS),
    ];
    // What was counted last is shown once it is written.
    await eventually(async () => {
      clock.advance(1);
      const page = await scrape();
      const shown = countedKwh(page);
      expect(Object.keys(shown).sort()).toEqual([...KNOWN[family]].sort());
      const isCounted = KNOWN[family].length > 0;
      expect(page.value('solar_device_energy_gap_seconds_total')).toBe(
        isCounted ? (gapToMs - lastBeforeMs) / 1000 : undefined,
      );
      expect(page.value('solar_collector_success', { collector: 'energy-counters' })).toBe(1);
      for (const [flow, kwh] of Object.entries(shown)) {
        const trueKwh = parts.reduce((sum, part) => sum + (part[flow] ?? NaN), 0);
        const roundingKwh = ((ROUNDING_WATTS[flow] ?? 0) * WEEK_MS) / HOUR_MS / 1000;
        expect(Math.abs(kwh - trueKwh), `${flow} of ${trueKwh} kWh`).toBeLessThanOrEqual(
          RATIO * trueKwh + roundingKwh,
        );
      }
    });
  },
);
