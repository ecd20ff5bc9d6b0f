import { describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { deferred } from '../support/deferred.ts';
import {
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
  DEVICE_ID,
  deviceList,
  liveHistory,
  type PortalAnswer,
  type Script,
  STATION_ID,
  stationList,
} from './scripted-service.ts';

const PV = 'solar_pv_power_watts';
const ENABLED = 'solar_device_setting_enabled';
const DOWN: PortalAnswer = { status: 500 };
const LIVE: Script = { readings: liveHistory() };
const SETTINGS: Script = { settingsGet: { data: { buzzer: { key: 'buzzer', value: true } } } };

const plainHouse = (script: Script = {}, flags: HouseSetup['flags'] = {}) =>
  openHouse({ ...LIVE, ...script }, { flags: { ...PLAIN, ...flags } });

/** Of two devices, one answers and the other one does as it is told. */
const twoDevices = (other: () => PortalAnswer | Promise<PortalAnswer>): Script => {
  const live = liveHistory();
  return {
    devices: deviceList({ id: 'sound' }, { id: 'other' }),
    readings: (request) => (request.body['deviceId'] === 'other' ? other() : live(request)),
  };
};
const OF_SOUND = `${PV}{device_id="sound"}`;
const OF_OTHER = `${PV}{device_id="other"}`;

describe('the requests of a scrape', () => {
  test('are none before the first one, and all of them in it', async () => {
    const house = await plainHouse();
    house.clock.advance(HOUR_MS);
    expect(house.requests).toEqual([]);
    await house.follow({
      page: { [PV]: 1200, solar_station_devices: 1, solar_up: 1 },
      asked: { stations: 1, devices: 1, summary: 1, readings: 1, settingsGet: 0, alarms: 0 },
    });
  });

  test('are shared by those that overlap', async () => {
    const reply = deferred<PortalAnswer>();
    const house = await plainHouse({ devices: () => reply.promise });
    const pages = Promise.all([house.scrape(), house.scrape(), house.scrape()]);
    await eventually(() => expect(house.asked('devices')).toHaveLength(1));
    reply.resolve(deviceList({}));
    for (const page of await pages) expect(page.value(PV)).toBe(1200);
    await house.follow({ asked: { stations: 1, devices: 1, summary: 1, readings: 1 } });
  });

  test('ask for no other station where stations are configured, each once', async () => {
    const house = await plainHouse(
      { stations: stationList(STATION_ID, '7') },
      { station: `${STATION_ID},${STATION_ID}` },
    );
    await house.follow({ page: { solar_up: 1 }, asked: { stations: 0, devices: 1 } });
    await house.follow({ afterMs: 2 * HOUR_MS, page: { solar_up: 1 }, asked: { stations: 0 } });
  });

  test.each<[when: string, flags: HouseSetup['flags'], asked: Step['asked']]>([
    [
      'nothing is configured',
      { 'collect.alarms': 'true' },
      { stations: 1, devices: 1, summary: 2, settingsGet: 0, readings: 60, alarms: 6 },
    ],
    [
      'lifetimes are',
      {
        'collect.settings': 'true',
        'cache.readings-ttl': '2m',
        'cache.summary-ttl': '15m',
        'cache.devices-ttl': '20m',
        'cache.settings-ttl': '10m',
      },
      { stations: 3, devices: 3, summary: 4, settingsGet: 6, readings: 30, alarms: 0 },
    ],
    [
      'energies are collected as well, and the service lacks none',
      { 'collect.energy': 'true', 'cache.readings-ttl': '10m' },
      { summaryDays: 2, summaryYears: 1, summary: 2 },
    ],
  ])(
    'of an hour, every minute, are those of the lifetimes when %s',
    async (_when, flags, asked) => {
      const energies: PortalAnswer = { data: { properties: [] } };
      const house = await plainHouse(
        { ...SETTINGS, summaryDays: energies, summaryYears: energies },
        flags,
      );
      await house.keepScraping(HOUR_MS - MINUTE_MS, MINUTE_MS);
      await house.follow({ asked });
    },
  );

  test('of a device are fewer than 50,000 a month by default', async () => {
    const energies: PortalAnswer = { data: { properties: [] } };
    const house = await openHouse({ ...LIVE, summaryDays: energies, summaryYears: energies });
    await house.keepScraping(3 * HOUR_MS, 2 * MINUTE_MS);
    // With all that is asked once a day: an eighth of a day has more than its share.
    expect(house.requests.length).toBeGreaterThan(3 * 12);
    expect(house.requests.length * 8 * 31).toBeLessThan(50_000);
  });

  test('that fail are sent after pauses that double, by device', async () => {
    const house = await plainHouse(twoDevices(() => DOWN));
    const asked = (id: string) =>
      house.asked('readings').filter(({ body }) => body['deviceId'] === id).length;
    await house.keepScraping(130 * SECOND_MS, SECOND_MS);
    // After 1 + 2 + 4 + 8 + 16 + 32 s, and then every minute.
    expect(asked('other')).toBe(7 + 1);
    expect(asked('sound')).toBe(3);
  });

  test('wait as long as the service asks for, each device on its own', async () => {
    const overloaded = { status: 429, headers: { 'retry-after': '600' } };
    const house = await plainHouse(twoDevices(() => overloaded));
    await house.keepScraping(30 * MINUTE_MS, MINUTE_MS);
    const asked = house.asked('readings').map(({ body }) => body['deviceId']);
    expect(asked.filter((id) => id === 'other')).toHaveLength(3);
    expect(asked.filter((id) => id === 'sound')).toHaveLength(30);
  });
});

describe('a collector fails alone', () => {
  const ALL = { 'collect.settings': 'true', 'collect.alarms': 'true' };

  test.each<[collector: string, failing: keyof Script, page: Step['page']]>([
    ['summary', 'summary', { [PV]: 1200, solar_up: 1, [ENABLED]: 1 }],
    ['settings', 'settingsGet', { [PV]: 1200, solar_up: 1, [ENABLED]: undefined }],
    ['readings', 'readings', { [PV]: undefined, solar_up: 0, solar_station_devices: 1 }],
    ['devices', 'devices', { solar_station_devices: undefined, solar_up: 0 }],
    ['stations', 'stations', { [PV]: undefined, solar_up: 0 }],
  ])('%s', async (collector, failing, page) => {
    const house = await plainHouse({ ...SETTINGS, [failing]: DOWN }, ALL);
    await house.follow({ page });
    const failed = (await house.scrape())
      .all('solar_collector_success')
      .filter(({ value }) => value === 0)
      .map(({ labels }) => labels['collector']);
    expect(failed).toEqual([collector]);
  });

  test.each(['summary', 'devices', 'stations'] as const)(
    'and holds up no other: %s',
    async (hanging) => {
      const house = await plainHouse(SETTINGS, { ...ALL, 'scrape.timeout': '300ms' });
      await eventually(async () => expect((await house.scrape()).value(PV)).toBe(1200));
      house.answers[hanging] = 'silence';
      house.answers.readings = liveHistory(() => ({ ...CLASSIC, pvInputPower: 1600 }));
      house.clock.advance(HOUR_MS);
      await eventually(async () => expect((await house.scrape()).value(PV)).toBe(1600));
    },
  );

  test('a device that hangs leaves the other shown, the station down', async () => {
    const reply = deferred<PortalAnswer>();
    const house = await plainHouse(
      twoDevices(() => reply.promise),
      { 'scrape.timeout': '300ms', 'request.timeout': '1s' },
    );
    await eventually(async () => {
      // On a busy machine the other is late as well, and asked again after a pause.
      const page = await house.scrapeAfter(SECOND_MS);
      expect(page.like({ [OF_SOUND]: 0, [OF_OTHER]: 0 })).toEqual({ [OF_SOUND]: 1200 });
      expect(page.value('solar_up')).toBe(0);
    });
    reply.resolve(DOWN);
    await eventually(async () => expect((await house.scrape()).value('solar_up')).toBe(0));
    await house.follow({ page: { [OF_SOUND]: 1200, [OF_OTHER]: undefined } });
  });

  test('a device that fails takes its station down while another hangs', async () => {
    const flags = { 'scrape.timeout': '300ms', 'request.timeout': '1h' };
    const house = await plainHouse({ devices: deviceList({ id: 'a' }, { id: 'b' }) }, flags);
    const isUp = async (value: number) =>
      eventually(async () => expect((await house.scrape()).value('solar_up')).toBe(value));
    await isUp(1);
    house.answers.readings = ({ body }) => (body['deviceId'] === 'a' ? 'silence' : DOWN);
    house.clock.advance(10 * MINUTE_MS);
    await isUp(0);
  });
});

describe('an outage', () => {
  test('shows the last values for their age, and is logged twice', async () => {
    const house = await plainHouse(twoDevices(() => DOWN));
    const failing: Script = { readings: DOWN, devices: DOWN, stations: DOWN };
    await house.follow(
      { page: { solar_up: 0, [OF_SOUND]: 1200 } },
      { answers: { readings: liveHistory() }, afterMs: SECOND_MS, page: { solar_up: 1 } },
      { answers: failing, afterMs: MINUTE_MS, page: { solar_up: 0, [OF_SOUND]: 1200 } },
      { afterMs: 11 * MINUTE_MS, page: { solar_up: 0, [OF_OTHER]: 1200 } },
      { afterMs: 10 * MINUTE_MS, page: { solar_up: 0, [OF_SOUND]: undefined } },
      { afterMs: 10 * HOUR_MS, page: { [PV]: undefined, solar_station_devices: 2 } },
      // Known devices are asked about long after their list was withdrawn.
      { afterMs: 16 * HOUR_MS, page: { [PV]: undefined, solar_station_devices: undefined } },
      {
        answers: { readings: liveHistory() },
        afterMs: MINUTE_MS,
        page: { [OF_SOUND]: 1200, 'solar_up{station_id="100000000000000003"}': 1 },
      },
    );
    const lines = house.log.lines.filter(({ fields }) => fields['collector'] === 'readings');
    expect(lines.map(({ message }) => message)).toEqual([
      'collector failed',
      'collector recovered',
      'collector failed',
      'collector recovered',
    ]);
  });
});

describe('what a station and an account are', () => {
  test.each<[when: string, script: Script, page: Step['page']]>([
    ['there are none', { stations: stationList() }, { solar_up: 1, solar_station_info: undefined }],
    ['one has no devices', { devices: deviceList() }, { solar_up: 1, solar_station_devices: 0 }],
    [
      'a device has nothing to say',
      { readings: liveHistory(() => ({})) },
      { solar_up: 1, solar_device_reporting: 0, [PV]: undefined },
    ],
  ])('is known when %s', async (_when, script, page) => {
    await (await plainHouse(script)).follow({ page });
  });

  test.each([
    { from: 'the user', flags: { 'time-zone': 'Europe/Berlin' }, zone: 'Europe/Berlin' },
    { from: 'the station list', listed: 'Europe/Paris', zone: 'Europe/Paris' },
    { from: 'the device records', zone: 'Europe/Kyiv' },
    { from: 'the specification, as a last resort', record: null, zone: 'Asia/Manila' },
  ])('a time zone comes from $from', async ({ flags, listed, record, zone }) => {
    const house = await plainHouse(
      {
        stations: { data: { list: [{ id: STATION_ID, name: 'Home', timezone: listed }] } },
        devices: deviceList(record === null ? { stationTimezone: null } : {}),
      },
      flags,
    );
    await house.follow({ page: { [`solar_station_info{time_zone="${zone}"}`]: 1 } });
    expect(house.asked('summary').map(({ headers }) => headers['iot-time-zone'])).toEqual([zone]);
  });

  test('a device is new or known in each list, and its name may change', async () => {
    const named = (name: string) => `solar_device_info{device_id="${DEVICE_ID}",name="${name}"}`;
    const listed = (name: string) => deviceList({ name }, { id: 'spare', isOnline: false });
    const house = await plainHouse({ devices: listed('Roof') });
    await house.follow(
      {
        page: {
          [named('Roof')]: 1,
          solar_station_devices: 2,
          [`solar_device_online{device_id="${DEVICE_ID}"}`]: 1,
          'solar_device_online{device_id="spare"}': 0,
          'solar_device_listed{device_id="spare"}': 1,
        },
      },
      { answers: { devices: listed('Shed') } },
      { afterMs: HOUR_MS },
      { page: { [named('Shed')]: 1, [named('Roof')]: undefined } },
    );
  });
});

describe('a price', () => {
  const PRICE = 'solar_tariff_price_per_kwh{direction="import"}';
  const TARIFF = `
currency: EUR
import:
  - { price: 1, hours: 00:00-12:00 }
  - price: 2
`;

  test('changes on the quarter hour by the clock of the station', async () => {
    const flags = { ...PLAIN, 'tariff.file': 'tariff.yaml', 'time-zone': 'Europe/Berlin' };
    const readFile = (path: string) => (path === 'tariff.yaml' ? TARIFF : '');
    // It is 10:00 in Berlin.
    const house = await openHouse(LIVE, { flags, readFile });
    await house.follow(
      { page: { [PRICE]: 1 } },
      { answers: { devices: DOWN, summary: DOWN }, afterMs: 2 * HOUR_MS - 1, page: { [PRICE]: 1 } },
      { afterMs: 1, page: { [PRICE]: 2 } },
      { afterMs: 12 * HOUR_MS, page: { [PRICE]: 1 } },
    );
  });
});

test('a page has no more series than it may, and says how many lack', async () => {
  const house = await plainHouse(
    { devices: deviceList({ id: '1' }, { id: '2' }) },
    { 'collect.process': 'true' },
  );
  await house.scrape();
  const whole = await house.scrape();
  expect(whole.all(PV)).toHaveLength(2);
  // Those of the process have room of their own.
  const series = whole.samples.filter(({ name }) => name.startsWith('solar_')).length;
  await house.reload({ flags: { 'limit.series': String(series - 10) } });
  const page = await house.scrape();
  expect(page.all(PV).map(({ labels }) => labels['device_id'])).toEqual(['1']);
  expect(page.samples.length).toBeLessThan(whole.samples.length);
  expect(
    (await house.scrape()).value('solar_series_dropped_total', { reason: 'series' }),
  ).toBeGreaterThan(10);
  expect(page.value('process_resident_memory_bytes')).toBeGreaterThan(0);
});
