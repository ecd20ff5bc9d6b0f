import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { type Deferred, deferred } from '../support/deferred.ts';

/** How far a request is let through. */
export type Moment =
  | 'before the service is asked'
  | 'before its answer arrives'
  | 'once it arrived'
  | 'before it is let go';

interface Hold {
  readonly path: string;
  readonly moment: Moment;
  readonly reached: Deferred<() => void>;
}

const NOTHING = (): void => undefined;

/** Stands between an exporter and the service, and stops one request on its way. */
export class HoldingProxy {
  readonly #serviceUrl: string;
  #hold: Hold | undefined;

  constructor(serviceUrl: string) {
    this.#serviceUrl = serviceUrl;
  }

  async start(): Promise<string> {
    const server = createServer((request, response) => {
      this.#pass(request, response).catch(() => response.destroy());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.close();
      server.closeAllConnections();
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  /**
   * Stops the next request for a path at that moment; resolves, when it has come so far, to what lets it
   * go where it is not stopped for ever.
   */
  reached(path: string, moment: Moment): Promise<() => void> {
    const reached = deferred<() => void>();
    this.#hold = { path, moment, reached };
    return reached.promise;
  }

  async #pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const hold = this.#hold?.path === request.url?.split('?')[0] ? this.#hold : undefined;
    if (hold !== undefined) this.#hold = undefined;
    const body = await buffer(request);
    if (hold?.moment === 'before the service is asked') {
      hold.reached.resolve(NOTHING);
      return;
    }
    if (hold?.moment === 'before it is let go')
      await new Promise<void>((resolve) => hold.reached.resolve(resolve));
    const { method = 'GET', url = '' } = request;
    const answer = await fetch(new URL(url, this.#serviceUrl), {
      method,
      headers: headersOf(request),
      ...(method === 'POST' && { body }),
    });
    const text = await answer.text();
    if (hold?.moment === 'before its answer arrives') {
      hold.reached.resolve(NOTHING);
      return;
    }
    for (const name of ['date', 'x-simulated-service'])
      response.setHeader(name, answer.headers.get(name) ?? '');
    response.writeHead(answer.status);
    response.end(text, () => hold?.reached.resolve(NOTHING));
  }
}

function headersOf(request: IncomingMessage): [string, string][] {
  return Object.entries(request.headers)
    .filter(([name]) => name.startsWith('iot-') || name === 'content-type')
    .map(([name, value]) => [name, String(value)]);
}
