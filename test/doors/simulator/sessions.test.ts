import { describe, expect, test } from 'vitest';
import {
  type Asked,
  dataHeaders,
  loginBody,
  signedHeaders,
  startSimulator,
} from './simulated-service.ts';
import { DAY_MS, HOUR_MS } from '../../support/durations.ts';

const BODY = loginBody();
const PAGE = { page: 1, count: 1 };
const signedBody = (body: string): Asked => ({ body, headers: signedHeaders(body) });

describe('a log-in', () => {
  test('gives out tokens and says when they end', async () => {
    const { send, clock } = await startSimulator();
    const { data } = await send('login', signedBody(BODY));
    expect(data).toMatchObject({
      accessToken: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
      refreshToken: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
      accessTokenWillExpiredAt: new Date(clock.nowMs() + 2 * HOUR_MS).toISOString(),
      accessTokenWillExpiredInMillis: '7200000',
      refreshTokenWillExpiredAt: new Date(clock.nowMs() + 30 * DAY_MS).toISOString(),
      userId: expect.stringMatching(/^\d{18}$/) as string,
    });
  });

  test('repeats no token: of another session, or after a restart', async () => {
    const { logIn } = await startSimulator();
    const restarted = await startSimulator({}, '2026-06-21T04:00:01Z');
    const tokens = [await logIn(), await logIn(), await restarted.logIn()];
    expect(new Set(tokens.map(({ accessToken }) => accessToken)).size).toBe(3);
    const same = await startSimulator();
    expect((await same.logIn())['accessToken']).toBe(tokens[0]?.['accessToken']);
  });

  const signed = signedHeaders(BODY);
  test.each<{ when: string; headers: Record<string, string>; code: number; body?: string }>([
    { when: 'it is signed', headers: signed, code: 0 },
    {
      when: 'its body hash is signed and kept',
      headers: signedHeaders(BODY, { hash: 'kept' }),
      code: 0,
    },
    {
      when: 'its body hash is not even signed',
      headers: signedHeaders(BODY, { hash: 'unsigned' }),
      code: 0,
    },
    { when: 'its token is the word null', headers: { ...signed, 'IOT-Token': 'null' }, code: 0 },
    {
      when: 'its nonce has capitals',
      headers: signedHeaders(BODY, { nonce: 'aB3'.padEnd(32, 'Z') }),
      code: 0,
    },
    { when: 'nothing is signed', headers: {}, code: 36 },
    {
      when: 'the application is unknown',
      headers: signedHeaders(BODY, { appId: 'other' }),
      code: 36,
    },
    { when: 'the secret is wrong', headers: signedHeaders(BODY, { appSecret: 'other' }), code: 44 },
    { when: 'the nonce is short', headers: signedHeaders(BODY, { nonce: 'abc' }), code: 44 },
    {
      when: 'the nonce has signs',
      headers: signedHeaders(BODY, { nonce: '-'.repeat(32) }),
      code: 44,
    },
    {
      when: 'the nonce was changed',
      headers: { ...signed, 'IOT-Open-Nonce': '0'.repeat(32) },
      code: 44,
    },
    { when: 'the body was changed', headers: signed, body: ` ${BODY}`, code: 44 },
    {
      when: 'the kept hash is of another body',
      headers: signedHeaders('{}', { hash: 'kept' }),
      code: 44,
    },
    { when: 'the signature is missing', headers: { ...signed, 'IOT-Open-Sign': '' }, code: 44 },
    {
      when: 'a token comes along',
      headers: { ...signed, 'IOT-Token': 'a'.repeat(32) },
      code: 20_101,
    },
  ])('is answered with code $code when $when', async ({ headers, code, body = BODY }) => {
    const { send } = await startSimulator();
    expect(await send('login', { body, headers })).toMatchObject({ status: 200, code });
  });

  test.each([
    { when: 'the password is wrong', body: loginBody(undefined, 'wrong'), code: 7 },
    {
      when: 'the password is plain',
      body: loginBody().replace(/[0-9a-f]{32}/, 'demo-password'),
      code: 7,
    },
    { when: 'the account is unknown', body: loginBody('nobody@example.org'), code: 20_007 },
    { when: 'the account is missing', body: '{"password":"x"}', code: 20_101 },
    {
      when: 'the password is a number',
      body: '{"account":"demo@example.org","password":1}',
      code: 20_101,
    },
  ])('is refused with code $code when $when', async ({ body, code }) => {
    const { send } = await startSimulator();
    expect(await send('login', signedBody(body))).toMatchObject({ status: 200, code });
  });

  test('uses its nonce up', async () => {
    const { send } = await startSimulator();
    const asked = signedBody(BODY);
    expect([(await send('login', asked)).code, (await send('login', asked)).code]).toEqual([0, 44]);
  });

  test('of a client that still sends its old token is let in by the portal', async () => {
    const { send, logIn } = await startSimulator({ family: 'hpvinv02' });
    const { accessToken = '' } = await logIn();
    const headers = { ...signedHeaders(BODY), 'IOT-Token': accessToken };
    expect(await send('login', { body: BODY, headers })).toMatchObject({ code: 0 });
  });
});

describe('a data request', () => {
  test.each([
    { when: 'its token is young', afterMs: 2 * HOUR_MS - 1, status: 200 },
    { when: 'its token has expired', afterMs: 2 * HOUR_MS, status: 401 },
    {
      when: 'the service has expired tokens as codes',
      afterMs: 2 * HOUR_MS,
      portal: true,
      status: 200,
      code: 9,
    },
  ])('is answered with status $status when $when', async ({ afterMs, portal, status, code }) => {
    const { send, logIn, clock } = await startSimulator({ portal });
    const headers = dataHeaders((await logIn())['accessToken']);
    clock.advance(afterMs);
    const answer = await send('stations', { body: PAGE, headers });
    expect(answer).toMatchObject({ status, ...(code === undefined ? {} : { code }) });
    if (status === 401)
      expect(JSON.parse(answer.text)).toEqual({
        timestamp: new Date(clock.nowMs()).toISOString(),
        status: 401,
        error: 'Unauthorized',
        path: '/apis/station/list',
      });
  });

  test.each([
    ...['Europe', '+08:00', '', 'Mars/Olympus'].map((zone) => ({ zone, code: 20_101 })),
    { zone: 'Europe/Kyiv', code: 0 },
  ])('is answered with code $code for the zone "$zone"', async ({ zone, code }) => {
    const { ask } = await startSimulator();
    const headers = { 'IOT-Time-Zone': zone };
    expect(await ask('stations', { body: PAGE, headers })).toMatchObject({ code });
  });

  test('needs a token and may lack a time zone', async () => {
    const { send, logIn } = await startSimulator();
    expect(await send('stations', { body: PAGE, headers: dataHeaders('x') })).toMatchObject({
      status: 401,
    });
    expect(await send('stations', { body: PAGE })).toMatchObject({ status: 401 });
    const headers = { 'IOT-Token': (await logIn())['accessToken'] ?? '' };
    expect(await send('stations', { body: PAGE, headers })).toMatchObject({ code: 0 });
  });

  test.each([
    { what: 'no JSON', asked: { body: '{' }, status: 400 },
    { what: 'a JSON array', asked: { body: '[]' }, status: 400 },
    { what: 'an empty body', asked: { body: '' }, status: 400 },
    {
      what: 'another type',
      asked: { body: PAGE, headers: { 'content-type': 'text/plain' } },
      status: 400,
    },
    { what: 'too long a body', asked: { body: 'x'.repeat(1_000_001) }, status: 413 },
  ])('of $what is refused with status $status', async ({ asked, status }) => {
    const { ask } = await startSimulator();
    expect(await ask('stations', asked)).toMatchObject({ status });
  });

  test('meets no endpoint at another path, and one method at each', async () => {
    const { baseUrl } = await startSimulator();
    expect((await fetch(`${baseUrl}/login/refresh/access/token`, { method: 'POST' })).status).toBe(
      404,
    );
    expect((await fetch(`${baseUrl}/apis/station/list`)).status).toBe(405);
    const bare = await startSimulator({ portalEndpoints: false });
    expect(await bare.ask('alarms', { body: PAGE })).toMatchObject({ status: 404 });
    expect(await bare.ask('stations', { body: PAGE })).toMatchObject({ code: 0 });
  });
});

describe.each([
  { form: 'token', portal: false, refused: { status: 401 } },
  { form: 'pair', portal: true, refused: { code: 9 } },
])('a refresh by $form', ({ portal, refused }) => {
  const asked = (tokens: Readonly<Record<string, string>>): Asked => {
    const { accessToken, refreshToken } = tokens;
    return !portal
      ? { body: { refreshToken } }
      : signedBody(JSON.stringify({ accessToken, refreshToken }));
  };

  test('gives out a new pair, ends the old one, and touches no other session', async () => {
    const { send, logIn } = await startSimulator({ portal });
    const [old, other] = [await logIn(), await logIn()];
    const { data } = await send('refresh', asked(old));
    const answer = (token: unknown) =>
      send('stations', { body: PAGE, headers: dataHeaders(String(token)) });
    expect(await answer(data['accessToken'])).toMatchObject({ code: 0 });
    expect(await answer(old['accessToken'])).toMatchObject(refused);
    expect(await answer(other['accessToken'])).toMatchObject({ code: 0 });
    expect(await send('refresh', asked(old))).toMatchObject({ status: 401 });
    expect(await send('refresh', asked(other))).toMatchObject({ status: 200 });
  });

  test.each([
    { when: 'the access token has expired', afterMs: 30 * DAY_MS - 1, status: 200 },
    { when: 'the refresh token has expired', afterMs: 30 * DAY_MS, status: 401 },
  ])('is answered with status $status when $when', async ({ afterMs, status }) => {
    const { send, logIn, clock } = await startSimulator({ portal });
    const old = await logIn();
    clock.advance(afterMs);
    expect(await send('refresh', asked(old))).toMatchObject({ status });
  });

  test('renews what was revoked, unless the refresh token is unknown or revoked too', async () => {
    const { simulator, send, logIn } = await startSimulator({ portal });
    simulator.revokeTokens();
    const tokens = await logIn();
    simulator.revokeTokens();
    const headers = dataHeaders(tokens['accessToken']);
    expect(await send('stations', { body: PAGE, headers })).toMatchObject(refused);
    expect(await send('refresh', asked(tokens))).toMatchObject({ status: 200 });
    const revoked = await logIn();
    simulator.revokeRefreshTokens();
    expect(await send('refresh', asked(revoked))).toMatchObject({ status: 401 });
    expect(await send('refresh', asked({ ...revoked, refreshToken: 'x' }))).toMatchObject({
      status: 401,
    });
  });

  test('of another form is refused with code 20101, and with a token in its headers by the interface', async () => {
    const { send, logIn } = await startSimulator({ portal });
    const tokens = await logIn();
    const { body = '', headers } = asked(tokens);
    const otherForm = portal ? body : '{"accessToken":"x"}';
    expect(await send('refresh', { body: otherForm })).toMatchObject({ code: 20_101 });
    const withToken = { ...headers, 'IOT-Token': 'x' };
    const answer = await send('refresh', { body, headers: withToken });
    expect(answer).toMatchObject({ code: portal ? 0 : 20_101 });
  });
});

test('a pair of two sessions is no pair', async () => {
  const { send, logIn } = await startSimulator({ portal: true });
  const [{ accessToken }, { refreshToken }] = [await logIn(), await logIn()];
  const asked = signedBody(JSON.stringify({ accessToken, refreshToken }));
  expect(await send('refresh', asked)).toMatchObject({ status: 401 });
});
