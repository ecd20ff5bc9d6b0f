import { isRefusal, outcomeOf, ServiceError } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import type { Runtime } from '../../base/clock.ts';
import type { Envelope } from '../exchange/envelope.ts';
import { isRetryable } from '../exchange/retry.ts';
import type { ClientObserver, Outcome, RenewalMethod, Transport } from '../exchange/transport.ts';
import {
  canLogInWith,
  type CredentialOptions,
  hashOf,
  newTokenRemedy,
  signerOf,
} from './credentials.ts';
import { areCredentialsRefused, reauthenticationRequired } from './refusal.ts';
import type { TokenIssuer } from './session.ts';
import { canRefresh, decodeTokens, type IssuedTokens, type TokenSet } from './tokens.ts';

const IMPLAUSIBLE =
  'the service states an implausible token expiry, which is not used; is the clock of this machine right?';

/**
 * Creates the issuer, which asks the two endpoints for tokens (service.md#tokens), and logs and counts the outcome.
 *
 * @throws ConfigError when the encrypted application secret does not fit the application id.
 */
export function createIssuer(
  credentials: CredentialOptions,
  transport: Pick<Transport, 'send' | 'serviceClock'>,
  { newNonce }: Pick<Runtime, 'newNonce'>,
  observer: Pick<ClientObserver, 'renewalEnded'>,
  log: Logger,
): TokenIssuer {
  const { account, password } = credentials;
  const { serviceClock } = transport;
  const sign = signerOf(credentials);
  const canLogIn = canLogInWith(credentials);
  const remedy = newTokenRemedy(credentials);
  const loggedFailures = new Map<RenewalMethod, Outcome>();
  /** How often in a row a refresh met a fault of the service when a token was needed. */
  let refreshFaults = 0;
  let hasLoggedExpiry = false;

  async function ask(method: RenewalMethod, fields: object, isSigned: boolean) {
    const body = JSON.stringify(fields);
    const headers = isSigned && sign ? sign(body, newNonce()) : {};
    const decode = (envelope: Envelope, path: string): IssuedTokens =>
      decodeTokens(envelope, path, serviceClock.nowMs());
    return transport.send(method, () => ({ headers, body, decode }));
  }

  /** Sends the specified body and, where that is refused, the signed pair (service.md#tokens). */
  async function refresh(
    held: TokenSet,
    isFormDoubtful: boolean,
    refreshForm = held.refreshForm ?? 'refresh-token',
  ): Promise<IssuedTokens> {
    const isPair = refreshForm === 'signed-pair';
    const accessToken = isPair ? held.accessToken.reveal() : undefined;
    const fields = { accessToken, refreshToken: held.refreshToken?.reveal() };
    try {
      const renewed = await ask('refresh', fields, isPair);
      const refreshToken = renewed.refreshToken ?? held.refreshToken;
      return { ...renewed, refreshToken, refreshForm, isRefreshed: true };
    } catch (error) {
      const code = outcomeOf(error);
      // A service that expects the pair may also call the shorter body a bad request, or break over it each time.
      const isBroken = isFormDoubtful && code === 'SERVICE_SERVER_ERROR';
      const mayWantPair = code === 'SERVICE_AUTH_REJECTED' || isRefusal(error) || isBroken;
      if (mayWantPair && !isPair && held.refreshForm === undefined && sign)
        return refresh(held, isFormDoubtful, 'signed-pair');
      if (canLogIn || !areCredentialsRefused(error)) throw error;
      throw reauthenticationRequired(error.message, { cause: error, remedy });
    }
  }

  /** Counts and logs the outcome of a request for tokens; logs a lasting failure once. */
  async function watch(method: RenewalMethod, request: Promise<IssuedTokens>): Promise<TokenSet> {
    try {
      const tokens = await request;
      // Such a service states it at every renewal, so it is logged once.
      if (tokens.hasImplausibleExpiry && !hasLoggedExpiry) log.warn({ method }, IMPLAUSIBLE);
      hasLoggedExpiry ||= tokens.hasImplausibleExpiry;
      observer.renewalEnded(method, 'ok');
      log.info({ method }, 'session renewed');
      loggedFailures.clear();
      return tokens;
    } catch (error) {
      const code = outcomeOf(error);
      observer.renewalEnded(method, code);
      // An outage tries again every minute; a line for each attempt would flood the log.
      if (loggedFailures.get(method) !== code)
        log.warn({ method, err: error }, 'session not renewed');
      loggedFailures.set(method, code);
      throw error;
    }
  }

  /** Refreshes, else logs in, in the order of service.md#session. */
  async function renew(held: TokenSet | undefined, isEarly = false): Promise<TokenSet> {
    // An expired refresh token is tried, too, where no log-in is possible, and before any answer has shown the time
    // of the service: our clock may be wrong.
    const mayTry = !canLogIn || !serviceClock.isKnown;
    if (held?.refreshToken && (canRefresh(held, serviceClock.nowMs()) || mayTry)) {
      // While the old token works, a fault of the service may end by itself.
      const isLasting = refreshFaults > 0 && !isEarly;
      try {
        // An outage breaks over the other form as well, so it is tried once.
        const tokens = await watch('refresh', refresh(held, isLasting && refreshFaults === 1));
        refreshFaults = 0;
        return tokens;
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        // The service may refuse this token with a web page.
        const isFault = isRetryable(error.code) && error.code !== 'SERVICE_BLOCKED';
        if (isFault && !isEarly) refreshFaults += 1;
        // A wrong path says nothing about the token. Logging in may still work, where there is an account.
        if (!canLogIn || (isFault && !isLasting)) throw error;
      }
    }
    if (!canLogIn) throw reauthenticationRequired(undefined, { remedy });
    const fields = { account, password: password && hashOf('md5', password.reveal()) };
    const issued = await watch('login', ask('login', fields, true));
    // The other form is tried again for the next token: this time, it may have met an outage.
    refreshFaults = Math.min(refreshFaults, 1);
    return { ...issued, refreshForm: held?.refreshForm };
  }

  return { serviceClock, canLogIn, remedy, renew };
}
