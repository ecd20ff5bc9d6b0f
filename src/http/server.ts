import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Clock, systemClock } from '../base/clock.ts';
import type { Logger } from '../base/log.ts';
import { Authenticator } from './authentication/authenticator.ts';
import type { NetworkFile } from './authentication/let-in-networks.ts';
import { type PasswordVerifier, PasswordWorker } from './authentication/password-worker.ts';
import { Connections } from './connections.ts';
import { HostCheck } from './host-check.ts';
import { LimitLog } from './limit-log.ts';
import { hostForPeople, listen, type ListenAddress } from './listen.ts';
import type { Route } from './reply.ts';
import { RequestHandler } from './request-handler.ts';
import { nodeLimits, SERVER_LIMITS, type ServerLimits } from './server-limits.ts';
import { createTlsServer } from './tls-server.ts';
import type { WebConfigFile } from './web-config/web-config-file.ts';

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
  /** Keeps over restarts from where somebody was let in. */
  readonly letInFile?: NetworkFile | undefined;
  readonly limits?: Partial<ServerLimits>;
  readonly passwords?: PasswordVerifier;
}

export interface HttpServer {
  /** The URL of the server for a person on this machine. */
  readonly url: string;
  /** Accepts no new connections, and resolves when the requests that have begun are answered. */
  stop(): Promise<void>;
}

/**
 * Starts a server: https if the web configuration has a certificate, else http; it keeps the scheme until
 * it is stopped. It answers 404 for paths without a route and 405 for methods that a route does not take,
 * and no answer shows the reason of a failure.
 *
 * @throws ConfigError when the address cannot be listened on.
 */
export async function startHttpServer({
  address,
  routes,
  webConfig,
  allowedHosts = () => [],
  maxRequests,
  log,
  clock = systemClock,
  letInFile,
  limits: changedLimits = {},
  passwords = new PasswordWorker(),
}: HttpServerOptions): Promise<HttpServer> {
  const limits = { ...SERVER_LIMITS, ...changedLimits };
  const currentConfig = () => webConfig?.refreshed();
  const currentTls = () => currentConfig()?.tls;
  const tlsAtStart = currentTls();
  const server =
    tlsAtStart === undefined
      ? createServer(nodeLimits(limits))
      : createTlsServer(nodeLimits(limits), () => currentTls() ?? tlsAtStart, log);
  const limitLog = new LimitLog(log, clock);
  const connections = new Connections(server, {
    currentTls,
    hasUsers: () => (currentConfig()?.users.size ?? 0) > 0,
    limits,
    clock,
    limitLog,
  });
  const authenticator = await Authenticator.open({ verifier: passwords, clock, log, letInFile });
  const handler = new RequestHandler({
    routes,
    webConfig: currentConfig,
    authenticator,
    hostCheck: new HostCheck({ allowedHosts, log }),
    maxRequests,
    limits,
    connections,
    isStopping: () => !server.listening,
    log,
    limitLog,
  });
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    connections.requestArrives(request.socket, response, (turn) => {
      if (turn === 'answer') handler.handle(request, response);
      else handler.refuse(request, response);
    });
  };
  server.on('request', onRequest);
  // A client that asks before it sends a body gets its answer at once, and need not send the body.
  server.on('checkContinue', onRequest);

  await listen(server, address, ({ code, message }) => {
    limitLog.reached('connections cannot be accepted', { code: code ?? message });
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `${tlsAtStart === undefined ? 'http' : 'https'}://${hostForPeople(address.host)}:${port}`,
    stop: async () => {
      authenticator.stopWaiting();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        connections.close();
      });
      await authenticator.stop();
    },
  };
}
