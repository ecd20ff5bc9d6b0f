import {
  createServer as createHttpServer,
  type Server as HttpServer,
  type ServerOptions,
} from 'node:http';
import { createServer, type Server } from 'node:https';
import type { Socket } from 'node:net';
import type { TlsOptions, TLSSocket } from 'node:tls';
import type { Logger } from '../base/log.ts';
import {
  type ClientAuthType,
  isRequired,
  isVerified,
  secureContextOptions,
  type TlsSettings,
} from './web-config/tls-settings.ts';

export interface TlsServerOptions extends ServerOptions {
  readonly handshakeTimeout: number;
}

/**
 * Creates a server whose certificate and rules for clients follow `currentSettings` while it listens.
 * They hold for connections that begin after a change.
 */
export function createTlsServer(
  options: TlsServerOptions,
  currentSettings: () => TlsSettings,
  log: Logger,
): Server {
  let settings = currentSettings();
  const server = createServer({
    ...options,
    ...secureContextOptions(settings),
    ...clientCertificateOptions(settings),
  });
  server.prependListener('connection', () => {
    const next = currentSettings();
    if (next === settings) return;
    settings = next;
    server.setSecureContext(secureContextOptions(settings));
    // Node.js has no method for these two, but reads them anew for every connection. If it ever stops
    // doing so, `refusalOf` still refuses the clients that show no certificate.
    Object.assign(server, clientCertificateOptions(settings));
  });
  const refusing = createRefusingServer(options);
  admitFirst(server, 'secureConnection', (socket) => {
    const { clientAuth } = settings;
    const refusal = refusalOf(clientAuth, socket);
    if (refusal === undefined) return true;
    log.debug({ reason: refusal }, 'TLS client refused');
    // Where only a good certificate will do, TLS itself has said so to a client without one.
    if (clientAuth === 'RequireAnyClientCert') refusing.emit('connection', socket);
    else socket.destroy();
    return false;
  });
  server.on('tlsClientError', (error: NodeJS.ErrnoException) => {
    log.debug({ reason: error.code ?? error.message }, 'TLS handshake failed');
  });
  return server;
}

/**
 * Creates a server that listens nowhere and tells its clients that they need a certificate. Node.js cannot
 * say so in TLS where any certificate will do, and a client that is only disconnected, such as the health
 * check of the image, could not tell that from a server that is broken.
 */
function createRefusingServer(options: ServerOptions): HttpServer {
  const server = createHttpServer(options, (_request, response) => {
    response.writeHead(403, { connection: 'close', 'content-type': 'text/plain; charset=utf-8' });
    response.end('This server asks for a client certificate.\n');
  });
  // Only a server that listens looks for clients that take too long to ask.
  server.timeout = options.headersTimeout ?? 0;
  return server;
}

interface SocketEvents {
  connection: Socket;
  secureConnection: TLSSocket;
}

/**
 * Asks `admits` about every socket of an event before the listeners that the server has so far. They do
 * not see a socket that it refuses, because they could not serve one that is destroyed.
 */
export function admitFirst<E extends keyof SocketEvents>(
  server: NodeJS.EventEmitter,
  event: E,
  admits: (socket: SocketEvents[E]) => boolean,
): void {
  const listeners = server.listeners(event) as ((socket: SocketEvents[E]) => void)[];
  server.removeAllListeners(event);
  server.on(event, (socket: SocketEvents[E]) => {
    if (!admits(socket)) return;
    for (const listener of listeners) listener.call(server, socket);
  });
}

function clientCertificateOptions({ clientAuth }: TlsSettings): TlsOptions {
  return {
    requestCert: clientAuth !== 'NoClientCert',
    rejectUnauthorized: clientAuth === 'RequireAndVerifyClientCert',
  };
}

/**
 * Returns why a client is refused, undefined when it is not. Node.js can only accept every certificate
 * or demand a good one; the types between these two, and a resumed session without a certificate, which
 * Node.js may call authorized, are decided here by the certificate itself.
 */
function refusalOf(clientAuth: ClientAuthType, socket: TLSSocket): string | undefined {
  if (clientAuth === 'NoClientCert') return undefined;
  const isGiven = socket.getPeerX509Certificate() !== undefined;
  if (isRequired(clientAuth) && !isGiven) return 'no certificate';
  if (isVerified(clientAuth) && isGiven && !socket.authorized)
    return String(socket.authorizationError);
  return undefined;
}
