import { describe, expect, test } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS, openHouse } from './house.ts';
import {
  CLASSIC,
  DEVICE_ID,
  deviceList,
  type EndpointName,
  history,
  liveHistory,
  NOW,
  type PortalAnswer,
  type Script,
} from './scripted-service.ts';

const PV = 'solar_pv_power_watts';
const FLAGS = {
  'collect.settings': 'true',
  'collect.energy': 'false',
  'cache.readings-ttl': '1m',
  'cache.max-age': '15m',
};
const FIRING: PortalAnswer = {
  data: { list: [{ key: 'fire', deviceId: DEVICE_ID, level: 3, disappearedAt: null }] },
};
const USUAL: Script = {
  readings: liveHistory(),
  alarms: FIRING,
  settingsGet: { data: { buzzer: { key: 'buzzer', value: true } } },
};
/** A device that has to be learnt, and a service that refuses what it can. */
const TROUBLED: Script = {
  readings: liveHistory(() => ({ pvInputPower: 1200 })),
  alarms: { status: 404 },
  attributes: { status: 429, headers: { 'retry-after': '600' } },
  settingsGet: { status: 429, headers: { 'retry-after': '86400' } },
};

/** By when each endpoint is asked again, in minutes: as soon as usual, and a minute later. */
type Waits = readonly (readonly [endpoint: EndpointName, minutes: number])[];
const USUAL_WAITS: Waits = [
  ['readings', 2],
  ['alarms', 3],
  ['summary', 16],
  ...(['devices', 'stations', 'settingsGet'] as const).map((name) => [name, 61] as const),
];
const TROUBLED_WAITS: Waits = [
  ['alarms', 13],
  // It has failed twice before, and is asked one scrape after the latest state.
  ['attributes', 70],
  ['settingsGet', 24 * 60 + 1],
];

/** How far the clock of the machine is ahead before it is set right, and whether answers have a date. */
describe.each([
  ['a day ahead', DAY_MS, true],
  ['in 1970 (answers have no date)', -56 * 365 * DAY_MS, false],
])('after a clock that was %s is set right', (_what, aheadMs, isDated) => {
  const wrongHouse = async (script: Script) => {
    const house = await openHouse(
      { ...USUAL, ...script },
      { machineAheadMs: aheadMs, isDated, flags: FLAGS },
    );
    await house.keepScraping(20 * MINUTE_MS, 4 * MINUTE_MS);
    return Object.assign(house, { setRight: () => house.misset(-aheadMs) });
  };

  test.each<[house: string, script: Script, waits: Waits]>([
    ['that is well', {}, USUAL_WAITS],
    ['that is refused', TROUBLED, TROUBLED_WAITS],
  ])('a house %s is asked about again as soon as usual', async (_house, script, waits) => {
    const house = await wrongHouse(script);
    house.setRight();
    const before = new Map(waits.map(([endpoint]) => [endpoint, house.asked(endpoint).length]));
    let passedMinutes = 0;
    for (const [endpoint, minutes] of waits) {
      const leftMs = (minutes - passedMinutes) * MINUTE_MS;
      await house.keepScraping(leftMs, Math.max(MINUTE_MS, leftMs / 6));
      await house.scrape();
      passedMinutes = minutes;
      expect(before.get(endpoint), endpoint).toBeGreaterThan(0);
      expect(house.asked(endpoint).length, endpoint).toBeGreaterThan(before.get(endpoint) ?? 0);
    }
  });

  test('it shows what is right within minutes, and asks no more than a new one', async () => {
    const house = await wrongHouse({ alarms: { status: 404 } });
    house.setRight();
    const before = house.requests.length;
    house.answers.alarms = FIRING;
    await house.keepScraping(14 * MINUTE_MS, 2 * MINUTE_MS);
    await house.follow({
      page: {
        [PV]: 1200,
        solar_up: 1,
        'solar_device_alarm_firing{alarm="fire",level="critical"}': 1,
      },
    });
    for (const { value } of (await house.scrape()).all('solar_collector_duration_seconds'))
      expect(value).toBeGreaterThanOrEqual(0);
    await house.keepScraping(2 * HOUR_MS, 10 * MINUTE_MS);
    const fresh = await openHouse(USUAL, { flags: FLAGS, isDated });
    await fresh.keepScraping(14 * MINUTE_MS, 2 * MINUTE_MS);
    await fresh.keepScraping(2 * HOUR_MS, 10 * MINUTE_MS);
    expect(house.requests.length - before).toBeLessThanOrEqual(fresh.requests.length + 8);
  });

  test('a device that has left is let go within a day of then', async () => {
    const house = await wrongHouse({ devices: deviceList({}, { id: 'sold' }) });
    house.answers.devices = deviceList({});
    await house.keepScraping(80 * MINUTE_MS, 10 * MINUTE_MS);
    const live = liveHistory();
    house.answers.readings = (request) =>
      request.body['deviceId'] === 'sold' ? { status: 404 } : live(request);
    house.setRight();
    await house.keepScraping(25 * HOUR_MS, 5 * HOUR_MS);
    await house.follow({ page: { solar_station_devices: 1, [PV]: 1200 } });
  });
});

/** Times that a `Date` can hold and no working clock shows. */
describe.each(['+275760-09-13T00:00:00.000Z', '1969-01-01T00:00:00.000Z'])('the time %s', (odd) => {
  const power = { pvInputPower: { value: 1200, unit: 'W' } };
  const state = (time: unknown): Script => ({
    readings: { data: { payload: null } },
    latestState: { data: { time, fields: power, firingAlarms: [{ key: 'fire', level: 3 }] } },
  });

  const listed = deviceList({ lastDataAt: odd, dailyProducedQuantity: 4 });

  test.each<[place: string, script: Script, watts: number | undefined]>([
    ['the last data of a device', { devices: listed }, 1200],
    // A value whose time nobody believes must not look live.
    ['a time series', { readings: history(CLASSIC, [odd]) }, undefined],
    ['a latest state, as text', state(odd), undefined],
    ['a latest state, as a number', state(Date.parse(odd)), undefined],
  ])('in %s breaks nothing', async (_place, script, watts) => {
    const house = await openHouse({ ...USUAL, ...script }, { flags: FLAGS });
    await house.follow({}, { afterMs: 5 * MINUTE_MS, page: { [PV]: watts } });
    const failed = (await house.scrape())
      .all('solar_collector_success')
      .filter(({ value }) => value === 0);
    expect(failed).toEqual([]);
  });
});

test.each([1971, 2107])('a service that is in %i is followed', async (year) => {
  const now = new Date(Date.UTC(year, 5, 1)).toISOString();
  const machineAheadMs = Date.parse(NOW) - Date.parse(now);
  const house = await openHouse(USUAL, { now, machineAheadMs, flags: FLAGS });
  await house.follow({}, { afterMs: 2 * MINUTE_MS, page: { [PV]: 1200, solar_up: 1 } });
});
