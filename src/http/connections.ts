import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../base/clock.ts';
import type { LimitLog } from './limits.ts';
import type { TlsSettings } from './tls.ts';

/** What the server bears from its clients: few of them, who ask for small things. */
export const SERVER_LIMITS = {
  maxHeaderBytes: 16 * 1024,
  /** The time that a client has to send the head of a request, and a whole one. */
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  handshakeTimeoutMs: 10_000,
  /** Prometheus gives a scrape 10 s in all, and something of an answer gets through even a bad line in that time. */
  sendSilenceMs: 10_000,
  /** Longer than any usual time-out of a scrape: whoever has not taken an answer after it has given up. */
  sendTimeoutMs: 30_000,
  /** What all clients together may leave untaken: more than the largest page, and little enough for 512 MB of memory. */
  maxUnsentBytes: 128 * 1024 * 1024,
  /** Longer than any usual scrape interval, so that Prometheus keeps its connection. */
  keepAliveMs: 75_000,
  /** Half of the 1024 open files that a process usually may have: the rest is for the service and for files. */
  maxConnections: 512,
  /** A request with a larger body costs its connection; no body is read. */
  maxIgnoredBodyBytes: 64 * 1024,
};

export type ServerLimits = Readonly<typeof SERVER_LIMITS>;

/** One connection, from its first packet on. */
export interface Connection {
  /** The socket as it was accepted; with TLS, requests come through another one around it. */
  readonly socket: Socket;
  /** Both ends of the connection, which are the same on both sockets of TLS. */
  readonly ends: string;
  /** The TLS settings that it began with. */
  readonly tls: TlsSettings | undefined;
  /** The answer that is made or sent; absent while the connection idles. */
  answer?: ServerResponse | undefined;
  /** Whether another request waits for the end of that answer. */
  isAwaited: boolean;
  /** Whether somebody has shown a password on it. */
  isLetIn: boolean;
}

export interface ConnectionsOptions {
  /** The TLS settings for a connection that begins now; undefined for plain HTTP. */
  readonly currentTls: () => TlsSettings | undefined;
  readonly limits: ServerLimits;
  readonly clock: Clock;
  readonly limitReached: LimitLog;
  /** Answers a request, once it is its turn. */
  readonly answer: (
    request: IncomingMessage,
    response: ServerResponse,
    connection: Connection,
  ) => void;
}

/**
 * Watches the connections of a server for what Node.js does not: those that idle or still shake hands, requests
 * that do not wait for the answer before them, and answers that nobody takes.
 */
export class Connections {
  readonly #options: ConnectionsOptions;
  /** By its ends; the one that has been idle longest comes first. */
  readonly #open = new Map<string, Connection>();
  /** By the socket that requests come through. */
  readonly #asking = new WeakMap<Socket, Connection>();
  /** How many bytes of its answer wait to be taken, in the order in which the answers were handed over. */
  readonly #unsentBytes = new Map<Connection, number>();
  #isClosing = false;

  /** Watches the connections of `server`, which must not listen yet. */
  constructor(server: Server, options: ConnectionsOptions) {
    this.#options = options;
    // A connection that was closed for a newcomer counts here until the system has let go of it.
    server.maxConnections = 2 * options.limits.maxConnections;
    server.on('connection', (socket: Socket) => this.#accept(socket));
    server.prependListener('secureConnection', (socket: Socket) => {
      const connection = this.#open.get(endsOf(socket));
      if (connection !== undefined) this.#asking.set(socket, connection);
    });
    const begin = (request: IncomingMessage, response: ServerResponse): void =>
      this.#begin(request, response);
    server.on('request', begin);
    // A client that asks before it sends a body gets its answer at once, and need not send the body.
    server.on('checkContinue', begin);
  }

  /** Lets a request be answered that has waited for the answer before it; any other ends its connection. */
  #begin(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    // Node.js goes on to read requests out of a packet whose connection was given up.
    if (socket.destroyed) return;
    const connection = this.#asking.get(socket);
    if (connection === undefined || connection.socket.destroyed) {
      // Its client has left.
      socket.destroy();
    } else if (connection.answer === undefined) {
      connection.answer = response;
      response.once('close', () => {
        connection.answer = undefined;
        this.#unsentBytes.delete(connection);
        if (this.#forget(connection)) this.#open.set(connection.ends, connection);
        if (this.#isClosing) connection.socket.destroy();
      });
      this.#options.answer(request, response, connection);
    } else if (connection.answer.writableEnded && !connection.isAwaited) {
      // A client may have all of an answer before Node.js hears that it was sent, above all over TLS.
      connection.isAwaited = true;
      connection.answer.once('close', () => {
        connection.isAwaited = false;
        // Nobody would receive an answer after one that closes the connection.
        if (response.socket === null) return;
        // The time-out of the answer before still runs, and is none for one that has to be made.
        response.setTimeout(0);
        this.#begin(request, response);
      });
    } else {
      const message = 'connections closed: a request did not wait for the answer before it';
      this.#giveUp(connection, message);
    }
  }

  /** Watches an answer of which so many bytes are kept until its client has taken them. */
  handedOver(connection: Connection, response: ServerResponse, bytes: number): void {
    const { clock, limits } = this.#options;
    const sent = new AbortController();
    const late = (): void => {
      const message = 'clients disconnected: they take their answers too slowly';
      if (!sent.signal.aborted) this.#giveUp(connection, message);
    };
    // The usual reason costs a stack trace.
    response.once('close', () => sent.abort('sent'));
    response.setTimeout(limits.sendSilenceMs, late);
    void clock.sleep(limits.sendTimeoutMs, sent.signal).then(late);
    this.#unsentBytes.set(connection, bytes);
    let sum = 0;
    for (const unsent of this.#unsentBytes.values()) sum += unsent;
    for (const [longest, unsent] of this.#unsentBytes) {
      // However large the newest is, it has to have its chance.
      if (sum <= limits.maxUnsentBytes || longest === connection) return;
      const message = 'clients disconnected: too many bytes wait to be taken by all of them';
      this.#giveUp(longest, message, { maxBytes: limits.maxUnsentBytes });
      sum -= unsent;
    }
  }

  /** Closes every connection as soon as it is not answering: Node.js would wait for those that have not asked yet. */
  close(): void {
    this.#isClosing = true;
    for (const { answer, socket } of this.#open.values()) if (!answer) socket.destroy();
  }

  #accept(socket: Socket): void {
    const { currentTls, limits } = this.#options;
    const newest: Connection = {
      socket,
      ends: endsOf(socket),
      tls: currentTls(),
      isAwaited: false,
      isLetIn: false,
    };
    this.#open.set(newest.ends, newest);
    this.#asking.set(socket, newest);
    socket.once('close', () => this.#forget(newest));
    const { maxConnections } = limits;
    if (this.#open.size <= maxConnections) return;
    // Of those that idle, the longest: first of those without a log-in. Else the one that takes its answer longest.
    const idle = [...this.#open.values()].filter((one) => !one.answer && one !== newest);
    const [slowest] = this.#unsentBytes.keys();
    const chosen = idle.find(({ isLetIn }) => !isLetIn) ?? idle[0] ?? slowest ?? newest;
    const message = 'connections closed: as many as there may be are open';
    this.#giveUp(chosen, message, { maxConnections });
  }

  /** Closes a connection. An idle client still gets what is on its way; of any other, the system throws that away, too. */
  #giveUp(connection: Connection, message: string, fields = {}): void {
    const { socket, answer } = connection;
    this.#options.limitReached(message, { client: socket.remoteAddress, ...fields });
    this.#forget(connection);
    this.#unsentBytes.delete(connection);
    // Alone, the first call waits until everything is sent, and the second one leaves that to the system.
    if (answer !== undefined && !socket.destroyed) socket.resetAndDestroy();
    socket.destroy();
  }

  /** Returns whether it was known: another connection between the same ends may have come after it. */
  #forget(connection: Connection): boolean {
    return this.#open.get(connection.ends) === connection && this.#open.delete(connection.ends);
  }
}

function endsOf({ remoteAddress, remotePort, localAddress }: Socket): string {
  return `${remoteAddress ?? ''} ${remotePort ?? ''} ${localAddress ?? ''}`;
}
