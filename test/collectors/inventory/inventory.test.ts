import { describe, expect, test } from 'vitest';
import { devicesCollector } from '../../../src/collectors/inventory/devices.ts';
import { FakeServiceApi } from '../../support/fake-service-api.ts';
import { firstFetch } from '../collection-harness.ts';
import { pointsOf } from '../collector-samples.ts';

describe('the device list of a station', () => {
  test('gives a name, serial number and model where the record has them', () => {
    const points = pointsOf(devicesCollector, {
      station: { stationId: 'house', name: 'Home', timeZone: 'Europe/Berlin' },
      devices: [
        {
          deviceId: 'inverter',
          name: 'Roof',
          serial: '0042',
          model: 'H5',
          isOnline: true,
          ratedPowerWatts: 5000,
          pvEnergyTodayKwh: 0,
          pvEnergyTotalKwh: 1004.5,
        },
        { deviceId: 'spare', isOnline: false },
        { deviceId: 'logger', unlistedSinceMs: 0 },
      ],
    });
    expect(points).toEqual({
      'solar_station_info{Home,Europe/Berlin}': 1,
      solar_station_devices: 3,
      'solar_device_info{inverter,Roof,0042,H5}': 1,
      'solar_device_info{spare,,,}': 1,
      'solar_device_info{logger,,,}': 1,
      'solar_device_listed{inverter}': 1,
      'solar_device_listed{spare}': 1,
      'solar_device_listed{logger}': 0,
      'solar_device_online{inverter}': 1,
      'solar_device_online{spare}': 0,
      'solar_device_rated_power_watts{inverter}': 5000,
      'solar_device_pv_energy_today_kwh{inverter}': 0,
      'solar_device_pv_energy_lifetime_kwh{inverter}': 1004.5,
    });
  });

  test.each([
    {
      when: 'the station list has both',
      station: { name: 'Home', timeZone: 'Europe/Berlin' },
      expected: { name: 'Home', timeZone: 'Europe/Berlin' },
    },
    {
      when: 'the station list has neither',
      station: {},
      expected: { name: 'Hut', timeZone: 'Europe/Oslo' },
    },
  ])('completes the station from the device records when $when', async ({ station, expected }) => {
    const api = new FakeServiceApi();
    api.devices.set('house', [
      { deviceId: 'logger' },
      { deviceId: 'inverter', stationName: 'Hut', stationTimeZone: 'Europe/Oslo' },
    ]);
    const target = {
      station: { stationId: 'house', ...station },
      isListedElsewhere: () => false,
    };
    const listing = await devicesCollector.fetch(api, target, firstFetch());
    expect(listing.station).toEqual({ stationId: 'house', ...expected });
    expect(listing.devices).toHaveLength(2);
  });

  test('leaves the name of a station empty when it has none', () => {
    const points = pointsOf(devicesCollector, {
      station: { stationId: 'house', timeZone: 'Asia/Manila' },
      devices: [],
    });
    expect(points).toEqual({
      'solar_station_info{,Asia/Manila}': 1,
      solar_station_devices: 0,
    });
  });
});
