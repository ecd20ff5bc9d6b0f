// All of undici would take 9 MiB more, for a fetch, web sockets and caches that are not used here.
import errors from 'undici/lib/core/errors.js';
import Agent from 'undici/lib/dispatcher/agent.js';
import { ServiceError, type ServiceErrorCode } from '../../base/errors.ts';
import { isBelievable } from '../../base/instant.ts';
import { takeTurns } from '../../base/turns.ts';
import { AnswerReceiver, type HttpHeaders } from './answer-receiver.ts';
import { hasTooManyValues, MAX_VALUES, parseJson } from './decode.ts';
import { retryAfterMs } from './retry.ts';

/** Far more than a correct answer needs: 2000 readings of seven keys take some 200 KiB. */
const MAX_RESPONSE_BYTES = 8 * 1024 * 1024;
const MAX_CONNECT_MS = 10_000;
/** Answers of many devices arrive together; so many are decoded before others have their turn. */
const ANSWERS_PER_TURN = 8;

export interface TransportOptions {
  /** The longest time from the first byte sent to the last byte received. */
  readonly timeoutMs: number;
  readonly nowMs: () => number;
}

export interface ServiceRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent unchanged with POST, because a signature may cover it. Without it, the request is a GET. */
  readonly body?: string | undefined;
}

/** A 2xx answer. */
export interface ServiceAnswer {
  /** The parsed JSON. */
  readonly payload: unknown;
  /** The `Date` header; absent where it does not tell the service's present time. */
  readonly dateMs?: number | undefined;
}

/**
 * The simulated service puts this header on every answer. Another service that sends it only makes us call
 * its values simulated, so it can be believed.
 */
const SIMULATED_HEADER = 'x-simulated-service';

/** Sends requests and translates every failure. Only this file uses the HTTP library. */
export interface Transport {
  /** Whether any answer said that it comes from the simulated service. */
  readonly isSimulated: boolean;
  /** Rejects with a {@link ServiceError} for everything but a 2xx answer of JSON. */
  send(request: ServiceRequest): Promise<ServiceAnswer>;
  close(): Promise<void>;
}

/** Creates a {@link Transport} with its own connections. */
export function createTransport(options: TransportOptions): Transport {
  const { timeoutMs, nowMs } = options;
  let isSimulated = false;
  const agent = new Agent({
    connect: { timeout: Math.min(MAX_CONNECT_MS, timeoutMs) },
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    maxResponseSize: MAX_RESPONSE_BYTES,
  });

  const turns = takeTurns(ANSWERS_PER_TURN);

  async function send({ url, headers, body }: ServiceRequest): Promise<ServiceAnswer> {
    try {
      const receiver = new AnswerReceiver(timeoutMs);
      const method = body === undefined ? 'GET' : 'POST';
      const path = url.pathname + url.search;
      agent.dispatch({ origin: url.origin, path, method, headers, body: body ?? null }, receiver);
      const answer = await receiver.answer;
      isSimulated ||= SIMULATED_HEADER in answer.headers;
      if (answer.status >= 300)
        throw statusError(answer.status, addressOf(url), answer.headers, nowMs());
      await turns();
      if (hasTooManyValues(answer.text)) throw tooManyValues(addressOf(url));
      const payload = parseJson(answer.text);
      // A cache repeats the date at which it stored the answer.
      const { date, age } = answer.headers;
      return { payload, dateMs: age === undefined ? dateOf(date) : undefined };
    } catch (error) {
      throw toServiceError(error, addressOf(url));
    }
  }

  return {
    send,
    close: () => agent.destroy(),
    get isSimulated() {
      return isSimulated;
    },
  };
}

/** Says what was asked, host and path: never the query, which names a device. */
export function addressOf({ origin, pathname }: URL): string {
  return `${origin}${pathname}`;
}

function tooManyValues(address: string): ServiceError {
  return new ServiceError('SERVICE_PAYLOAD_INVALID', `${address}: more than ${MAX_VALUES} values`);
}

function dateOf(header: string | string[] | undefined): number | undefined {
  const dateMs = typeof header === 'string' ? Date.parse(header) : Number.NaN;
  return Number.isNaN(dateMs) ? undefined : dateMs;
}

function statusError(
  status: number,
  address: string,
  headers: HttpHeaders,
  nowMs: number,
): ServiceError {
  const message = `${address}: HTTP ${status}`;
  const dateMs = dateOf(headers['date']) ?? nowMs;
  return new ServiceError(codeOfStatus(status), message, {
    // An HTTP date in Retry-After is by the clock of the Date header.
    retryAfterMs: retryAfterMs(headers['retry-after'], isBelievable(dateMs) ? dateMs : nowMs),
  });
}

function codeOfStatus(status: number): ServiceErrorCode {
  if (status === 401 || status === 403) return 'SERVICE_AUTH_REJECTED';
  if (status === 429) return 'SERVICE_RATE_LIMITED';
  return status >= 500 ? 'SERVICE_SERVER_ERROR' : 'SERVICE_REQUEST_REJECTED';
}

function toServiceError(error: unknown, address: string): unknown {
  if (error instanceof ServiceError) return error;
  const translated = translate(error);
  if (translated === undefined) return error; // a bug of the program: its stack must reach the log
  return new ServiceError(translated.code, `${address}: ${translated.reason}`, { cause: error });
}

function translate(error: unknown): { code: ServiceErrorCode; reason: string } | undefined {
  if (error instanceof SyntaxError || error instanceof RangeError)
    return { code: 'SERVICE_PAYLOAD_INVALID', reason: 'the answer is not JSON' };
  if (error instanceof errors.ResponseExceededMaxSizeError)
    return { code: 'SERVICE_PAYLOAD_INVALID', reason: `more than ${MAX_RESPONSE_BYTES} bytes` };
  if (
    (error instanceof DOMException && error.name === 'TimeoutError') ||
    error instanceof errors.ConnectTimeoutError ||
    error instanceof errors.HeadersTimeoutError ||
    error instanceof errors.BodyTimeoutError
  )
    return { code: 'SERVICE_TIMEOUT', reason: 'no complete answer in time' };
  // Some parser errors have no code.
  if (error instanceof errors.HTTPParserError)
    return { code: 'SERVICE_UNREACHABLE', reason: 'the answer is not HTTP' };
  // Errors of sockets, DNS and TLS have a code: ECONNREFUSED, UND_ERR_….
  const reason = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof reason === 'string' ? { code: 'SERVICE_UNREACHABLE', reason } : undefined;
}
