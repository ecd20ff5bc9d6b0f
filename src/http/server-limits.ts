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
  readonly sendTimeoutMs: number;
  readonly keepAliveMs: number;
  readonly maxConnections: number;
  /** A request with a larger body costs its connection; no body is read. */
  readonly maxIgnoredBodyBytes: number;
}

/** The limits of a server that few clients ask for small things. */
export const SERVER_LIMITS: ServerLimits = {
  maxHeaderBytes: 16 * 1024,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  handshakeTimeoutMs: 10_000,
  sendTimeoutMs: 30_000,
  // Longer than any usual scrape interval, so that Prometheus keeps its connection.
  keepAliveMs: 75_000,
  // Half of the 1024 open files that a process usually may have: the rest is for the service and for files.
  maxConnections: 512,
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
