import { SilentLog } from '../../support/silent-log.ts';
import { DropLog } from '../../../src/base/drop-log.ts';
import { describe, expect, test } from 'vitest';
import { DataCaller } from '../../../src/client/exchange/data-caller.ts';
import { SettingsClient } from '../../../src/client/settings/device-settings.ts';
import { createSendRequest } from '../../../src/client/exchange/send-request.ts';
import { ServiceClock } from '../../../src/client/exchange/service-clock.ts';
import type { ServiceRequest } from '../../../src/client/exchange/transport.ts';
import { ServiceError, type ServiceErrorCode } from '../../../src/base/errors.ts';
import { flatSetting, type Setting, type SettingValue } from '../../../src/model/settings.ts';
import { Secret } from '../../../src/base/secret.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { FakeTransport } from '../../support/fake-transport.ts';
import { serviceUrls } from '../exchange/caller-harness.ts';

const URLS = serviceUrls({
  settingsGet: '/get',
  settingsSet: '/set',
  settingsRead: '/read',
  settingsReadDetails: '/details',
});
const FLAT = { operatingMode: 'Backup' };
const OBJECTS = { outputSourcePrioritySetting: { value: '1' } };
const CHANGES = new Map<string, SettingValue>([
  ['b', '1'],
  ['a', true],
  ['c', 60],
]);
const objectSetting: Setting = { value: '1', form: 'object' };

type Answer = (request: ServiceRequest) => unknown;

/** Creates a client with the access token `access`; records every request as `METHOD path body`. */
function createSettings(answer: Answer) {
  const transport = new FakeTransport(answer);
  const clock = new FakeClock();
  const serviceClock = new ServiceClock(clock);
  const operations: string[] = [];
  const send = createSendRequest({
    transport,
    observer: {
      requestEnded: (operation, outcome) => operations.push(`${operation} ${outcome}`),
      renewalEnded: () => undefined,
      dropped: () => undefined,
    },
    nowMs: () => clock.nowMs(),
    serviceClock,
  });
  const session = {
    withToken: <T>(request: (accessToken: Secret) => Promise<T>) => request(new Secret('access')),
  };
  const limit = <T>(call: () => Promise<T>) => call();
  const caller = new DataCaller({
    urls: URLS,
    session,
    send,
    limit,
    serviceClock,
    drops: new DropLog(new SilentLog(), () => undefined),
  });
  return {
    settings: new SettingsClient(caller),
    operations,
    transport,
    asked: () => transport.requests.map(noted),
  };
}

function noted({ url, body }: ServiceRequest): string {
  const method = body === undefined ? 'GET' : 'POST';
  return [method, url.pathname + url.search, body].filter((part) => part !== undefined).join(' ');
}

function refuse(code: string): object {
  return { code: Number(code), message: 'no' };
}

/** Answers like the portal, which expects the device in the query. */
function portal(data: object, refusal: () => unknown = () => refuse('20101')): Answer {
  return ({ url }) => (url.searchParams.has('deviceId') ? { code: 0, data } : refusal());
}

function failing(code: ServiceErrorCode): () => never {
  return () => {
    throw new ServiceError(code, 'failed');
  };
}

const BY_BODY = 'POST /get {"deviceId":"1"}';
const BY_QUERY = 'POST /get?deviceId=1 {}';

describe('reading settings', () => {
  test('asks as the interface says, once', async () => {
    const { settings, asked, operations } = createSettings(() => ({ code: 0, data: FLAT }));
    expect(await settings.fetch('1')).toEqual(new Map([['operatingMode', flatSetting('Backup')]]));
    await settings.fetch('1');
    expect(asked()).toEqual([BY_BODY, BY_BODY]);
    expect(operations).toEqual(['settings-get ok', 'settings-get ok']);
  });

  test.each([
    { how: 'with a code', refusal: () => refuse('20101') },
    { how: 'as a bad request', refusal: failing('SERVICE_REQUEST_REJECTED') },
  ])(
    'uses the form of the portal when the first form is refused $how, and remembers it',
    async ({ refusal }) => {
      const { settings, asked } = createSettings(portal(OBJECTS, refusal));
      const read = await settings.fetch('1');
      expect(read.get('outputSourcePrioritySetting')?.form).toBe('object');
      await settings.fetch('2');
      expect(asked()).toEqual([BY_BODY, BY_QUERY, 'POST /get?deviceId=2 {}']);
    },
  );

  test('does not change a form that has worked', async () => {
    const { settings, transport, asked } = createSettings(() => ({ code: 0, data: {} }));
    await settings.fetch('1');
    transport.answer = () => refuse('20101');
    await expect(settings.fetch('1')).rejects.toMatchObject({ serviceCode: '20101' });
    expect(asked()).toEqual([BY_BODY, BY_BODY]);
  });

  test.each([
    'SERVICE_UNREACHABLE',
    'SERVICE_TIMEOUT',
    'SERVICE_SERVER_ERROR',
    'SERVICE_AUTH_REJECTED',
    'SERVICE_RATE_LIMITED',
    'SERVICE_PAYLOAD_INVALID',
  ] as const)('asks no second time after %s, which is no refusal', async (code) => {
    const { settings, asked } = createSettings(failing(code));
    await expect(settings.fetch('1')).rejects.toMatchObject({ code });
    expect(asked()).toEqual([BY_BODY]);
  });

  test.each([
    { body: '70001', query: '20101', shown: '70001' },
    { body: '20101', query: '70001', shown: '70001' },
    { body: '20101', query: '20101', shown: '20101' },
  ])('refused with $body and then $query fails with $shown', async ({ body, query, shown }) => {
    const { settings, asked } = createSettings(({ url }) =>
      refuse(url.search === '' ? body : query),
    );
    await expect(settings.fetch('1')).rejects.toMatchObject({ serviceCode: shown });
    await expect(settings.fetch('1')).rejects.toMatchObject({ serviceCode: shown });
    expect(asked()).toEqual([BY_BODY, BY_QUERY, BY_BODY, BY_QUERY]);
  });

  test('fails with the outage of the second form', async () => {
    const { settings } = createSettings(({ url }) =>
      url.search === '' ? refuse('20101') : failing('SERVICE_TIMEOUT')(),
    );
    await expect(settings.fetch('1')).rejects.toMatchObject({ code: 'SERVICE_TIMEOUT' });
  });
});

describe('writing settings', () => {
  test.each([
    { what: 'bare values', held: new Map([['a', flatSetting(false)]]) },
    { what: 'nothing yet', held: undefined },
    { what: 'no settings at all', held: new Map<string, Setting>() },
  ])('sends one flat object when the settings read were $what', async ({ held }) => {
    const { settings, asked, operations } = createSettings(() => ({ code: 0, data: null }));
    await settings.change('1', CHANGES, held);
    expect(asked()).toEqual(['POST /set {"b":"1","a":true,"c":60,"deviceId":"1"}']);
    expect(operations).toEqual(['settings-set ok']);
  });

  test('keeps the device id when a setting has the same name', async () => {
    const { settings, transport } = createSettings(() => ({ code: 0 }));
    await settings.change('1', new Map([['deviceId', '2']]));
    expect(transport.bodies).toEqual([{ deviceId: '1' }]);
  });

  const EACH = [
    'POST /set?deviceId=1 {"id":"1","key":"b","value":"1"}',
    'POST /set?deviceId=1 {"id":"1","key":"a","value":"true"}',
    'POST /set?deviceId=1 {"id":"1","key":"c","value":"60"}',
  ];

  test.each([
    { what: 'objects', held: [objectSetting] },
    { what: 'objects among bare values', held: [flatSetting(1), objectSetting] },
  ])('sends one key after the other when the settings read were $what', async ({ held }) => {
    const { settings, asked } = createSettings(() => ({ code: 0 }));
    const named = held.map((setting, index): [string, Setting] => [`held ${index}`, setting]);
    await settings.change('1', CHANGES, new Map(named));
    expect(asked()).toEqual(EACH);
  });

  test('sends one key after the other to a portal without settings', async () => {
    const { settings, asked } = createSettings(portal({}));
    await settings.change('1', CHANGES, await settings.fetch('1'));
    expect(asked()).toEqual([BY_BODY, BY_QUERY, ...EACH]);
  });
});

describe('asking the device itself', () => {
  test('starts a batch read by POST and follows it by GET', async () => {
    const { settings, asked, operations } = createSettings(({ url }) =>
      url.pathname === '/read'
        ? { code: 0, data: { id: 'a&b' } }
        : { code: 0, data: { isFinished: true, configAttributeStates: OBJECTS } },
    );
    const batchReadId = await settings.startRead('1');
    const { isFinished, settings: read } = await settings.fetchRead(batchReadId);
    expect(isFinished).toBe(true);
    expect([...read.keys()]).toEqual(['outputSourcePrioritySetting']);
    expect(asked()).toEqual(['POST /read?deviceId=1 {}', 'GET /details?batchReadId=a%26b']);
    expect(operations).toEqual(['settings-read ok', 'settings-read-details ok']);
  });

  test.each([
    { code: '70021', words: 'wait a minute and try again' },
    { code: '71000', words: 'the device is offline' },
    { code: '71301', words: 'the device did not answer' },
  ])('says what code $code means', async ({ code, words }) => {
    const { settings } = createSettings(() => refuse(code));
    await expect(settings.startRead('1')).rejects.toMatchObject({
      code: 'SERVICE_API_REFUSED',
      message: expect.stringContaining(words) as string,
    });
  });
});
