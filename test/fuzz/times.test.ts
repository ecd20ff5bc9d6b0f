import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { retryAfterMs } from '../../src/client/exchange/retry.ts';
import { parseTimestamp } from '../../src/client/exchange/decode.ts';
import { isTimeZone } from '../../src/base/time-zone-name.ts';
import { decodeTokens, needsRenewal } from '../../src/client/session/tokens.ts';
import { formatDuration, parseDurationMs } from '../../src/config/duration.ts';
import { scrapeWaitMs } from '../../src/http/metrics-route.ts';
import { answerIn, anyRecording } from './fixtures.ts';
import { hostileJson, hostileText } from './hostile-values.ts';
import { edited, edits } from './mutations.ts';
import { readOrRefused } from './refusals.ts';
import { holds } from './runs.ts';
import { DAY_MS } from '../support/durations.ts';

const NOW_MS = Date.parse('2026-08-24T08:00:00Z');
const header = fc.oneof(hostileText, fc.integer().map(String), fc.double().map(String));

describe('whatever a login answers', () => {
  const FIELDS = [
    'accessTokenWillExpiredAt',
    'accessTokenExpiredAt',
    'refreshTokenWillExpiredAt',
    'accessTokenWillExpiredInMillis',
    'refreshTokenWillExpiredInMillis',
  ];
  const named = fc.dictionary(fc.constantFrom(...FIELDS), hostileJson);
  const recorded = fc
    .tuple(anyRecording('tokens-'), edits)
    .map(([file, changes]) => edited(answerIn(file), changes));
  const anyTokens = fc.oneof(
    recorded,
    named.map((fields) => ({ accessToken: 'a-made-up-token', refreshToken: 'another', ...fields })),
  );

  test('a token is renewed later, within a month, and is in no text', () => {
    holds(
      fc.property(anyTokens, (topLevel) => {
        const envelope = {
          data: (topLevel as { data?: unknown } | null)?.data,
          topLevel: topLevel as Record<string, unknown>,
        };
        const tokens = readOrRefused(() => decodeTokens(envelope, '/login', NOW_MS));
        if (tokens === undefined) return;
        const { accessExpiresAtMs = NOW_MS + 1, accessToken } = tokens;
        expect(accessExpiresAtMs).toBeGreaterThan(NOW_MS);
        expect(accessExpiresAtMs).toBeLessThanOrEqual(NOW_MS + 30 * DAY_MS);
        if (tokens.accessExpiresAtMs !== undefined)
          expect(needsRenewal(tokens, accessExpiresAtMs)).toBe(true);
        expect(accessToken.reveal()).not.toBe('');
        expect(JSON.stringify(tokens)).not.toContain('made-up');
      }),
    );
  });
});

describe('whatever a header or a text says', () => {
  test('a pause that is asked for is longer than nothing and no longer than a day', () => {
    holds(
      fc.property(header, (text) => {
        const pauseMs = retryAfterMs(text, NOW_MS) ?? 1;
        expect(pauseMs).toBeGreaterThan(0);
        expect(pauseMs).toBeLessThanOrEqual(DAY_MS);
      }),
    );
  });

  test('a scrape waits no longer than it may', () => {
    holds(
      fc.property(header, fc.nat(), (text, limitMs) => {
        const waitMs = scrapeWaitMs(text, limitMs);
        expect(waitMs).toBeGreaterThanOrEqual(0);
        expect(waitMs).toBeLessThanOrEqual(limitMs);
      }),
    );
  });

  test('an instant is one that a calendar holds', () => {
    holds(
      fc.property(fc.oneof(hostileText, fc.date({ noInvalidDate: true }).map(String)), (text) => {
        const atMs = parseTimestamp(text) ?? 0;
        expect(new Date(atMs).getTime()).toBe(atMs);
      }),
    );
  });

  test('a time zone is known, or not', () => {
    holds(
      fc.property(hostileText, (text) => {
        expect(isTimeZone(text)).toBeTypeOf('boolean');
      }),
    );
  });

  test('a duration is whole milliseconds, and reads back as it is written', () => {
    const part = fc.constantFrom(
      '1',
      '0',
      '.',
      'y',
      'w',
      'd',
      'h',
      'm',
      's',
      'ms',
      '999999999',
      ' ',
    );
    holds(
      fc.property(fc.oneof(hostileText, fc.string({ unit: part })), (text) => {
        const durationMs = parseDurationMs(text);
        if (durationMs === undefined) return;
        expect(durationMs).toSatisfy(Number.isSafeInteger);
        expect(parseDurationMs(formatDuration(durationMs))).toBe(durationMs);
      }),
    );
  });
});
