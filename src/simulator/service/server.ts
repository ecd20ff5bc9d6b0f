import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { ActiveFaults, sendFault } from './faults.ts';
import { failure, Rejection, type Reply } from './reply.ts';
import { endpointAt, type Endpoint, type Service } from './service.ts';
import type { ServiceRequest } from './call.ts';
import type { World } from './world.ts';

const MOST_BODY_BYTES = 1_000_000;

/** Puts the service on a socket, with its faults and its latency. */
export class ServiceServer {
  readonly faults = new ActiveFaults();
  readonly #world: World;
  readonly #service: Service;
  readonly #requests = new Map<Endpoint, number>();
  #server: Server | undefined;
  #port: number;

  constructor(world: World, service: Service) {
    this.#world = world;
    this.#service = service;
    this.#port = world.options.port;
  }

  /** Counts the requests that have arrived at an endpoint, or at all of them. */
  requests(endpoint?: Endpoint): number {
    if (endpoint !== undefined) return this.#requests.get(endpoint) ?? 0;
    return [...this.#requests.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Listens and resolves to the base URL; a second start takes the same port again. */
  async start(): Promise<string> {
    if (this.#server !== undefined) throw new Error('the simulator is running already');
    const { host } = this.#world.options;
    const server = createServer((request, response) => {
      // Only a broken socket makes this reject, and then no client is left to answer.
      this.#serve(request, response).catch(() => response.destroy());
    });
    // Longer than any client keeps an idle connection, so that none is closed under a request.
    server.keepAliveTimeout = 120_000;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(this.#port, host, resolve);
    });
    this.#server = server;
    this.#port = (server.address() as AddressInfo).port;
    return `http://${host.includes(':') ? `[${host}]` : host}:${this.#port}`;
  }

  /** Stops listening and breaks every connection, hanging answers included. */
  async stop(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    await new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path = '', query = ''] = (incoming.url ?? '').split('?', 2);
    const endpoint = endpointAt(path);
    if (endpoint !== undefined) this.#requests.set(endpoint, this.requests(endpoint) + 1);
    const { clock, options } = this.#world;
    const bodyBytes = await readBody(incoming);
    const request: ServiceRequest | undefined = bodyBytes && {
      method: incoming.method ?? '',
      path,
      query: new URLSearchParams(query),
      headers: incoming.headers,
      bodyBytes,
    };
    const honest = (): Reply =>
      request === undefined
        ? failure(new Rejection(413, 'Payload Too Large'), path, clock.nowMs())
        : this.#service.answer(endpoint, request);
    const fault = endpoint === undefined ? undefined : this.faults.take(endpoint, request);
    const context = { response, request, honest, clock };
    // A refused connection does not wait for the latency.
    if (fault?.kind === 'refuse') return sendFault(fault, context);

    if (options.latencyMs > 0) await clock.sleep(options.latencyMs);
    // Clients judge ages by the service's clock, which is not always that of this machine.
    response.setHeader('date', new Date(clock.nowMs()).toUTCString());
    // An exporter calls our values simulated, so that nobody takes them for those of a house.
    response.setHeader('x-simulated-service', 'solar-exporter');
    if (fault !== undefined) return sendFault(fault, context);
    const { status, body } = honest();
    response.writeHead(status, {
      'content-type': 'application/json;charset=UTF-8',
      'content-length': Buffer.byteLength(body),
    });
    response.end(body);
  }
}

/** Reads a body to its end; undefined when it is larger than the service accepts. */
async function readBody(incoming: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= MOST_BODY_BYTES) chunks.push(chunk);
  }
  return size <= MOST_BODY_BYTES ? Buffer.concat(chunks) : undefined;
}
