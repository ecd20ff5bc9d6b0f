import { describe, expect, test } from 'vitest';
import { startScriptedProcess } from './commands/fake-process.ts';
import { MINUTE_MS, scrapeHouse } from './house.ts';
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

/** What the service says of an account whose stations only it knows, and of an id that is given for one. */
const scriptOf = (toGiven: PortalAnswer, toAll = OWN): Script => ({
  devices: ({ body }) => {
    if (body['stationId'] === undefined) return toAll;
    return body['stationId'] === STATION_ID ? OWN : toGiven;
  },
});

/** How often something was asked for: stations, devices of a station, devices of all. */
function countLists({ asked }: Pick<Awaited<ReturnType<typeof scrapeHouse>>, 'asked'>) {
  const ofStation = asked('devices').filter(({ body }) => body['stationId'] !== undefined);
  return [asked('stations').length, ofStation.length, asked('devices').length - ofStation.length];
}

describe('an id that is given as a station and is not one', () => {
  async function check(given: string, script: Script): Promise<string> {
    const { shell } = await startScriptedProcess(script);
    const { status, out } = await shell.run('check', `--station=${given}`, '--json');
    const { steps } = JSON.parse(out) as { steps: { step: string; detail: string }[] };
    expect(status).toBe(1);
    return steps.find(({ step }) => step === 'devices')?.detail ?? '';
  }

  test.each([
    [DEVICE_ID, 'the id', REFUSED],
    [DEVICE_ID, 'the id', NONE],
    [SERIAL, 'the serial number', REFUSED],
    [LOGGER.dtuDtuid, 'the number of the datalogger', REFUSED],
    [LOGGER.dtuId, 'the id of the datalogger', REFUSED],
  ])('%s is explained by check when it is %s of a device: %#', async (given, what, toGiven) => {
    expect(await check(given, scriptOf(toGiven))).toBe(
      `"${given}" is ${what} of device "Garage inverter", not of a station; its station is ${STATION_ID}: give that one to --station`,
    );
  });

  test('is explained by itself when the device has no name and no station', async () => {
    const script = scriptOf(REFUSED, { data: { list: [{ id: '1' }] } });
    expect(await check('1', script)).toBe(
      '"1" is the id of device "1", not of a station; give the id of its station to --station',
    );
  });

  test.each<[when: string, given: string, script: Script]>([
    ['nothing has it', '42', scriptOf(REFUSED)],
    ['there is no device', DEVICE_ID, scriptOf(REFUSED, NONE)],
    [
      'the look-up is refused',
      DEVICE_ID,
      scriptOf(REFUSED, { envelope: { code: 70_001, message: 'no' } }),
    ],
    [
      'the account has such a station',
      DEVICE_ID,
      { ...scriptOf(REFUSED), stations: stationList(DEVICE_ID) },
    ],
  ])('is as the service says when %s', async (_when, given, script) => {
    const detail = await check(given, script);
    expect(detail).toContain('/apis/device/list: service answered code 20101');
    expect(detail).not.toContain('not of a station');
  });

  test('is looked up by nothing but check', async () => {
    const house = await scrapeHouse(scriptOf(REFUSED), { flags: { station: DEVICE_ID } });
    expect(house.page.value('solar_up', { station_id: DEVICE_ID })).toBe(0);
    expect(countLists(house)).toEqual([0, expect.any(Number), 0]);
  });
});

describe('50 stations without devices', () => {
  const stationIds = Array.from({ length: 50 }, (_, index) => String(1000 + index));

  test.each([
    ['that the account lists', undefined],
    ['that are configured', stationIds.join(',')],
  ])('%s cost that list and a device list each', async (_which, station) => {
    const flags = { ...LISTS_ALONE, ...(station !== undefined && { station }) };
    // A page has 50 and this one is full, so that another one is asked for.
    const stations = ({ body }: PortalRequest): PortalAnswer =>
      body['page'] === 1 ? stationList(...stationIds) : NONE;
    const house = await scrapeHouse({ stations, devices: NONE }, { flags });
    expect(countLists(house)).toEqual([2, 50, 0]);
    const counts = house.page.all('solar_station_devices').map(({ value }) => value);
    expect(counts).toEqual(Array(50).fill(0));
    house.requests.length = 0;
    await house.scrapeAfter(5 * MINUTE_MS);
    expect(countLists(house)).toEqual([0, 50, 0]);
  });
});
