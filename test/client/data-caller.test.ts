import { describe, expect, test } from 'vitest';
import type { DataCall, Moment } from '../../src/client/data-caller.ts';
import { createCaller } from './caller-harness.ts';

const QUESTION = new URL('https://service.example.org/apis/question?deviceId=1');
const HOUR_MS = 3_600_000;

/** Notes the moments at which it is asked; the answer is the `data` of the envelope. */
function createQuestion(body?: object) {
  const moments: Moment[] = [];
  const ask = (moment: Moment): DataCall<unknown> => {
    moments.push(moment);
    return { url: QUESTION, ...(body !== undefined && { body }), decode: (data) => data };
  };
  return { ask, moments };
}

describe('a call', () => {
  test('without a body is a request without one', async () => {
    const { caller, transport } = createCaller(() => ({ code: 0, data: 5 }));
    const { ask } = createQuestion();
    expect(await caller.call('latest-state', ask)).toBe(5);
    expect(transport.requests).toEqual([
      {
        url: QUESTION,
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

  test('sends its body as JSON', async () => {
    const { caller, transport } = createCaller(() => ({ code: 0 }));
    const { ask } = createQuestion({ deviceId: '1', keys: [] });
    await caller.call('readings', ask);
    expect(transport.requests[0]?.body).toBe('{"deviceId":"1","keys":[]}');
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
    const { ask, moments } = createQuestion();
    await caller.call('attributes', ask, { stationTimeZone: row.station });
    expect(transport.requests[0]?.headers['iot-time-zone']).toBe(row.zone);
    expect(moments.map(({ nowMs, calendar }) => calendar.isoWithOffset(nowMs))).toEqual([row.now]);
  });

  test('is asked at the time of the service', async () => {
    const { caller, clock, serviceClock } = createCaller(() => ({ code: 0 }));
    const { ask, moments } = createQuestion();
    await caller.call('readings', ask);
    serviceClock.observe(clock.nowMs() + 2 * HOUR_MS);
    await caller.call('readings', ask);
    expect(moments.map(({ nowMs }) => nowMs - clock.nowMs())).toEqual([0, 2 * HOUR_MS]);
  });

  test('opens the envelope before it decodes, and quotes the service', async () => {
    const refusal = { code: 70_132, message: 'no', data: 'Energy flow rule not exists' };
    const { caller } = createCaller(() => refusal);
    const { ask } = createQuestion();
    await expect(caller.call('energy-flow', ask)).rejects.toMatchObject({
      code: 'SERVICE_API_REFUSED',
      serviceCode: '70132',
      message:
        '/apis/question: service answered code 70132: the service has no energy flow for this model',
    });
  });
});
