import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, Server as TlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { Readable } from 'node:stream';
import { type SecureContextOptions, TLSSocket } from 'node:tls';
import { type Clock, systemClock } from '../base/clock.ts';
import type { Logger } from '../base/log.ts';
import { turn } from '../base/turns.ts';
import { type ComparePassword, compareWithBcrypt, createAuthenticator } from './authenticator.ts';
import { createLimitLog, SERVER_LIMITS, type ServerLimits } from './limits.ts';
import { hostForPeople, listen, type ListenAddress } from './listen.ts';
import { type Reply, type Route, textReply } from './reply.ts';
import type { TlsSettings } from './web-config.ts';
import type { WebConfigFile } from './web-config-file.ts';

export interface HttpServerOptions {
  readonly address: ListenAddress;
  /** Called for every request, because a reload replaces the routes. */
  readonly routes: () => ReadonlyMap<string, Route>;
  /** Plain HTTP without users when absent. */
  readonly webConfig?: Pick<WebConfigFile, 'current' | 'renewCertificates'> | undefined;
  /** Requests answered at once; 0: any number. */
  readonly maxRequests: number;
  readonly log: Logger;
  readonly clock?: Clock;
  readonly limits?: Partial<ServerLimits>;
  readonly compare?: ComparePassword;
}

export interface HttpServer {
  /** The URL of the server for a person on this machine. */
  readonly url: string;
  /** Accepts no new connections, and resolves when the requests that have begun are answered. */
  stop(): Promise<void>;
}

/** How often Node.js looks for clients that take too long to ask. */
const CHECK_CONNECTIONS_EVERY_MS = 5000;
/** Soon enough for a certificate that was renewed. */
const LOOK_AT_CERTIFICATES_EVERY_MS = 60_000;
/** A larger body goes out in such pieces: TLS keeps a copy of what a client does not take. */
const PIECE_BYTES = 64 * 1024;

/** The paths of probes, which everybody may ask, always: an orchestrator restarts an exporter that fails them. */
const ALWAYS_ANSWERED: ReadonlySet<string> = new Set(['/-/healthy', '/-/ready']);
const NOT_FOUND = textReply(404, 'Not found.');
const FAILED = textReply(500, 'Internal error; the log says more.');
const NO_CERTIFICATE = textReply(403, 'This server asks for a client certificate that it trusts.');
const TOO_BUSY = textReply(503, 'Too many requests at once; --web.max-requests says how many.', {
  'retry-after': '1',
});

/**
 * Starts a server: https if the web configuration has a certificate, else http. It answers 404 for paths without a
 * route and 405 for methods that a route does not take, and no answer shows the reason of a failure.
 *
 * @throws ConfigError when the address cannot be listened on.
 */
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { address, routes, webConfig, maxRequests, log } = options;
  const { clock = systemClock, compare = compareWithBcrypt } = options;
  const limits = { ...SERVER_LIMITS, ...options.limits };
  const stopping = new AbortController();
  const stopped = stopping.signal;
  const limitReached = createLimitLog(log, clock);
  const refusalOf = createAuthenticator({ compare, clock, log, limitReached, stopped });
  const connections = new Set<Socket>();
  /** The answers that have begun, each until it is taken or its client has left. */
  const answering = new Map<ServerResponse, Promise<unknown>>();
  const making = new Set<IncomingMessage>();

  /** Checks who asks and how much is asked, and calls the route. */
  async function replyTo(request: IncomingMessage): Promise<Reply> {
    const path = pathOf(request.url ?? '');
    const isOfProbe = ALWAYS_ANSWERED.has(path);
    const { tls, users } = webConfig?.current ?? {};
    if (!isOfProbe && tls !== undefined && !isServed(request.socket, tls)) return NO_CERTIFICATE;
    if (!isOfProbe && users !== undefined && users.size > 0) {
      const refusal = await refusalOf(users, request.headers.authorization);
      if (refusal !== undefined) return refusal;
    }
    if (!isOfProbe && maxRequests > 0 && making.size >= maxRequests) {
      limitReached('requests turned away: more at once than --web.max-requests', { maxRequests });
      return TOO_BUSY;
    }
    const route = routes().get(path);
    if (route === undefined) return NOT_FOUND;
    const { methods = ['GET', 'HEAD'] } = route;
    if (!methods.includes(request.method ?? '')) {
      const allowed = `${methods.join(' and ')} ${methods.length === 1 ? 'is' : 'are'}`;
      return textReply(405, `Only ${allowed} answered here.`, { allow: methods.join(', ') });
    }
    const end = (): void => void making.delete(request);
    // Whoever has left takes no place.
    if (!isOfProbe && !request.destroyed) making.add(request.once('close', end));
    try {
      return await route(request);
    } finally {
      end();
    }
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.destroyed) return;
    // An answer behind another one on its connection never hears that its client has left, but its request does.
    const closed = Promise.race([once(response, 'close'), once(request, 'close')]);
    const end = (): void => void answering.delete(response);
    answering.set(response, closed.then(end, end));
    const { status, headers, body } = await replyTo(request).catch((error: unknown) => {
      log.error({ err: error }, 'request failed unexpectedly');
      return FAILED;
    });
    // A stop waits for connections, and no body is read.
    if (stopped.aborted || hasBody(request)) response.setHeader('connection', 'close');
    response.writeHead(status, headers);
    response.setTimeout(limits.sendSilenceMs, () => {
      limitReached('clients disconnected: they take their answers too slowly');
      response.destroy();
    });
    if (request.method === 'HEAD') response.end();
    else if (body.length <= PIECE_BYTES) response.end(body);
    else Readable.from(piecesOf(body)).pipe(response);
  }

  const nodeLimits = {
    maxHeaderSize: limits.maxHeaderBytes,
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    connectionsCheckingInterval: Math.min(CHECK_CONNECTIONS_EVERY_MS, limits.headersTimeoutMs),
    handshakeTimeout: limits.handshakeTimeoutMs,
    keepAliveTimeout: limits.keepAliveMs,
  };
  const tls = webConfig?.current.tls;
  const server =
    tls === undefined
      ? createServer(nodeLimits)
      : createTlsServer({
          ...nodeLimits,
          ...secureContextOf(tls),
          requestCert: tls.clientAuth !== 'NoClientCert',
          // Decided for each request, because probes have none.
          rejectUnauthorized: false,
        });
  /** The last answer of each connection: a connection gets one after the other, so that it waits in no queue twice. */
  const lastOf = new WeakMap<Socket, Promise<void>>();
  const begin = (request: IncomingMessage, response: ServerResponse): void => {
    const { socket } = request;
    const before = lastOf.get(socket) ?? Promise.resolve();
    const fail = (error: unknown): void => {
      log.error({ err: error }, 'request could not be answered');
      response.destroy();
    };
    lastOf.set(socket, before.then(() => answer(request, response)).catch(fail));
  };
  server.on('request', begin);
  // A client that asks before it sends a body gets its answer at once, and need not send the body.
  server.on('checkContinue', begin);
  server.maxConnections = limits.maxConnections;
  server.on('connection', (socket: Socket) => {
    connections.add(socket.once('close', () => connections.delete(socket)));
  });
  server.on('drop', () => {
    const { maxConnections } = limits;
    limitReached('connections refused: as many as there may be are open', { maxConnections });
    server.closeIdleConnections();
  });
  if (server instanceof TlsServer) followCertificates(server, () => webConfig?.current.tls);
  server.on('tlsClientError', ({ code, message }: NodeJS.ErrnoException) =>
    log.debug({ reason: code ?? message }, 'TLS handshake failed'),
  );
  await listen(server, address, ({ code, message }) =>
    limitReached('connections cannot be accepted', { code: code ?? message }),
  );
  const lookAtCertificates = async (): Promise<void> => {
    for (;;) {
      await clock.sleep(LOOK_AT_CERTIFICATES_EVERY_MS, stopped);
      if (stopped.aborted) return;
      webConfig?.renewCertificates();
    }
  };
  if (tls !== undefined) void lookAtCertificates();
  const { port } = server.address() as AddressInfo;
  return {
    url: `${tls === undefined ? 'http' : 'https'}://${hostForPeople(address.host)}:${port}`,
    stop: async () => {
      stopping.abort();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      while (answering.size > 0) await Promise.all(answering.values());
      // Node.js would wait for those that have not asked yet.
      for (const socket of connections) socket.destroy();
      await closed;
    },
  };
}

/** Lets connections that begin from now on have the certificates in use; those that idle begin anew. */
function followCertificates(server: TlsServer, current: () => TlsSettings | undefined): void {
  let used = current();
  server.prependListener('connection', () => {
    const next = current();
    if (next === undefined || next === used) return;
    used = next;
    server.setSecureContext(secureContextOf(next));
    server.closeIdleConnections();
  });
}

function secureContextOf({ context, key }: TlsSettings): SecureContextOptions {
  return { ...context, key: key.reveal() };
}

/** Whether a client has shown what it has to. Node.js calls a resumed session without a certificate authorized, too. */
function isServed(socket: Socket, { clientAuth }: TlsSettings): boolean {
  if (clientAuth === 'NoClientCert' || !(socket instanceof TLSSocket)) return true;
  if (socket.getPeerX509Certificate() !== undefined) return socket.authorized;
  return clientAuth === 'VerifyClientCertIfGiven';
}

/** Cuts a body into pieces; everybody else has a turn in between. */
async function* piecesOf(body: Buffer): AsyncIterable<Buffer> {
  for (let at = 0; at < body.length; at += PIECE_BYTES) {
    yield body.subarray(at, at + PIECE_BYTES);
    if (turn.isOver()) await turn.next();
  }
}

function hasBody({ headers }: IncomingMessage): boolean {
  return Number(headers['content-length'] ?? 0) > 0 || headers['transfer-encoding'] !== undefined;
}

/** Returns the path of a request target without its query; a target may also be a whole URL (RFC 9112, 3.2.2). */
export function pathOf(target: string): string {
  const path = target.replace(/\?.*$/s, '');
  if (path.startsWith('/')) return path;
  const [, pathOfUrl] = /^https?:\/\/[^/]*(.*)$/is.exec(path) ?? [];
  return pathOfUrl === '' ? '/' : (pathOfUrl ?? path);
}
