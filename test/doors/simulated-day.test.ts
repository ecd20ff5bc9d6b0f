import { describe, expect, test } from 'vitest';
import { DAY_MS, MINUTE_MS, type ScrapedPage, startBoth } from './house.ts';

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
