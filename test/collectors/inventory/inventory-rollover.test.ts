import { describe, expect, test } from 'vitest';
import type { Device } from '../../../src/model/station.ts';
import {
  createCollection,
  HOUR_MS,
  type HarnessOptions,
  MINUTE_MS,
} from '../collection-harness.ts';

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
    {
      what: 'at midnight, which may be before it counts anew',
      lastDataAt: '2026-08-23T16:00:00Z',
      isToday: false,
    },
    { what: 'this morning', lastDataAt: '2026-08-23T19:00:00Z', isToday: true },
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
    { day: 'of 23 hours', last: '2027-03-28T12:00:00+03:00', ends: '2027-03-29T00:00:00+03:00' },
    { day: 'of 25 hours', last: '2026-10-25T12:00:00+02:00', ends: '2026-10-26T00:00:00+02:00' },
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

  describe('of a device that counts anew only some time after midnight', () => {
    /** Midnight in Manila. */
    const MIDNIGHT_MS = Date.parse('2026-08-24T16:00:00Z');

    interface Night {
      readonly resetsAfterMinutes: number;
      /** What it has generated in the new day by the end of the night. */
      readonly grownKwh?: number;
      readonly record?: Partial<Device>;
    }

    /** A device that reports every five minutes, five minutes late, from evening to morning. */
    async function readNight({ resetsAfterMinutes, grownKwh = 0, record = {} }: Night) {
      const { api, clock, scrapeAt } = createHouse();
      api.answer('devices house', () => {
        const lastDataAtMs = Math.floor(clock.nowMs() / (5 * MINUTE_MS) - 1) * 5 * MINUTE_MS;
        const sinceResetMs = lastDataAtMs - MIDNIGHT_MS - resetsAfterMinutes * MINUTE_MS;
        const pvEnergyTodayKwh = sinceResetMs < 0 ? 4.5 : sinceResetMs > HOUR_MS ? grownKwh : 0;
        const listed = { deviceId: 'inverter', isOnline: true, stationTimeZone: 'Asia/Manila' };
        const device = { ...listed, pvEnergyTodayKwh, lastDataAtMs, listedAtMs: clock.nowMs() };
        return Promise.resolve([{ ...device, ...record }]);
      });
      const shown = new Map<number, number | undefined>();
      for (let minute = -240; minute <= 480; minute += 1) {
        const at = new Date(MIDNIGHT_MS + minute * MINUTE_MS).toISOString();
        shown.set(minute, (await scrapeAt(at))[TODAY]);
      }
      return { shown, requests: api.count('devices house') };
    }

    const figuresFrom = (shown: ReadonlyMap<number, number | undefined>, from: number, to = 480) =>
      new Set([...shown].filter(([at]) => at >= from && at <= to).map(([, figure]) => figure));

    test.each([0, 3, 20, 45, 100, 150])(
      'by %d minutes never shows what it generated yesterday',
      async (resetsAfterMinutes) => {
        const { shown, requests } = await readNight({ resetsAfterMinutes });
        expect(figuresFrom(shown, -240, -1)).toEqual(new Set([4.5]));
        expect(figuresFrom(shown, 0)).toEqual(new Set([undefined, 0]));
        // Each wait is as long as all the ones before it.
        const latestMinute = 10 + 2 * (resetsAfterMinutes + 10);
        expect(figuresFrom(shown, latestMinute)).toEqual(new Set([0]));
        // One an hour, and a few more around midnight.
        expect(requests).toBeLessThanOrEqual(12 + 1 + 8);
      },
    );

    test('by half the morning is not taken for one that generated the same again', async () => {
      const { shown } = await readNight({ resetsAfterMinutes: 400 });
      expect(figuresFrom(shown, 0)).toEqual(new Set([undefined, 0]));
    });

    test('may generate more than the day before, once it has begun', async () => {
      const { shown } = await readNight({ resetsAfterMinutes: 30, grownKwh: 9 });
      expect(figuresFrom(shown, 0)).toEqual(new Set([undefined, 0, 9]));
    });

    test('may generate exactly as much as the day before, once it has begun', async () => {
      const { shown } = await readNight({ resetsAfterMinutes: 30, grownKwh: 4.5 });
      expect(figuresFrom(shown, 180)).toEqual(new Set([4.5]));
    });

    test('is believed when it comes back in the morning with more than the day before', async () => {
      const { api, scrapeAt } = createHouse();
      expect(await scrapeAt('2026-08-24T15:59:59Z')).toHaveProperty([TODAY], 4.5);
      const lastDataAtMs = Date.parse('2026-08-25T00:55:00Z');
      const record = { deviceId: 'inverter', stationTimeZone: 'Asia/Manila', lastDataAtMs };
      api.devices.set('house', [{ ...record, pvEnergyTodayKwh: 5.5 }]);
      expect(await scrapeAt('2026-08-25T01:00:00Z')).toHaveProperty([TODAY], 5.5);
    });

    test('is not asked about all night when it is off', async () => {
      const record = {
        isOnline: false,
        lastDataAtMs: MIDNIGHT_MS - HOUR_MS,
        pvEnergyTodayKwh: 4.5,
      };
      const { shown, requests } = await readNight({ resetsAfterMinutes: 0, record });
      expect(figuresFrom(shown, 0)).toEqual(new Set([undefined]));
      expect(requests).toBeLessThanOrEqual(12 + 1 + 1);
    });
  });

  test('of an exporter that was started after midnight is not that of yesterday', async () => {
    const { scrape, api, scrapeAt } = createHouse({
      lastDataAtMs: Date.parse('2026-08-23T16:30:00Z'),
    });
    expect(await scrape()).not.toHaveProperty([TODAY]);
    const lastDataAtMs = Date.parse('2026-08-24T08:30:00Z');
    const record = { deviceId: 'inverter', stationTimeZone: 'Asia/Manila', lastDataAtMs };
    api.devices.set('house', [{ ...record, pvEnergyTodayKwh: 0.4 }]);
    expect(await scrapeAt('2026-08-24T09:30:00Z')).toHaveProperty([TODAY], 0.4);
  });

  test('stays when the time zone of the station is corrected', async () => {
    const { api, scrape, scrapeAt } = createHouse();
    expect(await scrape()).toMatchObject({ [TODAY]: 4.5 });
    const [inverter] = api.devices.get('house') ?? [];
    if (inverter !== undefined)
      api.devices.set('house', [{ ...inverter, stationTimeZone: 'Europe/Kyiv' }]);
    expect(await scrapeAt('2026-08-24T09:00:00Z')).toMatchObject({ [TODAY]: 4.5 });
  });
});
