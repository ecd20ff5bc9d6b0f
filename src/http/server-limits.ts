/** How much of clients the server bears. */
export interface ServerLimits {
  readonly maxHeaderBytes: number;
  /** A client has so long to send the head of a request. */
  readonly headersTimeoutMs: number;
  /** … and all of it. */
  readonly requestTimeoutMs: number;
  readonly handshakeTimeoutMs: number;
  /** A client that takes nothing of its answer for so long is let go. */
  readonly sendTimeoutMs: number;
  readonly keepAliveMs: number;
  readonly maxConnections: number;
  /** A request whose body is larger costs its connection; none is read. */
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
