import { describe, expect, test } from 'vitest';
import { Inventory } from '../../../src/client/stations/inventory.ts';
import type { Outcome } from '../../../src/client/exchange/send-request.ts';
import { ServiceError } from '../../../src/base/errors.ts';
import { SilentLog } from '../../support/silent-log.ts';
import { createCaller } from '../exchange/caller-harness.ts';

const PATHS = { stations: '/stations', devices: '/devices' };
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
  /** What the service answers for an unknown station. */
  readonly toUnknown?: object;
  /** What it answers to a device list request without a station, or how that fails. */
  toEveryDevice?: object | undefined;
}

const REFUSAL = { code: 20_101, message: 'illegal argument' };
const NOTHING = listed([]);

function listed(list: readonly object[]): object {
  return { code: 0, data: { total: list.length, list } };
}

/** Creates an account with a station of one inverter and an empty station; records what is listed. */
function createInventory(account: Account = {}) {
  const {
    stations = [{ id: '100000000000000003' }, { id: '7' }],
    devices = [GARAGE],
    toUnknown = REFUSAL,
  } = account;
  const asked: string[] = [];
  const { caller, clock, serviceClock } = createCaller(
    ({ url, body = '' }) => {
      if (url.pathname === '/stations') {
        asked.push('stations');
        return listed(stations);
      }
      const { stationId } = JSON.parse(body) as { stationId?: string };
      asked.push(stationId === undefined ? 'all devices' : `devices ${stationId}`);
      const { toEveryDevice = listed(devices) } = account;
      if (stationId === undefined && toEveryDevice instanceof ServiceError) throw toEveryDevice;
      if (stationId === undefined) return toEveryDevice;
      if (stationId === GARAGE.stationId) return listed(devices);
      return stationId === '7' ? NOTHING : toUnknown;
    },
    { now: NOW, paths: PATHS },
  );
  const log = new SilentLog();
  return { inventory: new Inventory(caller, log), asked, clock, serviceClock, log };
}

describe('the devices of a station', () => {
  test('are listed with the time of the request and how far the service is ahead', async () => {
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

  test.each([
    { count: 3, isShort: true },
    { count: 2, isShort: false },
  ])(
    'come on a short page when $count were requested and two arrived: $isShort',
    async ({ count, isShort }) => {
      const { inventory } = createInventory({ devices: [GARAGE, { name: 'nameless' }] });
      const page = await inventory.listDevicePage('100000000000000003', 1, count);
      expect(page).toMatchObject({ entries: [{ deviceId: GARAGE.id }], isShort });
    },
  );

  test('take one request each and no look-up', async () => {
    const { inventory, asked } = createInventory();
    await inventory.listDevices('100000000000000003');
    await inventory.listDevicePage('100000000000000003', 1, 1);
    expect(asked).toEqual(['devices 100000000000000003', 'devices 100000000000000003']);
  });
});

describe('a page without a list', () => {
  const ODD = { code: 0, data: { total: 51, list: 'none' } };
  const device = (index: number) => ({ id: String(index + 1) });
  const full = {
    code: 0,
    data: { total: 51, list: Array.from({ length: 50 }, (_, n) => device(n)) },
  };

  function createPages(...pages: readonly object[]) {
    const log = new SilentLog();
    const outcomes: Outcome[] = [];
    const { caller } = createCaller(
      ({ body = '' }) => pages[(JSON.parse(body) as { page: number }).page - 1],
      { onOutcome: (outcome) => outcomes.push(outcome) },
    );
    return { inventory: new Inventory(caller, log), log, outcomes };
  }

  test('is empty, and the devices before it stand', async () => {
    const { inventory } = createPages(full, ODD);
    expect(await inventory.listDevices('3')).toHaveLength(50);
    const { inventory: first } = createPages(ODD, full);
    expect(await first.listDevicePage('3', 1, 50)).toEqual({ entries: [], isShort: true });
  });

  test('is counted every time, and logged once', async () => {
    const { inventory, log, outcomes } = createPages(full, ODD);
    await inventory.listDevices('3');
    await inventory.listDevices('3');
    expect(outcomes).toEqual(['ok', 'SERVICE_PAYLOAD_INVALID', 'ok', 'SERVICE_PAYLOAD_INVALID']);
    expect(log.messages('warn')).toEqual(['a page without a list: the list ends there']);
  });
});

describe('the record of a device', () => {
  test.each([
    { says: { code: 0, data: GARAGE }, expected: { deviceId: GARAGE.id } },
    { says: { code: 0, data: null }, expected: undefined },
    { says: REFUSAL, expected: undefined },
    { says: { code: 0, data: 'none' }, expected: undefined },
  ])('is $expected where the service says $says', async ({ says, expected }) => {
    const { caller, transport } = createCaller(() => says);
    const found = await new Inventory(caller, new SilentLog()).fetchDevice('1');
    if (expected === undefined) expect(found).toBeUndefined();
    else expect(found).toMatchObject(expected);
    expect(transport.requests[0]?.url.pathname).toBe('/apis/device/details');
    expect(transport.requests[0]?.url.search).toBe('?deviceId=1');
  });

  test('is not known while the service is out of order', async () => {
    const { caller } = createCaller(() => {
      throw new ServiceError('SERVICE_SERVER_ERROR', 'HTTP 500');
    });
    await expect(new Inventory(caller, new SilentLog()).fetchDevice('1')).rejects.toMatchObject({
      code: 'SERVICE_SERVER_ERROR',
    });
  });
});

describe('an id that is not of a station', () => {
  const remedy = 'its station is 100000000000000003: give that one to --station';

  test.each([
    { given: GARAGE.id, what: 'the id' },
    { given: GARAGE.serialNumber, what: 'the serial number' },
    { given: GARAGE.dtuDtuid, what: 'the number of the datalogger' },
    { given: GARAGE.dtuId, what: 'the id of the datalogger' },
  ])('is explained when it is $what of a device', async ({ given, what }) => {
    const message = `"${given}" is ${what} of device "Garage inverter", not of a station; ${remedy}`;
    for (const toUnknown of [REFUSAL, NOTHING]) {
      const { inventory } = createInventory({ toUnknown });
      const rejection = { code: 'SERVICE_REQUEST_REJECTED', message };
      await expect(inventory.listDevices(given)).rejects.toMatchObject(rejection);
      await expect(inventory.listDevicePage(given, 1, 1)).rejects.toMatchObject(rejection);
    }
  });

  test('is explained by its id alone when the device has no name and no station', async () => {
    const { inventory } = createInventory({ devices: [{ id: '1' }] });
    await expect(inventory.listDevices('1')).rejects.toThrow(
      '"1" is the id of device "1", not of a station; give the id of its station to --station',
    );
  });

  test('is rejected with the refusal as the cause', async () => {
    const { inventory } = createInventory();
    await expect(inventory.listDevices(GARAGE.id)).rejects.toMatchObject({
      cause: expect.objectContaining({ serviceCode: '20101' }) as Error,
    });
  });

  test('is looked up once for any number of calls', async () => {
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

  test('is looked up again after a look-up that failed for the moment', async () => {
    const account: Account = {
      toEveryDevice: new ServiceError('SERVICE_SERVER_ERROR', 'HTTP 500'),
    };
    const { inventory, asked } = createInventory(account);
    await expect(inventory.listDevices(GARAGE.id)).rejects.toMatchObject({ serviceCode: '20101' });
    account.toEveryDevice = undefined;
    await expect(inventory.listDevices(GARAGE.id)).rejects.toThrow('is the id of device');
    expect(asked.filter((question) => question === 'all devices')).toHaveLength(2);
  });

  test('shares one look-up with all ids that are asked about meanwhile', async () => {
    const { inventory, asked } = createInventory();
    const ids = [GARAGE.id, GARAGE.dtuId, '42', '7'];
    const ended = await Promise.allSettled(ids.map((id) => inventory.listDevices(id)));
    expect(ended.map(({ status }) => status)).toEqual([
      'rejected',
      'rejected',
      'rejected',
      'fulfilled',
    ]);
    expect(asked.slice(ids.length)).toEqual(['stations', 'all devices']);
    await Promise.allSettled(ids.map((id) => inventory.listDevices(id)));
    expect(asked.slice(2 * ids.length + 2)).toEqual([]);
  });

  test('shares one failure of the look-up as well', async () => {
    const toEveryDevice = new ServiceError('SERVICE_SERVER_ERROR', 'HTTP 500');
    const { inventory, asked } = createInventory({ toEveryDevice });
    await Promise.allSettled(['1', '2', '3', '4'].map((id) => inventory.listDevices(id)));
    expect(asked.filter((question) => question === 'all devices')).toHaveLength(1);
  });

  test.each([
    { ids: 1000, lookUps: 1 },
    { ids: 1001, lookUps: 2 },
  ])(
    'is remembered for a thousand ids: $ids asked twice cost $lookUps look-ups',
    async ({ ids, lookUps }) => {
      const { inventory, asked } = createInventory({ toUnknown: NOTHING });
      const unknown = Array.from({ length: ids }, (_, index) => `unknown ${index}`);
      for (let round = 0; round < 2; round += 1)
        await Promise.all(unknown.map((id) => inventory.listDevices(id)));
      expect(asked.filter((question) => question === 'stations')).toHaveLength(lookUps);
    },
  );

  test('is no station that the account has just listed, whatever the service answers to it', async () => {
    for (const toUnknown of [REFUSAL, NOTHING]) {
      const { inventory, asked } = createInventory({ stations: [{ id: '9' }], toUnknown });
      await inventory.listStations();
      await Promise.allSettled([inventory.listDevices('9')]);
      expect(asked).toEqual(['stations', 'devices 9']);
    }
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
  ])('keeps the answer of the service when $when', async ({ given, account }) => {
    const refused = createInventory(account);
    await expect(refused.inventory.listDevices(given)).rejects.toMatchObject({
      code: 'SERVICE_API_REFUSED',
      serviceCode: '20101',
    });
    const empty = createInventory({ ...account, toUnknown: NOTHING });
    expect(await empty.inventory.listDevices(given)).toEqual([]);
  });

  test('is not looked for among the devices when it is an empty station of the account', async () => {
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

  test('does not hide a bug of the program', async () => {
    const { inventory, serviceClock } = createInventory();
    Object.defineProperty(serviceClock, 'aheadMs', {
      get: () => {
        throw new TypeError('a bug');
      },
    });
    await expect(inventory.listDevices(GARAGE.id)).rejects.toThrow('a bug');
  });
});
