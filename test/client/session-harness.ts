import { vi } from 'vitest';
import type { SavedSession, SessionKeeper } from '../../src/client/saved-session.ts';
import { Session } from '../../src/client/session.ts';
import type { StateFile } from '../../src/client/token-store.ts';
import type { TokenSet } from '../../src/client/tokens.ts';
import { ServiceError, type ServiceErrorCode } from '../../src/errors.ts';
import { Secret } from '../../src/secret.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { SilentLog } from '../support/silent-log.ts';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;

export interface HarnessOptions {
  readonly canLogIn?: boolean;
  readonly givenTokens?: TokenSet;
  readonly keeper?: SessionKeeper;
  /** Shared by sessions that follow one another. */
  readonly clock?: FakeClock;
}

/** A session on a fake clock between two token endpoints and one data endpoint, all of them mocks. */
export function createSession({
  canLogIn = true,
  givenTokens,
  keeper,
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
    givenTokens,
    keeper,
    clock,
    random: () => 0.5,
    observer: {
      requestEnded: () => undefined,
      renewalEnded: (method, outcome) => renewals.push(`${method} ${outcome}`),
    },
    log,
  });
  /** The data endpoint: answers with the token it was sent. */
  const send = vi.fn((accessToken: string) => Promise.resolve(accessToken));
  return {
    session,
    clock,
    log,
    auth,
    newTokens,
    send,
    /** What the observer was told, such as `refresh ok`. */
    renewals,
    ask: () => session.withToken((accessToken) => send(accessToken.reveal())),
    /** The refresh tokens that were exchanged so far. */
    exchanged: () => auth.refresh.mock.calls.map(([{ refreshToken }]) => refreshToken?.reveal()),
  };
}

export type Harness = ReturnType<typeof createSession>;

/** Tokens as the configuration gives them (no expiry) or as the service does. */
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

/** A data endpoint that refuses these tokens and takes all others. */
export function refusing(...refused: readonly string[]): (token: string) => Promise<string> {
  return (token) =>
    refused.includes(token)
      ? Promise.reject(new ServiceError('SERVICE_AUTH_REJECTED', 'token refused'))
      : Promise.resolve(token);
}

/** Asks every `intervalMs` for `durationMs`, whatever comes of it. */
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
  /** Everything that was written, in order. */
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

/** A session that nothing has happened to yet. */
export function freshSession(changes: Partial<SavedSession> = {}): SavedSession {
  const breaker = { refusals: 0, pause: { endsAtMs: 0, lengthMs: 0 }, unfinished: 0 };
  return {
    credentials: breaker,
    freshTokens: breaker,
    outage: { failures: 0, pause: { endsAtMs: 0, lengthMs: 0 } },
    ...changes,
  };
}
