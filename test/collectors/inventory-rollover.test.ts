import { describe, expect, test } from 'vitest';
import type { Device } from '../../src/model/station.ts';
import { createCollection, HOUR_MS, type HarnessOptions } from './collection-harness.ts';

const TODAY = 'solar_device_pv_energy_today_kwh{house,inverter}';
const TOTAL = 'solar_device_pv_energy_lifetime_kwh{house,inverter}';
/** The harness begins then: 16:00 in Manila, 11:00 in Kyiv. */
const NOW_MS = Date.parse('2026-08-24T08:00:00Z');

/** A house of one device, which generated 4.5 kWh on the day it last reported. */
function createHouse(record: Partial<Device> = {}, options: HarnessOptions = {}) {
  const harness = createCollection({ stationIds: ['house'], ...options });
  const { api, clock } = harness;
  const devices = [
    {
      deviceId: 'inverter',
      pvEnergyTodayKwh: 4.5,
      pvEnergyTotalKwh: 1004.5,
      lastDataAtMs: NOW_MS - HOUR_MS,
      listedAtMs: NOW_MS,
      serviceAheadMs: 0,
      stationTimeZone: 'Asia/Manila',
      ...record,
    },
    { deviceId: 'logger' },
  ];
  api.devices.set('house', devices);
  return {
    ...harness,
    scrapeAt: (at: string) => harness.scrapeAfter(Date.parse(at) - clock.nowMs()),
  };
}

describe('the PV energy of the day', () => {
  test.each<{ zone: string; record?: Partial<Device>; options?: HarnessOptions; ends: string }>([
    { zone: 'the station', ends: '2026-08-25T00:00:00+08:00' },
    {
      zone: 'the user',
      options: { timeZone: 'Europe/Kyiv' },
      ends: '2026-08-25T00:00:00+03:00',
    },
    {
      zone: 'the interface, when nobody names one,',
      record: { stationTimeZone: undefined },
      ends: '2026-08-25T00:00:00+08:00',
    },
    {
      zone: 'the station, by the moment of asking,',
      record: { lastDataAtMs: undefined },
      ends: '2026-08-25T00:00:00+08:00',
    },
    {
      zone: 'the station, by the clock of the service,',
      record: { serviceAheadMs: HOUR_MS },
      ends: '2026-08-24T23:00:00+08:00',
    },
  ])('goes at midnight in the zone of $zone of a device that is off', async (row) => {
    const { record, options, ends } = row;
    const { collection, clock, scrapeAt, series } = createHouse(record, options);
    const beforeMs = Date.parse(ends) - 1;
    expect(await scrapeAt(new Date(beforeMs).toISOString())).toMatchObject({ [TODAY]: 4.5 });
    expect(collection.nextWithdrawalAtMs).toBe(Date.parse(ends));
    clock.advance(1);
    expect(series()).not.toHaveProperty([TODAY]);
    expect(series()).toMatchObject({ [TOTAL]: 1004.5 });
    expect(await scrapeAt(ends)).not.toHaveProperty([TODAY]);
  });

  test.each([
    { what: 'yesterday', lastDataAt: '2026-08-23T15:59:59Z', isToday: false },
    { what: 'since midnight', lastDataAt: '2026-08-23T16:00:00Z', isToday: true },
    { what: 'days ago', lastDataAt: '2026-08-20T08:00:00Z', isToday: false },
  ])('is that of a device that last reported $what: $isToday', async ({ lastDataAt, isToday }) => {
    const { scrape } = createHouse({ lastDataAtMs: Date.parse(lastDataAt) });
    expect(Object.hasOwn(await scrape(), TODAY)).toBe(isToday);
  });

  test('goes while the service is down after midnight, too', async () => {
    const { api, scrapeAt } = createHouse();
    expect(await scrapeAt('2026-08-24T15:59:59Z')).toHaveProperty([TODAY], 4.5);
    api.fail('devices house', 'SERVICE_UNREACHABLE');
    expect(await scrapeAt('2026-08-24T16:00:00Z')).not.toHaveProperty([TODAY]);
    expect(await scrapeAt('2026-08-24T16:59:59Z')).not.toHaveProperty([TODAY]);
  });

  test.each([
    { day: 'of 23 hours', last: '2027-03-28T00:30:00+02:00', ends: '2027-03-29T00:00:00+03:00' },
    { day: 'of 25 hours', last: '2026-10-25T00:30:00+03:00', ends: '2026-10-26T00:00:00+02:00' },
  ])('is shown to the end of a day $day', async ({ last, ends }) => {
    const { scrapeAt } = createHouse({
      lastDataAtMs: Date.parse(last),
      stationTimeZone: 'Europe/Kyiv',
    });
    const beforeMs = Date.parse(ends) - 1;
    expect(await scrapeAt(new Date(beforeMs).toISOString())).toHaveProperty([TODAY], 4.5);
    expect(await scrapeAt(ends)).not.toHaveProperty([TODAY]);
  });

  test('comes back with what the service knows of the new day', async () => {
    const { api, scrapeAt } = createHouse();
    await scrapeAt('2026-08-24T15:59:59Z');
    api.devices.set('house', [
      {
        deviceId: 'inverter',
        pvEnergyTodayKwh: 0.1,
        lastDataAtMs: Date.parse('2026-08-24T16:30:00Z'),
        stationTimeZone: 'Asia/Manila',
      },
    ]);
    expect(await scrapeAt('2026-08-24T17:00:00Z')).toHaveProperty([TODAY], 0.1);
  });
});
