import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { createServer, type Server as TlsServer, type TLSSocket } from 'node:tls';
import type { Logger } from '../log.ts';
import { secureContextOptions } from './web-config/secure-context.ts';
import { type ClientAuthType, isRequired, isVerified } from './web-config/tls-names.ts';
import type { TlsSettings } from './web-config/web-config.ts';

type ServeConnection = (socket: Socket) => void;

export interface ConnectionOptions {
  /** How a connection that begins now is encrypted; undefined: not at all. */
  readonly tls: () => TlsSettings | undefined;
  readonly handshakeTimeoutMs: number;
  /** A further one takes the place of the one that has been idle longest. */
  readonly maxConnections: number;
  readonly log: Logger;
}

/** A connection that is there. */
interface Connection {
  /** As it was accepted; what is served may be the TLS around it. */
  readonly socket: Socket;
  /** How it is encrypted. */
  readonly settings: TlsSettings | undefined;
  /** Requests under way. */
  busy: number;
}

/**
 * Stands between the sockets that a server accepts and the server itself, so that TLS can come, go and
 * change while it listens: a connection that is there stays as it is, and ends with its next answer.
 */
export class Connections {
  readonly #options: ConnectionOptions;
  readonly #serve: ServeConnection;
  /** Idle longest first. */
  readonly #connections = new Set<Connection>();
  readonly #byServed = new WeakMap<Socket, Connection>();
  /** By the client's end, which TLS does not change. */
  readonly #handshaking = new Map<string, Connection>();
  #secured: { readonly settings: TlsSettings; readonly server: TlsServer } | undefined;

  /** Takes over the connections of `server`, which must not listen yet. */
  constructor(server: Server, options: ConnectionOptions) {
    this.#options = options;
    const listeners = server.listeners('connection') as ServeConnection[];
    this.#serve = (socket) => {
      for (const listener of listeners) listener.call(server, socket);
    };
    server.removeAllListeners('connection');
    server.on('connection', (socket: Socket) => this.#accept(socket));
  }

  /** Breaks all of them, whatever they are at. */
  destroyAll(): void {
    for (const { socket } of this.#connections) socket.destroy();
  }

  /** Whether a connection began under other rules than those that hold now. */
  isOutdated(served: Socket): boolean {
    const connection = this.#byServed.get(served);
    return connection !== undefined && connection.settings !== this.#options.tls();
  }

  /** Tells that a request of a connection is under way. */
  requestBegins(served: Socket): void {
    const connection = this.#byServed.get(served);
    if (connection !== undefined) connection.busy += 1;
  }

  requestEnds(served: Socket): void {
    const connection = this.#byServed.get(served);
    if (connection === undefined) return;
    connection.busy -= 1;
    // To the end of the line of those that may be dropped.
    if (connection.busy === 0 && this.#connections.delete(connection))
      this.#connections.add(connection);
  }

  #accept(socket: Socket): void {
    if (this.#connections.size >= this.#options.maxConnections && !this.#dropIdlest()) {
      socket.destroy();
      return;
    }
    const settings = this.#options.tls();
    const connection: Connection = { socket, settings, busy: 0 };
    this.#connections.add(connection);
    socket.once('close', () => this.#connections.delete(connection));
    if (settings === undefined) {
      this.#byServed.set(socket, connection);
      this.#serve(socket);
      return;
    }
    const end = clientEndOf(socket);
    this.#handshaking.set(end, connection);
    socket.once('close', () => this.#handshaking.delete(end));
    // What breaks a socket is told to the one around it; nobody else has to hear of it.
    socket.on('error', () => undefined);
    this.#serverOf(settings).emit('connection', socket);
  }

  /** Whoever hoards connections loses them first: asking seldom is what makes hoarding cheap. */
  #dropIdlest(): boolean {
    for (const connection of this.#connections) {
      if (connection.busy > 0) continue;
      this.#connections.delete(connection);
      connection.socket.destroy();
      return true;
    }
    return false;
  }

  /** Never listens: it is handed its sockets. */
  #serverOf(settings: TlsSettings): TlsServer {
    if (this.#secured?.settings === settings) return this.#secured.server;
    const { handshakeTimeoutMs, log } = this.#options;
    const { clientAuth } = settings;
    const server = createServer({
      ...secureContextOptions(settings),
      requestCert: clientAuth !== 'NoClientCert',
      rejectUnauthorized: clientAuth === 'RequireAndVerifyClientCert',
      handshakeTimeout: handshakeTimeoutMs,
      ALPNProtocols: ['http/1.1'],
    });
    server.on('secureConnection', (socket) => {
      const refusal = refusalOf(clientAuth, socket);
      if (refusal === undefined) {
        const connection = this.#handshaking.get(clientEndOf(socket));
        if (connection !== undefined) this.#byServed.set(socket, connection);
        this.#serve(socket);
        return;
      }
      log.debug({ reason: refusal }, 'TLS client refused');
      socket.destroy();
    });
    server.on('tlsClientError', (error: NodeJS.ErrnoException, socket) => {
      log.debug({ reason: error.code ?? error.message }, 'TLS handshake failed');
      socket.destroy();
    });
    this.#secured = { settings, server };
    return server;
  }
}

/**
 * Says why a client may not come in. That a certificate was given is asked of the socket itself: one that
 * resumes a session without a certificate may count as authorized to Node.js.
 */
function refusalOf(clientAuth: ClientAuthType, socket: TLSSocket): string | undefined {
  if (clientAuth === 'NoClientCert') return undefined;
  const isGiven = socket.getPeerX509Certificate() !== undefined;
  if (isRequired(clientAuth) && !isGiven) return 'no certificate';
  if (isVerified(clientAuth) && isGiven && !socket.authorized)
    return String(socket.authorizationError);
  return undefined;
}

function clientEndOf({ remoteAddress = '', remotePort = 0 }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
