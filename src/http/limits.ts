import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/log.ts';

/** What the server bears from its clients: few of them, who ask for small things. Named as Node.js names them, which keeps to them. */
export const SERVER_LIMITS = {
  maxHeaderSize: 16 * 1024,
  /** The time that a client has to send the head of a request, and a whole one; how often that is looked at. */
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 5000,
  handshakeTimeout: 10_000,
  /** Longer than any usual scrape interval, so that Prometheus keeps its connection. */
  keepAliveTimeout: 75_000,
  /** With TLS, so many take about 200 MB. */
  maxConnections: 2500,
  /** Prometheus gives a scrape 10 s in all, and something of an answer gets through even a bad line in that time. */
  sendSilenceMs: 10_000,
};

export type ServerLimits = Readonly<typeof SERVER_LIMITS>;

/** A limit that nobody reached for so long is logged again when somebody does. */
const EPISODE_GAP_MS = 60_000;

/** Notes that a limit was reached; `message` says which one and what happens at it. */
export type LimitLog = (message: string, fields?: Readonly<Record<string, unknown>>) => void;

/** Logs that clients reach a limit: one line when it begins, however often it happens until it has ended. */
export function createLimitLog(log: Logger, clock: Clock): LimitLog {
  const lastReachedAtMs = new Map<string, number>();
  return (message, fields = {}) => {
    const nowMs = clock.monotonicMs();
    const lastAtMs = lastReachedAtMs.get(message) ?? Number.NEGATIVE_INFINITY;
    lastReachedAtMs.set(message, nowMs);
    if (nowMs - lastAtMs >= EPISODE_GAP_MS) log.warn(fields, message);
  };
}
