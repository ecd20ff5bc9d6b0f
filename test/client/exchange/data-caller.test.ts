import { describe, expect, test } from 'vitest';
import { type DataEndpoint, ENDPOINTS } from '../../../src/client/endpoints.ts';
import type { RequestParameters } from '../../../src/client/exchange/data-caller.ts';
import type { AnswerTime, RequestTime } from '../../../src/client/exchange/decode.ts';
import { deferred, settled } from '../../support/deferred.ts';
import { createCaller } from './caller-harness.ts';

const HOUR_MS = 3_600_000;
const PATHS = { latestState: '/latest', readings: '/readings' };
/** Two endpoints whose decoder returns the `data` of the envelope. */
const GET: DataEndpoint<unknown> = { ...ENDPOINTS.latestState, decode: (data) => data };
const POST: DataEndpoint<unknown> = { ...ENDPOINTS.readings, decode: (data) => data };

/** Builds requests with these parameters and records their times. */
function createRequest(parameters: RequestParameters = {}) {
  const times: RequestTime[] = [];
  const build = (time: RequestTime): RequestParameters => {
    times.push(time);
    return parameters;
  };
  return { build, times };
}

describe('a call', () => {
  test('of a GET has a query and no body', async () => {
    const { caller, transport } = createCaller(() => ({ code: 0, data: 5 }), { paths: PATHS });
    const { build } = createRequest({ query: { deviceId: '1' } });
    expect(await caller.call(GET, build)).toBe(5);
    expect(transport.requests).toEqual([
      {
        url: new URL('https://service.example.org/latest?deviceId=1'),
        headers: {
          'iot-token': 'access',
          'iot-time-zone': 'Asia/Manila',
          accept: 'application/json',
          'accept-language': 'en',
          'content-type': 'application/json; charset=utf-8',
        },
        body: undefined,
      },
    ]);
  });

  test.each([
    { parameters: { body: { deviceId: '1', keys: [] } }, body: '{"deviceId":"1","keys":[]}' },
    { parameters: { query: { deviceId: '1' } }, body: '{}' },
  ])('of a POST sends $parameters as JSON', async ({ parameters, body }) => {
    const { caller, transport } = createCaller(() => ({ code: 0 }));
    const { build } = createRequest(parameters);
    await caller.call(POST, build);
    expect(transport.requests[0]?.body).toBe(body);
  });

  test.each([
    {
      user: 'Europe/Kyiv',
      station: 'Asia/Kathmandu',
      zone: 'Europe/Kyiv',
      now: '2026-08-24T11:00:00+03:00',
    },
    {
      user: undefined,
      station: 'Asia/Kathmandu',
      zone: 'Asia/Kathmandu',
      now: '2026-08-24T13:45:00+05:45',
    },
    { user: undefined, station: undefined, zone: 'Asia/Manila', now: '2026-08-24T16:00:00+08:00' },
  ])('is in the zone $zone for the user in $user and a station in $station', async (row) => {
    const { caller, transport } = createCaller(() => ({ code: 0 }), { timeZone: row.user });
    const { build, times } = createRequest();
    await caller.call(GET, build, { stationTimeZone: row.station });
    expect(transport.requests[0]?.headers['iot-time-zone']).toBe(row.zone);
    expect(times.map(({ nowMs, calendar }) => calendar.isoWithOffset(nowMs))).toEqual([row.now]);
  });

  test('is asked at the time of the service', async () => {
    const { caller, clock, serviceClock } = createCaller(() => ({ code: 0 }));
    const { build, times } = createRequest();
    await caller.call(POST, build);
    serviceClock.observe(clock.nowMs() + 2 * HOUR_MS);
    await caller.call(POST, build);
    expect(times.map(({ nowMs }) => nowMs - clock.nowMs())).toEqual([0, 2 * HOUR_MS]);
  });

  test('is decoded with the time of the request and the clock difference of its answer', async () => {
    const { caller, clock, serviceClock, transport } = createCaller();
    transport.answer = () => {
      serviceClock.observe(clock.nowMs() + 2 * HOUR_MS);
      return { code: 0 };
    };
    const answered: AnswerTime[] = [];
    const endpoint: DataEndpoint<void> = {
      ...POST,
      decode: (...[, , time]) => answered.push(time),
    };
    await caller.call(endpoint, () => ({}));
    expect(answered).toMatchObject([{ nowMs: clock.nowMs(), serviceAheadMs: 2 * HOUR_MS }]);
  });

  test('opens the envelope before it decodes, and quotes the service', async () => {
    const refusal = { code: 70_132, message: 'no', data: 'Energy flow rule not exists' };
    const { caller } = createCaller(() => refusal, { paths: PATHS });
    const { build } = createRequest();
    await expect(caller.call(GET, build)).rejects.toMatchObject({
      code: 'SERVICE_API_REFUSED',
      serviceCode: '70132',
      message:
        'https://service.example.org/latest: service answered code 70132: the service has no energy flow for this model',
    });
  });
});

describe('a call at a pace', () => {
  test('waits for its turn before its time is taken and before it is sent', async () => {
    const turn = deferred<undefined>();
    const { caller, clock, transport } = createCaller(undefined, { pace: () => turn.promise });
    const { build, times } = createRequest();
    const called = caller.call(GET, build);
    await settled();
    expect(transport.requests).toEqual([]);
    clock.advance(HOUR_MS);
    turn.resolve(undefined);
    await called;
    expect(transport.requests).toHaveLength(1);
    expect(times.map(({ nowMs }) => nowMs)).toEqual([clock.nowMs()]);
  });
});
