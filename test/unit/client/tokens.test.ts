import { describe, expect, test } from 'vitest';
import { decodeTokens, renewAtMs, type TokenSet } from '../../../src/client/session/tokens.ts';
import { ServiceError } from '../../../src/base/errors.ts';
import { Secret } from '../../../src/base/shown.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../support/durations.ts';

/** By the clock of the service. */
const NOW_MS = Date.parse('2026-08-24T09:00:00Z');
const FIELDS = { accessToken: 'access', refreshToken: 'refresh' };

function decode(data: unknown, topLevel: Record<string, unknown> = {}) {
  return decodeTokens({ ...topLevel, data }, '/apis/login/account', NOW_MS);
}

describe('a token set', () => {
  test.each([
    { accessToken: ' a\n', iotToken: 'b', token: 42 },
    { accessToken: '', iotToken: 'a', token: 'c' },
    { accessToken: null, iotToken: ' ', token: 'a', refreshToken: '' },
  ])('has its access token in %j, and may lack the other', (names) => {
    const { accessToken, refreshToken } = decode(names);
    expect([accessToken.reveal(), refreshToken]).toEqual(['a', undefined]);
  });

  test.each([{ accessToken: 42, refreshToken: 'refresh' }, null, ['token']])(
    'is a failed login without an access token: %j',
    (data) => {
      const message = '/apis/login/account: the answer holds no access token';
      const failure = new ServiceError('SERVICE_AUTH_REJECTED', message, { isDoubtful: true });
      expect(() => decode(data)).toThrow(failure);
    },
  );

  test.each(['a\nb', 'a\0b', 'é', 'a'.repeat(17_000)])(
    'is a failed login with a token that cannot be sent: %j',
    (accessToken) => {
      expect(() => decode({ accessToken })).toThrow('holds no access token that can be sent');
    },
  );

  test.each(['2026-08-24T10:00:00Z', NOW_MS + HOUR_MS, ` ${NOW_MS + HOUR_MS}`])(
    'reads the expiry %j, by both of its names',
    (written) => {
      for (const name of ['WillExpiredAt', 'ExpiredAt'])
        expect(
          decode({ ...FIELDS, [`accessToken${name}`]: written, [`refreshToken${name}`]: written }),
        ).toMatchObject({
          accessExpiresAtMs: NOW_MS + HOUR_MS,
          refreshExpiresAtMs: NOW_MS + HOUR_MS,
        });
    },
  );
});

/** Tokens of which both have this expiry and this lifetime. */
const withExpiry = (at?: unknown, inMillis?: unknown): TokenSet =>
  decode({
    ...FIELDS,
    accessTokenWillExpiredAt: at,
    refreshTokenWillExpiredAt: at,
    accessTokenWillExpiredInMillis: inMillis,
    refreshTokenWillExpiredInMillis: inMillis,
  });

describe('the expiry of a token', () => {
  /** In two hours. */
  const AT = '2026-08-24T11:00:00Z';

  test.each<[when: string, at: unknown, inMillis: unknown, afterMs: number | undefined]>([
    ['nothing', undefined, undefined, undefined],
    ['a lifetime as text', 'tomorrow', '7199991', 7_199_991],
    ['a lifetime that is longer', AT, 3 * HOUR_MS, 3 * HOUR_MS],
    ['a lifetime that cannot be read', AT, 'two hours', 2 * HOUR_MS],
  ])('of %s is plausible', (_when, at, inMillis, afterMs) => {
    const expiresAtMs = afterMs && NOW_MS + afterMs;
    expect(withExpiry(at, inMillis)).toMatchObject({
      accessExpiresAtMs: expiresAtMs,
      refreshExpiresAtMs: expiresAtMs,
      hasImplausibleExpiry: false,
    });
  });

  test.each<[when: string, at: unknown, inMillis: unknown, afterMs: number | undefined]>([
    ['now', '2026-08-24T09:00:00Z', undefined, undefined],
    ['1 January 1970', 0, undefined, undefined],
    ['millennia ahead', 8.64e15, undefined, undefined],
    ['in the past, beside a lifetime', '2026-08-24T07:00:00Z', 1000, 1000],
    ['a lifetime of zero', AT, 0, 2 * HOUR_MS],
    ['a lifetime below zero', undefined, '-1', undefined],
  ])('that is %s is not believed', (_when, at, inMillis, afterMs) => {
    const expiresAtMs = afterMs && NOW_MS + afterMs;
    expect(withExpiry(at, inMillis)).toMatchObject({
      accessExpiresAtMs: expiresAtMs,
      refreshExpiresAtMs: expiresAtMs,
      hasImplausibleExpiry: true,
    });
  });

  test.each([
    [NOW_MS + 30 * DAY_MS + 1, undefined],
    [undefined, 30 * DAY_MS + 1],
  ])('of a month and more is believed of a refresh token alone: %j, %j', (at, inMillis) => {
    expect(withExpiry(at, inMillis)).toMatchObject({
      accessExpiresAtMs: undefined,
      refreshExpiresAtMs: NOW_MS + 30 * DAY_MS + 1,
      hasImplausibleExpiry: true,
    });
  });
});

describe('a token needs renewal', () => {
  const accessToken = new Secret('access');
  const given = { accessToken, refreshToken: new Secret('refresh') };
  const received = { ...given, receivedAtMs: NOW_MS };
  const ofTwoMinutes = { ...received, accessExpiresAtMs: NOW_MS + 2 * MINUTE_MS };
  const alone = { accessToken, accessExpiresAtMs: NOW_MS + HOUR_MS };

  test.each<[when: string, tokens: TokenSet, afterMs: number, expected: boolean]>([
    ['300 s before the expiry of an access token alone', alone, HOUR_MS - 300_000, true],
    ['with an unknown expiry and no refresh token', { accessToken }, 0, false],
    ['the same, long after a login', { accessToken, receivedAtMs: NOW_MS }, 100 * DAY_MS, false],
    ['with an unknown expiry and a refresh token', given, 0, true],
    ['within an hour of a renewal that brought no expiry', received, HOUR_MS - 1, false],
    ['an hour after a renewal that brought no expiry', received, HOUR_MS, true],
    ['in the first half of a life shorter than the lead', ofTwoMinutes, 59_999, false],
    ['in the second half of a life shorter than the lead', ofTwoMinutes, 60_000, true],
  ])('%s', (_when, tokens, afterMs, expected) => {
    expect(NOW_MS + afterMs >= renewAtMs(tokens)).toBe(expected);
  });
});
