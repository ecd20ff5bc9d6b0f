import { describe, expect, test } from 'vitest';
import type { PlantState } from '../../src/simulator/simulator.ts';
import { HOUR_MS, type ScrapedPage, startBoth } from './house.ts';
import { AMPERE, MIDNIGHT, SOC, terminalTolerance, VOLT, WATT } from './resolution.ts';

const HOURS = 25;

interface Quantity {
  readonly metric: string;
  readonly truth: (state: PlantState) => number;
  readonly tolerance: (state: PlantState) => number;
}

const QUANTITIES: readonly Quantity[] = [
  { metric: 'solar_pv_power_watts', truth: (state) => state.pvPowerWatts, tolerance: () => WATT },
  {
    metric: 'solar_load_power_watts',
    truth: (state) => state.loadPowerWatts,
    tolerance: () => WATT,
  },
  {
    metric: 'solar_ac_output_power_watts',
    truth: (state) => state.loadPowerWatts,
    tolerance: () => WATT,
  },
  {
    metric: 'solar_grid_feed_in_power_watts',
    truth: (state) => state.gridFeedInPowerWatts,
    tolerance: () => WATT,
  },
  {
    metric: 'solar_battery_voltage_volts',
    truth: (state) => state.batteryVoltageVolts,
    tolerance: () => VOLT,
  },
  {
    metric: 'solar_battery_charging_current_amperes',
    truth: (state) => state.batteryChargingCurrentAmperes,
    tolerance: () => AMPERE,
  },
  {
    metric: 'solar_battery_discharge_current_amperes',
    truth: (state) => state.batteryDischargeCurrentAmperes,
    tolerance: () => AMPERE,
  },
  {
    metric: 'solar_battery_soc_ratio',
    truth: (state) => state.batterySocRatio,
    tolerance: () => SOC,
  },
  {
    metric: 'solar_battery_power_watts',
    truth: (state) => state.batteryPowerWatts,
    tolerance: terminalTolerance,
  },
  {
    metric: 'solar_grid_import_power_watts',
    truth: (state) => state.gridImportPowerWatts,
    tolerance: (state) => 3 * WATT + terminalTolerance(state),
  },
  {
    metric: 'solar_grid_power_watts',
    truth: (state) => state.gridImportPowerWatts - state.gridFeedInPowerWatts,
    tolerance: (state) => 4 * WATT + terminalTolerance(state),
  },
  {
    metric: 'solar_interface_grid_power_watts',
    // The interface's rule (2.7), which no meter follows: the battery counts the other way round.
    truth: (state) =>
      Math.max(
        0,
        state.loadPowerWatts -
          state.pvPowerWatts +
          state.batteryPowerWatts +
          state.gridFeedInPowerWatts,
      ),
    tolerance: (state) => 3 * WATT + terminalTolerance(state),
  },
];

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
        for (const { metric, truth: trueValue, tolerance } of QUANTITIES) {
          const shown = page.value(metric, { device_id });
          expect(shown, `${metric} of ${device_id}`).toBeDefined();
          const error = Math.abs((shown ?? NaN) - trueValue(state));
          expect(error, `${metric} of ${device_id}`).toBeLessThanOrEqual(tolerance(state) + 1e-6);
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
