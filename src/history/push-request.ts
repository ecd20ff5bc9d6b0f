import { Agent, errors } from 'undici';

/** A database that has not answered by then will not. */
const TIMEOUT_MS = 60_000;

/** What a database answered, or why it did not. */
export interface PushAnswer {
  /** Absent without an answer. */
  readonly status?: number;
  readonly retryAfter?: string | undefined;
  /** `ECONNREFUSED`, say; absent where there is a status. */
  readonly reason?: string;
}

/** Sends one compressed chunk. Never rejects for what the network or the database does. */
export interface PushRequest {
  send(compressed: Buffer): Promise<PushAnswer>;
  /** Returns what the database says of itself, as text; absent where it says nothing. */
  readMetrics(): Promise<string | undefined>;
  close(): Promise<void>;
}

/**
 * Creates the requests to one address. Only this file of the room uses the HTTP library.
 *
 * @param url - has no user and no query: the option refuses them.
 * @param metricsUrl - where the database says how it is.
 */
export function createPushRequest(url: URL, metricsUrl: URL): PushRequest {
  const agent = new Agent({ connections: 1, headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS });
  const headers = {
    'content-type': 'text/plain; version=0.0.4',
    'content-encoding': 'gzip',
  };
  return {
    async send(compressed) {
      try {
        const { statusCode, ...answer } = await agent.request({
          origin: url.origin,
          path: url.pathname,
          method: 'POST',
          headers,
          body: compressed,
        });
        await answer.body.dump();
        const retryAfter = answer.headers['retry-after'];
        return {
          status: statusCode,
          ...(typeof retryAfter === 'string' && { retryAfter }),
        };
      } catch (error) {
        if (error instanceof errors.HTTPParserError) return { reason: 'the answer is not HTTP' };
        // Errors of sockets, DNS, TLS and time-outs have a code.
        if (error instanceof Error && 'code' in error && typeof error.code === 'string')
          return { reason: error.code };
        throw error;
      }
    },
    async readMetrics() {
      try {
        const { statusCode, body } = await agent.request({
          origin: metricsUrl.origin,
          path: metricsUrl.pathname,
          method: 'GET',
        });
        const text = await body.text();
        return statusCode === 200 ? text : undefined;
      } catch {
        // It only helps to notice what is thrown away; whether the database answers, the next chunk shows.
        return undefined;
      }
    },
    close: () => agent.close(),
  };
}
