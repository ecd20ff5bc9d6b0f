import { outcomeOf, ServiceError } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import type { ClientObserver, Outcome, RenewalMethod } from '../exchange/transport.ts';
import { isBudgetUsedUp } from '../exchange/request-budget.ts';
import { isRetryable } from '../exchange/retry.ts';
import { type AuthApi, isRefusal } from './auth-api.ts';
import { reauthenticationRequired } from './session-errors.ts';
import { canRefresh, type TokenSet } from './tokens.ts';

/** The two ways to new tokens. */
export type TokenApi = Pick<AuthApi, 'canLogIn' | 'logIn' | 'refresh'>;

/**
 * Renews the tokens once, in the order of interface 5.3: refreshes, else logs in. Rejects with
 * `SERVICE_AUTH_REJECTED` when only the user can help, and else with the fault that kept the service
 * from answering.
 */
export async function renewTokens(
  tokens: TokenSet | undefined,
  auth: TokenApi,
  nowMs: number,
  report: RenewalReport,
): Promise<TokenSet> {
  let refusal: ServiceError | undefined;
  if (tokens !== undefined && mayRefresh(tokens, auth, nowMs)) {
    try {
      return await report.watch('refresh', () => auth.refresh(tokens));
    } catch (error) {
      if (!(error instanceof ServiceError) || isRetryable(error.code)) throw error;
      // A wrong path says nothing about the token. Logging in may still work, where there is an account.
      if (!isRefusal(error) && !auth.canLogIn) throw error;
      refusal = error;
    }
  }
  if (!auth.canLogIn) {
    const why = refusal?.message ?? 'the access token is refused and cannot be renewed';
    throw reauthenticationRequired(why, refusal);
  }
  try {
    return await report.watch('login', () => auth.logIn());
  } catch (error) {
    throw isRefusal(error) ? reauthenticationRequired(error.message, error) : error;
  }
}

/**
 * Whether to try the refresh token. Where nothing else can be had, one that has expired is tried as well:
 * our clock may have been wrong when it came.
 */
function mayRefresh(tokens: TokenSet, { canLogIn }: TokenApi, nowMs: number): boolean {
  return canRefresh(tokens, nowMs) || (tokens.refreshToken !== undefined && !canLogIn);
}

/** Counts and logs how log-ins and refreshes end. It logs a fault that lasts only once. */
export class RenewalReport {
  readonly #observer: ClientObserver;
  readonly #log: Logger;
  #loggedFailure: Outcome | undefined;
  #hasLoggedExpiry = false;

  constructor(observer: ClientObserver, log: Logger) {
    this.#observer = observer;
    this.#log = log;
  }

  /** Runs a request for tokens and reports how it ended. */
  async watch(method: RenewalMethod, request: () => Promise<TokenSet>): Promise<TokenSet> {
    try {
      const tokens = await request();
      this.#observer.renewalEnded(method, 'ok');
      this.#log.info({ method }, 'session renewed');
      this.#loggedFailure = undefined;
      if (tokens.hasImplausibleExpiry === true) this.#logImplausibleExpiry(method);
      return tokens;
    } catch (error) {
      // Nothing was sent.
      if (isBudgetUsedUp(error)) throw error;
      const code = outcomeOf(error);
      this.#observer.renewalEnded(method, code);
      // An outage tries again every minute; a line for each attempt would flood the log.
      if (this.#loggedFailure !== code)
        this.#log.warn({ method, err: error }, 'session not renewed');
      this.#loggedFailure = code;
      throw error;
    }
  }

  /** Logs it once, because such a service repeats it at every renewal. */
  #logImplausibleExpiry(method: RenewalMethod): void {
    if (this.#hasLoggedExpiry) return;
    this.#hasLoggedExpiry = true;
    this.#log.warn(
      { method },
      'the service states an implausible token expiry, which is not used; is the clock of this machine right?',
    );
  }
}
