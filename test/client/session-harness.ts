import { vi } from 'vitest';
import { Session } from '../../src/client/session.ts';
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
}

/** A session on a fake clock between two token endpoints and one data endpoint, all of them mocks. */
export function createSession({ canLogIn = true, givenTokens }: HarnessOptions = {}) {
  const clock = new FakeClock();
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
