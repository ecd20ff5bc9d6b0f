import { describe, expect, test } from 'vitest';
import { defaultOptions } from '../../../src/simulator/options.ts';
import { IssuedTokens } from '../../../src/simulator/service/issued-tokens.ts';
import {
  dataHeaders,
  dataOf,
  envelopeOf,
  PATHS,
  signedHeaders,
  startSimulator,
  type TokenSet,
} from './running-simulator.ts';
import { SteppingClock } from './stepping-clock.ts';

const page = { page: 1, count: 1 };

describe('refresh with the refresh token alone', () => {
  test('gives out a new pair and kills the old one at once', async () => {
    const { logIn, post } = await startSimulator();
    const old = await logIn();
    const renewed = dataOf<TokenSet>(await post(PATHS.refresh, { refreshToken: old.refreshToken }));
    expect(renewed.accessToken).not.toBe(old.accessToken);
    expect(renewed.refreshToken).not.toBe(old.refreshToken);
    expect((await post(PATHS.stations, page, dataHeaders(renewed.accessToken))).status).toBe(200);
    expect((await post(PATHS.stations, page, dataHeaders(old.accessToken))).status).toBe(401);
    expect((await post(PATHS.refresh, { refreshToken: old.refreshToken })).status).toBe(401);
  });

  test('touches no other session of the account', async () => {
    const { logIn, post } = await startSimulator();
    const { refreshToken } = await logIn();
    const others = [await logIn(), await logIn()];
    expect((await post(PATHS.refresh, { refreshToken })).status).toBe(200);
    for (const other of others) {
      expect((await post(PATHS.stations, page, dataHeaders(other.accessToken))).status).toBe(200);
      const renewed = await post(PATHS.refresh, { refreshToken: other.refreshToken });
      expect(renewed.status).toBe(200);
    }
  });

  test('still works when the access token has expired, not when the refresh token has', async () => {
    const { logIn, post, clock } = await startSimulator({ refreshTokenLifetimeMs: 10_000_000 });
    const { refreshToken } = await logIn();
    clock.advance(9_999_999);
    const renewed = dataOf<TokenSet>(await post(PATHS.refresh, { refreshToken }));
    clock.advance(10_000_000);
    const late = await post(PATHS.refresh, { refreshToken: renewed.refreshToken });
    expect(late.status).toBe(401);
  });

  test('refuses unknown and revoked tokens with status 401', async () => {
    const { simulator, logIn, post } = await startSimulator();
    const { refreshToken } = await logIn();
    simulator.revokeRefreshTokens();
    expect((await post(PATHS.refresh, { refreshToken })).status).toBe(401);
    expect((await post(PATHS.refresh, { refreshToken: 'x' })).status).toBe(401);
  });

  test('refuses a body without a refresh token, and an access token in the headers', async () => {
    const { logIn, post } = await startSimulator();
    const { refreshToken, accessToken } = await logIn();
    expect(envelopeOf(await post(PATHS.refresh, {})).code).toBe(20_101);
    const headers = dataHeaders(accessToken);
    expect(envelopeOf(await post(PATHS.refresh, { refreshToken }, headers)).code).toBe(20_101);
  });
});

describe('refresh with the signed pair', () => {
  test('gives out a new pair', async () => {
    const { logIn, post } = await startSimulator({ refreshForm: 'pair' });
    const { accessToken, refreshToken } = await logIn();
    const body = JSON.stringify({ accessToken, refreshToken });
    const renewed = dataOf<TokenSet>(await post(PATHS.refresh, body, signedHeaders(body)));
    expect((await post(PATHS.stations, page, dataHeaders(renewed.accessToken))).status).toBe(200);
    expect((await post(PATHS.refresh, body, signedHeaders(body))).status).toBe(401);
  });

  test('refuses the refresh token alone and an unsigned pair with code 20101', async () => {
    const { logIn, post } = await startSimulator({ refreshForm: 'pair' });
    const { accessToken, refreshToken } = await logIn();
    expect(envelopeOf(await post(PATHS.refresh, { refreshToken })).code).toBe(20_101);
    const unsigned = await post(PATHS.refresh, { accessToken, refreshToken });
    expect(envelopeOf(unsigned).code).toBe(20_101);
  });

  test('refuses tokens of different sessions with status 401', async () => {
    const { logIn, post } = await startSimulator({ refreshForm: 'pair' });
    const [one, other] = [await logIn(), await logIn()];
    const body = JSON.stringify({
      accessToken: one.accessToken,
      refreshToken: other.refreshToken,
    });
    expect((await post(PATHS.refresh, body, signedHeaders(body))).status).toBe(401);
  });
});

test('a restarted service repeats no token, and the same run repeats all of them', () => {
  const first = new IssuedTokens(defaultOptions, new SteppingClock('2026-06-21T04:00:00Z')).grant();
  const same = new IssuedTokens(defaultOptions, new SteppingClock('2026-06-21T04:00:00Z')).grant();
  const later = new IssuedTokens(defaultOptions, new SteppingClock('2026-06-21T04:00:01Z')).grant();
  expect(same).toEqual(first);
  expect(later.accessToken).not.toBe(first.accessToken);
});

test('expired tokens are forgotten when a new pair is given out', () => {
  const clock = new SteppingClock('2026-06-21T04:00:00Z');
  const book = new IssuedTokens(defaultOptions, clock);
  const { accessToken, refreshToken } = book.grant();
  clock.advance(defaultOptions.refreshTokenLifetimeMs);
  book.grant();
  expect(book.isValid(accessToken)).toBe(false);
  expect(book.rotate(refreshToken)).toBeUndefined();
});
