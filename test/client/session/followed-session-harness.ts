import { vi } from 'vitest';
import type { FollowedState } from '../../../src/client/session/followed-file.ts';
import { FollowedSession } from '../../../src/client/session/followed-session.ts';
import type { SavedState } from '../../../src/client/session/session-state.ts';
import type { TokenSet } from '../../../src/client/session/tokens.ts';
import { settled } from '../../support/deferred.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { freshSession, HOUR_MS, tokenSet } from './session-harness.ts';

const POLL_MS = 2000;
export const NOW_MS = new FakeClock().nowMs();

/** What the file says while the exporter has this token, which expires in two hours unless told otherwise. */
export function holding(
  access: string,
  changes: Partial<SavedState> & { readonly expiresAtMs?: number } = {},
): FollowedState {
  const { expiresAtMs = NOW_MS + 2 * HOUR_MS, ...state } = changes;
  const tokens = tokenSet(access, `refresh of ${access}`, expiresAtMs);
  return { kind: 'session', session: freshSession({ tokens, ...state }) };
}

/** What the file says while the exporter has no token. */
export function holdingNone(changes: Partial<SavedState> = {}): FollowedState {
  return { kind: 'session', session: freshSession(changes) };
}

/** Follows an exporter whose session file a test replaces; the data endpoint answers with the token. */
export function follow(first: FollowedState, configuredTokens?: TokenSet) {
  const clock = new FakeClock();
  const file = { state: first };
  const read = vi.fn(() => Promise.resolve(file.state));
  const onWait = vi.fn();
  const session = new FollowedSession({ file: { read }, configuredTokens, clock, onWait });
  const send = vi.fn((token: string) => Promise.resolve(token));
  return {
    session,
    clock,
    file,
    read,
    onWait,
    send,
    ask: (isOptional?: boolean) =>
      session.withToken((accessToken) => send(accessToken.reveal()), isOptional),
    /** Lets the session poll so often, and `atEach` happen before each time. */
    poll: async (times: number, atEach: () => void = () => undefined) => {
      for (let count = 0; count < times; count += 1) {
        await settled();
        atEach();
        clock.advance(POLL_MS);
      }
      await settled();
    },
  };
}
