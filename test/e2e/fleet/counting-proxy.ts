import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { SERVICE_PATHS } from '../../support/service-paths.ts';

/** Stands between one exporter and the service, and counts what that exporter asks. */
export class CountingProxy {
  readonly #serviceUrl: string;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #readings = new Map<string, number>();
  readonly #requests = new Map<string, number>();

  private constructor(serviceUrl: string) {
    this.#serviceUrl = serviceUrl;
  }

  static async start(serviceUrl: string): Promise<{ proxy: CountingProxy; url: string }> {
    const proxy = new CountingProxy(serviceUrl);
    const server = createServer((incoming, response) => {
      proxy.#forward(incoming, response).catch(() => response.destroy());
    });
    // Longer than any client keeps an idle connection, so that none is closed under a request.
    server.keepAliveTimeout = 120_000;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.close();
      server.closeAllConnections();
      proxy.#agent.destroy();
    });
    return { proxy, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  }

  /** How often the readings of each device were asked for. */
  get readings(): ReadonlyMap<string, number> {
    return this.#readings;
  }

  /** How often a path was asked for. */
  requests(path: string): number {
    return this.#requests.get(path) ?? 0;
  }

  async #forward(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(incoming);
    const { method, headers, url = '' } = incoming;
    const [path = ''] = url.split('?');
    count(this.#requests, path);
    if (path === SERVICE_PATHS.readings) {
      const { deviceId } = JSON.parse(body.toString()) as { deviceId: string };
      count(this.#readings, deviceId);
    }
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      request(new URL(url, this.#serviceUrl), { method, headers, agent: this.#agent })
        .once('response', resolve)
        .once('error', reject)
        .end(body);
    });
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  }
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
