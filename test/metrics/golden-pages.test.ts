import { describe, expect, test } from 'vitest';
import type { Setting, SettingValue } from '../../src/model/settings.ts';
import { MINUTE_MS } from '../collectors/collection-harness.ts';
import { countAt, openCounts } from '../collectors/energy-counts/counts-harness.ts';
import { reportOf } from '../support/device-report.ts';
import { parseExposition } from './exposition.ts';
import { createScraper, NEW_SESSION } from './scraper-harness.ts';

/** Two stations: one with everything, one whose inverter is off and whose summary is empty. */
async function createTwoStations() {
  const { counts } = await openCounts();
  // What was counted before the last start of the program.
  await counts.keep('71', { ...countAt(-1, 12.345_678), gapMs: 2.5 * MINUTE_MS });
  const harness = createScraper({
    settings: true,
    alarms: true,
    energy: true,
    energyCounts: counts,
  });
  const { api, clock, self, session } = harness;
  api.stations = [
    { stationId: '1001', name: 'Home "Sunny" \\ 1', timeZone: 'Europe/Berlin' },
    { stationId: '1002' },
  ];
  api.devices.set('1001', [
    {
      deviceId: '71',
      name: 'Roof\nSouth',
      serial: 'SN-0071',
      model: 'H5',
      isOnline: true,
      ratedPowerWatts: 5000,
      pvEnergyTodayKwh: 12.5,
      pvEnergyTotalKwh: 10_042.5,
      listedAtMs: clock.nowMs(),
    },
    { deviceId: '72', name: 'Söller ☀', isOnline: true },
  ]);
  api.devices.set('1002', [{ deviceId: '81', isOnline: false, stationName: 'Hut' }]);
  api.readings = {
    pvPowerWatts: 3200,
    acOutputPowerWatts: 1850.5,
    gridFeedInPowerWatts: 120,
    batteryVoltageVolts: 52.4,
    batteryChargingCurrentAmperes: 20.5,
    batteryDischargeCurrentAmperes: 0,
    batterySocRatio: 0.87,
    measuredAtMs: clock.nowMs() - MINUTE_MS,
  };
  // A family whose load and battery nobody knows: what depends on them is absent.
  const few = reportOf(
    {
      pvPowerWatts: 900,
      batterySocRatio: 0.5,
      batterySohRatio: 0.98,
      batteryTemperatureCelsius: 31,
      gridVoltageVolts: 229.6,
      gridFrequencyHertz: 49.98,
      acOutputVoltageVolts: 230.2,
      acOutputFrequencyHertz: 50,
      pvStrings: new Map([
        ['1', { powerWatts: 500, voltageVolts: 320, currentAmperes: 1.6 }],
        ['2', { powerWatts: 400 }],
      ]),
      temperaturesCelsius: new Map([['inverter', 41.5]]),
      workingMode: 'line',
      measuredAtMs: clock.nowMs() - MINUTE_MS,
    },
    {
      dialect: {
        family: 'unknown',
        source: 'latest',
        missing: ['acOutputPowerWatts', 'gridFeedInPowerWatts'],
        unknownKeys: ['houseDraw', 'lampColour', 'panelMood'],
      },
    },
  );
  api.answer('readings 72', () => Promise.resolve(few));
  api.answer('readings 81', () => Promise.resolve(reportOf({})));
  const { startsAtMs, endsAtMs } = api.month;
  api.answer('summary 1002', () => Promise.resolve({ startsAtMs, endsAtMs }));
  api.month = {
    ...api.month,
    gridFeedInKwh: 55.5,
    batteryChargedKwh: 80,
    batteryDischargedKwh: 72.5,
  };
  // The service measures the PV of the hut alone, and has counted nothing today.
  api.answer('days 1002', () =>
    Promise.resolve({ today: {}, yesterday: { pvGeneratedKwh: 3.2 }, endsAtMs }),
  );
  api.answer('years 1002', () =>
    Promise.resolve({ year: { pvGeneratedKwh: 410 }, lifetime: {}, endsAtMs }),
  );
  api.alarms = [
    { deviceId: '72', key: 'lineLoss', level: 'warning' },
    { deviceId: '72', key: 'batteryLow', level: 'critical' },
  ];
  api.settings = new Map<string, Setting | SettingValue>([
    ['operatingMode', 'Self-Use'],
    ['gridChargingEnabled', false],
    ['maxChargeCurrent', { value: 60, unit: 'A', form: 'object' }],
  ]);
  session.status = { ...NEW_SESSION, accessExpiresAtMs: clock.nowMs() + 120 * MINUTE_MS };
  self.countsOf().renewalEnded('login', 'ok');
  self.countsOf().requestEnded('login', 'ok', 0.2);
  self.countsOf().requestEnded('readings', 'ok', 0.05);
  self.countsOf().requestEnded('readings', 'SERVICE_TIMEOUT', 30.1);
  return harness;
}

const PAGES = [
  {
    name: 'two-stations',
    what: 'everything is well',
    scrape: async () => (await createTwoStations()).page(),
  },
  {
    name: 'readings-withdrawn',
    what: 'one inverter fails for longer than the maximum age',
    scrape: async () => {
      const { api, clock, page } = await createTwoStations();
      await page();
      api.fail('readings 71', 'SERVICE_SERVER_ERROR');
      clock.advance(15 * MINUTE_MS);
      return page();
    },
  },
  {
    name: 'nothing-known',
    what: 'the service refuses everything from the start',
    scrape: () => {
      const { api, clock, session, page } = createScraper();
      api.fail('stations', 'SERVICE_AUTH_REJECTED');
      session.status = {
        ...NEW_SESSION,
        isReauthenticationRequired: true,
        blockedUntilMs: clock.nowMs() + MINUTE_MS,
      };
      return page();
    },
  },
];

describe('the whole page', () => {
  test.each(PAGES)('is as recorded when $what', async ({ name, scrape }) => {
    const page = await scrape();
    expect(() => parseExposition(page)).not.toThrow();
    await expect(page).toMatchFileSnapshot(`../fixtures/metrics/${name}.prom`);
  });
});
