import { describe, expect, test } from 'vitest';
import { SERVICE_ERROR_CODES } from '../../../src/base/errors.ts';
import {
  decodeSession,
  encodeSession,
  type OwnedSession,
} from '../../../src/client/session/session-file.ts';

/** The text that every program of version 2 writes. */
const TEXT =
  '{"version":2,"salt":"salt","credentials":"digest","session":{' +
  '"tokens":{"accessToken":"planted","refreshToken":"planted","accessExpiresAtMs":5,"refreshExpiresAtMs":6,"receivedAtMs":2,"refreshForm":"signed-pair"},' +
  '"breaker":{"kind":"outage","failures":3,"untilMs":9,"lengthMs":86400000,"code":"SERVICE_TIMEOUT"},' +
  '"unfinished":2}}\n';

/** The text that every program of version 1 wrote. */
const TEXT_1 =
  '{"version":1,"salt":"salt","credentials":"digest","session":{' +
  '"tokens":{"accessToken":"planted","refreshToken":"planted","accessExpiresAtMs":5,"refreshExpiresAtMs":6,"receivedAtMs":2},' +
  '"credentials":{"refusals":3,"pause":{"endsAtMs":9,"lengthMs":86400000},"unfinished":2},' +
  '"outage":{"failures":1,"pause":{"endsAtMs":7,"lengthMs":6},"code":"SERVICE_TIMEOUT"},' +
  '"freshTokens":{"refusals":0,"pause":{"endsAtMs":0,"lengthMs":0},"unfinished":0}}}\n';

function decode(text: string): OwnedSession {
  return decodeSession(text) ?? expect.unreachable('it cannot be decoded');
}

/** The text with another value at this path; without one where it is undefined. */
function changed(path: string, value: unknown): string {
  const saved = JSON.parse(TEXT) as Record<string, unknown>;
  const names = path.split('.');
  const last = names.pop() ?? '';
  let place = saved;
  for (const name of names) place = place[name] as Record<string, unknown>;
  place[last] = value;
  return `${JSON.stringify(saved)}\n`;
}

describe('a saved session', () => {
  test.each([
    TEXT,
    changed('session.tokens', undefined),
    changed('session.breaker', undefined),
    ...[
      'refreshToken',
      'accessExpiresAtMs',
      'refreshExpiresAtMs',
      'receivedAtMs',
      'refreshForm',
    ].map((name) => changed(`session.tokens.${name}`, undefined)),
    ...[undefined, ...SERVICE_ERROR_CODES].map((code) => changed('session.breaker.code', code)),
  ])('is written as it was read: %s', (text) => {
    expect(encodeSession(decode(text))).toBe(text);
  });

  test('holds nothing of what only the running program knows', () => {
    const { session, ...owner } = decode(TEXT);
    const { breaker, tokens } = session;
    const running = {
      ...session,
      breaker: breaker && { ...breaker, error: new Error('planted'), more: 1 },
      tokens: tokens && { ...tokens, hasImplausibleExpiry: true },
    };
    expect(encodeSession({ ...owner, session: running })).toBe(TEXT);
    // Tokens are secrets once they are read.
    expect(JSON.stringify(running)).not.toContain('planted');
  });

  test('of version 1 gives its tokens, and its pauses are over', () => {
    const { session, ...owner } = decode(TEXT);
    const tokens = session.tokens && { ...session.tokens, refreshForm: undefined };
    expect(decode(TEXT_1)).toEqual({ ...owner, version: 1, session: { tokens, unfinished: 0 } });
  });

  test.each([
    '',
    TEXT.slice(0, 60),
    '[]',
    // As after a power cut.
    '\0'.repeat(400),
  ])('is not the text %j', (text) => {
    expect(decodeSession(text)).toBeUndefined();
  });

  test.each<[path: string, value: unknown]>([
    ['version', 3],
    ['salt', ''],
    ['session', undefined],
    ['session.tokens.accessToken', ''],
    ['session.tokens.accessExpiresAtMs', 1e300],
    ['session.tokens.refreshForm', 'of its own'],
    ['session.unfinished', -1],
    ['session.breaker.kind', 'bad-mood'],
    ['session.breaker.untilMs', 8.64e15],
    ['session.breaker.lengthMs', 86_400_001],
  ])('is none with %s: %j', (path, value) => {
    expect(decodeSession(changed(path, value))).toBeUndefined();
  });
});
