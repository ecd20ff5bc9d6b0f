import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openEnvelope } from '../../src/client/exchange/envelope.ts';
import { retryAfterMs } from '../../src/client/exchange/retry.ts';
import { decodeTokens, renewAtMs } from '../../src/client/session/tokens.ts';
import { formatDuration, parseDurationMs } from '../../src/config/duration.ts';
import { scrapeWaitMs } from '../../src/http/routes.ts';
import { DAY_MS } from '../support/durations.ts';
import { faultyRecording } from './faulty-recordings.ts';
import { hostileJson, hostileText } from './hostile-values.ts';
import { readOrRefused } from '../support/refusals.ts';
import { holds } from './runs.ts';

const NOW_MS = Date.parse('2026-08-24T08:00:00Z');

test('an envelope is opened or refused, whatever is in it', () => {
  holds(
    fc.property(hostileJson, fc.constantFrom('data', 'login', 'refresh'), (payload, asked) => {
      readOrRefused(() => openEnvelope(payload, '/apis/path', asked));
    }),
  );
});

test('a refusal shows no address, token or account, whatever surrounds it', () => {
  const words = fc.oneof(hostileText, fc.string({ maxLength: 200 }));
  const secret = fc.constantFrom('me@example.org', 'a1B2'.repeat(8), '1234567890');
  holds(
    fc.property(words, secret, words, fc.constantFrom('message', 'msg'), (a, shown, b, field) => {
      const payload = { code: 1, [field]: `${a} ${shown} ${b}` };
      const open = () => openEnvelope(payload, '/apis/path', 'data');
      expect(open).toThrow(/^[\x20-\x7e…]{1,250}$/);
      expect(open).not.toThrow(shown);
    }),
  );
});

test('a token is renewed within a month, and is in no text', () => {
  const names = ['accessTokenWillExpiredAt', 'accessTokenExpiredAt', 'refreshTokenWillExpiredAt'];
  const lifetimes = ['accessTokenWillExpiredInMillis', 'refreshTokenWillExpiredInMillis'];
  const named = fc
    .dictionary(fc.constantFrom(...names, ...lifetimes), hostileJson)
    .map((fields) => ({ accessToken: 'a-made-up-token', refreshToken: 'another', ...fields }));
  holds(
    fc.property(fc.oneof(faultyRecording('tokens-'), named), (answer) => {
      const topLevel = answer as Record<string, unknown>;
      const envelope = { data: (topLevel as typeof topLevel | null)?.['data'], topLevel };
      const tokens = readOrRefused(() => decodeTokens(envelope, '/login', NOW_MS));
      if (tokens === undefined) return;
      const { accessExpiresAtMs = NOW_MS + 1, accessToken } = tokens;
      expect(accessExpiresAtMs).toBeGreaterThan(NOW_MS);
      expect(accessExpiresAtMs).toBeLessThanOrEqual(NOW_MS + 30 * DAY_MS);
      if (tokens.accessExpiresAtMs !== undefined)
        expect(renewAtMs(tokens)).toBeLessThanOrEqual(accessExpiresAtMs);
      expect(accessToken.reveal()).not.toBe('');
      expect(JSON.stringify(tokens)).not.toContain('made-up');
    }),
  );
});

test('a header asks for a pause of a day, and a scrape, at most', () => {
  const header = fc.oneof(hostileText, fc.integer().map(String), fc.double().map(String));
  holds(
    fc.property(header, fc.nat(), (text, limitMs) => {
      const pauseMs = retryAfterMs(text, NOW_MS) ?? 1;
      expect(pauseMs).toBeGreaterThan(0);
      expect(pauseMs).toBeLessThanOrEqual(DAY_MS);
      const waitMs = scrapeWaitMs({ 'x-prometheus-scrape-timeout-seconds': text }, limitMs);
      expect(waitMs).toBeGreaterThanOrEqual(0);
      expect(waitMs).toBeLessThanOrEqual(limitMs);
    }),
  );
});

test('a duration is whole milliseconds, and reads back as it is written', () => {
  const units = ['y', 'w', 'd', 'h', 'm', 's', 'ms'];
  const part = fc.constantFrom(...units, '1', '0', '.', '999999999', ' ');
  holds(
    fc.property(fc.oneof(hostileText, fc.string({ unit: part })), (text) => {
      const durationMs = parseDurationMs(text);
      if (durationMs === undefined) return;
      expect(durationMs).toSatisfy(Number.isSafeInteger);
      expect(parseDurationMs(formatDuration(durationMs))).toBe(durationMs);
    }),
  );
});
