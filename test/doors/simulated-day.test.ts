import { describe, expect, test } from 'vitest';
import type { PlantState } from '../../src/simulator/simulator.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, type ScrapedPage, startBoth } from './house.ts';
import { AMPERE, MIDNIGHT, SOC, terminalTolerance, VOLT, WATT } from './resolution.ts';

/** Every two hours, for a day. */
const ROUNDS = 13;

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
  for (let round = 0; round < ROUNDS; round += 1) {
    const page = await scrape();
    const states = simulator
      .deviceIds(stationId)
      .map((deviceId) => [deviceId, simulator.truth(deviceId, clock.nowMs())] as const);
    hours.push({ page, truth: new Map(states) });
    clock.advance(2 * HOUR_MS);
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

describe('a plant', () => {
  /** Noon in Manila. */
  const NOON = '2026-06-21T04:00:00Z';

  test('has generated in a month what it has since the first midnight of the station', async () => {
    const { clock, simulator, scrape, deviceId } = await startBoth({
      now: NOON,
      simulator: { family: 'mega-eco' },
    });
    const page = await scrape();
    const { thisMonth } = simulator.truth(deviceId, clock.nowMs()).energy();
    const months = {
      solar_month_pv_generated_kwh: thisMonth.pvWattHours,
      solar_month_grid_import_kwh: thisMonth.gridImportWattHours,
      solar_month_grid_feed_in_kwh: thisMonth.gridFeedInWattHours,
      solar_month_consumption_kwh: thisMonth.loadWattHours,
      solar_month_battery_charged_kwh: thisMonth.batteryChargedWattHours,
      solar_month_battery_discharged_kwh: thisMonth.batteryDischargedWattHours,
    };
    for (const [metric, wattHours] of Object.entries(months)) {
      expect(wattHours, metric).toBeGreaterThan(0);
      expect(page.value(metric), metric).toBeCloseTo(wattHours / 1000, 1);
    }
    const ratio = thisMonth.pvWattHours / thisMonth.loadWattHours;
    expect(page.value('solar_month_solar_ratio')).toBeCloseTo(ratio, 3);
    const start = Date.parse('2026-06-01T00:00:00+08:00') / 1000;
    expect(page.value('solar_month_start_timestamp_seconds')).toBe(start);
  });

  test('that goes offline shows nothing old as live, for days, and comes back', async () => {
    const { clock, simulator, scrape, scrapeAfter, deviceId } = await startBoth({
      now: NOON,
      simulator: { family: 'hpvinv02' },
    });
    const isReporting = (page: ScrapedPage) => page.value('solar_device_reporting');
    expect(isReporting(await scrape())).toBe(1);
    simulator.setOffline(deviceId, clock.nowMs());
    expect(isReporting(await scrapeAfter(14 * MINUTE_MS))).toBe(1);
    for (const afterMs of [2 * MINUTE_MS, DAY_MS, DAY_MS]) {
      const silent = await scrapeAfter(afterMs);
      expect(isReporting(silent)).toBe(0);
      for (const name of ['pv_power_watts', 'load_power_watts', 'battery_soc_ratio'])
        expect(silent.all(`solar_${name}`)).toEqual([]);
      expect(silent.value('solar_up')).toBe(1);
    }
    expect((await scrape()).value('solar_device_online')).toBe(0);
    simulator.setOffline(deviceId, undefined);
    // What was silent for long is asked every twelve minutes.
    const back = await scrapeAfter(12 * MINUTE_MS);
    expect(isReporting(back)).toBe(1);
    expect(back.all('solar_pv_power_watts')).toHaveLength(1);
  });
});
