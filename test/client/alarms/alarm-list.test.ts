import { describe, expect, test } from 'vitest';
import { AlarmList } from '../../../src/client/alarms/alarm-list.ts';
import { ServiceError, type ServiceErrorCode } from '../../../src/base/errors.ts';
import { SilentLog } from '../../support/silent-log.ts';
import { createCaller } from '../exchange/caller-harness.ts';

const MINUTE_MS = 60_000;
const URL_OF_LIST = new URL('https://service.example.org/apis/alarm/query/list');
const CLEARED_AT = '2026-08-24T04:00:00Z';

interface ListedAlarm {
  readonly key: string;
  readonly deviceId: string;
  readonly level: number;
  readonly disappearedAt: string | null;
}

function alarm(number: number, isActive = true): ListedAlarm {
  const disappearedAt = isActive ? null : CLEARED_AT;
  return {
    key: `key-${number}`,
    deviceId: String(1 + Math.floor(number / 50)),
    level: 2,
    disappearedAt,
  };
}

const alarms = (count: number, isActive?: boolean, from = 0): readonly ListedAlarm[] =>
  Array.from({ length: count }, (_, index) => alarm(from + index, isActive));

/** Serves these alarms, newest first, in the pages that are requested. */
function createList(all: readonly ListedAlarm[]) {
  const log = new SilentLog();
  const harness = createCaller(({ body }) => {
    const { page, count } = JSON.parse(body ?? '') as { page: number; count: number };
    return { code: 0, data: { list: all.slice((page - 1) * count, page * count) } };
  });
  const list = new AlarmList(harness.caller, harness.clock, log);
  return { ...harness, log, list };
}

describe('the alarms of a station', () => {
  test('are asked for newest first', async () => {
    const { list, transport } = createList(alarms(1));
    expect(await list.firing('3')).toEqual({
      alarms: [{ deviceId: '1', key: 'key-0', level: 'warning' }],
    });
    expect(transport.requests.map(({ url }) => url)).toEqual([URL_OF_LIST]);
    expect(transport.bodies).toEqual([
      { page: 1, count: 500, stationId: '3', orderByCreatedTimeDesc: true },
    ]);
  });

  test.each([
    { what: 'no alarm', all: [], firing: 0, pages: 1 },
    { what: 'a page that is not full', all: alarms(499), firing: 499, pages: 1 },
    { what: 'a page of the past', all: alarms(1250, false), firing: 0, pages: 1 },
    {
      what: 'active ones before the past',
      all: [...alarms(600), ...alarms(1500, false, 600)],
      firing: 600,
      pages: 3,
    },
    { what: 'a full page, then none', all: alarms(500), firing: 500, pages: 2 },
    { what: 'more than anybody would look at', all: alarms(4000), firing: 2500, pages: 5 },
  ])('end with $what', async ({ all, firing, pages }) => {
    const { list, transport } = createList(all);
    expect((await list.firing('3')).alarms).toHaveLength(firing);
    expect(transport.requests).toHaveLength(pages);
  });

  test('come once, although the list grows while it is read', async () => {
    const { list } = createList([...alarms(500), alarm(499), alarm(499)]);
    expect((await list.firing('3')).alarms).toHaveLength(500);
  });

  test('of two devices with the same key are two', async () => {
    const { list } = createList([alarm(1), { ...alarm(1), deviceId: '2' }]);
    expect((await list.firing('3')).alarms).toHaveLength(2);
  });
});

describe('a service without a list of alarms', () => {
  test('has none, says so once, and is asked again in ten minutes', async () => {
    const { list, transport, log, clock } = createList([]);
    transport.answer = () => {
      throw new ServiceError('SERVICE_REQUEST_REJECTED', 'HTTP 404');
    };
    expect(await list.firing('3')).toEqual({ alarms: [] });
    expect(await list.firing('3')).toEqual({ alarms: [] });
    expect(transport.requests).toHaveLength(1);
    clock.advance(10 * MINUTE_MS - 1);
    await list.firing('3');
    expect(transport.requests).toHaveLength(1);
    clock.advance(1);
    expect(await list.firing('3')).toEqual({ alarms: [] });
    expect(transport.requests).toHaveLength(2);
    expect(log.lines.map(({ level, message }) => `${level}: ${message}`)).toEqual([
      'warn: the service has no list of alarms for us: none are shown',
    ]);
  });

  test('fails when it had one, because its alarms would look cleared', async () => {
    const { list, transport } = createList(alarms(1));
    expect((await list.firing('3')).alarms).toHaveLength(1);
    transport.answer = () => {
      throw new ServiceError('SERVICE_REQUEST_REJECTED', 'HTTP 404');
    };
    await expect(list.firing('3')).rejects.toMatchObject({ code: 'SERVICE_REQUEST_REJECTED' });
  });

  test('has one as soon as it answers', async () => {
    const { list, transport, clock } = createList([]);
    transport.answer = () => {
      throw new ServiceError('SERVICE_REQUEST_REJECTED', 'HTTP 404');
    };
    await list.firing('3');
    transport.answer = () => ({ code: 0, data: { list: alarms(1) } });
    clock.advance(10 * MINUTE_MS);
    expect((await list.firing('3')).alarms).toHaveLength(1);
    expect((await list.firing('3')).alarms).toHaveLength(1);
  });

  test.each<{ code: ServiceErrorCode }>([
    { code: 'SERVICE_TIMEOUT' },
    { code: 'SERVICE_SERVER_ERROR' },
    { code: 'SERVICE_AUTH_REJECTED' },
  ])('is not assumed after $code', async ({ code }) => {
    const { list, transport, log } = createList([]);
    transport.answer = () => {
      throw new ServiceError(code, 'failed');
    };
    await expect(list.firing('3')).rejects.toMatchObject({ code });
    await expect(list.firing('3')).rejects.toMatchObject({ code });
    expect(transport.requests).toHaveLength(2);
    expect(log.lines).toEqual([]);
  });

  test('is not assumed after a bug of the program', async () => {
    const { list, transport } = createList([]);
    transport.answer = () => {
      throw new TypeError('not a function');
    };
    await expect(list.firing('3')).rejects.toThrow(TypeError);
  });
});

describe('a list of alarms that is refused', () => {
  test.each<{ code: ServiceErrorCode }>([
    { code: 'SERVICE_API_REFUSED' },
    { code: 'SERVICE_PAYLOAD_INVALID' },
  ])(
    'with $code is not empty: the refusal says so, and stands for ten minutes',
    async ({ code }) => {
      const { list, transport, clock } = createList([]);
      transport.answer = () => {
        throw new ServiceError(code, 'no right', { serviceCode: '70001' });
      };
      const expected = {
        alarms: [],
        refusal: expect.objectContaining({
          code,
          message: 'no right; --collect.alarms=false does without the list of alarms',
          serviceCode: '70001',
        }) as unknown,
      };
      expect(await list.firing('3')).toEqual(expected);
      clock.advance(10 * MINUTE_MS - 1);
      expect(await list.firing('3')).toEqual(expected);
      expect(transport.requests).toHaveLength(1);
      clock.advance(1);
      expect(await list.firing('3')).toEqual(expected);
      expect(transport.requests).toHaveLength(2);
    },
  );

  test('may be answered for another station', async () => {
    const { list, transport } = createList([]);
    transport.answer = ({ body }) => {
      if (body?.includes('"stationId":"3"') === true)
        throw new ServiceError('SERVICE_API_REFUSED', 'no right');
      return { code: 0, data: { list: alarms(1) } };
    };
    expect((await list.firing('3')).refusal).toBeDefined();
    expect(await list.firing('4')).toMatchObject({ alarms: alarms(1).map(({ key }) => ({ key })) });
    expect((await list.firing('4')).alarms).toHaveLength(1);
  });
});
