import { describe, expect, test } from 'vitest';
import {
  decodeSession,
  encodeSession,
  type OwnedSession,
} from '../../../src/client/session/session-file.ts';
import { SERVICE_ERROR_CODES } from '../../../src/base/errors.ts';
import { pauseFor } from '../../../src/client/session/pause.ts';
import type { SessionState } from '../../../src/client/session/session-state.ts';
import { freshSession, tokenSet } from './session-states.ts';

const NOW_MS = Date.parse('2026-08-24T08:00:00Z');

function owned(changes: Parameters<typeof freshSession>[0] = {}): OwnedSession {
  return { salt: 'salt', credentials: 'digest', session: freshSession(changes) };
}

/** Reveals the secrets of a session, so that two sessions can be compared. */
function revealed(saved: OwnedSession | undefined): unknown {
  const tokens = saved?.session.tokens;
  return {
    ...saved,
    version: undefined,
    session: {
      ...saved?.session,
      tokens: tokens && {
        ...tokens,
        accessToken: tokens.accessToken.reveal(),
        refreshToken: tokens.refreshToken?.reveal(),
      },
    },
  };
}

describe('an encoded session', () => {
  test.each<{ what: string; session: OwnedSession }>([
    { what: 'without tokens', session: owned() },
    { what: 'with an access token alone', session: owned({ tokens: tokenSet('access') }) },
    {
      what: 'with everything',
      session: owned({
        tokens: {
          ...tokenSet('access', 'refresh', NOW_MS),
          refreshExpiresAtMs: NOW_MS + 1,
          receivedAtMs: NOW_MS + 2,
        },
        credentials: {
          refusals: 3,
          pause: { endsAtMs: NOW_MS, lengthMs: 1_800_000 },
          unfinished: 2,
        },
        freshTokens: { refusals: 1, pause: { endsAtMs: NOW_MS, lengthMs: 60_000 }, unfinished: 0 },
        outage: { failures: 9, pause: { endsAtMs: NOW_MS, lengthMs: 86_400_000 } },
      }),
    },
    ...SERVICE_ERROR_CODES.map((code) => ({
      what: `in an outage of ${code}`,
      session: owned({ outage: { failures: 1, pause: { endsAtMs: 1, lengthMs: 1 }, code } }),
    })),
  ])('$what is decoded as it was encoded', ({ session }) => {
    expect(revealed(decodeSession(encodeSession(session)))).toEqual(revealed(session));
  });

  test('is the text that every program of version 1 writes', () => {
    const text =
      '{"version":1,"salt":"salt","credentials":"digest","session":{' +
      '"tokens":{"accessToken":"access","refreshToken":"refresh","accessExpiresAtMs":5,"receivedAtMs":2},' +
      '"credentials":{"refusals":3,"pause":{"endsAtMs":9,"lengthMs":8},"unfinished":2},' +
      '"outage":{"failures":1,"pause":{"endsAtMs":7,"lengthMs":6},"code":"SERVICE_TIMEOUT"},' +
      '"freshTokens":{"refusals":0,"pause":{"endsAtMs":0,"lengthMs":0},"unfinished":0}}}\n';
    const session = owned({
      tokens: { ...tokenSet('access', 'refresh', 5), receivedAtMs: 2, hasImplausibleExpiry: true },
      credentials: { refusals: 3, pause: { endsAtMs: 9, lengthMs: 8 }, unfinished: 2 },
      outage: { failures: 1, pause: { endsAtMs: 7, lengthMs: 6 }, code: 'SERVICE_TIMEOUT' },
    });
    expect(encodeSession(session)).toBe(text);
    expect(encodeSession(decodeSession(text) ?? owned())).toBe(text);
  });

  test('holds nothing of what only the running program knows', () => {
    const pause = { ...pauseFor(60_000, NOW_MS), endsAfterSetBackMs: 65_000 };
    const state: SessionState = {
      ...owned().session,
      credentials: { refusals: 1, pause, unfinished: 0 },
      isReauthenticationRequired: true,
      refusedTokens: tokenSet('planted'),
      lastFailure: new Error('planted'),
    };
    const text = encodeSession({ ...owned(), session: state });
    expect(text).not.toMatch(/planted|SetBack|isReauthentication/);
    expect(decodeSession(text)?.session.credentials.pause).toEqual(pauseFor(60_000, NOW_MS));
  });

  test('is one line', () => {
    expect(encodeSession(owned({ tokens: tokenSet('a\nb') }))).toMatch(/^[^\n]+\n$/);
  });

  test('has its tokens as secrets once it is decoded', () => {
    const read = decodeSession(encodeSession(owned({ tokens: tokenSet('planted', 'planted') })));
    expect(JSON.stringify(read)).not.toContain('planted');
  });

  test('may have fields of a newer program, which are ignored', () => {
    const text = encodeSession(owned({ tokens: tokenSet('access') }));
    const newer = JSON.parse(text) as { session: Record<string, unknown> };
    newer.session['more'] = 1;
    expect(revealed(decodeSession(JSON.stringify(newer)))).toEqual(revealed(decodeSession(text)));
  });
});

describe('decoding', () => {
  test.each([
    { what: 'an empty file', text: '' },
    { what: 'half a session', text: encodeSession(owned()).slice(0, 60) },
    { what: 'zeros, as after a power cut', text: '\0'.repeat(400) },
    { what: 'random bytes', text: '\u{FFFD}\u{1}{' },
    { what: 'two sessions', text: encodeSession(owned()).repeat(2) },
    { what: 'null', text: 'null' },
    { what: 'a list', text: '[]' },
    { what: 'an empty object', text: '{}' },
    { what: 'a deeply nested list', text: '['.repeat(100_000) },
  ])('refuses $what', ({ text }) => {
    expect(decodeSession(text)).toBeUndefined();
  });

  test.each<[string, unknown]>([
    ['version', 2],
    ['version', '1'],
    ['version', undefined],
    ['salt', ''],
    ['salt', undefined],
    ['credentials', ''],
    ['credentials', 5],
    ['session', undefined],
    ['session', []],
    ['session.tokens', 'access'],
    ['session.tokens.accessToken', ''],
    ['session.tokens.accessToken', undefined],
    ['session.tokens.accessToken', 5],
    ['session.tokens.refreshToken', ''],
    ['session.tokens.accessExpiresAtMs', '2026'],
    ['session.tokens.accessExpiresAtMs', 1e300],
    ['session.tokens.refreshExpiresAtMs', null],
    ['session.tokens.receivedAtMs', -1e300],
    ['session.tokens.receivedAtMs', Date.UTC(2200, 0) + 1],
    ['session.credentials', undefined],
    ['session.credentials.refusals', -1],
    ['session.credentials.refusals', 0.5],
    ['session.credentials.refusals', '1'],
    ['session.credentials.unfinished', undefined],
    ['session.credentials.pause', undefined],
    ['session.credentials.pause.endsAtMs', 1e300],
    ['session.credentials.pause.endsAtMs', null],
    ['session.credentials.pause.endsAtMs', 8.64e15],
    ['session.credentials.pause.lengthMs', -1],
    ['session.credentials.pause.lengthMs', 86_400_001],
    ['session.freshTokens', undefined],
    ['session.freshTokens.pause.lengthMs', 1e300],
    ['session.outage', undefined],
    ['session.outage.failures', -1],
    ['session.outage.code', 'SERVICE_ON_FIRE'],
    ['session.outage.pause.endsAtMs', 'soon'],
  ])('refuses a session with %s: %j', (path, value) => {
    const saved: unknown = JSON.parse(encodeSession(owned({ tokens: tokenSet('a', 'r', NOW_MS) })));
    expect(decodeSession(JSON.stringify(saved))).toBeDefined();
    const names = path.split('.');
    const last = names.pop() ?? '';
    let place = saved as Record<string, unknown>;
    for (const name of names) place = place[name] as Record<string, unknown>;
    place[last] = value;
    expect(decodeSession(JSON.stringify(saved))).toBeUndefined();
  });
});
