import { describe, expect, test } from 'vitest';
import { SERVICE_ERROR_CODES } from '../../../src/base/errors.ts';
import {
  decodeSession,
  encodeSession,
  type OwnedSession,
} from '../../../src/client/session/session-file.ts';
import { initialState } from '../../../src/client/session/session-state.ts';

/** The text that every program of version 1 writes. */
const TEXT =
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
    ...['refreshToken', 'accessExpiresAtMs', 'refreshExpiresAtMs', 'receivedAtMs'].map((name) =>
      changed(`session.tokens.${name}`, undefined),
    ),
    ...[undefined, ...SERVICE_ERROR_CODES].map((code) => changed('session.outage.code', code)),
  ])('is written as it was read: %s', (text) => {
    expect(encodeSession(decode(text))).toBe(text);
  });

  test('holds nothing of what only the running program knows', () => {
    const { session, ...owner } = decode(TEXT);
    const { credentials, tokens } = session;
    const running = {
      ...{ ...initialState(session), refusedTokens: tokens, setBackSeenAtMs: 4 },
      credentials: { ...credentials, pause: { ...credentials.pause, endsAfterSetBackMs: 5 } },
      tokens: tokens && { ...tokens, hasImplausibleExpiry: true },
    };
    expect(encodeSession({ ...owner, session: running })).toBe(TEXT);
  });

  test('has its tokens as secrets once it is read', () => {
    expect(JSON.stringify(decode(TEXT))).not.toContain('planted');
  });

  test('may have fields of a newer program, which are ignored', () => {
    expect(encodeSession(decode(changed('session.more', 1)))).toBe(TEXT);
  });

  test.each([
    ...['', TEXT.slice(0, 60), TEXT.repeat(2), 'null', '[]', '['.repeat(100_000)],
    // As after a power cut.
    '\0'.repeat(400),
  ])('is not the text %j', (text) => {
    expect(decodeSession(text)).toBeUndefined();
  });

  test.each<[path: string, ...values: readonly unknown[]]>([
    ['version', 2, '1', undefined],
    ['salt', '', undefined],
    ['credentials', '', 5],
    ['session', undefined, []],
    ['session.tokens', 'access'],
    ['session.tokens.accessToken', '', undefined],
    ['session.tokens.refreshToken', ''],
    ['session.tokens.accessExpiresAtMs', '2026', 1e300],
    ['session.tokens.refreshExpiresAtMs', null],
    ['session.tokens.receivedAtMs', -1e300, Date.UTC(2200, 0) + 1],
    ['session.credentials', undefined],
    ['session.credentials.refusals', -1, 0.5],
    ['session.credentials.unfinished', undefined],
    ['session.credentials.pause', undefined],
    ['session.credentials.pause.endsAtMs', 8.64e15],
    ['session.credentials.pause.lengthMs', -1, 86_400_001],
    ['session.freshTokens', undefined],
    ['session.outage', undefined],
    ['session.outage.failures', -1],
    ['session.outage.code', 'SERVICE_ON_FIRE'],
    ['session.outage.pause.endsAtMs', 'soon'],
  ])('is none with %s: %j %j %j', (path, ...values) => {
    for (const value of values) expect(decodeSession(changed(path, value))).toBeUndefined();
  });
});
