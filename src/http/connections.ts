import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { admitFirst } from './tls-server.ts';
import type { TlsSettings } from './web-config/tls-settings.ts';

export interface ConnectionsOptions {
  /** The TLS settings for a connection that begins now; undefined for plain HTTP. */
  readonly currentTls: () => TlsSettings | undefined;
  /** When so many are open, a newcomer takes the place of the one that has been idle longest. */
  readonly maxConnections: number;
}

interface Connection {
  /** The socket as it was accepted; with TLS, requests come through another one around it. */
  readonly socket: Socket;
  /** The TLS settings that it began with. */
  readonly tls: TlsSettings | undefined;
  /** Requests that are not answered yet. */
  requests: number;
}

/**
 * Watches the connections of a server, from the first packet to the last. It does what Node.js does not:
 * Node.js closes either no idle connection or all of them, counts a client that has never asked as busy,
 * and does not know which connections began before a change of the certificate. A limit on what one
 * connection may do belongs here; one on what a request may do belongs into the request handler.
 */
export class Connections {
  readonly #options: ConnectionsOptions;
  /** In the order of their last requests: the one that has been idle longest comes first. */
  readonly #open = new Set<Connection>();
  /** By the socket that requests come through. */
  readonly #byRequestSocket = new WeakMap<Socket, Connection>();
  /** By the client's address and port, which are the same on both sockets of a TLS connection. */
  readonly #handshaking = new Map<string, Connection>();
  #isClosing = false;

  /** Watches the connections of `server`, which must not listen yet. */
  constructor(server: Server, options: ConnectionsOptions) {
    this.#options = options;
    // A connection that was closed for a newcomer counts here until the system has let go of it.
    server.maxConnections = 2 * options.maxConnections;
    admitFirst(server, 'connection', (socket) => this.#admit(socket));
    server.prependListener('secureConnection', (socket: Socket) => {
      const client = clientOf(socket);
      const connection = this.#handshaking.get(client);
      if (connection === undefined) return;
      this.#handshaking.delete(client);
      this.#byRequestSocket.set(socket, connection);
    });
  }

  /** Notes that the connection of a request is in use until its response is closed. */
  requestBegins(socket: Socket, response: ServerResponse): void {
    const connection = this.#byRequestSocket.get(socket);
    if (connection === undefined) return;
    connection.requests += 1;
    response.once('close', () => this.#requestEnded(connection));
    // A client that was admitted under earlier rules has to connect again.
    if (connection.tls !== this.#options.currentTls()) response.setHeader('connection', 'close');
  }

  /**
   * Closes every connection as soon as no request of it is unanswered. Node.js itself would wait for
   * connections that have not sent a whole request, or have not completed a handshake.
   */
  close(): void {
    this.#isClosing = true;
    for (const { requests, socket } of this.#open) if (requests === 0) socket.destroy();
  }

  #requestEnded(connection: Connection): void {
    connection.requests -= 1;
    if (connection.requests > 0) return;
    // To the end of the line of those that may be closed for a newcomer.
    if (this.#open.delete(connection)) this.#open.add(connection);
    if (this.#isClosing) connection.socket.destroy();
  }

  #admit(socket: Socket): boolean {
    const { currentTls, maxConnections } = this.#options;
    if (this.#open.size >= maxConnections && !this.#closeIdlest()) {
      socket.destroy();
      return false;
    }
    const connection: Connection = { socket, tls: currentTls(), requests: 0 };
    this.#open.add(connection);
    socket.once('close', () => this.#open.delete(connection));
    if (connection.tls === undefined) {
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

  /** Whether there was an idle connection to close. A client that hoards connections loses them first. */
  #closeIdlest(): boolean {
    for (const connection of this.#open) {
      if (connection.requests > 0) continue;
      this.#open.delete(connection);
      connection.socket.destroy();
      return true;
    }
    return false;
  }
}

function clientOf({ remoteAddress = '', remotePort = 0 }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
