import { createHash, createHmac, randomBytes } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { SimulatorOptions } from '../../src/simulator/simulator.ts';
import { DAY_MS, HOUR_MS } from '../support/durations.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { createSimulator } from '../support/faulty-simulator.ts';
import { SERVICE_PATHS } from '../support/service-paths.ts';

type EndpointName = keyof typeof SERVICE_PATHS;

/** What an answer holds: the tests say what they expect in it. */
interface Json {
  readonly [name: string]: Json;
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
  readonly code: Json | undefined;
  readonly data: Json;
}

/** What goes with a request: an object goes as JSON, a text as it is. */
interface Asked {
  readonly body?: object | string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Starts a simulator on a clock that stands still, and asks it as a client would. */
async function startSimulator(
  options: Partial<SimulatorOptions> = {},
  now = '2026-06-21T04:00:00Z',
) {
  const clock = new FakeClock(now);
  const simulator = createSimulator(options, clock);
  const baseUrl = await simulator.start();
  onTestFinished(() => simulator.stop());
  const [stationId = ''] = simulator.stationIds;
  const [deviceId = ''] = simulator.deviceIds(stationId);

  /** Sends a request as it is, without a token. */
  const send = async (endpoint: EndpointName, asked: Asked = {}): Promise<Answer> => {
    const query = new URLSearchParams(asked.query).toString();
    const body = typeof asked.body === 'object' ? JSON.stringify(asked.body) : asked.body;
    const response = await fetch(`${baseUrl}${SERVICE_PATHS[endpoint]}?${query}`, {
      method: body === undefined ? 'GET' : 'POST',
      redirect: 'manual',
      headers: { 'content-type': 'application/json; charset=utf-8', ...asked.headers },
      ...(body === undefined ? {} : { body }),
    });
    const text = await response.text();
    const envelope = (text.startsWith('{"') && text.endsWith('}') ? JSON.parse(text) : {}) as Json;
    const { status, headers } = response;
    return { status, text, headers, code: envelope['code'], data: envelope['data'] ?? {} };
  };
  const logIn = async (): Promise<Readonly<Record<string, string>>> => {
    const body = loginBody();
    const { text } = await send('login', { body, headers: signedHeaders(body) });
    return (JSON.parse(text) as { data: Record<string, string> }).data;
  };
  let session: { readonly tokens: ReturnType<typeof logIn>; readonly hours: number } | undefined;
  /** Sends a request with a valid token and a time zone. */
  const ask = async (endpoint: EndpointName, asked: Asked = {}): Promise<Answer> => {
    const hours = Math.floor(clock.nowMs() / 7_200_000);
    if (session?.hours !== hours) session = { tokens: logIn(), hours };
    const { accessToken } = await session.tokens;
    const headers = { ...dataHeaders(accessToken), ...asked.headers };
    return send(endpoint, { ...asked, headers });
  };
  return { simulator, clock, baseUrl, stationId, deviceId, send, logIn, ask };
}

function loginBody(account = 'demo@example.org', password = 'demo-password'): string {
  return JSON.stringify({ account, password: createHash('md5').update(password).digest('hex') });
}

/** Signs as service.md#signature says, step by step; a hash of the body that is left out may be signed or not. */
function signedHeaders(
  body: string,
  changes: { appId?: string; appSecret?: string; nonce?: string; hash?: 'kept' | 'unsigned' } = {},
): Record<string, string> {
  const { appId = 'demo-app-id', appSecret = 'demo-app-secret', hash } = changes;
  const bodyHash = createHash('sha256').update(body).digest('hex');
  const sent: Record<string, string> = {
    'IOT-Open-AppID': appId,
    'IOT-Open-Nonce': changes.nonce ?? randomBytes(16).toString('hex'),
    ...(hash === undefined ? { 'IOT-Open-Body-Hash': bodyHash } : {}),
  };
  const signed = hash === 'kept' ? { ...sent, 'IOT-Open-Body-Hash': bodyHash } : sent;
  const joined = Object.entries(signed)
    .map(([name, value]) => `${name}=${value}`)
    .sort()
    .join('&');
  const mac = createHmac('sha256', appSecret).update(btoa(joined)).digest();
  return { ...sent, 'IOT-Open-Sign': createHash('md5').update(mac).digest('hex') };
}

function dataHeaders(accessToken = '', timeZone = 'Asia/Manila'): Record<string, string> {
  return { 'IOT-Token': accessToken, 'IOT-Time-Zone': timeZone, Accept: 'application/json' };
}

/** Reads a text of an answer; empty when it is none. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

const BODY = loginBody();
const PAGE = { page: 1, count: 50 };
const signedBody = (body: string): Asked => ({ body, headers: signedHeaders(body) });

describe('a log-in', () => {
  test('gives out tokens once and says when they end', async () => {
    const { send, logIn, clock } = await startSimulator();
    const { data } = await send('login', signedBody(BODY));
    expect(data).toMatchObject({
      accessToken: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
      refreshToken: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
      accessTokenWillExpiredAt: new Date(clock.nowMs() + 2 * HOUR_MS).toISOString(),
      accessTokenWillExpiredInMillis: '7200000',
      refreshTokenWillExpiredAt: new Date(clock.nowMs() + 30 * DAY_MS).toISOString(),
    });
    expect((await logIn())['accessToken']).not.toBe(data['accessToken']);
  });

  const signed = signedHeaders(BODY);
  const changed = (changes: Parameters<typeof signedHeaders>[1]) => signedHeaders(BODY, changes);
  test.each<[when: string, headers: Record<string, string>, code: number, body?: string]>([
    ['it is signed', signed, 0],
    ['its body hash is signed and kept', changed({ hash: 'kept' }), 0],
    ['its body hash is not even signed', changed({ hash: 'unsigned' }), 0],
    ['its token is the word null', { ...signed, 'IOT-Token': 'null' }, 0],
    ['nothing is signed', {}, 36],
    ['the secret is wrong', changed({ appSecret: 'other' }), 44],
    ['the nonce is short', changed({ nonce: 'abc' }), 44],
    ['the body was changed', signed, 44, ` ${BODY}`],
    ['a token comes along', { ...signed, 'IOT-Token': 'a'.repeat(32) }, 20_101],
  ])('is answered when %s', async (_when, headers, code, body = BODY) => {
    const { send } = await startSimulator();
    expect(await send('login', { body, headers })).toMatchObject({ status: 200, code });
  });

  test.each([
    ['the password is wrong', loginBody(undefined, 'wrong'), 7],
    ['the password is plain', loginBody().replace(/[0-9a-f]{32}/, 'demo-password'), 7],
    ['the account is unknown', loginBody('nobody@example.org'), 20_007],
    ['the account is missing', '{"password":"x"}', 20_101],
  ])('is refused when %s', async (_when, body, code) => {
    const { send } = await startSimulator();
    expect(await send('login', signedBody(body))).toMatchObject({ status: 200, code });
  });

  test('uses its nonce up', async () => {
    const { send } = await startSimulator();
    const asked = signedBody(BODY);
    expect([(await send('login', asked)).code, (await send('login', asked)).code]).toEqual([0, 44]);
  });
});

test.each([
  ['young', false, 1, { status: 200, code: 0 }],
  ['expired', false, 0, { status: 401 }],
  ['expired at the portal', true, 0, { status: 200, code: 9 }],
] as const)('a data request whose token is %s is answered so', async (...row) => {
  const [, portal, leftMs, expected] = row;
  const { send, logIn, clock } = await startSimulator({ portal });
  const headers = dataHeaders((await logIn())['accessToken']);
  clock.advance(2 * HOUR_MS - leftMs);
  expect(await send('stations', { body: PAGE, headers })).toMatchObject(expected);
});

test('a refresh ends the old pair alone, until its own end', async () => {
  const { send, logIn, clock } = await startSimulator();
  const refresh = ({ refreshToken }: Readonly<Record<string, string>>) =>
    send('refresh', { body: { refreshToken } });
  const answer = (token: unknown) =>
    send('stations', { body: PAGE, headers: dataHeaders(String(token)) });
  const [old, other, late] = [await logIn(), await logIn(), await logIn()];
  const { data } = await refresh(old);
  expect(await answer(data['accessToken'])).toMatchObject({ code: 0 });
  expect(await answer(old['accessToken'])).toMatchObject({ status: 401 });
  expect(await answer(other['accessToken'])).toMatchObject({ code: 0 });
  expect(await refresh(old)).toMatchObject({ status: 401 });
  clock.advance(30 * DAY_MS - 1);
  expect(await refresh(other)).toMatchObject({ status: 200 });
  clock.advance(1);
  expect(await refresh(late)).toMatchObject({ status: 401 });
});

describe('a list', () => {
  const ids = (data: Json) => Object.values(data['list'] ?? {}).map(({ id }) => id);

  test('comes in pages, up to an empty one', async () => {
    const { simulator, ask, stationId } = await startSimulator({ devicesPerStation: 3 });
    const page = async (number: number) =>
      ids((await ask('devices', { body: { page: number, count: 2, stationId } })).data);
    const known = simulator.deviceIds(stationId);
    const pages = [known.slice(0, 2), known.slice(2), []];
    expect([await page(1), await page(2), await page(3)]).toEqual(pages);
    const body = { ...PAGE, page: 0 };
    expect(await ask('devices', { body })).toMatchObject({ code: 20_101 });
  });
});

describe('the time series', () => {
  // 12:02:30 in Manila
  const NOW = '2026-06-21T04:02:30Z';
  const HOUR = { fromTime: '2026-06-21T11:02:30+08:00', toTime: '2026-06-21T12:02:30+08:00' };

  async function startPast(options: Partial<SimulatorOptions> = {}) {
    const service = await startSimulator(options, NOW);
    const { ask, deviceId } = service;
    const history = async (change: object = {}) =>
      (await ask('readings', { body: { deviceId, page: 1, count: 2000, ...HOUR, ...change } }))
        .data;
    return { ...service, history };
  }

  const times = (data: Json): readonly Json[] =>
    Object.values(data['payload']?.['timeSeries'] ?? {});
  const series = (data: Json, key: string): readonly Json[] =>
    Object.values(data['payload']?.['fields']?.[key] ?? {});

  test('has a point at each aligned instant, in UTC, with what was true', async () => {
    const { history, simulator, deviceId } = await startPast();
    const data = await history({ keys: ['pvInputPower', 'acOutputActivePower', 'unknown'] });
    expect(data).toMatchObject({ page: 1, count: 12, total: 1, payload: { formatters: {} } });
    expect(times(data).at(-1)).toBe('2026-06-21T04:00:00.000Z');
    expect(series(data, 'unknown')).toEqual([]);
    for (const [index, time] of times(data).entries()) {
      const truth = simulator.truth(deviceId, Date.parse(textOf(time)));
      expect(series(data, 'pvInputPower')[index]).toBe(Math.round(truth.pvPowerWatts));
      const loadKilowatts = Math.round(truth.loadPowerWatts) / 1000;
      expect(series(data, 'acOutputActivePower')[index]).toBe(loadKilowatts);
    }
  });

  test('comes newest first when asked so, in pages, without a gap', async () => {
    const { history, simulator, deviceId } = await startPast({ mostPoints: 5 });
    simulator.setGap(deviceId, Date.parse('2026-06-21T03:20Z'), Date.parse('2026-06-21T03:30Z'));
    const pages = await Promise.all([1, 2, 3].map((page) => history({ page })));
    expect(pages.map(({ count, total }) => [count, total])).toEqual([
      [5, 2],
      [5, 2],
      [0, 2],
    ]);
    const newest = await history({ orderByTimeAsc: false });
    expect(times(newest)).toEqual(pages.flatMap(times).toReversed().slice(0, 5));
  });
});

test('the summaries agree with the counters and each other, while years pass', async () => {
  const FLOWS = {
    pvGeneratedEnergy: 'pvWattHours',
    chargeElectricityQuantity: 'batteryChargedWattHours',
    dischargeElectricityQuantity: 'batteryDischargedWattHours',
    consumeElectricityQuantity: 'loadWattHours',
    buyElectricityQuantity: 'gridImportWattHours',
    sellElectricityQuantity: 'gridFeedInWattHours',
  } as const;
  // A zone whose clocks change.
  const options = { family: 'pi30', devicesPerStation: 2, timeZone: 'Europe/Berlin' } as const;
  const { simulator, clock, ask, stationId } = await startSimulator(options);
  const query = { stationId, summaryCategoryKey: 'pvInverterElectricityQuantityClass' };
  const wholes = async (span: 'summary' | 'summaryDays' | 'summaryYears', time: string) =>
    Object.values((await ask(span, { query, body: { time } })).data['properties'] ?? {}).map(
      (property) => ({
        key: property['property']?.['key'],
        values: Object.values(property['timePoints'] ?? {}).map(({ value }) => Number(value)),
      }),
    );
  const sum = (values: readonly number[] = []) => values.reduce((all, each) => all + each, 0);
  for (const afterDays of [0, 209]) {
    clock.advance(afterDays * DAY_MS);
    const year = new Date(clock.nowMs()).getUTCFullYear();
    const years = await wholes('summaryYears', 'any');
    const months = await wholes('summary', String(year - 1));
    const days = await wholes('summaryDays', `${year - 1}-03`);
    expect(years.map(({ key }) => key)).toEqual(Object.keys(FLOWS));
    expect(days[0]?.values).toHaveLength(31);
    for (const [index, flow] of Object.values(FLOWS).entries()) {
      const lifetime = simulator
        .deviceIds(stationId)
        .map((id) => simulator.truth(id, clock.nowMs()).energy().lifetime[flow] / 1000);
      expect(sum(years[index]?.values)).toBeCloseTo(sum(lifetime), 1);
      expect(sum(months[index]?.values)).toBeCloseTo(years[index]?.values.at(-2) ?? NaN, 0);
      expect(sum(days[index]?.values)).toBeCloseTo(months[index]?.values[2] ?? NaN, 0);
    }
  }
});
