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
  const changed = (changes: Parameters<typeof signedHeaders>[1]) => signedHeaders(BODY, changes);
  test.each<[when: string, headers: Record<string, string>, code: number, body?: string]>([
    ['it is signed', signed, 0],
    ['its body hash is signed and kept', changed({ hash: 'kept' }), 0],
    ['its body hash is not even signed', changed({ hash: 'unsigned' }), 0],
    ['its token is the word null', { ...signed, 'IOT-Token': 'null' }, 0],
    ['its nonce has capitals', changed({ nonce: 'aB3'.padEnd(32, 'Z') }), 0],
    ['nothing is signed', {}, 36],
    ['the application is unknown', changed({ appId: 'other' }), 36],
    ['the secret is wrong', changed({ appSecret: 'other' }), 44],
    ['the nonce is short', changed({ nonce: 'abc' }), 44],
    ['the nonce has signs', changed({ nonce: '-'.repeat(32) }), 44],
    ['the nonce was changed', { ...signed, 'IOT-Open-Nonce': '0'.repeat(32) }, 44],
    ['the body was changed', signed, 44, ` ${BODY}`],
    ['the kept hash is of another body', signedHeaders('{}', { hash: 'kept' }), 44],
    ['the signature is missing', { ...signed, 'IOT-Open-Sign': '' }, 44],
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
    ['the password is a number', '{"account":"demo@example.org","password":1}', 20_101],
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

describe('a data request', () => {
  test.each([
    ['whose token is young', false, 1, { status: 200, code: 0 }],
    ['whose token has expired', false, 0, { status: 401 }],
    ['whose token has expired at the portal', true, 0, { status: 200, code: 9 }],
  ] as const)('%s is answered so', async (_which, portal, leftMs, expected) => {
    const { send, logIn, clock } = await startSimulator({ portal });
    const headers = dataHeaders((await logIn())['accessToken']);
    clock.advance(2 * HOUR_MS - leftMs);
    const answer = await send('stations', { body: PAGE, headers });
    expect(answer).toMatchObject(expected);
    if (expected.status === 401)
      expect(JSON.parse(answer.text)).toEqual({
        timestamp: new Date(clock.nowMs()).toISOString(),
        status: 401,
        error: 'Unauthorized',
        path: '/apis/station/list',
      });
  });

  test('needs a token and may lack a time zone', async () => {
    const { send, logIn } = await startSimulator();
    const { accessToken = '' } = await logIn();
    const status = async (headers: Record<string, string>) =>
      (await send('stations', { body: PAGE, headers })).status;
    expect([await status(dataHeaders('x')), await status({})]).toEqual([401, 401]);
    expect(await status({ 'IOT-Token': accessToken })).toBe(200);
  });

  test('meets no endpoint at another path, and one method at each', async () => {
    const { baseUrl } = await startSimulator();
    const status = async (path: string, method: string) =>
      (await fetch(baseUrl + path, { method })).status;
    expect(await status('/login/refresh/access/token', 'POST')).toBe(404);
    expect(await status('/apis/station/list', 'GET')).toBe(405);
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

  test('outlives the access token, for as long as the refresh token lives', async () => {
    const { send, logIn, clock } = await startSimulator({ portal });
    const tokens = [await logIn(), await logIn()];
    clock.advance(30 * DAY_MS - 1);
    expect(await send('refresh', asked(tokens[0] ?? {}))).toMatchObject({ status: 200 });
    clock.advance(1);
    expect(await send('refresh', asked(tokens[1] ?? {}))).toMatchObject({ status: 401 });
  });

  test('renews what was revoked, unless the refresh token was too', async () => {
    const { simulator, send, logIn } = await startSimulator({ portal });
    const tokens = await logIn();
    simulator.revokeTokens();
    const headers = dataHeaders(tokens['accessToken']);
    expect(await send('stations', { body: PAGE, headers })).toMatchObject(refused);
    expect(await send('refresh', asked(tokens))).toMatchObject({ status: 200 });
    const revoked = await logIn();
    const unknown = asked({ ...revoked, refreshToken: 'x' });
    expect(await send('refresh', unknown)).toMatchObject({ status: 401 });
    simulator.revokeRefreshTokens();
    expect(await send('refresh', asked(revoked))).toMatchObject({ status: 401 });
  });

  test('of another form is refused', async () => {
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
