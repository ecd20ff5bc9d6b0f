import type { Clock } from '../../base/clock.ts';
import { singleFlight } from '../../base/concurrency.ts';
import type { Secret } from '../../base/secret.ts';
import type { TokenSource } from '../exchange/caller.ts';
import { TOKEN_EXPIRED_CODE } from '../exchange/decode.ts';
import type { FollowedFile, FollowedState } from './followed-file.ts';
import {
  cannotBeFollowed,
  exporterPauses,
  hasOtherCredentials,
  notRenewed,
  tokensRefused,
} from './followed-session-errors.ts';
import { pauseEndMs } from './pause.ts';
import { endpointRefused, isTokenRefused } from './session-errors.ts';
import type { SavedState } from './session-state.ts';
import { isUnexpired, needsRenewal, type TokenSet } from './tokens.ts';

/** How often the file is read while the exporter has no token that works. */
const POLL_INTERVAL_MS = 2000;
/** Exporters are scraped every minute or so, and a scrape renews the session. */
const LONGEST_WAIT_MS = 10 * 60_000;
/** How many tokens a request is tried with: the exporter may have renewed again while one was on its way. */
const MOST_TOKENS = 3;

export interface FollowedSessionOptions {
  readonly file: Pick<FollowedFile, 'read'>;
  /** Tokens from the configuration, which the exporter uses as well until it has renewed them. */
  readonly configuredTokens?: TokenSet | undefined;
  readonly clock: Clock;
  /** Is called at the beginning of every wait for the exporter. */
  readonly onWait: () => void;
}

/**
 * Uses the access token of a running exporter, by the file in which that keeps its session. It never logs in
 * and never refreshes, which would end the exporter's session or, with a wrong password, lock the account. Where the
 * token no longer works, it waits until the exporter has another one.
 */
export class FollowedSession implements TokenSource {
  readonly #options: FollowedSessionOptions;
  readonly #next = singleFlight(() => this.#awaitTokens());
  /** The tokens in use; absent before the first ones, and once they are refused. */
  #tokens: TokenSet | undefined;
  /** The access token that the service refused last. */
  #refused: string | undefined;

  constructor(options: FollowedSessionOptions) {
    this.#options = options;
  }

  /** Waits for a token unless there is a usable one. */
  async authenticate(): Promise<void> {
    await this.#usableTokens();
  }

  /**
   * Runs `request` with the exporter's access token. When the service refuses the token, this waits for
   * another one and repeats the request.
   *
   * @param isOptional - whether the service may lack this endpoint: see {@link Session.withToken}.
   * @throws ServiceError `SERVICE_AUTH_REJECTED` when there is no token that works, and what the request throws.
   */
  async withToken<T>(request: (accessToken: Secret) => Promise<T>, isOptional = false): Promise<T> {
    for (let tried = 1; ; tried += 1) {
      const tokens = await this.#usableTokens();
      try {
        return await request(tokens.accessToken);
      } catch (error) {
        if (!isTokenRefused(error)) throw error;
        if (isOptional && error.serviceCode !== TOKEN_EXPIRED_CODE) throw endpointRefused(error);
        if (tried === MOST_TOKENS) throw tokensRefused(error);
        this.#refuse(tokens);
      }
    }
  }

  async #usableTokens(): Promise<TokenSet> {
    const tokens = this.#tokens;
    const isGood = tokens !== undefined && !needsRenewal(tokens, this.#options.clock.nowMs());
    return isGood ? tokens : this.#next();
  }

  #refuse({ accessToken }: TokenSet): void {
    const refused = accessToken.reveal();
    // Another request may have found newer tokens while ours was on its way.
    if (this.#tokens?.accessToken.reveal() !== refused) return;
    this.#refused = refused;
    this.#tokens = undefined;
  }

  /** Reads the file until it has a token that works. The bound counts the waits, whatever the clock shows. */
  async #awaitTokens(): Promise<TokenSet> {
    const { file, clock, onWait } = this.#options;
    for (let waitedMs = 0; ; waitedMs += POLL_INTERVAL_MS) {
      const state = await file.read();
      this.#tokens = this.#tokensIn(state);
      if (this.#tokens !== undefined) return this.#tokens;
      if (waitedMs >= LONGEST_WAIT_MS) throw notRenewed(state, waitedMs);
      if (waitedMs === 0) onWait();
      await clock.sleep(POLL_INTERVAL_MS);
    }
  }

  /**
   * Returns the tokens to use; absent while the exporter has none that work.
   *
   * @throws ServiceError `SERVICE_AUTH_REJECTED` when waiting would not help.
   */
  #tokensIn(state: FollowedState): TokenSet | undefined {
    if (state.kind === 'unusable') throw cannotBeFollowed(state.reason);
    if (state.kind === 'of-others') throw hasOtherCredentials();
    const nowMs = this.#options.clock.nowMs();
    const session = state.kind === 'session' ? state.session : undefined;
    const tokens = session?.tokens ?? this.#options.configuredTokens;
    const isRefused = tokens !== undefined && tokens.accessToken.reveal() === this.#refused;
    // A token near its end works until then, and the exporter renews it only when it is scraped next.
    if (tokens !== undefined && !isRefused && isUnexpired(tokens, nowMs)) return tokens;
    const pausedUntilMs = session && refusalEndMs(session, isRefused, nowMs);
    if (pausedUntilMs !== undefined) throw exporterPauses(pausedUntilMs, nowMs);
    return undefined;
  }
}

/** Returns until when the exporter asks for no other token, because the service refused it; absent when it may. */
function refusalEndMs(
  { credentials, freshTokens }: SavedState,
  areTokensRefused: boolean,
  nowMs: number,
): number | undefined {
  // An attempt under way is saved as if it were refused, in case the exporter is killed during it.
  const isAttempting = credentials.unfinished > 0;
  const refusedUntilMs = isAttempting ? undefined : pauseEndMs(credentials.pause, nowMs);
  return refusedUntilMs ?? (areTokensRefused ? pauseEndMs(freshTokens.pause, nowMs) : undefined);
}
