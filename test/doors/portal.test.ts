import { describe, expect, test } from 'vitest';
import type { Family } from '../../src/simulator/simulator.ts';
import { HOUR_MS, MINUTE_MS, type ScrapedPage, startBoth } from './house.ts';

/** Noon in Manila. */
const NOON = '2026-06-21T04:00:00Z';

/** One that is read from its time series, and one that is read from its latest state. */
const READ_EITHER_WAY: readonly Family[] = ['techfine', 'hpvinv02'];

function alarmsOn(page: ScrapedPage): readonly string[] {
  return page
    .all('solar_device_alarm_firing')
    .map(({ labels }) => `${labels['alarm'] ?? ''} ${labels['level'] ?? ''}`)
    .sort();
}

describe('alarms', () => {
  test.each(READ_EITHER_WAY)('of a %s fire once each, and vanish when cleared', async (family) => {
    const { simulator, scrape, scrapeAfter, deviceId } = await startBoth({
      now: NOON,
      simulator: { family },
    });
    expect(alarmsOn(await scrape())).toEqual([]);
    simulator.setAlarms(deviceId, [
      { key: 'lineLoss', level: 2 },
      { key: 'batteryLow', level: 3 },
      { key: 'somethingElse', level: 7 },
    ]);
    // An alarm comes with the next reading; what readings brought is taken every two minutes.
    await scrapeAfter(6 * MINUTE_MS);
    expect(alarmsOn(await scrapeAfter(3 * MINUTE_MS))).toEqual([
      'batteryLow critical',
      'lineLoss warning',
      'somethingElse 7',
    ]);
    simulator.setAlarms(deviceId, [{ key: 'lineLoss', level: 2 }]);
    await scrapeAfter(6 * MINUTE_MS);
    expect(alarmsOn(await scrapeAfter(3 * MINUTE_MS))).toEqual(['lineLoss warning']);
    simulator.setAlarms(deviceId, []);
    await scrapeAfter(6 * MINUTE_MS);
    expect(alarmsOn(await scrapeAfter(3 * MINUTE_MS))).toEqual([]);
  });
});

describe('a device that goes offline', () => {
  test.each(['classic', 'hpvinv02'] as const)(
    'shows nothing old as live, whatever a %s goes on answering, and comes back',
    async (family) => {
      const { clock, simulator, scrape, scrapeAfter, deviceId } = await startBoth({
        now: NOON,
        simulator: { family },
      });
      const live = await scrape();
      expect(live.value('solar_device_reporting')).toBe(1);
      simulator.setAlarms(deviceId, [{ key: 'lineLoss', level: 2 }]);
      simulator.setOffline(deviceId, clock.nowMs());
      const stillYoung = await scrapeAfter(14 * MINUTE_MS);
      expect(stillYoung.value('solar_device_reporting')).toBe(1);

      const silent = await scrapeAfter(2 * MINUTE_MS);
      expect(silent.value('solar_device_reporting')).toBe(0);
      for (const metric of [
        'solar_pv_power_watts',
        'solar_load_power_watts',
        'solar_battery_soc_ratio',
      ])
        expect(silent.all(metric)).toEqual([]);
      expect(silent.value('solar_up')).toBe(1);

      // For days.
      for (let day = 0; day < 3; day += 1) {
        const later = await scrapeAfter(24 * HOUR_MS);
        expect(later.value('solar_device_reporting')).toBe(0);
        expect(later.all('solar_pv_power_watts')).toEqual([]);
        expect(later.value('solar_device_online')).toBe(0);
      }
      simulator.setOffline(deviceId, undefined);
      // What was silent for long is asked every twelve minutes.
      const back = await scrapeAfter(12 * MINUTE_MS);
      expect(back.value('solar_device_reporting')).toBe(1);
      expect(back.all('solar_pv_power_watts')).toHaveLength(1);
    },
  );
});

describe('the month of the portal', () => {
  test('is what the station has done since its first midnight', async () => {
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
    expect(page.value('solar_month_solar_ratio')).toBeCloseTo(
      thisMonth.pvWattHours / thisMonth.loadWattHours,
      3,
    );
    expect(page.value('solar_month_start_timestamp_seconds')).toBe(
      Date.parse('2026-06-01T00:00:00+08:00') / 1000,
    );
  });
});

describe('a session of the portal', () => {
  test('whose token expires inside an HTTP 200 is renewed once, with the signed pair', async () => {
    const { simulator, scrape, scrapeAfter } = await startBoth({
      now: NOON,
      flags: { 'cache.readings-ttl': '1m' },
      simulator: { family: 'hpvinv02' },
    });
    await scrape();
    simulator.revokeTokens();
    const page = await scrapeAfter(2 * MINUTE_MS);
    expect(page.value('solar_up')).toBe(1);
    expect(simulator.requests('login')).toBe(1);
    expect(page.value('solar_token_renewals_total', { method: 'refresh', outcome: 'ok' })).toBe(1);
  });
});

describe('everything else that a device measures', () => {
  test('is true as well', async () => {
    const { clock, simulator, scrape, deviceId } = await startBoth({
      now: NOON,
      simulator: { family: 'mega-eco' },
    });
    const page = await scrape();
    const { pvStrings } = simulator.truth(deviceId, clock.nowMs());
    for (const [index, { powerWatts }] of pvStrings.entries())
      expect(
        Math.abs(
          (page.value('solar_pv_string_power_watts', { string: String(index + 1) }) ?? NaN) -
            powerWatts,
        ),
      ).toBeLessThanOrEqual(0.5);
    expect(page.value('solar_device_rated_power_watts')).toBeGreaterThan(1000);
    expect(page.value('solar_device_pv_energy_today_kwh')).toBeGreaterThan(0);
  });

  test('has its own metric: voltages, frequencies, temperatures, modes', async () => {
    const { clock, simulator, scrape, deviceId } = await startBoth({
      now: NOON,
      simulator: { family: 'hpvinv02' },
    });
    const page = await scrape();
    const truth = simulator.truth(deviceId, clock.nowMs());
    expect(page.value('solar_grid_voltage_volts')).toBeCloseTo(truth.gridVoltageVolts, 0);
    expect(page.value('solar_grid_frequency_hertz')).toBeCloseTo(truth.gridFrequencyHertz, 1);
    expect(page.value('solar_ac_output_voltage_volts')).toBeCloseTo(truth.outputVoltageVolts, 0);
    expect(page.value('solar_device_temperature_celsius', { sensor: 'inverter' })).toBeCloseTo(
      truth.inverterTemperatureCelsius,
      -0.4,
    );
    expect(page.value('solar_pv_string_voltage_volts', { string: '1' })).toBeCloseTo(
      truth.pvStrings[0].voltageVolts,
      0,
    );
    const modes = page.all('solar_device_working_mode').filter(({ value }) => value === 1);
    expect(modes).toHaveLength(1);
  });
});
