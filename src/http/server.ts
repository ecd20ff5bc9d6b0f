import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ConfigError } from '../errors.ts';
import type { Logger } from '../log.ts';
import { type Reply, textReply } from './reply.ts';
import type { Route } from './route.ts';

/** Longer than any usual scrape interval, so that Prometheus keeps its connection. */
const KEEP_ALIVE_MS = 75_000;

export interface ListenAddress {
  /** All interfaces when absent. */
  readonly host?: string | undefined;
  readonly port: number;
}

export interface HttpServer {
  /** Where it answers, for a person on this machine. */
  readonly url: string;
  /** Takes no new connections and resolves when the requests under way are answered. */
  stop(): Promise<void>;
}

/**
 * Starts answering `routes`: GET and HEAD only, 404 for other paths, and no failure shows its insides.
 *
 * @throws ConfigError when the address cannot be listened on.
 */
export async function startHttpServer(
  address: ListenAddress,
  routes: ReadonlyMap<string, Route>,
  log: Logger,
): Promise<HttpServer> {
  let underWay = 0;
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
    underWay += 1;
    response.once('close', () => {
      underWay -= 1;
      closeWhenAnswered();
    });
    answer(request, response, routes, log, () => !server.listening);
  });
  // To Node, a connection that has not sent a whole request yet is not idle, and would be waited for.
  const closeWhenAnswered = (): void => {
    if (!server.listening && underWay === 0) server.closeAllConnections();
  };
  await listen(server, address);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${hostForPeople(address.host)}:${port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        closeWhenAnswered();
      }),
  };
}

function answer(
  request: IncomingMessage,
  response: ServerResponse,
  routes: ReadonlyMap<string, Route>,
  log: Logger,
  isStopping: () => boolean,
): void {
  const send = (reply: Reply): void => {
    // While stopping, a connection kept alive would only be waited for.
    if (isStopping()) response.setHeader('connection', 'close');
    response.writeHead(reply.status, reply.headers);
    response.end(request.method === 'HEAD' ? undefined : reply.body);
  };
  const fail = (error: unknown): void => {
    log.error({ err: error }, 'request failed unexpectedly');
    send(textReply(500, 'Internal error; the log says more.'));
  };
  try {
    const reply = replyTo(request, routes);
    if (reply instanceof Promise) reply.then(send).catch(fail);
    else send(reply);
  } catch (error) {
    fail(error);
  }
}

function replyTo(
  request: IncomingMessage,
  routes: ReadonlyMap<string, Route>,
): Reply | Promise<Reply> {
  const { url = '', method } = request;
  const queryAt = url.indexOf('?');
  const route = routes.get(queryAt < 0 ? url : url.slice(0, queryAt));
  if (route === undefined) return textReply(404, 'Not found.');
  if (method !== 'GET' && method !== 'HEAD')
    return textReply(405, 'Only GET and HEAD are answered here.', { allow: 'GET, HEAD' });
  return route(request);
}

function listen(server: Server, { host, port }: ListenAddress): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(new ConfigError([describe(error, host, port)], { cause: error }));
    });
    server.listen({ port, ...(host === undefined ? {} : { host }) }, resolve);
  });
}

function describe(error: NodeJS.ErrnoException, host = '', port: number): string {
  const given = `--web.listen-address: "${host}:${port}"`;
  if (error.code === 'EADDRINUSE')
    return `${given} is in use by another program; accepted: a free port`;
  return `${given} cannot be listened on (${error.code ?? error.message}); accepted: an address of this machine and a port it lets us have`;
}

function hostForPeople(host: string | undefined): string {
  if (host === undefined || host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}
