import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { TLSSocket } from 'node:tls';
import { type Clock, systemClock } from '../base/clock.ts';
import type { Logger } from '../base/log.ts';
import { createAuthenticator } from './authenticator.ts';
import { type Connection, Connections, SERVER_LIMITS, type ServerLimits } from './connections.ts';
import { createHostCheck } from './host-check.ts';
import { hostForPeople, listen, type ListenAddress } from './listen.ts';
import { type PasswordVerifier, PasswordWorker } from './password-worker.ts';
import { createLimitLog, createRateLimiter } from './limits.ts';
import { type Reply, type Route, textReply } from './reply.ts';
import { sendBody } from './send-body.ts';
import { certificateFault, createTlsServer } from './tls.ts';
import type { WebConfig } from './web-config.ts';
import type { WebConfigFile } from './web-config-file.ts';

export interface HttpServerOptions {
  readonly address: ListenAddress;
  /** Called for every request, because a reload replaces the routes. */
  readonly routes: () => ReadonlyMap<string, Route>;
  /** Plain HTTP without users when absent. */
  readonly webConfig?: Pick<WebConfigFile, 'refreshed'> | undefined;
  /** Public names that browsers may use, as of now; none when absent. */
  readonly allowedHosts?: (() => readonly string[]) | undefined;
  /** Requests answered at once; 0: any number. */
  readonly maxRequests: number;
  readonly log: Logger;
  readonly clock?: Clock;
  readonly limits?: Partial<ServerLimits>;
  readonly passwords?: PasswordVerifier;
}

export interface HttpServer {
  /** The URL of the server for a person on this machine. */
  readonly url: string;
  /** Accepts no new connections, and resolves when the requests that have begun are answered. */
  stop(): Promise<void>;
}

/** A request that is being answered, by the rules that held when it came. */
interface Asked {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly connection: Connection;
  readonly config: WebConfig | undefined;
  readonly path: string;
}

/** The paths of probes, which are answered even when busy: an orchestrator restarts an exporter that fails them. */
const ALWAYS_ANSWERED: ReadonlySet<string> = new Set(['/-/healthy', '/-/ready']);
/** How often Node.js looks for clients that take too long to ask. */
const CHECK_CONNECTIONS_EVERY_MS = 5000;

const NO_BODY = Buffer.alloc(0);
const NOT_FOUND = textReply(404, 'Not found.');
const FAILED = textReply(500, 'Internal error; the log says more.');
const LATER = { 'retry-after': '1' };
const TOO_OFTEN = textReply(429, 'Too many requests; rate_limit says how many.', LATER);
const TOO_BUSY = textReply(
  503,
  'Too many requests at once; --web.max-requests says how many.',
  LATER,
);

/**
 * Starts a server: https if the web configuration has a certificate, else http; it keeps the scheme until
 * it is stopped. It answers 404 for paths without a route and 405 for methods that a route does not take,
 * and no answer shows the reason of a failure.
 *
 * @throws ConfigError when the address cannot be listened on.
 */
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { address, routes, webConfig, allowedHosts = () => [], maxRequests, log } = options;
  const { clock = systemClock, passwords = new PasswordWorker() } = options;
  const limits = { ...SERVER_LIMITS, ...options.limits };
  const nodeLimits = {
    maxHeaderSize: limits.maxHeaderBytes,
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    connectionsCheckingInterval: Math.min(CHECK_CONNECTIONS_EVERY_MS, limits.headersTimeoutMs),
    handshakeTimeout: limits.handshakeTimeoutMs,
    keepAliveTimeout: limits.keepAliveMs,
  };
  const currentConfig = () => webConfig?.refreshed();
  const currentTls = () => currentConfig()?.tls;
  const tlsAtStart = currentTls();
  const server =
    tlsAtStart === undefined
      ? createServer(nodeLimits)
      : createTlsServer(nodeLimits, () => currentTls() ?? tlsAtStart, log);
  const limitReached = createLimitLog(log, clock);
  const connections = new Connections(server, { currentTls, limits, clock, limitReached, answer });
  const authenticator = createAuthenticator(passwords, log, limitReached);
  const hostRefusal = createHostCheck(allowedHosts, limitReached);
  const isTooOften = createRateLimiter(clock);
  const makingNow = new Set<IncomingMessage>();

  /** Checks who asks and how much is asked, and calls the route: within this call unless there is something to wait for. */
  function replyTo(asked: Asked): Reply | Promise<Reply> {
    const { request, connection, config, path } = asked;
    const { headers, socket } = request;
    if (config?.tls !== undefined && socket instanceof TLSSocket) {
      const fault = certificateFault(config.tls, socket);
      if (fault !== undefined) return textReply(403, fault, { connection: 'close' });
    }
    const isRated = config?.rateLimit !== undefined && !ALWAYS_ANSWERED.has(path);
    if (isRated && isTooOften(config.rateLimit)) {
      limitReached('requests turned away: more than rate_limit of the web configuration');
      return TOO_OFTEN;
    }
    const misdirected = hostRefusal(headers);
    if (misdirected !== undefined) return misdirected;
    if (config === undefined || config.users.size === 0 || config.openPaths.has(path))
      return admit(asked);
    return authenticator
      .refusal(config.users, headers.authorization, socket.remoteAddress)
      .then((refusal) => {
        if (refusal !== undefined) return refusal;
        connection.isLetIn = true;
        return admit(asked);
      });
  }

  /** Calls the route, unless as many requests as may be are being answered. */
  function admit({ request, response, path }: Asked): Reply | Promise<Reply> {
    const isCounted = maxRequests > 0 && !ALWAYS_ANSWERED.has(path);
    if (isCounted && makingNow.size >= maxRequests) {
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
    const reply = route(request);
    // A client that left while its password was compared has closed already, and would not be noticed.
    if (!isCounted || !(reply instanceof Promise) || response.destroyed) return reply;
    makingNow.add(request);
    const end = (): void => void makingNow.delete(request);
    response.once('close', end);
    return reply.finally(end);
  }

  function send({ request, response, connection, config }: Asked, reply: Reply): void {
    const { status, headers, body } = reply;
    // A stop waits for connections, a large body is never read, and whoever was admitted under earlier rules has
    // to connect again: these end with the connection.
    const isOutdated = connection.tls !== currentTls();
    if (!server.listening || isOutdated || hasLargeBody(request, limits))
      response.setHeader('connection', 'close');
    response.writeHead(status, config === undefined ? headers : { ...headers, ...config.headers });
    const unsentBytes = sendBody(response, request.method === 'HEAD' ? NO_BODY : body);
    if (unsentBytes > 0) connections.handedOver(connection, response, unsentBytes);
  }

  function fail(asked: Asked, error: unknown): void {
    log.error({ err: error }, 'request failed unexpectedly');
    try {
      send(asked, FAILED);
    } catch (again) {
      // Nothing can be sent, say because a header cannot, or a part of another answer was.
      log.error({ err: again }, 'request could not be answered');
      asked.response.destroy();
    }
  }

  function answer(
    request: IncomingMessage,
    response: ServerResponse,
    connection: Connection,
  ): void {
    const path = pathOf(request.url ?? '');
    const asked: Asked = { request, response, connection, path, config: currentConfig() };
    try {
      const reply = replyTo(asked);
      if (!(reply instanceof Promise)) send(asked, reply);
      else reply.then((made) => send(asked, made)).catch((error: unknown) => fail(asked, error));
    } catch (error) {
      fail(asked, error);
    }
  }

  await listen(server, address, ({ code, message }) =>
    limitReached('connections cannot be accepted', { code: code ?? message }),
  );
  const { port } = server.address() as AddressInfo;
  return {
    url: `${tlsAtStart === undefined ? 'http' : 'https'}://${hostForPeople(address.host)}:${port}`,
    stop: async () => {
      authenticator.stopWaiting();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        connections.close();
      });
      await passwords.stop();
    },
  };
}

/** Whether the body of the request is, or may be, too large to be skipped. */
function hasLargeBody({ headers }: IncomingMessage, limits: ServerLimits): boolean {
  return (
    Number(headers['content-length'] ?? 0) > limits.maxIgnoredBodyBytes ||
    headers['transfer-encoding'] !== undefined ||
    headers.expect !== undefined
  );
}

/** Returns the path of a request target without its query; a target may also be a whole URL (RFC 9112, 3.2.2). */
export function pathOf(target: string): string {
  const queryAt = target.indexOf('?');
  const path = queryAt < 0 ? target : target.slice(0, queryAt);
  if (path.startsWith('/')) return path;
  const [, pathOfUrl] = /^https?:\/\/[^/]*(.*)$/is.exec(path) ?? [];
  return pathOfUrl === '' ? '/' : (pathOfUrl ?? path);
}
