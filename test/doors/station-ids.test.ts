import { describe, expect, test } from 'vitest';
import { HOUR_MS, MINUTE_MS, openHouse, scrapeHouse } from './house.ts';
import {
  DEVICE_ID,
  deviceList,
  type PortalAnswer,
  type PortalRequest,
  type Script,
  stationList,
  STATION_ID,
} from './scripted-service.ts';

const LISTS_ALONE = { 'collect.energy': 'false', 'collect.alarms': 'false' };
const NONE: PortalAnswer = { data: { total: 0, list: [] } };
const REFUSED: PortalAnswer = { envelope: { code: 20_101, message: 'illegal argument' } };
const SERIAL = 'SN0001';
const LOGGER = { dtuId: '100000000000000002', dtuDtuid: '00000000000000000042' };
const OWN = deviceList({ stationId: STATION_ID, ...LOGGER });

/** What is given to `--station`, and what the service answers to it and to the question for all devices. */
interface Lists {
  readonly toGiven?: PortalAnswer;
  toAll?: PortalAnswer;
}

const listing =
  (lists: Lists): Script['devices'] =>
  ({ body }) => {
    const { toGiven = REFUSED, toAll = OWN } = lists;
    if (body['stationId'] === undefined) return toAll;
    return body['stationId'] === STATION_ID ? OWN : toGiven;
  };

const openWith = (given: string, lists: Lists, script: Script = {}) =>
  openHouse({ devices: listing(lists), ...script }, { flags: { station: given } });

type House = Awaited<ReturnType<typeof openWith>>;

/** How often something was asked for: stations, devices of a station, devices of all. */
function countLists({ asked }: Pick<House, 'asked'>) {
  const ofStation = asked('devices').filter(({ body }) => body['stationId'] !== undefined);
  return [asked('stations').length, ofStation.length, asked('devices').length - ofStation.length];
}

const reasonsIn = ({ log }: Pick<House, 'log'>) =>
  log.lines.map(({ fields }) => (fields['err'] as Error | undefined)?.message);

describe('an id that is given as a station and is not one', () => {
  test.each([
    { given: DEVICE_ID, what: 'the id' },
    { given: SERIAL, what: 'the serial number' },
    { given: LOGGER.dtuDtuid, what: 'the number of the datalogger' },
    { given: LOGGER.dtuId, what: 'the id of the datalogger' },
  ])('is explained when it is $what of a device', async ({ given, what }) => {
    for (const toGiven of [REFUSED, NONE]) {
      const house = await openWith(given, { toGiven });
      expect((await house.scrape()).value('solar_up', { station_id: given })).toBe(0);
      expect(reasonsIn(house)).toContain(
        `"${given}" is ${what} of device "Garage inverter", not of a station; its station is ${STATION_ID}: give that one to --station`,
      );
      expect(countLists(house)).toEqual([1, 1, 1]);
    }
  });

  test('is explained by itself when the device has no name and no station', async () => {
    const house = await openWith('1', { toAll: { data: { list: [{ id: '1' }] } } });
    await house.scrape();
    expect(reasonsIn(house)).toContain(
      '"1" is the id of device "1", not of a station; give the id of its station to --station',
    );
  });

  test.each<{ when: string; given?: string; toAll?: PortalAnswer; script?: Script }>([
    { when: 'nothing has it', given: '42' },
    { when: 'there is no device', toAll: NONE },
    { when: 'the look-up is refused', toAll: { envelope: { code: 70_001, message: 'no' } } },
    { when: 'the account has such a station', script: { stations: stationList(DEVICE_ID) } },
  ])('is as the service says when $when', async ({ given = DEVICE_ID, toAll, script }) => {
    const house = await openWith(given, toAll === undefined ? {} : { toAll }, script);
    await house.scrape();
    expect(reasonsIn(house).join()).toContain('/apis/device/list: service answered code 20101');
    expect(reasonsIn(house).join()).not.toContain('not of a station');
    const lists = toAll === undefined ? {} : { toAll };
    const empty = await openWith(given, { ...lists, toGiven: NONE }, script);
    expect((await empty.scrape()).value('solar_station_devices', { station_id: given })).toBe(0);
  });

  test.each<{ when: string; toAll: PortalAnswer; lookUps: number }>([
    { when: 'it is refused', toAll: { envelope: { code: 70_001, message: 'no' } }, lookUps: 1 },
    { when: 'it fails for the moment', toAll: { status: 500 }, lookUps: 2 },
  ])('is looked up $lookUps times in two hours when $when', async ({ toAll, lookUps }) => {
    const lists: Lists = { toAll };
    const house = await openWith(DEVICE_ID, lists);
    await house.scrape();
    lists.toAll = OWN;
    await house.scrapeAfter(HOUR_MS + MINUTE_MS);
    expect(countLists(house)[2]).toBe(lookUps);
  });

  test.each([70_001, 9])('is not looked up when the service answers code %i', async (code) => {
    const house = await openWith('42', { toGiven: { envelope: { code, message: 'no' } } });
    await house.scrape();
    expect([house.asked('stations').length, countLists(house)[2]]).toEqual([0, 0]);
  });
});

describe('100 stations without devices', () => {
  const stationIds = Array.from({ length: 100 }, (_, index) => String(1000 + index));

  /** A page of the list of stations, as it was asked for. */
  function stationPage({ body }: PortalRequest): PortalAnswer {
    const { page, count } = body as { page: number; count: number };
    const ids = stationIds.slice((page - 1) * count, page * count);
    return { data: { total: stationIds.length, list: ids.map((id) => ({ id })) } };
  }

  test('that the account lists cost the pages of that list and one device list each', async () => {
    const house = await scrapeHouse(
      { stations: stationPage, devices: NONE },
      { flags: LISTS_ALONE },
    );
    // The second page is full, so that a third one is asked for.
    expect(countLists(house)).toEqual([3, 100, 0]);
    expect(house.page.all('solar_station_devices').map(({ value }) => value)).toEqual(
      stationIds.map(() => 0),
    );
    house.requests.length = 0;
    await house.scrapeAfter(MINUTE_MS);
    expect(countLists(house)).toEqual([0, 100, 0]);
  });

  test('that are configured cost one look-up for all of them, and the mistaken ones are explained', async () => {
    const own = deviceList({ id: '7', stationId: '1000' }, { id: '8', stationId: '1000' });
    const house = await scrapeHouse(
      {
        stations: stationPage,
        devices: ({ body }) => (body['stationId'] === undefined ? own : NONE),
      },
      { flags: { ...LISTS_ALONE, station: [...stationIds, '7', '8'].join(',') } },
    );
    expect(countLists(house)).toEqual([3, 102, 1]);
    const failed = house.page
      .all('solar_collector_success')
      .filter(({ labels, value }) => labels['collector'] === 'devices' && value === 0);
    expect(failed.map(({ labels }) => labels['station_id'])).toEqual(['7', '8']);
    house.requests.length = 0;
    await house.scrapeAfter(MINUTE_MS);
    expect(countLists(house)).toEqual([0, 102, 0]);
  });
});
