import { describe, expect, test } from 'vitest';
import { HOUR_MS, type HouseSetup, MINUTE_MS, openHouse, PLAIN, type Step } from './house.ts';
import { seriesOf } from './device-answers.ts';
import {
  CLASSIC,
  deviceList,
  type PortalAnswer,
  type PortalRequest,
  type Script,
  stationList,
} from './scripted-service.ts';

const REFUSED: PortalAnswer = { envelope: { code: 70_132, message: 'no such device' } };

/** The lists of stations, by id; of each device its id, or a record. */
type Lists = Readonly<Record<string, readonly (string | object)[]>>;

const listed = (lists: Lists): Script => ({
  stations: stationList(...Object.keys(lists)),
  devices: (request) => deviceList(...recordsOf(lists, request)),
});

function recordsOf(lists: Lists, { body }: PortalRequest): readonly object[] {
  const records = lists[String(body['stationId'])] ?? [];
  return records.map((record) => (typeof record === 'string' ? { id: record } : record));
}

/** Devices answer with a reading, except for these. */
function answering(...refused: readonly string[]): Script['readings'] {
  const live = seriesOf(CLASSIC) as (request: PortalRequest) => PortalAnswer;
  return (request) =>
    refused.includes(String(request.body['deviceId'])) ? REFUSED : live(request);
}

const inventory = (lists: Lists, script: Script = {}, setup: HouseSetup = {}) =>
  openHouse(
    { readings: answering(), ...listed(lists), ...script },
    { ...setup, flags: { ...PLAIN, ...setup.flags } },
  );

/** Keys of a row by the station and the device. */
const pv = (station: string, device: string) =>
  `solar_pv_power_watts{station_id="${station}",device_id="${device}"}`;
const isListed = (device: string) => `solar_device_listed{device_id="${device}"}`;
const devicesOf = (station: string) => `solar_station_devices{station_id="${station}"}`;
const success = (collector: string) => `solar_collector_success{collector="${collector}"}`;

type House = Awaited<ReturnType<typeof inventory>>;

/** Scrapes for so long. */
const pass = (house: House, minutes: number, everyMs = 5 * MINUTE_MS) =>
  house.keepScraping(minutes * MINUTE_MS, everyMs);

/** A house whose lists have just come for the second time, an hour after the first. */
async function healthy(lists: Lists, setup: HouseSetup = {}): Promise<House> {
  const house = await inventory(lists, {}, setup);
  await house.follow({}, { afterMs: HOUR_MS });
  house.clock.advance(HOUR_MS);
  return house;
}

describe('a device that a list lacks', () => {
  test.each<[what: string, lists: Lists, readings?: Script['readings']]>([
    ['with all others', { home: [] }],
    ['and that answers nothing', { home: ['b'] }, answering('a')],
  ])(
    '%s is kept for a day, marked, and said once',
    async (_what, lists, readings = answering()) => {
      const house = await healthy({ home: ['a', 'b'] });
      const marked: Step['page'] = {
        [isListed('a')]: 0,
        [devicesOf('home')]: 2,
        [success('devices')]: 0,
      };
      await house.follow({ answers: { ...listed(lists), readings }, page: marked });
      await pass(house, 60);
      expect(house.asked('devices').length).toBeLessThanOrEqual(2 + 13);
      await pass(house, 21 * 60, 3 * HOUR_MS);
      await pass(house, 115, 23 * MINUTE_MS);
      await house.follow({ page: marked });
      const said = house.log.lines.filter(({ fields }) => fields['collector'] === 'devices');
      expect(said.map(({ level, message }) => [level, message])).toEqual([
        ['warn', 'collector failed'],
      ]);
      expect(String(said[0]?.fields['err'])).toMatch(/lacks \d of the 2 known ones: a.* for a day/);
      await house.follow({
        afterMs: 10 * MINUTE_MS,
        page: { [isListed('a')]: undefined, [success('devices')]: 1 },
      });
      const before = house.asked('readings').length;
      await house.follow({ afterMs: MINUTE_MS });
      expect(house.asked('readings').length - before).toBe(lists['home']?.length);
    },
  );

  test('that is refused is as before', async () => {
    const house = await healthy({ home: ['a', 'b'] });
    await house.follow({
      answers: { devices: REFUSED },
      page: { [isListed('a')]: 1, [pv('home', 'b')]: 1200, [success('devices')]: 0 },
    });
    await pass(house, 2 * 60, 20 * MINUTE_MS);
    await house.follow({ page: { [pv('home', 'a')]: 1200, [pv('home', 'b')]: 1200, solar_up: 1 } });
  });

  test('that fails for long is named for a day more, without what ages', async () => {
    const record = { id: 'a', isOnline: true, ratedPower: 5, totalProducedQuantity: 900 };
    const house = await healthy({ home: [record] });
    const named = { solar_device_info: 1, solar_station_info: 1, [devicesOf('home')]: 1 };
    await house.follow({ page: { ...named, solar_device_online: 1 } });
    house.answers.devices = { status: 500 };
    await pass(house, 3 * 60, 20 * MINUTE_MS);
    await house.follow({
      page: {
        ...named,
        [isListed('a')]: 1,
        [pv('home', 'a')]: 1200,
        [success('devices')]: 0,
        solar_device_online: undefined,
        solar_device_rated_power_watts: 5000,
        solar_device_pv_energy_lifetime_kwh: undefined,
      },
    });
    await pass(house, 22 * 60, 2 * HOUR_MS);
    await house.follow({ page: named });
    await pass(house, 2 * 60, 20 * MINUTE_MS);
    await house.follow({ page: { solar_device_info: undefined, solar_station_info: undefined } });
  });

  test('is as before when a list has it again', async () => {
    const house = await healthy({ home: ['a'] });
    await house.follow(
      { answers: listed({ home: [] }), page: { [isListed('a')]: 0 } },
      {
        answers: listed({ home: ['a'] }),
        afterMs: 5 * MINUTE_MS,
        page: { [isListed('a')]: 1, [success('devices')]: 1 },
      },
    );
    expect(house.log.messages('info')).toContain('collector recovered');
  });

  test('is known by its serial number when it is registered anew', async () => {
    const house = await healthy({ home: [{ id: 'a', serialNumber: '0042' }] });
    await house.follow({
      answers: listed({ home: [{ id: 'b', serialNumber: '0042' }] }),
      page: { [isListed('b')]: 1, [isListed('a')]: undefined, [devicesOf('home')]: 1 },
    });
  });
});

test('a first list that is empty is believed, and soon asked for again', async () => {
  const house = await inventory({ home: [] });
  await house.follow(
    { page: { [devicesOf('home')]: 0, [success('devices')]: 1, solar_up: 1 } },
    { answers: listed({ home: ['a'] }), afterMs: 5 * MINUTE_MS, page: { [pv('home', 'a')]: 1200 } },
  );
});

/** Device records from this id on. */
const many = (first: number, count: number): readonly object[] =>
  Array.from({ length: count }, (_, at) => ({ id: String(first + at) }));

test('a list of devices whose second page repeats the first is said', async () => {
  const devices = { data: { total: 120, list: many(0, 50) } };
  const house = await inventory({ home: [] }, { devices }, { flags: { 'request.rate': '0.001' } });
  await house.follow({ page: { [devicesOf('home')]: 50, [success('devices')]: 0 } });
  const said = house.log.lines.find(({ fields }) => fields['collector'] === 'devices');
  expect(String(said?.fields['err'])).toContain('has 50 of the 120 that the service counts');
});

test('a new device and a new station appear with the next lists', async () => {
  const house = await inventory({ home: ['a'] });
  await house.follow(
    { page: { [pv('home', 'a')]: 1200 } },
    { answers: listed({ home: ['a', 'b'], barn: ['c'] }), afterMs: HOUR_MS - 1 },
    { page: { [pv('home', 'b')]: undefined, [pv('barn', 'c')]: undefined } },
    { afterMs: 1, page: { [pv('home', 'b')]: 1200, [pv('barn', 'c')]: 1200 } },
  );
});

describe('a device counts once', () => {
  const at = (stationId?: string) => ({ id: 'a', ...(stationId && { stationId }) });

  test('where others are of another station, they are not shown here', async () => {
    const others = { home: [at('home'), { id: 'b', stationId: 'barn' }] };
    const house = await inventory(others, {}, { flags: { station: 'home' } });
    await house.follow({
      page: { [devicesOf('home')]: 1, [pv('home', 'a')]: 1200, [pv('home', 'b')]: undefined },
    });
    expect(house.log.messages('warn')).toEqual([
      'the device list of a station has devices of others: they count there alone',
    ]);
  });

  test.each([{ names: true }, { names: false }])(
    'and moves at once to the station that lists it, named: $names',
    async ({ names }) => {
      const record = (stationId: string) => ({ id: 'a', ...(names && { stationId }) });
      const house = await healthy({ home: [record('home'), 'b'], barn: ['c'] });
      await house.follow(
        { answers: listed({ home: ['b'], barn: ['c', record('barn')] }) },
        // A list that came first could not know.
        {
          afterMs: 5 * MINUTE_MS,
          page: {
            [pv('barn', 'a')]: 1200,
            [pv('home', 'a')]: undefined,
            [devicesOf('home')]: 1,
            [devicesOf('barn')]: 2,
            [`${success('devices').slice(0, -1)},station_id="home"}`]: 1,
          },
        },
      );
    },
  );
});

test('a device that two stations list is said once', async () => {
  const house = await healthy({ home: ['a', 'b'], barn: ['b'] });
  await pass(house, 150, HOUR_MS / 2);
  const said = 'several stations list the same devices: each counts at one of them';
  expect(house.log.messages('warn')).toEqual([said]);
});

describe('a station that a list lacks', () => {
  test.each<[what: string, lists: Lists, readings?: Script['readings']]>([
    ['with all others and all devices', {}],
    ['and whose devices answer nothing', { home: ['a'] }, answering('c')],
  ])('%s is kept for a day', async (_what, lists, readings = answering()) => {
    const house = await healthy({ home: ['a'], barn: ['c'] });
    const kept = { [devicesOf('barn')]: 1, [pv('home', 'a')]: 1200, [success('stations')]: 0 };
    await house.follow({ answers: { ...listed(lists), readings }, page: kept });
    await pass(house, 22 * 60, 2 * HOUR_MS);
    await pass(house, 115, 23 * MINUTE_MS);
    await house.follow({ page: kept });
    await house.follow({
      afterMs: 10 * MINUTE_MS,
      page: {
        'solar_station_info{station_id="barn"}': undefined,
        'solar_up{station_id="barn"}': undefined,
        [success('stations')]: 1,
      },
    });
    const before = house.requests.length;
    await house.follow({ afterMs: HOUR_MS });
    const asked = house.requests.slice(before).map(({ body }) => body['stationId']);
    expect(asked).not.toContain('barn');
  });
});
