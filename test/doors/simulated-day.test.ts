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
});
