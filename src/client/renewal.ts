import type { Clock } from '../clock.ts';
import { outcomeOf, ServiceError } from '../errors.ts';
import type { Logger } from '../log.ts';
import { type AuthApi, isRefusal } from './auth-api.ts';
import type { ClientObserver, Outcome, RenewalMethod } from './observer.ts';
import { reauthenticationRequired } from './reauthentication.ts';
import { isRetryable } from './retry.ts';
import { canRefresh, type TokenSet } from './tokens.ts';

export interface RenewalOptions {
  readonly auth: Pick<AuthApi, 'canLogIn' | 'logIn' | 'refresh'>;
  readonly clock: Clock;
  readonly observer: ClientObserver;
  readonly log: Logger;
}

/** One renewal of the tokens, in the order of interface 5.3. When to renew is the session's business. */
export class Renewal {
  readonly #options: RenewalOptions;
  #reportedFailure: Outcome | undefined;
  #hasReportedExpiry = false;

  constructor(options: RenewalOptions) {
    this.#options = options;
  }

  /**
   * Refreshes, else logs in. Rejects with `SERVICE_AUTH_REJECTED` when only the user can help, and
   * with the code of the fault when the service could not be asked.
   */
  async obtain(tokens: TokenSet | undefined): Promise<TokenSet> {
    const refreshed = await this.#refreshed(tokens);
    if (refreshed !== undefined && !(refreshed instanceof ServiceError)) return refreshed;
    if (this.#options.auth.canLogIn) return this.#loggedIn();
    const why = refreshed?.message ?? 'the access token is refused and cannot be renewed';
    throw reauthenticationRequired(why, refreshed);
  }

  /** New tokens, the reason why logging in is next, or `undefined` when there is nothing to refresh with. */
  async #refreshed(tokens: TokenSet | undefined): Promise<TokenSet | ServiceError | undefined> {
    const { auth, clock } = this.#options;
    if (tokens === undefined || !canRefresh(tokens, clock.nowMs())) return undefined;
    try {
      return await this.#counted('refresh', () => auth.refresh(tokens));
    } catch (error) {
      if (!(error instanceof ServiceError) || isRetryable(error.code)) throw error;
      // A wrong path is no verdict on the token, but where there is a login it is the way on.
      if (!isRefusal(error) && !auth.canLogIn) throw error;
      return error;
    }
  }

  async #loggedIn(): Promise<TokenSet> {
    try {
      return await this.#counted('login', () => this.#options.auth.logIn());
    } catch (error) {
      throw isRefusal(error) ? reauthenticationRequired(error.message, error) : error;
    }
  }

  async #counted(method: RenewalMethod, obtain: () => Promise<TokenSet>): Promise<TokenSet> {
    const { observer, log } = this.#options;
    try {
      const tokens = await obtain();
      observer.renewalEnded(method, 'ok');
      log.info({ method }, 'session renewed');
      this.#reportExpiry(method, tokens);
      this.#reportedFailure = undefined;
      return tokens;
    } catch (error) {
      const code = outcomeOf(error);
      observer.renewalEnded(method, code);
      // One line per change: an outage tries again every minute.
      if (this.#reportedFailure !== code) log.warn({ method, err: error }, 'session not renewed');
      this.#reportedFailure = code;
      throw error;
    }
  }

  /** Once: a service that states it wrongly does so at every renewal, and nobody here can help it. */
  #reportExpiry(method: RenewalMethod, { hasImplausibleExpiry = false }: TokenSet): void {
    if (!hasImplausibleExpiry || this.#hasReportedExpiry) return;
    this.#hasReportedExpiry = true;
    this.#options.log.warn(
      { method },
      'the service states an implausible token expiry, which is not used; is the clock of this machine right?',
    );
  }
}
