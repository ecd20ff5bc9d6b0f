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
  readonly log: Logger;
}

/**
 * Stands between the sockets that a server accepts and the server itself, so that TLS can come, go and
 * change while it listens: connections that are there stay as they are.
 */
export class Connections {
  readonly #options: ConnectionOptions;
  readonly #serve: ServeConnection;
  readonly #sockets = new Set<Socket>();
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
    for (const socket of this.#sockets) socket.destroy();
  }

  #accept(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    const settings = this.#options.tls();
    if (settings === undefined) {
      this.#serve(socket);
      return;
    }
    // What breaks a socket is told to the one around it; nobody else has to hear of it.
    socket.on('error', () => undefined);
    this.#serverOf(settings).emit('connection', socket);
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
