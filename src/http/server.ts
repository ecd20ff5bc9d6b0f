import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from '../log.ts';
import { Authenticator } from './authentication/authenticator.ts';
import { type PasswordVerifier, PasswordWorker } from './authentication/password-worker.ts';
import { Connections } from './connections.ts';
import { hostForPeople, listen, type ListenAddress } from './listen.ts';
import { RequestHandler } from './request-handler.ts';
import type { Route } from './route.ts';
import { SERVER_LIMITS, type ServerLimits } from './server-limits.ts';
import type { WebConfigFile } from './web-config/web-config-file.ts';

export type { ListenAddress } from './listen.ts';

/** How often Node.js looks for clients that take too long to ask. */
const CHECK_CONNECTIONS_EVERY_MS = 5000;

export interface HttpServerOptions {
  readonly address: ListenAddress;
  /** Asked at every request, because a reload swaps them. */
  readonly routes: () => ReadonlyMap<string, Route>;
  /** Plain HTTP for everyone when absent. */
  readonly webConfig?: Pick<WebConfigFile, 'refreshed'> | undefined;
  /** Requests answered at once; 0: any number. */
  readonly maxRequests: number;
  readonly log: Logger;
  readonly limits?: Partial<ServerLimits>;
  readonly passwords?: PasswordVerifier;
}

export interface HttpServer {
  /** Where it answers, for a person on this machine. */
  readonly url: string;
  /** Takes no new connections and resolves when the requests under way are answered. */
  stop(): Promise<void>;
}

/**
 * Starts answering: 404 for paths without a route, 405 for other methods than a route takes, and no
 * failure shows its insides.
 *
 * @throws ConfigError when the address cannot be listened on.
 */
export async function startHttpServer({
  address,
  routes,
  webConfig,
  maxRequests,
  log,
  limits: changedLimits = {},
  passwords = new PasswordWorker(),
}: HttpServerOptions): Promise<HttpServer> {
  const limits = { ...SERVER_LIMITS, ...changedLimits };
  const currentConfig = () => webConfig?.refreshed();
  const server = createServer({
    keepAliveTimeout: limits.keepAliveMs,
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    connectionsCheckingInterval: Math.min(CHECK_CONNECTIONS_EVERY_MS, limits.headersTimeoutMs),
    maxHeaderSize: limits.maxHeaderBytes,
  });
  // Those that are dropped for others still count here until they have closed.
  server.maxConnections = 2 * limits.maxConnections;
  const { handshakeTimeoutMs, maxConnections } = limits;
  const tls = () => currentConfig()?.tls;
  const connections = new Connections(server, { tls, handshakeTimeoutMs, maxConnections, log });
  const authenticator = new Authenticator(passwords, log);
  const handler = new RequestHandler({
    routes,
    webConfig: currentConfig,
    authenticator,
    maxRequests,
    limits,
    isStopping: () => !server.listening,
    log,
  });

  let underWay = 0;
  // To Node, a connection that has not sent a whole request yet is not idle, and would be waited for.
  const closeWhenAnswered = (): void => {
    if (!server.listening && underWay === 0) connections.destroyAll();
  };
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    underWay += 1;
    const { socket } = request;
    connections.requestBegins(socket);
    // Whoever came in under rules that are no more has to come in again.
    if (webConfig !== undefined && connections.isOutdated(socket))
      response.setHeader('connection', 'close');
    response.once('close', () => {
      underWay -= 1;
      connections.requestEnds(socket);
      closeWhenAnswered();
    });
    handler.handle(request, response);
  };
  server.on('request', onRequest);
  // Whoever asks first whether to send a body gets the answer instead.
  server.on('checkContinue', onRequest);

  await listen(server, address);
  const { port } = server.address() as AddressInfo;
  return {
    url: `${tls() === undefined ? 'http' : 'https'}://${hostForPeople(address.host)}:${port}`,
    stop: async () => {
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        closeWhenAnswered();
      });
      await authenticator.stop();
    },
  };
}
