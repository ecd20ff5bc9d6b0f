// All of undici would take 9 MiB more, for a fetch, web sockets and caches that are not used here.
import request from 'undici/lib/api/api-request.js';
import Agent from 'undici/lib/dispatcher/agent.js';
import { type Clock, startTimer } from '../../base/clock.ts';
import {
  outcomeOf,
  ServiceError,
  type ServiceErrorCode,
  type ServiceErrorOptions,
} from '../../base/errors.ts';
import { isBelievable } from '../../base/instant.ts';
import type { NoteDropped } from '../../base/limits.ts';
import type { Logger } from '../../base/log.ts';
import { takeTurns } from '../../base/turns.ts';
import type { Operation } from '../endpoints.ts';
import { hasTooManyValues, MAX_VALUES, parseJson } from './decode.ts';
import type { RequestBucket } from './request-bucket.ts';
import { retryAfterMs } from './retry.ts';

/** Far more than a correct answer needs: 2000 readings of seven keys take some 200 KiB. */
const MAX_RESPONSE_BYTES = 8 * 1024 * 1024;
const MAX_CONNECT_MS = 10_000;
/** Answers of many devices arrive together; so many are decoded before others have their turn. */
const ANSWERS_PER_TURN = 8;
/**
 * The simulated service puts this header on every answer. Another service that sends it only makes us call
 * its values simulated, so it can be believed.
 */
const SIMULATED_HEADER = 'x-simulated-service';

export type Outcome = 'ok' | ServiceErrorCode | 'UNEXPECTED';

export type RenewalMethod = 'refresh' | 'login';

/** Is notified of every request and every renewal of the token, to count them. */
export interface ClientObserver {
  requestEnded(operation: Operation, outcome: Outcome, durationSeconds: number): void;
  renewalEnded(method: RenewalMethod, outcome: Outcome): void;
  /** Is told what a limit left out. */
  dropped: NoteDropped;
}

export interface ServiceRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent unchanged with POST, because a signature may cover it. Without it, the request is a GET. */
  readonly body?: string | undefined;
}

/** Sends one request and decodes its answer. Rejects with a {@link ServiceError} unless it is 2xx, JSON and decoded. */
export type SendRequest = <T>(
  operation: Operation,
  request: ServiceRequest,
  decode: (payload: unknown) => T,
) => Promise<T>;

/** Sends all requests, for data and for tokens. Only this file uses the HTTP library. */
export interface Transport {
  readonly send: SendRequest;
  readonly serviceClock: ServiceClock;
  /** Whether any answer said that it comes from the simulated service. */
  readonly isSimulated: () => boolean;
  readonly close: () => Promise<void>;
}

export interface TransportOptions {
  /** The longest time from the first byte sent to the last byte received. */
  readonly timeoutMs: number;
  readonly bucket: Pick<RequestBucket, 'spend'>;
  readonly clock: Pick<Clock, 'nowMs' | 'monotonicMs'>;
  readonly observer: Pick<ClientObserver, 'requestEnded'>;
  readonly log: Logger;
}

/** Creates a {@link Transport} with its own connections, as many as there are requests at once. */
export function createTransport({
  timeoutMs,
  bucket,
  clock,
  observer,
  log,
}: TransportOptions): Transport {
  let isSimulated = false;
  const serviceClock = new ServiceClock(clock, log);
  const agent = new Agent({
    connect: { timeout: Math.min(MAX_CONNECT_MS, timeoutMs) },
    // A service that sends a byte every now and then would keep to these: one timer limits the whole.
    headersTimeout: 0,
    bodyTimeout: 0,
    maxResponseSize: MAX_RESPONSE_BYTES,
  });
  const turns = takeTurns(ANSWERS_PER_TURN);

  /** Returns the JSON of an answer, and translates every failure. */
  async function receive({ url, headers, body }: ServiceRequest): Promise<unknown> {
    const failed = ([code, reason]: Failure, options?: ServiceErrorOptions): ServiceError =>
      new ServiceError(code, `${addressOf(url)}: ${reason}`, options);
    const whole = new AbortController();
    const stopTimer = startTimer(timeoutMs, () => whole.abort(failed(LATE)));
    try {
      const answer = await request.call(agent, {
        origin: url.origin,
        path: url.pathname + url.search,
        method: body === undefined ? 'GET' : 'POST',
        headers,
        body: body ?? null,
        signal: whole.signal,
      });
      isSimulated ||= SIMULATED_HEADER in answer.headers;
      const { date, age, 'retry-after': retryAfter } = answer.headers;
      const dateMs = Date.parse(String(date));
      if (answer.statusCode >= 300) {
        // The status says enough, however the body ends. A long one ends with its connection.
        await answer.body.dump();
        // A date in Retry-After is by the clock of the Date header.
        const nowMs = isBelievable(dateMs) ? dateMs : clock.nowMs();
        const options = { retryAfterMs: retryAfterMs(retryAfter, nowMs) };
        throw failed(failureOfStatus(answer.statusCode), options);
      }
      const text = await answer.body.text();
      await turns();
      if (hasTooManyValues(text)) throw failed(TOO_MANY_VALUES);
      const payload = parseJson(text);
      // A cache repeats the date at which it stored the answer.
      if (!Number.isNaN(dateMs) && age === undefined) serviceClock.observe(dateMs);
      return payload;
    } catch (error) {
      const failure = failureOf(error);
      throw failure === undefined ? error : failed(failure, { cause: error });
    } finally {
      stopTimer();
    }
  }

  /** Times and counts a request, decoding included. */
  const send: SendRequest = async (operation, request, decode) => {
    await bucket.spend();
    const startedAtMs = clock.monotonicMs();
    let outcome: Outcome = 'ok';
    try {
      return decode(await receive(request));
    } catch (error) {
      outcome = outcomeOf(error);
      throw error;
    } finally {
      observer.requestEnded(operation, outcome, (clock.monotonicMs() - startedAtMs) / 1000);
    }
  };

  return { send, serviceClock, isSimulated: () => isSimulated, close: () => agent.destroy() };
}

/** Says what was asked, host and path: never the query, which names a device. */
export function addressOf({ origin, pathname }: URL): string {
  return `${origin}${pathname}`;
}

type Failure = readonly [code: ServiceErrorCode, reason: string];

const LATE: Failure = ['SERVICE_TIMEOUT', 'no complete answer in time'];
const TOO_LONG: Failure = ['SERVICE_PAYLOAD_INVALID', `more than ${MAX_RESPONSE_BYTES} bytes`];
const TOO_MANY_VALUES: Failure = ['SERVICE_PAYLOAD_INVALID', `more than ${MAX_VALUES} values`];

function failureOfStatus(status: number): Failure {
  const reason = `HTTP ${status}`;
  if (status === 401 || status === 403) return ['SERVICE_AUTH_REJECTED', reason];
  if (status === 429) return ['SERVICE_RATE_LIMITED', reason];
  return [status >= 500 ? 'SERVICE_SERVER_ERROR' : 'SERVICE_REQUEST_REJECTED', reason];
}

/** Returns undefined for what is a failure of the service already, and for a bug: its stack must reach the log. */
function failureOf(error: unknown): Failure | undefined {
  if (error instanceof ServiceError || !(error instanceof Error)) return undefined;
  if (error instanceof SyntaxError || error instanceof RangeError)
    return ['SERVICE_PAYLOAD_INVALID', 'the answer is not JSON'];
  // Some parser errors have no code.
  if (error.name === 'HTTPParserError') return ['SERVICE_UNREACHABLE', 'the answer is not HTTP'];
  // Errors of sockets, DNS and TLS have a code: ECONNREFUSED, UND_ERR_….
  const reason = 'code' in error ? error.code : undefined;
  if (reason === 'UND_ERR_CONNECT_TIMEOUT') return LATE;
  if (reason === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') return TOO_LONG;
  return typeof reason === 'string' ? ['SERVICE_UNREACHABLE', reason] : undefined;
}

/** Ignores smaller differences: an answer takes time to arrive and is dated in whole seconds. */
const TOLERANCE_MS = 60_000;
/** How many successive answers have to agree: one server of several may have a wrong clock. */
const CONFIRMATIONS = 3;

/**
 * Tells the time of the service by the date of its answers. With it, a machine whose clock is wrong still
 * asks for the right hour, and compares a reading with the clock that dated it.
 */
export class ServiceClock {
  readonly #clock: Pick<Clock, 'nowMs'>;
  readonly #log: Pick<Logger, 'warn'> | undefined;
  #hasWarned = false;
  /** By how much the last answers were ahead of us, the newest last. */
  #observedMs: readonly number[] = [];
  #isConfirmed = false;
  #aheadMs = 0;

  /** @param log - is told once of a date that nobody can believe. */
  constructor(clock: Pick<Clock, 'nowMs'>, log?: Pick<Logger, 'warn'>) {
    this.#clock = clock;
    this.#log = log;
  }

  /**
   * Learns the difference from the date of an answer that has just arrived. Until answers have agreed
   * for the first time, the one that is closest to our clock counts. A date that nobody can believe is
   * ignored.
   */
  observe(dateMs: number): void {
    if (!isBelievable(dateMs)) {
      if (!this.#hasWarned)
        this.#log?.warn(
          {},
          'the service dates answers outside of 1970 to 2199: no such date is used',
        );
      this.#hasWarned = true;
      return;
    }
    const observedMs = [...this.#observedMs, dateMs - this.#clock.nowMs()].slice(-CONFIRMATIONS);
    this.#observedMs = observedMs;
    const [leastMs = 0, middleMs = 0, mostMs = Infinity] = observedMs.toSorted((a, b) => a - b);
    const isAgreed = mostMs - leastMs <= TOLERANCE_MS;
    if (this.#isConfirmed && !isAgreed) return;
    this.#isConfirmed = isAgreed;
    const closestMs = observedMs.toSorted((a, b) => Math.abs(a) - Math.abs(b))[0] ?? 0;
    const aheadMs = isAgreed ? middleMs : closestMs;
    this.#aheadMs = Math.abs(aheadMs) <= TOLERANCE_MS ? 0 : aheadMs;
  }

  /** How far the service is ahead of this machine; 0 while they agree within a minute. */
  get aheadMs(): number {
    return this.#aheadMs;
  }

  nowMs(): number {
    return this.#clock.nowMs() + this.#aheadMs;
  }
}
