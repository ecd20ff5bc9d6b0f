import { describe, expect, test } from 'vitest';
import {
  DAY_MS,
  HOUR_MS,
  type HouseSetup,
  MINUTE_MS,
  openHouse,
  PLAIN,
  SECOND_MS,
  type Step,
} from './house.ts';
import {
  CLASSIC,
  deviceList,
  history,
  latest,
  liveHistory,
  NOW,
  type Script,
} from './scripted-service.ts';

const PV = 'solar_pv_power_watts';
const SOC = 'solar_battery_soc_ratio';
const NOW_MS = Date.parse(NOW);
const at = (atMs: number) => new Date(atMs).toISOString();
const house = (script: Script, setup: HouseSetup = {}) =>
  openHouse(script, { ...setup, flags: { ...PLAIN, ...setup.flags } });

describe('a value', () => {
  /** What is shown of a reading that has gone too old: when it was measured, and how the device speaks. */
  const GONE: Step['page'] = {
    [PV]: undefined,
    solar_device_reporting: 0,
    solar_reading_timestamp_seconds: NOW_MS / 1000,
    solar_device_dialect_info: 1,
    solar_up: 1,
  };

  test.each([
    ['the machine is three hours ahead', 3 * HOUR_MS],
    ['the machine is three hours behind', -3 * HOUR_MS],
  ])('of a silent device goes at its maximum age, when %s', async (_when, machineAheadMs) => {
    const service = await house({ readings: history(CLASSIC, [NOW]) }, { machineAheadMs });
    const page = { [PV]: 1200, solar_device_reporting: 1 };
    const newer = { readings: history(CLASSIC, [at(NOW_MS + 16 * MINUTE_MS)]) };
    await service.follow(
      { page },
      { afterMs: 15 * MINUTE_MS, page },
      { afterMs: SECOND_MS, page: GONE },
      { answers: newer, afterMs: MINUTE_MS, page },
    );
  });

  test('goes alone where newer frames leave it out, without a request', async () => {
    const frames = [at(NOW_MS - 10 * MINUTE_MS), NOW];
    const pvInputPower = [1200, null];
    const script = { readings: history({ pvInputPower, batterySOC: [80, 81] }, frames) };
    const service = await house(script, { flags: { 'cache.readings-ttl': '10m' } });
    await service.scrape();
    const asked = { readings: service.asked('readings').length };
    await service.follow(
      { page: { [PV]: 1200, [SOC]: 0.81 } },
      { afterMs: 5 * MINUTE_MS, page: { [PV]: 1200, [SOC]: 0.81 } },
      { afterMs: 1, page: { [PV]: undefined, [SOC]: 0.81 }, asked },
    );
  });

  test('of a silent device stays for a maximum age of more than an hour', async () => {
    const live = liveHistory();
    const readings: Script['readings'] = (request) => {
      const toMs = Math.min(NOW_MS, Date.parse(String(request.body['toTime'])));
      return live({ ...request, body: { ...request.body, toTime: at(toMs) } });
    };
    const service = await house({ readings }, { flags: { 'cache.max-age': '3h' } });
    const isShown: unknown[] = [];
    await service.keepScraping(4 * HOUR_MS, HOUR_MS / 2, (page) => isShown.push(page.value(PV)));
    // The last values are exactly three hours old at the 7th scrape.
    expect(isShown).toEqual(Array.from({ length: 8 }, (_, n) => (n <= 6 ? 1200 : undefined)));
  });

  const heardOf = (beforeMs: number) => at(NOW_MS - beforeMs);

  test.each([
    ['its record says nothing', null, null, true],
    ['it was heard of an hour ago', null, heardOf(HOUR_MS), true],
    ['it was heard of weeks ago and is called online', true, heardOf(21 * DAY_MS), false],
    ['it is called offline', false, null, false],
  ])(
    'without a date is shown when %s (called online: %s, last data: %s): %s',
    async (_what, isOnline, lastDataAt, isShown) => {
      const undated = (power: number) =>
        latest({ pvPower: [power, 'kW'], batteryCapacity: [80, '%'] }, { time: null });
      const service = await house({
        devices: deviceList({ isOnline, lastDataAt }),
        readings: history({}, []),
        latestState: undated(0.5),
      });
      await service.follow(
        { page: { [PV]: isShown ? 500 : undefined } },
        { afterMs: MINUTE_MS, page: { [PV]: isShown ? 500 : undefined } },
        // What changes is live, and for as long as a reading is.
        { answers: { latestState: undated(0.6) }, afterMs: MINUTE_MS, page: { [PV]: 600 } },
        { afterMs: 14 * MINUTE_MS, page: { [PV]: 600 } },
        { afterMs: 2 * MINUTE_MS, page: { [PV]: isShown ? 600 : undefined } },
      );
    },
  );
});

describe('an alarm', () => {
  const FIRE = 'solar_device_alarm_firing{alarm="fire",level="critical"}';
  const alarms = {
    data: { list: [{ key: 'fire', deviceId: '1', level: 3, disappearedAt: null }] },
  };
  const setup = { flags: { 'collect.alarms': 'true' } };

  test('of a list is shown until it is cleared, or for its maximum age', async () => {
    const script = { devices: deviceList({ id: '1' }), alarms };
    const service = await house({ ...script, readings: liveHistory() }, setup);
    await service.follow(
      { page: { [FIRE]: 1 } },
      {
        answers: { alarms: { data: { list: [] } } },
        afterMs: 10 * MINUTE_MS,
        page: { [FIRE]: undefined },
      },
      { answers: { alarms }, afterMs: 10 * MINUTE_MS, page: { [FIRE]: 1 } },
      { answers: { alarms: { status: 500 } }, afterMs: 25 * MINUTE_MS - 1, page: { [FIRE]: 1 } },
      { afterMs: 1, page: { [FIRE]: undefined } },
    );
  });

  test('that a reading brought ages with it, though the list is refused', async () => {
    const firingAlarms = [{ key: 'fire', level: 3 }];
    const service = await house(
      {
        devices: deviceList({ id: '1' }),
        readings: history({}, []),
        latestState: latest({ pvPower: [0.5, 'kW'] }, { time: NOW, firingAlarms }),
        alarms: { envelope: { code: 5, message: 'no right' } },
      },
      setup,
    );
    await service.follow(
      { page: { solar_up: 1, 'solar_collector_success{collector="alarms"}': 0 } },
      { afterMs: 2 * MINUTE_MS, page: { [FIRE]: 1 } },
      { afterMs: 13 * MINUTE_MS, page: { [FIRE]: 1 } },
      { afterMs: SECOND_MS, page: { [FIRE]: undefined } },
    );
  });

  test('that a reading brings does not wait for the list that others need', async () => {
    const states: Script = {
      readings: (request) =>
        request.body['deviceId'] === '2' ? liveHistory()(request) : history({}, []),
      latestState: ({ atMs }) =>
        latest(
          { pvPower: [0.5, 'kW'] },
          {
            time: new Date(atMs).toISOString(),
            firingAlarms: atMs < Date.parse(NOW) + 11 * MINUTE_MS ? [] : [{ key: 'hot', level: 2 }],
          },
        ),
    };
    const HOT = 'solar_device_alarm_firing{device_id="1",alarm="hot",level="warning"}';
    const LISTED = 'solar_device_alarm_firing{device_id="2",alarm="fire",level="critical"}';
    const SUCCESS = 'solar_collector_success{collector="alarms"}';
    const list = { data: { list: [{ key: 'fire', deviceId: '2', level: 3 }] } };
    const service = await house(
      { ...states, devices: deviceList({ id: '1' }, { id: '2' }), alarms: list },
      setup,
    );
    await service.follow(
      { page: { [HOT]: undefined, [LISTED]: 1, [SUCCESS]: 1 } },
      { answers: { alarms: { status: 500 } }, afterMs: 11 * MINUTE_MS },
      { afterMs: 2 * MINUTE_MS, page: { [HOT]: 1, [LISTED]: 1, [SUCCESS]: 0 } },
      { answers: { alarms: { data: { list: [] } } }, afterMs: 2 * MINUTE_MS },
      { page: { [HOT]: 1, [LISTED]: undefined, [SUCCESS]: 1 } },
    );
  });
});

describe('a logger that is scraped every other minute', () => {
  /** When it was shown, and when it went, in minutes from the first scrape. */
  async function changes(script: Script, hours: number, setup: HouseSetup = {}) {
    const service = await openHouse(script, {
      ...setup,
      flags: { 'collect.energy': 'false', 'collect.alarms': 'false', ...setup.flags },
    });
    const startedAtMs = service.clock.nowMs();
    const found: number[] = [];
    await service.keepScraping(hours * HOUR_MS, 2 * MINUTE_MS, (page) => {
      const isShown = page.value('solar_device_reporting') === 1;
      if (isShown !== (found.length % 2 === 1))
        found.push((service.clock.nowMs() - startedAtMs) / MINUTE_MS);
    });
    return { found, requests: service.asked('readings').length, page: await service.scrape() };
  }

  test('is always shown, whatever our clock says', async () => {
    const behaviour = { everyMs: 30 * MINUTE_MS, lagMs: 12 * MINUTE_MS };
    const { found, requests, page } = await changes(
      { readings: liveHistory(() => CLASSIC, behaviour) },
      4,
      { machineAheadMs: -30 * MINUTE_MS },
    );
    expect(found).toEqual([0]);
    expect(page.value('solar_device_reading_interval_seconds')).toBe(30 * 60);
    // Hardly more than one for each reading, once it is known when they come.
    expect(requests).toBeLessThanOrEqual(1.15 * 8 + 12);
  });

  test('is shown for 22 minutes when it dies that was 9 minutes late', async () => {
    const diesAtMs = NOW_MS + HOUR_MS;
    const live = liveHistory(() => CLASSIC, { lagMs: 9 * MINUTE_MS });
    const readings: Script['readings'] = (request) => {
      const toMs = Math.min(diesAtMs, Date.parse(String(request.body['toTime'])));
      return live({ ...request, body: { ...request.body, toTime: at(toMs) } });
    };
    const { found } = await changes({ readings }, 2);
    const [from, until = 0, ...more] = found;
    expect([from, more]).toEqual([0, []]);
    expect(until).toBeGreaterThan(60 - 5 + 22 - 3);
    expect(until).toBeLessThanOrEqual(60 + 22 + 2);
  });
});

describe('how often a device has readings and how old they become', () => {
  const MAX_AGE = 'solar_device_reading_max_age_seconds';

  const reading = (minute: number) => history(CLASSIC, [at(NOW_MS + minute * MINUTE_MS)]);

  test.each([
    ['is learned', 'auto', 41 * 60, 16 * 60],
    ['is what is configured', '20m', 20 * 60, 20 * 60],
  ])('%s', async (_when, maxAge, first, later) => {
    const service = await house({ readings: reading(-9) }, { flags: { 'cache.max-age': maxAge } });
    await service.follow(
      { page: { [MAX_AGE]: first, solar_device_reading_interval_seconds: undefined } },
      { answers: { readings: reading(1) }, afterMs: 5 * MINUTE_MS },
      {
        answers: { readings: reading(6) },
        afterMs: 5 * MINUTE_MS,
        page: { [MAX_AGE]: later, solar_device_reading_interval_seconds: 300 },
      },
    );
  });
});
