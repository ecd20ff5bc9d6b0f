import { describe, expect, test } from 'vitest';
import type { PlantState } from '../../src/simulator/simulator.ts';
import { HOUR_MS, type ScrapedPage, startBoth } from './house.ts';
import { AMPERE, MIDNIGHT, SOC, terminalTolerance, VOLT, WATT } from './resolution.ts';

const HOURS = 25;

/** What is true, and how far the page may be from it, because the service rounds. */
type Truth = readonly [truth: (state: PlantState) => number, tolerance: number | 'terminals'];

const QUANTITIES: Readonly<Record<string, Truth>> = {
  solar_pv_power_watts: [(state) => state.pvPowerWatts, WATT],
  solar_load_power_watts: [(state) => state.loadPowerWatts, WATT],
  solar_ac_output_power_watts: [(state) => state.loadPowerWatts, WATT],
  solar_grid_feed_in_power_watts: [(state) => state.gridFeedInPowerWatts, WATT],
  solar_battery_voltage_volts: [(state) => state.batteryVoltageVolts, VOLT],
  solar_battery_charging_current_amperes: [(state) => state.batteryChargingCurrentAmperes, AMPERE],
  solar_battery_discharge_current_amperes: [
    (state) => state.batteryDischargeCurrentAmperes,
    AMPERE,
  ],
  solar_battery_soc_ratio: [(state) => state.batterySocRatio, SOC],
  solar_battery_power_watts: [(state) => state.batteryPowerWatts, 'terminals'],
  solar_grid_import_power_watts: [(state) => state.gridImportPowerWatts, 'terminals'],
  solar_grid_power_watts: [
    (state) => state.gridImportPowerWatts - state.gridFeedInPowerWatts,
    'terminals',
  ],
  // The interface's rule (2.7), which no meter follows: the battery counts the other way round.
  solar_interface_grid_power_watts: [
    (state) =>
      Math.max(
        0,
        state.loadPowerWatts -
          state.pvPowerWatts +
          state.batteryPowerWatts +
          state.gridFeedInPowerWatts,
      ),
    'terminals',
  ],
};

interface Hour {
  readonly page: ScrapedPage;
  readonly truth: ReadonlyMap<string, PlantState>;
}

async function readDay(): Promise<readonly Hour[]> {
  const { clock, simulator, scrape, stationId } = await startBoth({
    now: MIDNIGHT,
    simulator: { devicesPerStation: 2 },
  });
  const hours: Hour[] = [];
  for (let hour = 0; hour < HOURS; hour += 1) {
    const page = await scrape();
    const states = simulator
      .deviceIds(stationId)
      .map((deviceId) => [deviceId, simulator.truth(deviceId, clock.nowMs())] as const);
    hours.push({ page, truth: new Map(states) });
    clock.advance(HOUR_MS);
  }
  return hours;
}

describe('over a simulated day', () => {
  test('every hour and device shows what is true, as far as the service rounds', async () => {
    for (const { page, truth } of await readDay()) {
      for (const [device_id, state] of truth) {
        for (const [metric, [trueValue, tolerance]] of Object.entries(QUANTITIES)) {
          const shown = page.value(metric, { device_id });
          expect(shown, `${metric} of ${device_id}`).toBeDefined();
          const error = Math.abs((shown ?? NaN) - trueValue(state));
          expect(error, `${metric} of ${device_id}`).toBeLessThanOrEqual(
            1e-6 + (tolerance === 'terminals' ? 4 * WATT + terminalTolerance(state) : tolerance),
          );
        }
      }
    }
  });

  test('the flows balance at every hour, and each of them occurs', async () => {
    const seen = new Set<string>();
    for (const { page, truth } of await readDay()) {
      for (const [device_id, state] of truth) {
        const watts = (flow: string) =>
          page.value(`solar_${flow}_power_watts`, { device_id }) ?? NaN;
        const [pv, load, battery] = [watts('pv'), watts('load'), watts('battery')];
        const [gridImport, feedIn] = [watts('grid_import'), watts('grid_feed_in')];
        const imbalance = pv + battery + gridImport - load - feedIn;
        expect(Math.abs(imbalance)).toBeLessThanOrEqual(3 * WATT + terminalTolerance(state));
        if (pv > 0) seen.add('sun');
        if (battery > 10) seen.add('discharging');
        if (battery < -10) seen.add('charging');
        if (gridImport > 20) seen.add('import');
        if (feedIn > 0) seen.add('feed-in');
      }
    }
    expect([...seen].sort()).toEqual(['charging', 'discharging', 'feed-in', 'import', 'sun']);
  });

  test('the newest reading is dated by the service', async () => {
    const { scrape, clock } = await startBoth({ now: '2026-06-21T04:03:20Z' });
    const measuredAt = (await scrape()).value('solar_reading_timestamp_seconds');
    expect(measuredAt).toBe(Date.parse('2026-06-21T04:00:00Z') / 1000);
    expect(clock.nowMs()).toBe(Date.parse('2026-06-21T04:03:20Z'));
  });
});
