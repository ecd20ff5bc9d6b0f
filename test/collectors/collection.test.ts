import { describe, expect, test } from 'vitest';
import { reportOf } from '../support/device-report.ts';
import { settled } from '../support/deferred.ts';
import {
  createCollection,
  HOUR_MS,
  keepScraping,
  MINUTE_MS,
  samplesOf,
} from './collection-harness.ts';

describe('a collection', () => {
  test.each([{ stationIds: [] }, { stationIds: ['house'] }])(
    'asks nothing before a scrape: $stationIds',
    async ({ stationIds }) => {
      const { api, clock, collection } = createCollection({ stationIds });
      clock.advance(HOUR_MS);
      await settled();
      expect(samplesOf(collection)).toEqual([]);
      expect(api.questions).toEqual([]);
    },
  );

  test('learns stations, devices and readings in one scrape', async () => {
    const { api, scrape } = createCollection();
    expect(await scrape()).toMatchObject({
      'solar_station_devices{house}': 1,
      'solar_pv_power_watts{house,inverter}': 1500,
      'solar_month_pv_generated_kwh{house}': 300,
    });
    expect(api.questions).toEqual([
      'stations',
      'devices house',
      'summary house',
      'readings inverter',
    ]);
  });

  test('never asks for the station list when stations are configured', async () => {
    const harness = createCollection({
      stationIds: ['house'],
      account: { house: ['inverter'], barn: [] },
    });
    await keepScraping(harness, 3 * HOUR_MS, 5 * MINUTE_MS);
    expect(harness.api.count('stations')).toBe(0);
    expect(harness.api.count('devices barn')).toBe(0);
    expect(harness.api.count('devices house')).toBe(3);
  });

  test('asks once for a station that is configured twice', async () => {
    const { api, scrape } = createCollection({ stationIds: ['house', 'house'] });
    await scrape();
    expect(api.count('devices house')).toBe(1);
  });

  test('answers overlapping scrapes with the same requests', async () => {
    const { api, collection } = createCollection();
    await Promise.all([collection.refresh(), collection.refresh(), collection.refresh()]);
    expect(api.counts).toEqual({
      stations: 1,
      'devices house': 1,
      'summary house': 1,
      'readings inverter': 1,
    });
  });

  test('answers a scrape that comes while an answer is awaited with the same request', async () => {
    const { api, clock, scrape, series } = createCollection();
    const reply = api.hang('readings inverter');
    await scrape();
    clock.advance(5000);
    await scrape();
    reply.resolve(reportOf({ pvPowerWatts: 42 }));
    await settled();
    expect(api.count('readings inverter')).toBe(1);
    expect(series()).toMatchObject({ 'solar_pv_power_watts{house,inverter}': 42 });
  });

  test('reads settings only when asked to', async () => {
    const { api, scrape } = createCollection({ settings: true });
    expect(await scrape()).toMatchObject({
      'solar_device_setting_info{house,inverter,operatingMode,Self-Use}': 1,
    });
    expect(api.count('settings-get inverter')).toBe(1);
  });

  test('says when the next fetch is due, and when the next value has to be withdrawn', async () => {
    const { collection, clock, scrape } = createCollection();
    expect(collection.nextFetchAtMs).toBe(Number.NEGATIVE_INFINITY);
    expect(collection.nextWithdrawalAtMs).toBe(Number.POSITIVE_INFINITY);
    await scrape();
    expect(collection.nextFetchAtMs).toBe(clock.nowMs() + MINUTE_MS);
    expect(collection.nextWithdrawalAtMs).toBe(clock.nowMs() + 15 * MINUTE_MS);
  });

  test('grows its version with a fetch and keeps it without one', async () => {
    const { collection, scrape, scrapeAfter } = createCollection({ stationIds: ['house'] });
    await scrape();
    const { version } = collection;
    await scrapeAfter(MINUTE_MS - 1);
    expect(collection.version).toBe(version);
    await scrapeAfter(1);
    expect(collection.version).toBeGreaterThan(version);
  });
});

describe('stations that come and go', () => {
  test('a new station appears with the next station list', async () => {
    const { api, scrape, scrapeAfter, collection } = createCollection();
    await scrape();
    api.stations = [{ stationId: 'house' }, { stationId: 'barn' }];
    api.devices.set('barn', [{ deviceId: 'barn-inverter' }]);
    expect(await scrapeAfter(HOUR_MS - 1)).not.toHaveProperty(['solar_station_devices{barn}']);
    expect(await scrapeAfter(1)).toMatchObject({
      'solar_pv_power_watts{barn,barn-inverter}': 1500,
    });
    expect(collection.status().map(({ stationId }) => stationId)).toEqual([
      undefined,
      'house',
      'barn',
    ]);
  });

  test('a station that left disappears after an hour, status and all', async () => {
    const { api, scrape, scrapeAfter, collection } = createCollection({
      account: { house: ['inverter'], barn: ['barn-inverter'] },
    });
    await scrape();
    api.stations = [{ stationId: 'barn' }];
    api.fail('readings inverter', 'SERVICE_API_REFUSED');
    await scrapeAfter(HOUR_MS);
    const names = Object.keys(await scrapeAfter(HOUR_MS));
    expect(names).toContain('solar_pv_power_watts{barn,barn-inverter}');
    expect(names.filter((name) => name.includes('house'))).toEqual([]);
    expect(collection.status().map(({ stationId }) => stationId)).toEqual([undefined, 'barn']);

    api.questions.length = 0;
    await scrapeAfter(HOUR_MS);
    expect(api.questions.filter((question) => question.includes('house'))).toEqual([]);
  });

  test('known stations are read on while the station list fails', async () => {
    const { api, scrape, scrapeAfter, isUp } = createCollection();
    await scrape();
    api.fail('stations', 'SERVICE_SERVER_ERROR');
    api.readings = { pvPowerWatts: 1600 };
    expect(await scrapeAfter(HOUR_MS)).toMatchObject({
      'solar_pv_power_watts{house,inverter}': 1600,
    });
    expect(isUp(undefined)).toBe(false);
    expect(isUp('house')).toBe(true);
  });

  test('known stations do not wait for the station list', async () => {
    const { api, scrape, scrapeAfter } = createCollection();
    await scrape();
    api.hang('stations');
    api.hang('devices house');
    api.readings = { pvPowerWatts: 1600 };
    expect(await scrapeAfter(HOUR_MS)).toMatchObject({
      'solar_pv_power_watts{house,inverter}': 1600,
    });
  });

  test('a name and time zone from the station list are taken over', async () => {
    const { api, scrape, scrapeAfter } = createCollection();
    api.stations = [{ stationId: 'house', name: 'Home', timeZone: 'Europe/Berlin' }];
    expect(await scrape()).toMatchObject({ 'solar_station_info{house,Home,Europe/Berlin}': 1 });

    api.stations = [{ stationId: 'house', name: 'Villa', timeZone: 'Europe/Paris' }];
    await scrapeAfter(HOUR_MS);
    expect(await scrapeAfter(HOUR_MS)).toMatchObject({
      'solar_station_info{house,Villa,Europe/Paris}': 1,
    });
  });
});

describe('devices that come and go', () => {
  test('a new device appears with the next device list', async () => {
    const { api, scrape, scrapeAfter } = createCollection({ stationIds: ['house'] });
    await scrape();
    api.devices.set('house', [{ deviceId: 'inverter' }, { deviceId: 'second' }]);
    expect(await scrapeAfter(HOUR_MS - 1)).not.toHaveProperty([
      'solar_device_info{house,second,,,}',
    ]);
    expect(await scrapeAfter(1)).toMatchObject({
      'solar_station_devices{house}': 2,
      'solar_pv_power_watts{house,second}': 1500,
    });
  });

  test('a device that left disappears after an hour and is asked no more', async () => {
    const { api, scrape, scrapeAfter } = createCollection({
      stationIds: ['house'],
      account: { house: ['inverter', 'second'] },
    });
    await scrape();
    api.devices.set('house', [{ deviceId: 'second' }]);
    api.fail('readings inverter', 'SERVICE_API_REFUSED');
    await scrapeAfter(HOUR_MS);
    const names = Object.keys(await scrapeAfter(HOUR_MS));
    expect(names).toContain('solar_pv_power_watts{house,second}');
    expect(names.filter((name) => name.includes('inverter'))).toEqual([]);
    const asked = api.count('readings inverter');
    await scrapeAfter(MINUTE_MS);
    expect(api.count('readings inverter')).toBe(asked);
  });
});
