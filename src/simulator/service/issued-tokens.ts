import { createHash } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import type { SimulatorOptions } from '../options.ts';

/** The pair of tokens that a login or a refresh issued. */
export interface TokenPair {
  readonly accessToken: string;
  readonly accessExpiresAtMs: number;
  readonly refreshToken: string;
  readonly refreshExpiresAtMs: number;
}

/** Every token that was issued and is still valid; sessions exist side by side. */
export class IssuedTokens {
  readonly #options: SimulatorOptions;
  readonly #clock: Clock;
  readonly #byAccessToken = new Map<string, TokenPair>();
  readonly #byRefreshToken = new Map<string, TokenPair>();
  #granted = 0;

  constructor(options: SimulatorOptions, clock: Clock) {
    this.#options = options;
    this.#clock = clock;
  }

  /** Issues a new pair. */
  grant(): TokenPair {
    const { tokenLifetimeMs, refreshTokenLifetimeMs } = this.#options;
    const nowMs = this.#clock.nowMs();
    this.#granted += 1;
    const pair: TokenPair = {
      accessToken: this.#token('access', nowMs),
      accessExpiresAtMs: nowMs + tokenLifetimeMs,
      refreshToken: this.#token('refresh', nowMs),
      refreshExpiresAtMs: nowMs + refreshTokenLifetimeMs,
    };
    this.#forgetExpired(nowMs);
    this.#byAccessToken.set(pair.accessToken, pair);
    this.#byRefreshToken.set(pair.refreshToken, pair);
    return pair;
  }

  /** Whether a data request with this token is accepted. */
  isValid(accessToken: string): boolean {
    const pair = this.#byAccessToken.get(accessToken);
    return pair !== undefined && this.#clock.nowMs() < pair.accessExpiresAtMs;
  }

  /**
   * Trades a refresh token, with its access token where the form asks for it, for a new pair; both
   * old ones become invalid at once. Undefined when the refresh token is unknown, used, expired or revoked.
   */
  rotate(refreshToken: string, accessToken?: string): TokenPair | undefined {
    const pair = this.#byRefreshToken.get(refreshToken);
    if (pair === undefined || this.#clock.nowMs() >= pair.refreshExpiresAtMs) return undefined;
    if (accessToken !== undefined && accessToken !== pair.accessToken) return undefined;
    this.#byRefreshToken.delete(pair.refreshToken);
    this.#byAccessToken.delete(pair.accessToken);
    return this.grant();
  }

  /** Makes the pair of an access token invalid. */
  revoke(accessToken: string): void {
    const pair = this.#byAccessToken.get(accessToken);
    this.#byAccessToken.delete(accessToken);
    if (pair !== undefined) this.#byRefreshToken.delete(pair.refreshToken);
  }

  revokeAccessTokens(): void {
    this.#byAccessToken.clear();
  }

  revokeRefreshTokens(): void {
    this.#byRefreshToken.clear();
  }

  /** Derives a token from the seed, the count and the clock, so that a restart repeats none. */
  #token(kind: string, nowMs: number): string {
    return createHash('sha256')
      .update(`${this.#options.seed}|${kind}|${this.#granted}|${nowMs}`)
      .digest('hex')
      .slice(0, 32);
  }

  #forgetExpired(nowMs: number): void {
    for (const [token, { accessExpiresAtMs }] of this.#byAccessToken)
      if (accessExpiresAtMs <= nowMs) this.#byAccessToken.delete(token);
    for (const [token, { refreshExpiresAtMs }] of this.#byRefreshToken)
      if (refreshExpiresAtMs <= nowMs) this.#byRefreshToken.delete(token);
  }
}
