import type { ServerOptions } from 'node:http';

/** What the server bears from its clients. */
export interface ServerLimits {
  readonly maxHeaderBytes: number;
  /** The time that a client has to send the head of a request. */
  readonly headersTimeoutMs: number;
  /** The time that a client has to send a whole request. */
  readonly requestTimeoutMs: number;
  readonly handshakeTimeoutMs: number;
  /** A client that reads nothing of its answer for so long is disconnected. */
  readonly sendSilenceMs: number;
  /** A client that has not taken its whole answer after so long is disconnected. */
  readonly sendTimeoutMs: number;
  /** What may wait to be taken by all clients together; beyond it, the one that takes longest is disconnected. */
  readonly maxUnsentBytes: number;
  readonly keepAliveMs: number;
  /** A newcomer beyond them takes the place of the one that is idle longest, else of the one that takes its answer longest. */
  readonly maxConnections: number;
  /** The connections on which nobody was let in by a password yet, where passwords are asked for. */
  readonly maxStrangers: number;
  /** The requests of one connection that may wait while one is answered; the next one is refused and the last. */
  readonly maxWaitingRequests: number;
  /** The requests behind the last one that are ignored before the connection is closed at once. */
  readonly maxDroppedRequests: number;
  /** A request with a larger body costs its connection; no body is read. */
  readonly maxIgnoredBodyBytes: number;
}

/** The limits of a server that few clients ask for small things. */
export const SERVER_LIMITS: ServerLimits = {
  maxHeaderBytes: 16 * 1024,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  handshakeTimeoutMs: 10_000,
  // Prometheus gives a scrape 10 s in all, and something comes through even a bad line in that time.
  sendSilenceMs: 10_000,
  // Longer than any usual time-out of a scrape: whoever waited so long has given up.
  sendTimeoutMs: 30_000,
  // More than the largest page, and little enough for a machine with 512 MB: with TLS, every client has its own copy.
  maxUnsentBytes: 128 * 1024 * 1024,
  // Longer than any usual scrape interval, so that Prometheus keeps its connection.
  keepAliveMs: 75_000,
  // Half of the 1024 open files that a process usually may have: the rest is for the service and for files.
  maxConnections: 512,
  // A first log-in takes a second at most, so that few honest clients are strangers at the same time.
  maxStrangers: 64,
  // No browser and no Prometheus sends a request before it has the answer to the one before.
  maxWaitingRequests: 8,
  // Each costs some 2 KB while it is read; a client that sends so many is out to do harm.
  maxDroppedRequests: 32,
  maxIgnoredBodyBytes: 64 * 1024,
};

/** How often Node.js looks for clients that take too long to ask. */
const CHECK_CONNECTIONS_EVERY_MS = 5000;

/** Returns the limits that Node.js enforces itself. */
export function nodeLimits(limits: ServerLimits): ServerOptions & { handshakeTimeout: number } {
  return {
    maxHeaderSize: limits.maxHeaderBytes,
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    connectionsCheckingInterval: Math.min(CHECK_CONNECTIONS_EVERY_MS, limits.headersTimeoutMs),
    handshakeTimeout: limits.handshakeTimeoutMs,
    keepAliveTimeout: limits.keepAliveMs,
  };
}
