import { describe, expect, test } from 'vitest';
import { HOUR_MS, MINUTE_MS, scrapeHouse } from './house.ts';
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

/** What the service answers about the id that is given, and to the question for all devices. */
interface Lists {
  readonly toGiven?: PortalAnswer;
  toAll?: PortalAnswer;
}

/** An exporter for an id given as `--station`, after its first scrape. */
async function scrapeWith(given: string, lists: Lists, script: Script = {}) {
  const devices: Script['devices'] = ({ body }) => {
    const { toGiven = REFUSED, toAll = OWN } = lists;
    if (body['stationId'] === undefined) return toAll;
    return body['stationId'] === STATION_ID ? OWN : toGiven;
  };
  const house = await scrapeHouse({ devices, ...script }, { flags: { station: given } });
  const reasons = house.log.lines.map(
    ({ fields }) => (fields['err'] as Error | undefined)?.message,
  );
  return Object.assign(house, { reasons });
}

/** How often something was asked for: stations, devices of a station, devices of all. */
function countLists({ asked }: Pick<Awaited<ReturnType<typeof scrapeHouse>>, 'asked'>) {
  const ofStation = asked('devices').filter(({ body }) => body['stationId'] !== undefined);
  return [asked('stations').length, ofStation.length, asked('devices').length - ofStation.length];
}

describe('an id that is given as a station and is not one', () => {
  test.each([
    [DEVICE_ID, 'the id', REFUSED],
    [DEVICE_ID, 'the id', NONE],
    [SERIAL, 'the serial number', REFUSED],
    [LOGGER.dtuDtuid, 'the number of the datalogger', REFUSED],
    [LOGGER.dtuId, 'the id of the datalogger', REFUSED],
  ])('%s is explained when it is %s of a device: %#', async (given, what, toGiven) => {
    const house = await scrapeWith(given, { toGiven });
    expect(house.page.value('solar_up', { station_id: given })).toBe(0);
    expect(house.reasons).toContain(
      `"${given}" is ${what} of device "Garage inverter", not of a station; its station is ${STATION_ID}: give that one to --station`,
    );
    expect(countLists(house)).toEqual([1, 1, 1]);
  });

  test('is explained by itself when the device has no name and no station', async () => {
    const { reasons } = await scrapeWith('1', { toAll: { data: { list: [{ id: '1' }] } } });
    expect(reasons).toContain(
      '"1" is the id of device "1", not of a station; give the id of its station to --station',
    );
  });

  const forbidden: PortalAnswer = { envelope: { code: 70_001, message: 'no' } };
  test.each<[when: string, given: string, toAll?: PortalAnswer, script?: Script]>([
    ['nothing has it', '42'],
    ['there is no device', DEVICE_ID, NONE],
    ['the look-up is refused', DEVICE_ID, forbidden],
    ['the account has such a station', DEVICE_ID, OWN, { stations: stationList(DEVICE_ID) }],
  ])('is as the service says when %s', async (_, given, toAll = OWN, script = {}) => {
    const reasons = (await scrapeWith(given, { toAll }, script)).reasons.join();
    expect(reasons).toContain('/apis/device/list: service answered code 20101');
    expect(reasons).not.toContain('not of a station');
    const empty = await scrapeWith(given, { toAll, toGiven: NONE }, script);
    expect(empty.page.value('solar_station_devices', { station_id: given })).toBe(0);
  });

  test.each<[when: string, Lists, stations: number, lookUps: number]>([
    ['it is refused', { toAll: forbidden }, 1, 1],
    ['it fails for the moment', { toAll: { status: 500 } }, 1, 2],
    ['the service answers with another code', { toGiven: forbidden }, 0, 0],
  ])('is looked up within two hours so often when %s', async (_, lists, stations, lookUps) => {
    const house = await scrapeWith(DEVICE_ID, lists);
    lists.toAll = OWN;
    await house.scrapeAfter(HOUR_MS + MINUTE_MS);
    expect(countLists(house)).toEqual([stations, expect.any(Number), lookUps]);
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
    const script = { stations: stationPage, devices: NONE };
    const house = await scrapeHouse(script, { flags: LISTS_ALONE });
    // The second page is full, so that a third one is asked for.
    expect(countLists(house)).toEqual([3, 100, 0]);
    const counts = house.page.all('solar_station_devices').map(({ value }) => value);
    expect(counts).toEqual(Array(100).fill(0));
    house.requests.length = 0;
    await house.scrapeAfter(5 * MINUTE_MS);
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
    await house.scrapeAfter(5 * MINUTE_MS);
    expect(countLists(house)).toEqual([0, 102, 0]);
  });
});
