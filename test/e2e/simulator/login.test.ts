import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { SignatureCheck } from '../../../src/simulator/service/login-signature.ts';
import {
  dataHeaders,
  dataOf,
  envelopeOf,
  loginBody,
  PATHS,
  signedHeaders,
  startSimulator,
  type TokenSet,
} from './running-simulator.ts';

const HOUR_MS = 3_600_000;

describe('login', () => {
  test('gives out a token set for the signed account and MD5 password', async () => {
    const { post, clock } = await startSimulator();
    const body = loginBody();
    const answer = await post(PATHS.login, body, signedHeaders(body));
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    expect(dataOf(answer)).toMatchObject({
      accessToken: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
      refreshToken: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
      accessTokenWillExpiredAt: new Date(clock.nowMs() + 2 * HOUR_MS).toISOString(),
      accessTokenWillExpiredInMillis: String(2 * HOUR_MS),
      refreshTokenWillExpiredAt: new Date(clock.nowMs() + 30 * 24 * HOUR_MS).toISOString(),
      refreshTokenWillExpiredInMillis: String(30 * 24 * HOUR_MS),
    });
  });

  test('gives every session its own tokens, and all of them work', async () => {
    const { logIn, post } = await startSimulator();
    const sessions = [await logIn(), await logIn()];
    expect(new Set(sessions.map(({ accessToken }) => accessToken)).size).toBe(2);
    for (const { accessToken } of sessions) {
      const answer = await post(PATHS.stations, { page: 1, count: 1 }, dataHeaders(accessToken));
      expect(answer.status).toBe(200);
    }
  });

  const body = loginBody();
  const signed = signedHeaders(body);
  test.each([
    { when: 'the headers are missing', body, headers: {}, code: 36 },
    {
      when: 'the application is unknown',
      body,
      headers: signedHeaders(body, { appId: 'other' }),
      code: 36,
    },
    {
      when: 'the secret is wrong',
      body,
      headers: signedHeaders(body, { appSecret: 'other' }),
      code: 44,
    },
    {
      when: 'the nonce is too short',
      body,
      headers: signedHeaders(body, { nonce: 'abc' }),
      code: 44,
    },
    {
      when: 'the nonce has a sign in it',
      body,
      headers: signedHeaders(body, { nonce: '-'.repeat(32) }),
      code: 44,
    },
    {
      when: 'the nonce is not the signed one',
      body,
      headers: { ...signed, 'IOT-Open-Nonce': '0'.repeat(32) },
      code: 44,
    },
    { when: 'the body is not the signed one', body: ` ${body}`, headers: signed, code: 44 },
    {
      when: 'the body hash is in capitals',
      body,
      headers: {
        ...signed,
        'IOT-Open-Body-Hash': (signed['IOT-Open-Body-Hash'] ?? '').toUpperCase(),
      },
      code: 44,
    },
    {
      when: 'the signature is missing',
      body,
      headers: { ...signed, 'IOT-Open-Sign': '' },
      code: 44,
    },
    {
      when: 'a token comes along',
      body,
      headers: { ...signedHeaders(body), 'IOT-Token': 'a'.repeat(32) },
      code: 20_101,
    },
  ])('refuses with code $code when $when', async ({ body, headers, code }) => {
    const { post } = await startSimulator();
    const answer = await post(PATHS.login, body, headers);
    expect(answer.status).toBe(200);
    expect(envelopeOf(answer)).toMatchObject({ code, data: null });
  });

  test('refuses a nonce that was used before', async () => {
    const { post } = await startSimulator();
    const headers = signedHeaders(body);
    expect(envelopeOf(await post(PATHS.login, body, headers)).code).toBe(0);
    expect(envelopeOf(await post(PATHS.login, body, headers)).code).toBe(44);
  });

  test.each([
    {
      when: 'the password is wrong',
      body: loginBody('demo@example.org', 'wrong'),
      code: 7,
      message: 'password error',
    },
    {
      when: 'the password is plain text',
      body: JSON.stringify({ account: 'demo@example.org', password: 'demo-password' }),
      code: 7,
      message: 'password error',
    },
    {
      when: 'the hash is in capitals',
      body: JSON.stringify({
        account: 'demo@example.org',
        password: createHash('md5').update('demo-password').digest('hex').toUpperCase(),
      }),
      code: 7,
      message: 'password error',
    },
    {
      when: 'the account is unknown',
      body: loginBody('nobody@example.org'),
      code: 20_007,
      message: 'account error',
    },
    {
      when: 'the account is missing',
      body: '{"password":"x"}',
      code: 20_101,
      message: 'illegal argument: account',
    },
    {
      when: 'the password is a number',
      body: '{"account":"demo@example.org","password":1}',
      code: 20_101,
      message: 'illegal argument: password',
    },
  ])('refuses a signed body with code $code when $when', async ({ body, code, message }) => {
    const { post } = await startSimulator();
    const answer = await post(PATHS.login, body, signedHeaders(body));
    expect(envelopeOf(answer)).toMatchObject({ code, message, data: null });
  });
});

test('the newest nonces are remembered, and no more', () => {
  const body = loginBody();
  const check = new SignatureCheck('demo-app-id', 'demo-app-secret', 2);
  const verify = (digit: string): void => {
    check.verify({
      method: 'POST',
      path: PATHS.login,
      query: new URLSearchParams(),
      headers: Object.fromEntries(new Headers(signedHeaders(body, { nonce: digit.repeat(32) }))),
      bodyBytes: new TextEncoder().encode(body),
    });
  };
  for (const digit of ['1', '2', '3']) verify(digit);
  expect(() => verify('2')).toThrow('nonce was used before');
  expect(() => verify('1')).not.toThrow();
});

describe('a data request', () => {
  const page = { page: 1, count: 1 };

  test('is let in until its token expires', async () => {
    const { logIn, post, clock } = await startSimulator();
    const headers = dataHeaders((await logIn()).accessToken);
    clock.advance(2 * HOUR_MS - 1);
    expect((await post(PATHS.stations, page, headers)).status).toBe(200);
    clock.advance(1);
    const answer = await post(PATHS.stations, page, headers);
    expect(answer.status).toBe(401);
    expect(JSON.parse(answer.text)).toEqual({
      timestamp: new Date(clock.nowMs()).toISOString(),
      status: 401,
      error: 'Unauthorized',
      path: PATHS.stations,
    });
  });

  test('is turned away without a token or with an unknown one', async () => {
    const { post } = await startSimulator();
    const tokenless = { 'IOT-Time-Zone': 'Asia/Manila' };
    expect((await post(PATHS.stations, page, tokenless)).status).toBe(401);
    expect((await post(PATHS.stations, page, dataHeaders('x'))).status).toBe(401);
  });

  test('is turned away after the tokens were revoked, and let in after a refresh', async () => {
    const { simulator, logIn, post } = await startSimulator();
    const { accessToken, refreshToken } = await logIn();
    simulator.revokeTokens();
    expect((await post(PATHS.stations, page, dataHeaders(accessToken))).status).toBe(401);
    const renewed = dataOf<TokenSet>(await post(PATHS.refresh, { refreshToken }));
    expect((await post(PATHS.stations, page, dataHeaders(renewed.accessToken))).status).toBe(200);
  });

  test.each(['Europe', '+08:00', '', 'Mars/Olympus'])(
    'is refused with code 20101 for the time zone "%s"',
    async (timeZone) => {
      const { logIn, post } = await startSimulator();
      const headers = dataHeaders((await logIn()).accessToken, timeZone);
      expect(envelopeOf(await post(PATHS.stations, page, headers)).code).toBe(20_101);
    },
  );

  test('is let in without a time zone', async () => {
    const { logIn, post } = await startSimulator();
    const { accessToken } = await logIn();
    const answer = await post(PATHS.stations, page, { 'IOT-Token': accessToken });
    expect(envelopeOf(answer).code).toBe(0);
  });
});
