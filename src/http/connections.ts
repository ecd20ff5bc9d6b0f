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

type Remote = Pick<Socket, 'remoteAddress' | 'remotePort'>;

/**
 * Stands between the sockets that a server accepts and the server itself, so that TLS can come, go and
 * change while it listens: a connection that is there stays as it is, and ends with its next answer.
 */
export class Connections {
  readonly #options: ConnectionOptions;
  readonly #serve: ServeConnection;
  /** By the client's end, which TLS does not change; idle longest first. */
  readonly #sockets = new Map<string, Socket>();
  /** How each of them was encrypted when it began. */
  readonly #begunWith = new WeakMap<Socket, TlsSettings | undefined>();
  /** Requests under way, by the same. */
  readonly #busy = new Map<string, number>();
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
    for (const socket of this.#sockets.values()) socket.destroy();
  }

  /** Whether the connection began under other rules than those that hold now. */
  isOutdated(socket: Remote): boolean {
    const known = this.#sockets.get(keyOf(socket));
    return known !== undefined && this.#begunWith.get(known) !== this.#options.tls();
  }

  /** Tells that a request of this connection is under way, until the function it returns is called. */
  use(socket: Remote): () => void {
    const key = keyOf(socket);
    this.#busy.set(key, (this.#busy.get(key) ?? 0) + 1);
    return () => {
      const left = (this.#busy.get(key) ?? 1) - 1;
      if (left > 0) {
        this.#busy.set(key, left);
        return;
      }
      this.#busy.delete(key);
      const idle = this.#sockets.get(key);
      if (idle === undefined) return;
      this.#sockets.delete(key);
      this.#sockets.set(key, idle);
    };
  }

  #accept(socket: Socket): void {
    if (this.#sockets.size >= this.#options.maxConnections && !this.#dropIdlest()) {
      socket.destroy();
      return;
    }
    const key = keyOf(socket);
    this.#sockets.set(key, socket);
    socket.once('close', () => {
      if (this.#sockets.get(key) === socket) this.#sockets.delete(key);
    });
    const settings = this.#options.tls();
    this.#begunWith.set(socket, settings);
    if (settings === undefined) {
      this.#serve(socket);
      return;
    }
    // What breaks a socket is told to the one around it; nobody else has to hear of it.
    socket.on('error', () => undefined);
    this.#serverOf(settings).emit('connection', socket);
  }

  /** Whoever hoards connections loses them first: asking seldom is what makes hoarding cheap. */
  #dropIdlest(): boolean {
    for (const [key, socket] of this.#sockets) {
      if (this.#busy.has(key)) continue;
      this.#sockets.delete(key);
      socket.destroy();
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

function keyOf({ remoteAddress = '', remotePort = 0 }: Remote): string {
  return `${remoteAddress} ${remotePort}`;
}
