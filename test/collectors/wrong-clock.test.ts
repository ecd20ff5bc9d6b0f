import { describe, expect, test } from 'vitest';
import { ServiceError } from '../../src/base/errors.ts';
import {
  type Asked,
  CENTURY_MS,
  createHouse,
  DAY_MS,
  HOUR_MS,
  MINUTE_MS,
  notFound,
  type Script,
} from './wrong-clock-harness.ts';

/** A clock is allowed to go back by so little: it was only adjusted. */
const ADJUSTED_MS = MINUTE_MS;

/** How far the clock of the machine is ahead before it is set right, and whether answers have a date. */
const ERRORS = [
  { what: 'a day ahead', aheadMs: DAY_MS, isDated: true },
  { what: 'a day ahead (answers have no date)', aheadMs: DAY_MS, isDated: false },
  { what: 'a century ahead', aheadMs: CENTURY_MS, isDated: true },
  { what: 'in 1970 (answers have no date)', aheadMs: -56 * 365 * DAY_MS, isDated: false },
];

/** Asks to stay away for a day. */
const overloaded = (): never => {
  throw new ServiceError('SERVICE_RATE_LIMITED', 'HTTP 429', { retryAfterMs: DAY_MS });
};

/** A reading without most quantities, so that the device has to be learnt. */
const poor = (trueMs: number): unknown => ({
  payload: {
    timeSeries: [new Date(trueMs).toISOString()],
    fields: { pvInputPower: [1200] },
  },
});

interface Wait {
  readonly what: string;
  /** What is asked again. */
  readonly asked: Asked;
  /** How long that usually takes; with the jitter. */
  readonly usuallyMs: number;
  readonly script?: Script;
}

/** Everything that waits before it asks the service again. */
const WAITS: readonly Wait[] = [
  { what: 'readings', asked: 'readings', usuallyMs: MINUTE_MS },
  { what: 'the list of devices', asked: 'devices', usuallyMs: HOUR_MS },
  { what: 'the list of stations', asked: 'stations', usuallyMs: HOUR_MS },
  { what: 'the summary', asked: 'summary', usuallyMs: 15 * MINUTE_MS },
  { what: 'settings', asked: 'settingsGet', usuallyMs: HOUR_MS },
  { what: 'alarms', asked: 'alarms', usuallyMs: 2 * MINUTE_MS },
  {
    what: 'a list of alarms that was refused',
    asked: 'alarms',
    usuallyMs: 12 * MINUTE_MS,
    script: { alarms: notFound },
  },
  {
    what: 'what asked to stay away for a day',
    asked: 'summary',
    usuallyMs: DAY_MS,
    script: { summary: overloaded },
  },
  {
    what: 'the profile of a device',
    asked: 'attributes',
    usuallyMs: 1.1 * DAY_MS,
    script: { readings: poor },
  },
  {
    what: 'the profile of a device, after a failure',
    asked: 'attributes',
    usuallyMs: 12 * MINUTE_MS,
    script: { readings: poor, attributes: overloaded },
  },
  { what: 'the units of a device', asked: 'latestState', usuallyMs: 1.1 * DAY_MS },
];

describe.each(ERRORS)('after a clock that was $what is set right', ({ aheadMs, isDated }) => {
  test.each(WAITS)('$what: asked again as soon as usual', async ({ asked, usuallyMs, script }) => {
    const house = createHouse(aheadMs, isDated, script);
    await house.refresh();
    await house.live(MINUTE_MS / 2);
    const before = house.countOf(asked);
    expect(before).toBeGreaterThan(0);
    house.setRight();
    await house.live(usuallyMs + ADJUSTED_MS, Math.max(MINUTE_MS / 2, usuallyMs / 24));
    expect(house.countOf(asked)).toBeGreaterThan(before);
  });

  test('a critical alarm is shown although its list was refused before', async () => {
    const house = createHouse(aheadMs, isDated, { alarms: notFound });
    await house.refresh();
    await house.live(MINUTE_MS);
    house.answers.alarms = () => ({
      list: [{ key: 'fire', deviceId: 'inverter', level: 3, disappearedAt: null }],
    });
    house.setRight();
    await house.live(13 * MINUTE_MS);
    expect(house.series()['solar_device_alarm_firing{house,inverter,fire,critical}']).toBe(1);
  });

  test('readings are shown within their usual interval', async () => {
    const house = createHouse(aheadMs, isDated);
    await house.refresh();
    await house.live(20 * MINUTE_MS);
    house.setRight();
    await house.live(6 * MINUTE_MS);
    expect(house.series()['solar_pv_power_watts{house,inverter}']).toBe(1200);
    expect(house.outcomes().every(({ isSuccess }) => isSuccess)).toBe(true);
  });

  test('the energy of the day is shown within an hour', async () => {
    // A figure that does not change from one day to the next may be that of the day before.
    const energyAt = (trueMs: number): number => (aheadMs > 0 ? 4 : (trueMs % DAY_MS) / HOUR_MS);
    const house = createHouse(aheadMs, isDated, {
      devices: (trueMs) => ({
        list: [{ id: 'inverter', dailyProducedQuantity: energyAt(trueMs) }],
      }),
    });
    await house.refresh();
    await house.live(2 * HOUR_MS, 5 * MINUTE_MS);
    house.setRight();
    await house.live(HOUR_MS, MINUTE_MS);
    expect(house.series()['solar_device_pv_energy_today_kwh{house,inverter}']).toBeGreaterThan(0);
  });

  test('a device that has left is let go within two hours', async () => {
    const house = createHouse(aheadMs, isDated, {
      devices: () => ({ list: [{ id: 'inverter' }, { id: 'sold' }] }),
    });
    await house.refresh();
    house.answers.devices = () => ({ list: [{ id: 'inverter' }] });
    await house.live(90 * MINUTE_MS, 4 * MINUTE_MS);
    house.answers.deviceDetails = notFound;
    house.answers.readings = notFound;
    house.setRight();
    await house.live(3 * HOUR_MS, 4 * MINUTE_MS);
    expect(house.collection.stations).toHaveLength(1);
    expect(house.series()['solar_station_devices{house}']).toBe(1);
  });

  test('a token is renewed at the next scrape after it expires, and not over and over', async () => {
    const house = createHouse(aheadMs, isDated);
    await house.refresh();
    await house.live(10 * MINUTE_MS);
    expect(house.logIns).toHaveLength(1);
    house.setRight();
    const setAtMs = house.trueMs();
    await house.live(8 * HOUR_MS, 10 * MINUTE_MS);
    const renewals = house.logIns.slice(1);
    expect(renewals[0]).toBeLessThanOrEqual(setAtMs + 2 * HOUR_MS + 10 * MINUTE_MS);
    expect(renewals.length).toBeLessThanOrEqual(5);
  });

  test('a refused log-in is tried again when its pause is over, and not before', async () => {
    const house = createHouse(aheadMs, isDated);
    const { logIn } = house.auth;
    house.auth.logIn = house.refuse;
    await house.refresh();
    await house.live(10 * MINUTE_MS);
    house.auth.logIn = logIn;
    house.setRight();
    await house.live(32 * MINUTE_MS);
    expect(house.logIns).toHaveLength(1);
    expect(house.series()['solar_pv_power_watts{house,inverter}']).toBe(1200);
  });

  test('the service is asked no more than by a program that was started then', async () => {
    const house = createHouse(aheadMs, isDated);
    await house.refresh();
    await house.live(HOUR_MS, 2 * MINUTE_MS);
    house.setRight();
    const before = house.asked.length;
    await house.live(3 * HOUR_MS, 5 * MINUTE_MS);
    const fresh = createHouse(0, isDated);
    await fresh.refresh();
    await fresh.live(3 * HOUR_MS, 5 * MINUTE_MS);
    expect(house.asked.length - before).toBeLessThanOrEqual(fresh.asked.length + 5);
  });

  test('no duration is negative', async () => {
    const house = createHouse(aheadMs, isDated);
    await house.refresh();
    const readings = house.answers.readings;
    house.answers.readings = (trueMs) => {
      house.setRight();
      return readings?.(trueMs);
    };
    await house.live(MINUTE_MS);
    for (const { durationSeconds } of house.outcomes())
      expect(durationSeconds).toBeGreaterThanOrEqual(0);
    expect(Math.min(...house.durationsSeconds)).toBeGreaterThanOrEqual(0);
  });
});
