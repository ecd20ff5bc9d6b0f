import { expect, test } from 'vitest';
import { FAMILIES, type Family } from '../../src/simulator/simulator.ts';
import type { Simulator } from '../support/faulty-simulator.ts';
import {
  DAY_MS,
  HOUR_MS,
  MINUTE_MS,
  type ScrapedPage,
  startExporterFor,
  startService,
} from '../doors/house.ts';
import { eventually } from '../support/eventually.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { temporaryDirectory } from '../support/prometheus.ts';

const POINT_MS = 5 * MINUTE_MS;
/** In Kyiv, the clocks go forward on the 29th, and the month ends four days later. */
const BEGINS = '2026-03-27T00:00:00+02:00';
const WEEK_MS = 7 * DAY_MS;
const STEP_MS = 6 * HOUR_MS;
/** A device that was silent for hours is asked every twelve minutes, here at the scrape that follows. */
const LONGEST_PAUSE_MS = 15 * MINUTE_MS;

const POWERS = ['pv', 'load'];
const BATTERY = ['battery_charge', 'battery_discharge'];
const ALL = [...POWERS, 'grid_import', 'grid_feed_in', ...BATTERY];
const ALL_BUT_FEED_IN = [...POWERS, 'grid_import', ...BATTERY];

/** The flows that a family says, and those of them that its time series says, which makes up for outages. */
const KNOWN: Readonly<Record<Family, readonly [all: readonly string[], past: readonly string[]]>> =
  {
    classic: [ALL, ALL],
    sierro: [ALL_BUT_FEED_IN, ALL_BUT_FEED_IN],
    hpvinv02: [ALL, ALL_BUT_FEED_IN],
    'mega-eco': [ALL, BATTERY],
    uwb1: [ALL, []],
    pi30: [ALL_BUT_FEED_IN, []],
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
  'over a week of outages the counters of a %s are what flowed',
  async (family) => {
    // What is written once a minute is written when a minute has passed by this clock.
    const clock = new FakeClock(BEGINS);
    const options = { family, timeZone: 'Europe/Kyiv' };
    const { simulator, serviceUrl, deviceId } = await startService(options, clock);
    const house = await startExporterFor(simulator, serviceUrl, clock, {
      flags: { 'state.dir': temporaryDirectory() },
    });
    const { scrape } = house;
    const startMs = clock.nowMs();
    const gapFromMs = startMs + DAY_MS + 10 * HOUR_MS;
    const gapToMs = gapFromMs + 3 * HOUR_MS;
    simulator.setGap(deviceId, gapFromMs, gapToMs);
    const [flows, ofPast] = KNOWN[family];
    // What the time series does not say is counted by what is read.
    const isReadOften = flows.length > ofPast.length;
    let readAgainAtMs = isReadOften ? Infinity : gapToMs;
    const look = (page: ScrapedPage): void => {
      const atMs = (page.value('solar_reading_timestamp_seconds') ?? NaN) * 1000;
      if (atMs >= gapToMs) readAgainAtMs = Math.min(readAgainAtMs, atMs);
    };
    let last: ByFlow = {};
    for (let step = 0; step * STEP_MS <= WEEK_MS; step += 1) {
      // The service is down for twelve hours, and later the exporter is off for less than a day, which it counts.
      if (step === 9) simulator.setFault('*', { kind: 'reply', status: 503 });
      if (step === 11) simulator.setFault('*', undefined);
      if (step === 14) await house.stop();
      if (step === 16 || step === 17) await house.restart();
      if (step < 14 || step > 15) {
        const shown = countedKwh(await scrape());
        for (const [flow, kwh] of Object.entries(last))
          if (shown[flow] !== undefined) expect(shown[flow], flow).toBeGreaterThanOrEqual(kwh);
        last = { ...last, ...shown };
      }
      if (step * STEP_MS === WEEK_MS) break;
      if (isReadOften && (step < 14 || step > 15))
        await house.keepScraping(STEP_MS, POINT_MS, look);
      else clock.advance(STEP_MS);
    }
    // From the last point before the gap to the first one after it.
    const lastBeforeMs = gapFromMs - POINT_MS;
    const line = (...spans: readonly (readonly [fromMs: number, toMs: number])[]): ByFlow => {
      const sums: Record<string, number> = {};
      for (const [fromMs, toMs] of spans)
        for (const [flow, kwh] of Object.entries(lineKwh(simulator, deviceId, fromMs, toMs)))
          sums[flow] = (sums[flow] ?? 0) + kwh;
      return sums;
    };
    const endMs = startMs + WEEK_MS;
    const after = (steps: number): number => startMs + steps * STEP_MS;
    const whole = line([startMs, lastBeforeMs], [gapToMs, endMs]);
    if (isReadOften) expect(readAgainAtMs).toBeLessThanOrEqual(gapToMs + LONGEST_PAUSE_MS);
    const read = line(
      ...([
        [startMs, lastBeforeMs],
        [readAgainAtMs, after(9) - POINT_MS],
        [after(11), after(14) - POINT_MS],
        [after(16), endMs],
      ] as const),
    );
    // What was counted last is shown once it is written.
    clock.advance(MINUTE_MS);
    await eventually(async () => {
      clock.advance(1);
      const page = await scrape();
      const shown = countedKwh(page);
      expect(Object.keys(shown).sort()).toEqual([...flows].sort());
      const gapSeconds = page.value('solar_device_energy_gap_seconds_total') ?? 0;
      const leastSeconds = flows.length === 0 ? 0 : (gapToMs - lastBeforeMs) / 1000;
      if (isReadOften) expect(gapSeconds).toBeGreaterThanOrEqual(leastSeconds);
      else expect(gapSeconds).toBe(leastSeconds);
      for (const [flow, kwh] of Object.entries(shown)) {
        const trueKwh = (ofPast.includes(flow) ? whole : read)[flow] ?? NaN;
        const roundingKwh = ((ROUNDING_WATTS[flow] ?? 0) * WEEK_MS) / HOUR_MS / 1000;
        expect(Math.abs(kwh - trueKwh), `${flow} of ${trueKwh} kWh`).toBeLessThanOrEqual(
          RATIO * trueKwh + roundingKwh,
        );
      }
    });
  },
);
