import { describe, expect, test } from 'vitest';
import { createCollection, HOUR_MS } from './collection-harness.ts';

const DEVICE_ZONE = 'America/New_York';

describe('the time zone of a station', () => {
  test.each([
    {
      origin: 'the user',
      timeZone: 'Europe/Berlin',
      station: 'Europe/Paris',
      expected: 'Europe/Berlin',
    },
    { origin: 'the station list', station: 'Europe/Paris', expected: 'Europe/Paris' },
    { origin: 'its device records', expected: DEVICE_ZONE },
    { origin: 'the interface, as a last resort', device: undefined, expected: 'Asia/Manila' },
  ])('comes from $origin, even at the first scrape', async (given) => {
    const device = 'device' in given ? given.device : DEVICE_ZONE;
    const { api, scrape } = createCollection(
      given.timeZone === undefined ? {} : { timeZone: given.timeZone },
    );
    api.stations = [{ stationId: 'house', timeZone: given.station }];
    api.devices.set('house', [
      { deviceId: 'logger' },
      { deviceId: 'inverter', stationTimeZone: device },
    ]);
    expect(await scrape()).toHaveProperty([`solar_station_info{house,,${given.expected}}`]);
    expect(api.timeZones.get('summary house')).toBe(given.expected);
    expect(api.timeZones.get('readings inverter')).toBe(given.expected);
  });

  test('follows the device records', async () => {
    const { api, scrape, scrapeAfter } = createCollection({ stationIds: ['house'] });
    await scrape();
    api.devices.set('house', [{ deviceId: 'inverter', stationTimeZone: DEVICE_ZONE }]);
    await scrapeAfter(HOUR_MS);
    await scrapeAfter(HOUR_MS);
    expect(api.timeZones.get('summary house')).toBe(DEVICE_ZONE);
  });

  test('is left to the client while the devices cannot be listed', async () => {
    const { api, scrape } = createCollection({ stationIds: ['house'] });
    api.fail('devices house', 'SERVICE_TIMEOUT');
    await scrape();
    expect(api.timeZones.get('summary house')).toBeUndefined();
  });

  test('that changes makes the month be fetched again at once', async () => {
    const { api, scrape, scrapeAfter } = createCollection({ stationIds: ['house'] });
    api.devices.set('house', [{ deviceId: 'inverter', stationTimeZone: DEVICE_ZONE }]);
    api.fail('devices house', 'SERVICE_TIMEOUT');
    await scrape();
    api.recover('devices house');
    await scrapeAfter(2000);
    expect(api.timeZones.get('summary house')).toBe(DEVICE_ZONE);
    expect(api.counts['summary house']).toBe(2);
  });
});
