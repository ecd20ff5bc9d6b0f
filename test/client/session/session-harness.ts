import { vi } from 'vitest';
import { Session } from '../../../src/client/session/session.ts';
import type { StateFile } from '../../../src/base/kept-file.ts';
import type { SavedState, SessionStorage } from '../../../src/client/session/session-state.ts';
import type { TokenSet } from '../../../src/client/session/tokens.ts';
import { ServiceError, type ServiceErrorCode } from '../../../src/base/errors.ts';
import { Secret } from '../../../src/base/secret.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { SilentLog } from '../../support/silent-log.ts';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;

export interface HarnessOptions {
  readonly canLogIn?: boolean;
  readonly givenTokens?: TokenSet;
  readonly storage?: SessionStorage;
  /** Shared by sessions that follow one another. */
  readonly clock?: FakeClock;
}

/** Creates a session with a fake clock; its two token endpoints and its data endpoint are mocks. */
export function createSession({
  canLogIn = true,
  givenTokens,
  storage,
  clock = new FakeClock(),
}: HarnessOptions = {}) {
  const log = new SilentLog();
  const renewals: string[] = [];
  let serial = 0;
  const newTokens = (): TokenSet => {
    serial += 1;
    return tokenSet(`access-${serial}`, `refresh-${serial}`, clock.nowMs() + 2 * HOUR_MS);
  };
  const auth = {
    canLogIn,
    logIn: vi.fn(() => Promise.resolve(newTokens())),
    refresh: vi.fn<(tokens: TokenSet) => Promise<TokenSet>>(() => Promise.resolve(newTokens())),
  };
  const session = new Session({
    auth,
    configuredTokens: givenTokens,
    storage,
    clock,
    random: () => 0.5,
    observer: {
      requestEnded: () => undefined,
      renewalEnded: (method, outcome) => renewals.push(`${method} ${outcome}`),
      dropped: () => undefined,
    },
    log,
  });
  /** The data endpoint: answers with the token that it receives. */
  const send = vi.fn((accessToken: string) => Promise.resolve(accessToken));
  return {
    session,
    clock,
    log,
    auth,
    newTokens,
    send,
    /** What the observer received, such as `refresh ok`. */
    renewals,
    ask: () => session.withToken((accessToken) => send(accessToken.reveal())),
    /** Returns the refresh tokens that were exchanged so far. */
    exchanged: () => auth.refresh.mock.calls.map(([{ refreshToken }]) => refreshToken?.reveal()),
  };
}

export type Harness = ReturnType<typeof createSession>;

/** Creates tokens as they come from the configuration (without an expiry) or from the service. */
export function tokenSet(access: string, refresh?: string, accessExpiresAtMs?: number): TokenSet {
  return {
    accessToken: new Secret(access),
    refreshToken: refresh === undefined ? undefined : new Secret(refresh),
    accessExpiresAtMs,
  };
}

export function failWith(code: ServiceErrorCode, retryAfterMs?: number): () => Promise<never> {
  return () => Promise.reject(new ServiceError(code, `failed with ${code}`, { retryAfterMs }));
}

/** Creates a data endpoint that refuses these tokens and accepts all others. */
export function refusing(...refused: readonly string[]): (token: string) => Promise<string> {
  return (token) =>
    refused.includes(token)
      ? Promise.reject(new ServiceError('SERVICE_AUTH_REJECTED', 'token refused'))
      : Promise.resolve(token);
}

/** Asks every `intervalMs` for `durationMs`, and ignores failures. */
export async function keepAsking(
  { ask, clock }: Harness,
  durationMs: number,
  intervalMs: number,
): Promise<void> {
  for (let passedMs = 0; passedMs < durationMs; passedMs += intervalMs) {
    await ask().catch(() => undefined);
    clock.advance(intervalMs);
  }
}

/** A session file in memory. */
export class MemoryFile implements StateFile {
  text: string | undefined;
  /** Every text that was written, in order. */
  readonly written: string[] = [];
  setAsideText: string | undefined;

  constructor(text?: string) {
    this.text = text;
  }

  read(): Promise<string | undefined> {
    return Promise.resolve(this.text);
  }

  write(text: string): Promise<void> {
    this.text = text;
    this.written.push(text);
    return Promise.resolve();
  }

  setAside(): Promise<string> {
    this.setAsideText = this.text;
    this.text = undefined;
    return Promise.resolve('/state/session.json.unusable');
  }
}

/** Creates the state of a new session. */
export function freshSession(changes: Partial<SavedState> = {}): SavedState {
  const none = { refusals: 0, pause: { endsAtMs: 0, lengthMs: 0 }, unfinished: 0 };
  return {
    credentials: none,
    freshTokens: none,
    outage: { failures: 0, pause: { endsAtMs: 0, lengthMs: 0 } },
    ...changes,
  };
}
