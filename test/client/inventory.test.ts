import { describe, expect, test } from 'vitest';
import { Inventory } from '../../src/client/inventory.ts';
import { createCaller } from './caller-harness.ts';

const BASE = 'https://service.example.org';
const URLS = { stations: new URL('/stations', BASE), devices: new URL('/devices', BASE) };
const NOW = '2026-08-24T08:00:00Z';
const NOW_MS = Date.parse(NOW);

const GARAGE = {
  id: '100000000000000001',
  name: 'Garage inverter',
  serialNumber: 'SN0001',
  dtuId: '100000000000000002',
  dtuDtuid: '00000000000000000042',
  stationId: '100000000000000003',
};

interface Account {
  readonly stations?: readonly object[];
  readonly devices?: readonly object[];
  /** What the service says to a station that is none of its own. */
  readonly toUnknown?: object;
  /** What it says to a device list that names no station. */
  readonly toEveryDevice?: object;
}

const REFUSAL = { code: 20_101, message: 'illegal argument' };
const NOTHING = listed([]);

function listed(list: readonly object[]): object {
  return { code: 0, data: { total: list.length, list } };
}

/** An account with one station of one inverter, and an empty one; requests are noted by what they list. */
function createInventory({
  stations = [{ id: '100000000000000003' }, { id: '7' }],
  devices = [GARAGE],
  toUnknown = REFUSAL,
  toEveryDevice,
}: Account = {}) {
  const asked: string[] = [];
  const { caller, clock, serviceClock } = createCaller(
    ({ url, body = '' }) => {
      if (url.pathname === '/stations') {
        asked.push('stations');
        return listed(stations);
      }
      const { stationId } = JSON.parse(body) as { stationId?: string };
      asked.push(stationId === undefined ? 'all devices' : `devices ${stationId}`);
      if (stationId === undefined) return toEveryDevice ?? listed(devices);
      if (stationId === GARAGE.stationId) return listed(devices);
      return stationId === '7' ? NOTHING : toUnknown;
    },
    { now: NOW },
  );
  return { inventory: new Inventory(caller, serviceClock, URLS), asked, clock, serviceClock };
}

describe('the devices of a station', () => {
  test('are listed with the moment of asking and how far the service is ahead', async () => {
    const { inventory, serviceClock } = createInventory();
    serviceClock.observe(NOW_MS + 7_200_000);
    expect(await inventory.listDevices('100000000000000003')).toMatchObject([
      {
        deviceId: '100000000000000001',
        listedAtMs: NOW_MS + 7_200_000,
        serviceAheadMs: 7_200_000,
      },
    ]);
  });

  test('are asked for with nothing else', async () => {
    const { inventory, asked } = createInventory();
    await inventory.listDevices('100000000000000003');
    await inventory.listDevicePage('100000000000000003', 1, 1);
    expect(asked).toEqual(['devices 100000000000000003', 'devices 100000000000000003']);
  });
});

describe('what is not a station', () => {
  const remedy = 'its station is 100000000000000003: give that one to --station';

  test.each([
    { given: GARAGE.id, what: 'the id' },
    { given: GARAGE.serialNumber, what: 'the serial number' },
    { given: GARAGE.dtuDtuid, what: 'the number of the datalogger' },
    { given: GARAGE.dtuId, what: 'the id of the datalogger' },
  ])('but $what of a device is called that', async ({ given, what }) => {
    const message = `"${given}" is ${what} of device "Garage inverter", not of a station; ${remedy}`;
    for (const toUnknown of [REFUSAL, NOTHING]) {
      const { inventory } = createInventory({ toUnknown });
      const rejection = { code: 'SERVICE_REQUEST_REJECTED', message };
      await expect(inventory.listDevices(given)).rejects.toMatchObject(rejection);
      await expect(inventory.listDevicePage(given, 1, 1)).rejects.toMatchObject(rejection);
    }
  });

  test('is told from a device without a name or a station as far as that goes', async () => {
    const { inventory } = createInventory({ devices: [{ id: '1' }] });
    await expect(inventory.listDevices('1')).rejects.toThrow(
      '"1" is the id of device "1", not of a station; give the id of its station to --station',
    );
  });

  test('is rejected because it was refused', async () => {
    const { inventory } = createInventory();
    await expect(inventory.listDevices(GARAGE.id)).rejects.toMatchObject({
      cause: expect.objectContaining({ serviceCode: '20101' }) as Error,
    });
  });

  test('is looked up once, however often and in however many ways it is asked about', async () => {
    const { inventory, asked } = createInventory();
    const question = `devices ${GARAGE.id}`;
    await Promise.allSettled([inventory.listDevices(GARAGE.id), inventory.listDevices(GARAGE.id)]);
    await Promise.allSettled([inventory.listDevicePage(GARAGE.id, 1, 1)]);
    expect(asked).toEqual([question, question, 'stations', 'all devices', question]);
  });

  test('is looked up once when the look-up fails, too', async () => {
    const { inventory, asked } = createInventory({ toEveryDevice: { code: 70_001 } });
    for (let attempt = 0; attempt < 3; attempt += 1)
      await expect(inventory.listDevices(GARAGE.id)).rejects.toMatchObject({
        serviceCode: '20101',
      });
    expect(asked.filter((question) => question === 'all devices')).toHaveLength(1);
  });

  test.each([
    { when: 'nothing matches', given: '42', account: {} },
    { when: 'there is no device', given: GARAGE.id, account: { devices: [] } },
    {
      when: 'the look-up fails',
      given: GARAGE.id,
      account: { toEveryDevice: { code: 500, message: 'broken' } },
    },
    { when: 'it is a station after all', given: '9', account: { stations: [{ id: '9' }] } },
  ])('is left to what the service says of it when $when', async ({ given, account }) => {
    const refused = createInventory(account);
    await expect(refused.inventory.listDevices(given)).rejects.toMatchObject({
      code: 'SERVICE_API_REFUSED',
      serviceCode: '20101',
    });
    const empty = createInventory({ ...account, toUnknown: NOTHING });
    expect(await empty.inventory.listDevices(given)).toEqual([]);
  });

  test('is not looked for in an empty station of the account beyond its list', async () => {
    const { inventory, asked } = createInventory();
    expect(await inventory.listDevices('7')).toEqual([]);
    expect(asked).toEqual(['devices 7', 'stations']);
  });

  test.each([{ code: 70_001 }, { code: 9 }])(
    'is not looked for when the service refuses with $code',
    async (toUnknown) => {
      const { inventory, asked } = createInventory({ toUnknown });
      await expect(inventory.listDevices('42')).rejects.toThrow();
      expect(asked).toEqual(['devices 42']);
    },
  );

  test('is not looked for after an empty page that is not the first', async () => {
    const { inventory, asked } = createInventory();
    expect(await inventory.listDevicePage('7', 2, 1)).toMatchObject({ entries: [] });
    expect(asked).toEqual(['devices 7']);
  });

  test('does not hide a bug of ours', async () => {
    const { inventory, serviceClock } = createInventory();
    Object.defineProperty(serviceClock, 'aheadMs', {
      get: () => {
        throw new TypeError('a bug');
      },
    });
    await expect(inventory.listDevices(GARAGE.id)).rejects.toThrow('a bug');
  });
});
