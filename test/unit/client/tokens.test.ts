import { describe, expect, test } from 'vitest';
import {
  decodeTokens,
  isUnexpired,
  needsRenewal,
  type TokenSet,
} from '../../../src/client/session/tokens.ts';
import { ServiceError } from '../../../src/base/errors.ts';
import { Secret } from '../../../src/base/secret.ts';
import { DAY_MS, HOUR_MS } from '../../support/durations.ts';

const NOW_MS = Date.parse('2026-08-24T08:00:00Z');

function decode(data: unknown, topLevel: Record<string, unknown> = {}): TokenSet {
  return decodeTokens({ data, topLevel }, '/apis/login/account', NOW_MS);
}

describe('a token set', () => {
  const fields = { accessToken: 'access', refreshToken: 'refresh' };

  test.each([
    { where: 'data', data: fields, topLevel: { data: fields } },
    { where: 'the top level', data: undefined, topLevel: fields },
    { where: 'the top level beside null', data: null, topLevel: { ...fields, data: null } },
    { where: 'the top level beside other data', data: { userId: '1' }, topLevel: fields },
  ])('is read from $where', ({ data, topLevel }) => {
    const tokens = decode(data, topLevel);
    expect(tokens.accessToken.reveal()).toBe('access');
    expect(tokens.refreshToken?.reveal()).toBe('refresh');
    expect(tokens.receivedAtMs).toBe(NOW_MS);
  });

  test.each([
    { names: { accessToken: 'a' } },
    { names: { iotToken: 'a' } },
    { names: { token: 'a' } },
    { names: { accessToken: 'a', iotToken: 'b', token: 'c' } },
    { names: { accessToken: '', iotToken: 'a', token: 'c' } },
    { names: { accessToken: null, iotToken: ' ', token: 'a' } },
    { names: { accessToken: ' a\n' } },
  ])('has its access token in $names', ({ names }) => {
    expect(decode(names).accessToken.reveal()).toBe('a');
  });

  test.each([
    {},
    { accessToken: '' },
    { accessToken: null },
    { accessToken: 42 },
    { refreshToken: 'refresh' },
    null,
    'token',
    ['token'],
  ])('is a failed login without an access token: %j', (data) => {
    expect(() => decode(data)).toThrow(
      new ServiceError(
        'SERVICE_AUTH_REJECTED',
        '/apis/login/account: the answer holds no access token',
      ),
    );
  });

  test('may come without a refresh token', () => {
    expect(decode({ token: 'a' }).refreshToken).toBeUndefined();
    expect(decode({ token: 'a', refreshToken: '' }).refreshToken).toBeUndefined();
  });

  test.each([
    { written: '2026-08-24T10:00:00Z', expiresAt: '2026-08-24T10:00:00Z' },
    { written: '2026-08-24T18:00:00+08:00', expiresAt: '2026-08-24T10:00:00Z' },
    { written: '2026-08-24 10:00:00', expiresAt: '2026-08-24T10:00:00Z' },
    { written: Date.parse('2026-08-24T10:00:00Z'), expiresAt: '2026-08-24T10:00:00Z' },
    { written: ` ${Date.parse('2026-08-24T10:00:00Z')}`, expiresAt: '2026-08-24T10:00:00Z' },
  ])('reads the expiry $written as $expiresAt', ({ written, expiresAt }) => {
    const tokens = decode({
      ...fields,
      accessTokenWillExpiredAt: written,
      refreshTokenWillExpiredAt: written,
    });
    expect(tokens.accessExpiresAtMs).toBe(Date.parse(expiresAt));
    expect(tokens.refreshExpiresAtMs).toBe(Date.parse(expiresAt));
  });

  test.each(['WillExpiredAt', 'ExpiredAt'])('finds its expiries in …%s', (name) => {
    const tokens = decode({
      ...fields,
      [`accessToken${name}`]: '2026-08-24T10:00:00Z',
      [`refreshToken${name}`]: '2026-09-23T08:00:00Z',
    });
    expect(tokens.accessExpiresAtMs).toBe(NOW_MS + 2 * HOUR_MS);
    expect(tokens.refreshExpiresAtMs).toBe(NOW_MS + 30 * DAY_MS);
  });

  test.each([
    { what: 'null', expiry: null },
    { what: 'empty', expiry: '' },
    { what: 'not a timestamp', expiry: 'tomorrow' },
    { what: 'an object', expiry: {} },
    { what: 'now', expiry: '2026-08-24T08:00:00Z' },
    { what: 'past', expiry: '2026-08-24T07:59:59Z' },
    { what: '1 January 1970', expiry: 0 },
    { what: 'a month and a second ahead', expiry: '2026-09-23T08:00:01Z' },
    { what: 'millennia ahead', expiry: 17_876_736_000_007_200 },
  ])('does not believe an expiry that is $what', ({ expiry }) => {
    expect(decode({ ...fields, accessTokenWillExpiredAt: expiry }).accessExpiresAtMs).toBe(
      undefined,
    );
  });

  test.each([
    { expiry: null },
    { expiry: 'soon' },
    { expiry: 0 },
    { expiry: '2026-08-24T07:00:00Z' },
    { expiry: '+275760-09-13T00:00:00Z' },
    { expiry: 8.64e15 },
  ])('tries its refresh token in spite of the expiry $expiry', ({ expiry }) => {
    expect(
      decode({ ...fields, refreshTokenWillExpiredAt: expiry }).refreshExpiresAtMs,
    ).toBeUndefined();
  });
});

describe('the lifetime of a token', () => {
  const named = (token: 'access' | 'refresh', expiry: { at?: unknown; inMillis?: unknown }) => ({
    accessToken: 'access',
    refreshToken: 'refresh',
    [`${token}TokenWillExpiredAt`]: expiry.at,
    [`${token}TokenWillExpiredInMillis`]: expiry.inMillis,
  });
  const MINUTE_MS = 60_000;
  const inTwoHours = '2026-08-24T10:00:00Z';

  test.each<{ when: string; at?: unknown; inMillis: unknown; afterMs: number }>([
    { when: 'it is alone', inMillis: 7_199_991, afterMs: 7_199_991 },
    { when: 'it is text', inMillis: '7199991', afterMs: 7_199_991 },
    { when: 'the expiry is no timestamp', at: 'tomorrow', inMillis: 1000, afterMs: 1000 },
    { when: 'the expiry has passed', at: '2026-08-24T07:00:00Z', inMillis: 1000, afterMs: 1000 },
    {
      when: 'the expiry is over five minutes earlier',
      at: inTwoHours,
      inMillis: 2 * HOUR_MS + 5 * MINUTE_MS + 1,
      afterMs: 2 * HOUR_MS + 5 * MINUTE_MS + 1,
    },
    {
      when: 'the expiry is over five minutes later',
      at: inTwoHours,
      inMillis: 2 * HOUR_MS - 5 * MINUTE_MS - 1,
      afterMs: 2 * HOUR_MS - 5 * MINUTE_MS - 1,
    },
  ])('counts from the arrival when $when', ({ at, inMillis, afterMs }) => {
    expect(decode(named('access', { at, inMillis })).accessExpiresAtMs).toBe(NOW_MS + afterMs);
    expect(decode(named('refresh', { at, inMillis })).refreshExpiresAtMs).toBe(NOW_MS + afterMs);
  });

  test.each([
    { when: 'the two agree within five minutes', inMillis: 2 * HOUR_MS - 5 * MINUTE_MS },
    { when: 'it is not a number', inMillis: 'two hours' },
    { when: 'it is null', inMillis: null },
    { when: 'it is zero', inMillis: 0 },
    { when: 'it is negative', inMillis: '-1' },
    { when: 'it is longer than a month', inMillis: 30 * DAY_MS + 1 },
  ])('gives way to the expiry when $when', ({ inMillis }) => {
    expect(decode(named('access', { at: inTwoHours, inMillis })).accessExpiresAtMs).toBe(
      Date.parse(inTwoHours),
    );
  });

  test.each([
    { what: 'a plausible pair', expiry: { at: inTwoHours, inMillis: '7200000' }, expected: false },
    { what: 'a pair that disagrees', expiry: { at: inTwoHours, inMillis: 1 }, expected: false },
    { what: 'no expiry', expiry: {}, expected: false },
    { what: 'an expiry that cannot be read', expiry: { at: 'tomorrow' }, expected: false },
    { what: 'an expiry that has passed', expiry: { at: '2026-08-24T08:00:00Z' }, expected: true },
    { what: 'a lifetime of zero', expiry: { at: inTwoHours, inMillis: 0 }, expected: true },
    { what: 'a negative lifetime', expiry: { inMillis: '-1' }, expected: true },
  ])('is implausible because of $what: $expected', ({ expiry, expected }) => {
    expect(decode(named('access', expiry)).hasImplausibleExpiry).toBe(expected);
    expect(decode(named('refresh', expiry)).hasImplausibleExpiry).toBe(expected);
  });

  test.each([
    { token: 'access', expected: { expiresAtMs: undefined, isImplausible: true } },
    { token: 'refresh', expected: { expiresAtMs: NOW_MS + 31 * DAY_MS, isImplausible: false } },
  ] as const)('may be 31 days for a refresh token alone: $token', ({ token, expected }) => {
    for (const expiry of [{ at: NOW_MS + 31 * DAY_MS }, { inMillis: 31 * DAY_MS }]) {
      const tokens = decode(named(token, expiry));
      expect(tokens[`${token}ExpiresAtMs`]).toBe(expected.expiresAtMs);
      expect(tokens.hasImplausibleExpiry).toBe(expected.isImplausible);
    }
  });
});

describe('needsRenewal', () => {
  const accessToken = new Secret('access');
  const refreshToken = new Secret('refresh');
  const given = { accessToken, refreshToken };
  const received = { ...given, receivedAtMs: NOW_MS };

  test.each<{ when: string; tokens: TokenSet; atMs: number; expected: boolean }>([
    {
      when: '300.001 s before the expiry',
      tokens: { ...received, accessExpiresAtMs: NOW_MS + 2 * HOUR_MS },
      atMs: NOW_MS + 2 * HOUR_MS - 300_001,
      expected: false,
    },
    {
      when: '300 s before the expiry',
      tokens: { ...received, accessExpiresAtMs: NOW_MS + 2 * HOUR_MS },
      atMs: NOW_MS + 2 * HOUR_MS - 300_000,
      expected: true,
    },
    {
      when: 'after the expiry',
      tokens: { ...received, accessExpiresAtMs: NOW_MS + 2 * HOUR_MS },
      atMs: NOW_MS + 3 * HOUR_MS,
      expected: true,
    },
    {
      when: '300 s before the expiry of an access token alone',
      tokens: { accessToken, accessExpiresAtMs: NOW_MS + HOUR_MS },
      atMs: NOW_MS + HOUR_MS - 300_000,
      expected: true,
    },
    {
      when: 'with an unknown expiry and no refresh token',
      tokens: { accessToken },
      atMs: NOW_MS,
      expected: false,
    },
    {
      when: 'with an unknown expiry and no refresh token, long after a login',
      tokens: { accessToken, receivedAtMs: NOW_MS },
      atMs: NOW_MS + 100 * DAY_MS,
      expected: false,
    },
    {
      when: 'with an unknown expiry and a refresh token',
      tokens: given,
      atMs: NOW_MS,
      expected: true,
    },
    {
      when: 'within an hour of a renewal that brought no expiry',
      tokens: received,
      atMs: NOW_MS + HOUR_MS - 1,
      expected: false,
    },
    {
      when: 'an hour after a renewal that brought no expiry',
      tokens: received,
      atMs: NOW_MS + HOUR_MS,
      expected: true,
    },
    {
      when: 'in the first half of a life shorter than the lead',
      tokens: { ...received, accessExpiresAtMs: NOW_MS + 120_000 },
      atMs: NOW_MS + 59_999,
      expected: false,
    },
    {
      when: 'in the second half of a life shorter than the lead',
      tokens: { ...received, accessExpiresAtMs: NOW_MS + 120_000 },
      atMs: NOW_MS + 60_000,
      expected: true,
    },
  ])('$when: $expected', ({ tokens, atMs, expected }) => {
    expect(needsRenewal(tokens, atMs)).toBe(expected);
  });

  test.each([
    { accessExpiresAtMs: undefined, expected: true },
    { accessExpiresAtMs: NOW_MS + 1, expected: true },
    { accessExpiresAtMs: NOW_MS, expected: false },
    { accessExpiresAtMs: NOW_MS - 1, expected: false },
  ])('a token that expires at $accessExpiresAtMs is usable: $expected', (row) => {
    const { accessExpiresAtMs, expected } = row;
    expect(isUnexpired({ accessToken, accessExpiresAtMs }, NOW_MS)).toBe(expected);
  });
});
