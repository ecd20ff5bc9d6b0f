import { DropLog } from '../../src/base/drop-log.ts';
import { describe, expect, test } from 'vitest';
import { ServiceClient } from '../../src/client/client.ts';
import { limitConcurrency } from '../../src/base/concurrency.ts';
import { DataCaller } from '../../src/client/exchange/data-caller.ts';
import { RuleSet } from '../../src/client/dialects/rule-set.ts';
import { INTERFACE_KEYS } from '../../src/client/dialects/family.ts';
import { createSendRequest } from '../../src/client/exchange/send-request.ts';
import { Session } from '../../src/client/session/session.ts';
import type { ServiceApi } from '../../src/client/api.ts';
import { deferred, settled } from '../support/deferred.ts';
import { ServiceClock } from '../../src/client/exchange/service-clock.ts';
import { readingsAt } from '../../src/model/readings.ts';
import { flatSetting } from '../../src/model/settings.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { FakeTransport } from '../support/fake-transport.ts';
import { SilentLog } from '../support/silent-log.ts';
import { serviceUrls } from './exchange/caller-harness.ts';
import { tokenSet } from '../unit/client/session-states.ts';

const PATHS = {
  stations: '/stations',
  devices: '/devices',
  readings: '/readings',
  latestState: '/latest',
  energyFlow: '/flow',
  attributes: '/attributes',
  alarms: '/alarms',
  summary: '/summary',
  summaryDays: '/days',
  summaryYears: '/years',
  settingsGet: '/settings/get',
  settingsSet: '/settings/set',
  settingsRead: '/settings/read',
  settingsReadDetails: '/settings/details',
};

/** Answers any listing with one record and any reading with all seven keys, so that one request suffices. */
const COMPLETE = {
  total: 1,
  list: [{ id: '1' }],
  payload: {
    fields: Object.fromEntries(INTERFACE_KEYS.map((key) => [key, [1]])),
  },
};

/** Creates a client with the access token `access`, in front of a service that answers with `payload`. */
function createClient(
  payload: unknown = { code: 0, data: COMPLETE },
  timeZone?: string,
  now?: string,
  concurrency = 8,
) {
  const clock = new FakeClock(now);
  const transport = new FakeTransport(() => payload);
  const operations: string[] = [];
  const observer = {
    requestEnded: (operation: string) => operations.push(operation),
    renewalEnded: () => undefined,
    dropped: () => undefined,
  };
  const unused = () => Promise.reject(new Error('not in this test'));
  const session = new Session({
    auth: { canLogIn: false, logIn: unused, refresh: unused },
    configuredTokens: tokenSet('access'),
    clock,
    random: () => 0.5,
    observer,
    log: new SilentLog(),
  });
  const nowMs = () => clock.nowMs();
  const serviceClock = new ServiceClock(clock);
  const send = createSendRequest({ transport, observer, nowMs, serviceClock });
  const limit = limitConcurrency(concurrency);
  const urls = serviceUrls(PATHS);
  const client = new ServiceClient({
    session,
    caller: new DataCaller({
      urls,
      session,
      send,
      limit,
      timeZone,
      serviceClock,
      drops: new DropLog(new SilentLog(), () => undefined),
    }),
    serviceClock,
    rules: new RuleSet(),
    clock,
    random: () => 0.5,
    log: new SilentLog(),
  });
  return { client, clock, transport, operations };
}

interface Call {
  readonly operation: string;
  readonly call: (api: ServiceApi) => Promise<unknown>;
  readonly address: string;
  readonly body: object;
  /** What is asked beside, once a day. */
  readonly daily?: { readonly operation: string; readonly address: string };
}

const CALLS: readonly Call[] = [
  {
    operation: 'stations',
    call: (api) => api.listStations(),
    address: '/stations',
    body: { page: 1, count: 50 },
  },
  {
    operation: 'devices',
    call: (api) => api.listDevices('3'),
    address: '/devices',
    body: { page: 1, count: 50, stationId: '3' },
  },
  {
    operation: 'devices',
    call: (api) => api.listDevicePage('3', 2, 1),
    address: '/devices',
    body: { page: 2, count: 1, stationId: '3' },
  },
  {
    operation: 'readings',
    call: (api) => api.fetchReadings('1'),
    address: '/readings',
    body: {
      deviceId: '1',
      count: 2000,
      page: 1,
      fromTime: '2026-08-24T15:00:00+08:00',
      toTime: '2026-08-24T16:00:00+08:00',
      orderByTimeAsc: true,
      keys: [
        'pvInputPower',
        'acOutputActivePower',
        'batteryDischargeCurrent',
        'batteryChargingCurrent',
        'batteryVoltage',
        'feedInPower',
        'batterySOC',
      ],
    },
    // It names the units.
    daily: { operation: 'latest-state', address: '/latest?deviceId=1&dataSource=1' },
  },
  {
    operation: 'summary',
    call: (api) => api.fetchMonthlyEnergy('3'),
    address: '/summary?stationId=3&summaryCategoryKey=pvInverterElectricityQuantityClass',
    body: { time: '2026' },
  },
  {
    operation: 'summary-days',
    // It has answered before: a first refusal means that the service has no such summary.
    call: (api) => api.fetchDailyEnergy('3', undefined, { today: {}, yesterday: {}, endsAtMs: 0 }),
    address: '/days?stationId=3&summaryCategoryKey=pvInverterElectricityQuantityClass',
    body: { time: '2026-08' },
  },
  {
    operation: 'summary-years',
    call: (api) => api.fetchYearlyEnergy('3', undefined, { year: {}, lifetime: {}, endsAtMs: 0 }),
    address: '/years?stationId=3&summaryCategoryKey=pvInverterElectricityQuantityClass',
    body: { time: '2026-08-24T16:00:00+08:00' },
  },
  {
    operation: 'settings-get',
    call: (api) => api.fetchSettings('1'),
    address: '/settings/get',
    body: { deviceId: '1' },
  },
  {
    operation: 'settings-set',
    call: (api) => api.changeSettings('1', new Map([['gridFeedInEnabled', true]])),
    address: '/settings/set',
    body: { deviceId: '1', gridFeedInEnabled: true },
  },
];

describe('every call', () => {
  test.each(CALLS)('$operation asks as the interface says', async (row) => {
    const { client, transport, operations } = createClient();
    await row.call(client);
    expect(transport.requests.map(({ url }) => url.pathname + url.search)).toEqual([
      row.address,
      ...(row.daily === undefined ? [] : [row.daily.address]),
    ]);
    expect(transport.bodies[0]).toEqual(row.body);
    expect(transport.requests[0]?.headers).toEqual({
      'iot-token': 'access',
      'iot-time-zone': 'Asia/Manila',
      accept: 'application/json',
      'accept-language': 'en',
      'content-type': 'application/json; charset=utf-8',
    });
    expect(operations).toEqual([
      row.operation,
      ...(row.daily === undefined ? [] : [row.daily.operation]),
    ]);
  });

  test.each(CALLS)('$operation sends the zone that the user chose', async ({ call }) => {
    const { client, transport } = createClient(undefined, 'Europe/Kyiv');
    await call(client);
    expect(transport.requests[0]?.headers['iot-time-zone']).toBe('Europe/Kyiv');
  });

  test.each(CALLS)('$operation fails with a failure code', async ({ call }) => {
    const { client } = createClient({ code: 70_001, message: 'no such thing' });
    await expect(call(client)).rejects.toMatchObject({
      code: 'SERVICE_API_REFUSED',
      message: expect.stringContaining('no such thing') as string,
    });
  });

  test.each(CALLS)('$operation reads code 9 as a refused token', async ({ call }) => {
    const { client } = createClient({ code: 9, message: 'Token expired' });
    await expect(call(client)).rejects.toMatchObject({ code: 'SERVICE_AUTH_REJECTED' });
  });

  test.each(CALLS)('$operation reads "0" and no code as success', async ({ call }) => {
    const payloads = [{ code: '0', data: {} }, { code: null, data: {} }, { data: {} }];
    const outcomes = await Promise.allSettled(
      payloads.map((payload) => call(createClient(payload).client)),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(payloads.map(() => 'fulfilled'));
  });
});

describe('the window of the readings', () => {
  test.each([
    {
      when: 'in the zone of the station',
      now: '2026-08-24T08:00:00Z',
      station: 'Europe/Kyiv',
      window: ['2026-08-24T10:00:00+03:00', '2026-08-24T11:00:00+03:00'],
    },
    {
      when: 'in the zone of the user before that of the station',
      now: '2026-08-24T08:00:00Z',
      user: 'Asia/Kathmandu',
      station: 'Europe/Kyiv',
      window: ['2026-08-24T12:45:00+05:45', '2026-08-24T13:45:00+05:45'],
    },
    {
      when: 'without fractions of a second',
      now: '2026-08-24T08:00:00.999Z',
      station: 'UTC',
      window: ['2026-08-24T07:00:00+00:00', '2026-08-24T08:00:00+00:00'],
    },
    {
      when: 'over an hour of which the clocks skip one',
      now: '2026-03-29T01:30:00Z',
      station: 'Europe/Kyiv',
      window: ['2026-03-29T02:30:00+02:00', '2026-03-29T04:30:00+03:00'],
    },
    {
      when: 'over an hour that the clocks repeat',
      now: '2026-11-01T06:30:00Z',
      station: 'America/New_York',
      window: ['2026-11-01T01:30:00-04:00', '2026-11-01T01:30:00-05:00'],
    },
  ])('is the last hour $when', async ({ now, user, station, window }) => {
    const { client, transport } = createClient(undefined, user, now);
    await client.fetchReadings('1', station);
    const [fromTime, toTime] = window;
    expect(transport.bodies[0]).toMatchObject({ fromTime, toTime });
    expect(transport.requests[0]?.headers['iot-time-zone']).toBe(user ?? station);
  });
});

describe('the month of the summary', () => {
  const data = {
    properties: [
      { key: '2026-12', value: 12 },
      { key: '2027-01', value: 1 },
    ],
  };

  test.each([
    { zone: 'Pacific/Auckland', year: '2027', pvGeneratedKwh: 1 },
    { zone: 'Pacific/Honolulu', year: '2026', pvGeneratedKwh: 12 },
  ])('is that of $zone at New Year', async ({ zone, year, pvGeneratedKwh }) => {
    const { client, transport } = createClient({ data }, undefined, '2026-12-31T11:00:00Z');
    expect(await client.fetchMonthlyEnergy('3', zone)).toMatchObject({ pvGeneratedKwh });
    expect(transport.bodies).toEqual([{ time: year }]);
  });
});

describe('the answers', () => {
  test('are stations and devices, page by page', async () => {
    const { client, transport } = createClient();
    transport.answer = ({ body }) => {
      const { page } = JSON.parse(body ?? '') as { page: number };
      return { code: 0, data: { total: 2, list: [{ id: String(page), name: `number ${page}` }] } };
    };
    expect(await client.listStations()).toMatchObject([{ stationId: '1' }, { stationId: '2' }]);
    expect(await client.listDevices('3')).toMatchObject([{ deviceId: '1' }, { deviceId: '2' }]);
    expect(transport.bodies).toMatchObject([{ page: 1 }, { page: 2 }, { page: 1 }, { page: 2 }]);
  });

  test('are the readings in our units', async () => {
    const fields = { ...COMPLETE.payload.fields, acOutputActivePower: [0.85], batterySOC: [93] };
    const { client, clock } = createClient({ code: 0, data: { payload: { fields } } });
    const report = await client.fetchReadings('1');
    expect(readingsAt(report, clock.nowMs(), 0)).toEqual({
      pvPowerWatts: 1,
      acOutputPowerWatts: 850,
      batteryDischargeCurrentAmperes: 1,
      batteryChargingCurrentAmperes: 1,
      batteryVoltageVolts: 1,
      gridFeedInPowerWatts: 1,
      batterySocRatio: 0.93,
      dialect: { family: 'classic', source: 'history', missing: [], unknownKeys: [] },
    });
  });

  test('are the settings by name', async () => {
    const { client } = createClient({ code: 0, data: { operatingMode: 'Backup' } });
    expect(await client.fetchSettings('1')).toEqual(
      new Map([['operatingMode', flatSetting('Backup')]]),
    );
  });

  test('are nothing after a change, whatever the envelope holds', async () => {
    const { client } = createClient({ code: 0, data: null });
    await expect(client.changeSettings('1', new Map())).resolves.toBeUndefined();
  });

  test('to authenticating need no request while the token is valid', async () => {
    const { client, transport } = createClient();
    await client.authenticate();
    expect(transport.requests).toEqual([]);
  });
});

test('a changed setting cannot change the device it is sent to', async () => {
  const { client, transport } = createClient();
  await client.changeSettings('1', new Map([['deviceId', '2']]));
  expect(transport.bodies).toEqual([{ deviceId: '1' }]);
});

test('a call that has waited asks for the hour before it is sent', async () => {
  const answer = deferred<unknown>();
  const { client, clock, transport } = createClient(answer.promise, undefined, undefined, 1);
  const both = Promise.all([client.fetchReadings('1'), client.fetchReadings('2')]);
  await settled();
  expect(transport.requests).toHaveLength(1);
  clock.advance(3000);
  answer.resolve({ code: 0, data: COMPLETE });
  await both;
  const asked = transport.bodies.filter((body) => body !== undefined);
  expect(asked).toMatchObject([
    { deviceId: '1', toTime: '2026-08-24T16:00:00+08:00' },
    { deviceId: '2', toTime: '2026-08-24T16:00:03+08:00' },
  ]);
});
