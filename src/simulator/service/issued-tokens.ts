import { createHash } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import type { SimulatorOptions } from '../options.ts';

const REFRESH_TOKEN_LIFETIME_MS = 30 * 86_400_000;

/** The pair of tokens that a login or a refresh issued. */
export interface TokenPair {
  readonly accessToken: string;
  accessExpiresAtMs: number;
  readonly refreshToken: string;
  refreshExpiresAtMs: number;
}

/** Every token that was issued and is still valid; sessions exist side by side. */
export class IssuedTokens {
  readonly #options: SimulatorOptions;
  readonly #clock: Clock;
  #pairs: readonly TokenPair[] = [];
  #granted = 0;

  constructor(options: SimulatorOptions, clock: Clock) {
    this.#options = options;
    this.#clock = clock;
  }

  /** Issues a new pair. */
  grant(): TokenPair {
    const nowMs = this.#clock.nowMs();
    this.#granted += 1;
    // Derived from the seed, the count and the clock, so that a restart repeats none.
    const token = (kind: string): string =>
      createHash('sha256')
        .update(`${this.#options.seed}|${kind}|${this.#granted}|${nowMs}`)
        .digest('hex')
        .slice(0, 32);
    const pair = {
      accessToken: token('access'),
      accessExpiresAtMs: nowMs + this.#options.tokenLifetimeMs,
      refreshToken: token('refresh'),
      refreshExpiresAtMs: nowMs + REFRESH_TOKEN_LIFETIME_MS,
    };
    const isAlive = ({ accessExpiresAtMs, refreshExpiresAtMs }: TokenPair): boolean =>
      nowMs < Math.max(accessExpiresAtMs, refreshExpiresAtMs);
    this.#pairs = [...this.#pairs.filter(isAlive), pair];
    return pair;
  }

  /** Whether a data request with this token is accepted. */
  isValid(token: string): boolean {
    const pair = this.#pairs.find(({ accessToken }) => accessToken === token);
    return pair !== undefined && this.#clock.nowMs() < pair.accessExpiresAtMs;
  }

  /**
   * Trades a refresh token, with its access token where the form asks for it, for a new pair; both
   * old ones become invalid at once. Undefined when the refresh token is unknown, used, expired or revoked.
   */
  rotate(refreshToken: string, accessToken?: string): TokenPair | undefined {
    const pair = this.#pairs.find((one) => one.refreshToken === refreshToken);
    if (pair === undefined || this.#clock.nowMs() >= pair.refreshExpiresAtMs) return undefined;
    if (accessToken !== undefined && accessToken !== pair.accessToken) return undefined;
    this.#pairs = this.#pairs.filter((one) => one !== pair);
    return this.grant();
  }

  revokeAccessTokens(): void {
    for (const pair of this.#pairs) pair.accessExpiresAtMs = -Infinity;
  }

  revokeRefreshTokens(): void {
    for (const pair of this.#pairs) pair.refreshExpiresAtMs = -Infinity;
  }
}
