import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../base/clock.ts';
import { Connection, type ConnectionOptions, type Turn } from './connection.ts';
import type { LimitLog } from './limit-log.ts';
import type { ServerLimits } from './server-limits.ts';
import { admitFirst } from './tls-server.ts';
import { UnsentAnswers } from './unsent-answers.ts';
import type { TlsSettings } from './web-config/tls-settings.ts';

export interface ConnectionsOptions {
  /** The TLS settings for a connection that begins now; undefined for plain HTTP. */
  readonly currentTls: () => TlsSettings | undefined;
  /** Whether passwords are asked for. */
  readonly hasUsers: () => boolean;
  readonly limits: ServerLimits;
  readonly clock: Clock;
  readonly limitLog: LimitLog;
}

/**
 * Watches the connections of a server, from the first packet to the last. It does what Node.js does not:
 * Node.js closes either no idle connection or all of them, counts a client that has never asked as busy,
 * and does not know which connections began before a change of the certificate. A limit on what one
 * connection may do belongs into `connection.ts`; one on what a request may do, into the request handler.
 */
export class Connections {
  readonly #options: ConnectionsOptions;
  /** In the order of their last requests: the one that has been idle longest comes first. */
  readonly #open = new Set<Connection>();
  /** Those on which nobody has been let in by a password yet, in the same order. */
  readonly #strangers = new Set<Connection>();
  /** By the socket that requests come through. */
  readonly #byRequestSocket = new WeakMap<Socket, Connection>();
  /** By the client's address and port, which are the same on both sockets of a TLS connection. */
  readonly #handshaking = new Map<string, Connection>();
  readonly #unsent: UnsentAnswers;
  readonly #connectionOptions: ConnectionOptions;
  #isClosing = false;

  /** Watches the connections of `server`, which must not listen yet. */
  constructor(server: Server, options: ConnectionsOptions) {
    const { limits, limitLog } = options;
    this.#options = options;
    this.#unsent = new UnsentAnswers(options);
    this.#connectionOptions = {
      maxWaiting: limits.maxWaitingRequests,
      maxDropped: limits.maxDroppedRequests,
      onIdle: (connection) => this.#idles(connection),
      onTooManyWaiting: ({ address }) =>
        limitLog.reached('connections closed: too many requests wait on one of them', {
          client: address,
          maxWaiting: limits.maxWaitingRequests,
        }),
    };
    // A connection that was closed for a newcomer counts here until the system has let go of it.
    server.maxConnections = 2 * limits.maxConnections;
    admitFirst(server, 'connection', (socket) => this.#admit(socket));
    server.prependListener('secureConnection', (socket: Socket) => {
      const client = clientOf(socket);
      const connection = this.#handshaking.get(client);
      if (connection === undefined) return;
      this.#handshaking.delete(client);
      this.#byRequestSocket.set(socket, connection);
    });
  }

  /** Calls `take` when it is the turn of a request that has arrived on this socket. */
  requestArrives(socket: Socket, response: ServerResponse, take: (turn: Turn) => void): void {
    const connection = this.#byRequestSocket.get(socket);
    connection?.add(response, (turn) => {
      // A client that was admitted under earlier rules has to connect again.
      const isOutdated = connection.tls !== this.#options.currentTls();
      if (isOutdated || turn === 'refuse') response.setHeader('connection', 'close');
      take(turn);
    });
  }

  /** Notes that somebody was let in by a password on the connection of this socket. */
  letIn(socket: Socket): void {
    const connection = this.#byRequestSocket.get(socket);
    if (connection !== undefined) this.#strangers.delete(connection);
  }

  /** Notes that an answer was handed to this socket, and that so many bytes of it are kept until the client takes them. */
  answerHandedOver(socket: Socket, response: ServerResponse, unsentBytes: number): void {
    const connection = this.#byRequestSocket.get(socket);
    if (connection !== undefined) this.#unsent.add(connection, response, unsentBytes);
  }

  /**
   * Closes every connection as soon as no request of it is unanswered. Node.js itself would wait for
   * connections that have not sent a whole request, or have not completed a handshake.
   */
  close(): void {
    this.#isClosing = true;
    for (const { isIdle, socket } of this.#open) if (isIdle) socket.destroy();
  }

  #idles(connection: Connection): void {
    // To the end of the line of those that may be closed for a newcomer.
    for (const line of [this.#open, this.#strangers])
      if (line.delete(connection)) line.add(connection);
    if (this.#isClosing) connection.socket.destroy();
  }

  #admit(socket: Socket): boolean {
    this.#makeRoomAmongStrangers();
    if (!this.#makeRoom()) {
      socket.destroy();
      return false;
    }
    const tls = this.#options.currentTls();
    const connection = new Connection(socket, tls, this.#connectionOptions);
    this.#open.add(connection);
    this.#strangers.add(connection);
    socket.once('close', () => this.#forget(connection));
    if (tls === undefined) {
      this.#byRequestSocket.set(socket, connection);
      return true;
    }
    const client = clientOf(socket);
    this.#handshaking.set(client, connection);
    socket.once('close', () => {
      if (this.#handshaking.get(client) === connection) this.#handshaking.delete(client);
    });
    return true;
  }

  /** Makes room for one more; whoever hoards connections loses them first. Returns whether there is room. */
  #makeRoom(): boolean {
    const { limits, limitLog } = this.#options;
    const { maxConnections } = limits;
    if (this.#open.size < maxConnections) return true;
    limitLog.reached('connections closed: as many as there may be are open', { maxConnections });
    const idlest = firstIdle(this.#open);
    if (idlest === undefined) return this.#unsent.giveUpLongest();
    this.#close(idlest);
    return true;
  }

  /** Where passwords are asked for, those who have shown none cannot take the places of those who have. */
  #makeRoomAmongStrangers(): void {
    const { limits, limitLog, hasUsers } = this.#options;
    const { maxStrangers } = limits;
    if (this.#strangers.size < maxStrangers || !hasUsers()) return;
    limitLog.reached('connections closed: as many as there may be without a log-in are open', {
      maxStrangers,
    });
    while (this.#strangers.size >= maxStrangers) {
      const [oldest] = this.#strangers;
      const next = firstIdle(this.#strangers) ?? oldest;
      if (next === undefined) return;
      this.#close(next);
    }
  }

  #close(connection: Connection): void {
    this.#forget(connection);
    connection.close();
  }

  #forget(connection: Connection): void {
    this.#open.delete(connection);
    this.#strangers.delete(connection);
  }
}

function firstIdle(connections: Iterable<Connection>): Connection | undefined {
  for (const connection of connections) if (connection.isIdle) return connection;
  return undefined;
}

function clientOf({ remoteAddress = '', remotePort = 0 }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
