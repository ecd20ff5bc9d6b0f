import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, Server as TlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { Readable } from 'node:stream';
import { type SecureContextOptions, TLSSocket } from 'node:tls';
import { type Clock, systemClock } from '../base/clock.ts';
import type { Logger } from '../base/log.ts';
import { type ComparePassword, compareWithBcrypt, createAuthenticator } from './authenticator.ts';
import { createLimitLog, SERVER_LIMITS, type ServerLimits } from './limits.ts';
import { hostForPeople, listen, type ListenAddress } from './listen.ts';
import { type Awaitable, type Reply, type Route, textReply } from './reply.ts';
import type { TlsSettings, WebConfigFile } from './web-config.ts';

type FollowedConfig = Pick<WebConfigFile, 'current' | 'renewCertificates'>;

export interface HttpServerOptions {
  readonly address: ListenAddress;
  /** Called for every request, because a reload replaces the routes. */
  readonly routes: () => ReadonlyMap<string, Route>;
  /** Plain HTTP without users when absent. */
  readonly webConfig?: FollowedConfig | undefined;
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

/** Soon enough for a certificate that was renewed. */
const LOOK_AT_CERTIFICATES_EVERY_MS = 60_000;
/** With TLS, a larger body goes out in such pieces: TLS keeps a copy of what a client does not take. */
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
  const { signal: stopped } = stopping;
  const limitReached = createLimitLog(log, clock);
  const refusalOf = createAuthenticator({ compare, clock, limitReached, stopped });
  const connections = new Set<Socket>();
  /** The requests that have begun, each until its answer is sent or its client has left. */
  const answering = new Map<IncomingMessage, ServerResponse>();
  let making = 0;

  /** Checks who asks, and how much is asked. */
  function refusalTo({ socket, headers }: IncomingMessage): Awaitable<Reply | undefined> {
    const { tls, users } = webConfig?.current ?? {};
    if (tls !== undefined && !isServed(socket, tls)) return NO_CERTIFICATE;
    if (users === undefined || users.size === 0) return tooBusy();
    return refusalOf(users, headers.authorization).then((refusal) => refusal ?? tooBusy());
  }

  function tooBusy(): Reply | undefined {
    if (maxRequests === 0 || making < maxRequests) return undefined;
    limitReached('requests turned away: more at once than --web.max-requests', { maxRequests });
    return TOO_BUSY;
  }

  function replyTo(request: IncomingMessage): Awaitable<Reply> {
    const [path = ''] = (request.url ?? '').split('?', 1);
    if (ALWAYS_ANSWERED.has(path)) return replyFrom(path, request);
    const refusal = refusalTo(request);
    if (!(refusal instanceof Promise)) return refusal ?? replyFrom(path, request);
    return refusal.then((found) => found ?? replyFrom(path, request));
  }

  function replyFrom(path: string, request: IncomingMessage): Awaitable<Reply> {
    const route = routes().get(path);
    if (route === undefined) return NOT_FOUND;
    const { methods = ['GET', 'HEAD'] } = route;
    if (!methods.includes(request.method ?? '')) {
      const allow = methods.join(', ');
      return textReply(405, `Accepted methods: ${allow}.`, { allow });
    }
    const reply = route(request);
    if (!(reply instanceof Promise)) return reply;
    making += 1;
    return reply.finally(() => (making -= 1));
  }

  function answer(request: IncomingMessage, response: ServerResponse): void {
    answering.set(request, response);
    const ended = (): void => void answering.delete(request);
    // An answer behind another one on its connection never hears that its client has left.
    request.once('close', ended);
    response.once('close', ended);
    const send = (reply: Reply): void => sendReply(request, response, reply);
    const fail = (error: unknown): void => {
      log.error({ err: error }, 'request failed unexpectedly');
      send(FAILED);
    };
    try {
      const reply = replyTo(request);
      // What is there at once is sent at once, which takes half the time.
      if (reply instanceof Promise) reply.then(send, fail);
      else send(reply);
    } catch (error) {
      fail(error);
    }
  }

  function sendReply(request: IncomingMessage, response: ServerResponse, reply: Reply): void {
    const { status, headers, body } = reply;
    // A stop waits for connections.
    if (stopped.aborted) response.setHeader('connection', 'close');
    response.writeHead(status, headers);
    response.setTimeout(limits.sendSilenceMs, () => {
      limitReached('clients disconnected: they take their answers too slowly');
      response.destroy();
    });
    if (request.method === 'HEAD') response.end();
    else if (body.length > PIECE_BYTES && request.socket instanceof TLSSocket)
      Readable.from(piecesOf(body)).pipe(response);
    else response.end(body);
  }

  const tls = webConfig?.current.tls;
  const server =
    tls === undefined
      ? createServer(limits)
      : createTlsServer({
          ...limits,
          ...secureContextOf(tls),
          requestCert: tls.clientAuth !== 'NoClientCert',
          // Decided for each request, because probes have none.
          rejectUnauthorized: false,
        });
  server.on('request', answer);
  server.maxConnections = limits.maxConnections;
  server.on('connection', (socket: Socket) => {
    connections.add(socket.once('close', () => connections.delete(socket)));
  });
  server.on('drop', () => {
    const { maxConnections } = limits;
    limitReached('connections refused: as many as there may be are open', { maxConnections });
    server.closeIdleConnections();
  });
  server.on('tlsClientError', ({ code, message }: NodeJS.ErrnoException) =>
    log.debug({ reason: code ?? message }, 'TLS handshake failed'),
  );
  await listen(server, address, ({ code, message }) =>
    limitReached('connections cannot be accepted', { code: code ?? message }),
  );
  if (server instanceof TlsServer && webConfig !== undefined)
    void followCertificates(server, webConfig, clock, stopped);
  const { port } = server.address() as AddressInfo;
  return {
    url: `${tls === undefined ? 'http' : 'https'}://${hostForPeople(address.host)}:${port}`,
    stop: async () => {
      stopping.abort();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      const ended = Array.from(answering, ([request, response]) =>
        Promise.race([once(request, 'close'), once(response, 'close')]).catch(() => undefined),
      );
      await Promise.all(ended);
      // Node.js would wait for those that have not asked yet.
      for (const socket of connections) socket.destroy();
      await closed;
    },
  };
}

/** Lets connections that begin from now on have the certificates in use, whose files it looks at; those that idle begin anew. */
async function followCertificates(
  server: TlsServer,
  webConfig: FollowedConfig,
  clock: Clock,
  stopped: AbortSignal,
): Promise<void> {
  let used = webConfig.current.tls;
  server.prependListener('connection', () => {
    const { tls } = webConfig.current;
    if (tls === undefined || tls === used) return;
    used = tls;
    server.setSecureContext(secureContextOf(tls));
    server.closeIdleConnections();
  });
  for (;;) {
    await clock.sleep(LOOK_AT_CERTIFICATES_EVERY_MS, stopped);
    if (stopped.aborted) return;
    webConfig.renewCertificates();
  }
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

function* piecesOf(body: Buffer): Iterable<Buffer> {
  for (let at = 0; at < body.length; at += PIECE_BYTES) yield body.subarray(at, at + PIECE_BYTES);
}
