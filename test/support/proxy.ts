import { once } from 'node:events';
import {
  Agent,
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as sendRequest,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { type Deferred, deferred } from './deferred.ts';

/** A request on its way to the service. */
export interface PassingRequest {
  /** The path without its query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** An answer of the service on its way back. */
interface PassingAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Is called once the client has all of it. */
  readonly onSent?: () => void;
}

/**
 * What happens on the way: `forward` asks the service, and what is returned is the answer. A promise that never
 * settles holds the request; a rejected one breaks the connection.
 */
export type Passage = (
  request: PassingRequest,
  forward: () => Promise<PassingAnswer>,
) => Promise<PassingAnswer>;

/** Headers about the body as it was sent, which may have changed since. */
const FRAMING = ['content-length', 'transfer-encoding', 'content-encoding'];

/** Starts a proxy that stands between a client and the service until the test ends; resolves to its URL. */
export async function startProxy(serviceUrl: string, pass: Passage): Promise<string> {
  const agent = new Agent({ keepAlive: true });
  const server = createServer((incoming, response) => {
    const handle = async (): Promise<void> => {
      const body = await text(incoming);
      const { method, headers, url = '' } = incoming;
      const request = { path: url.split('?')[0] ?? '', headers, body };
      const forward = async (): Promise<PassingAnswer> => {
        const sent = sendRequest(new URL(url, serviceUrl), { method, headers, agent })
          // What fails after the head of an answer is told by its body.
          .on('error', () => undefined)
          .end(body);
        const [received] = (await once(sent, 'response')) as [IncomingMessage];
        const { statusCode: status = 502, headers: back } = received;
        return { status, headers: back, body: await text(received) };
      };
      const answer = await pass(request, forward);
      for (const [name, value] of Object.entries(answer.headers))
        if (value !== undefined && !FRAMING.includes(name)) response.setHeader(name, value);
      response.writeHead(answer.status).end(answer.body, answer.onSent);
    };
    handle().catch(() => response.destroy());
  });
  // Longer than any client keeps an idle connection, so that none is closed under a request.
  server.keepAliveTimeout = 120_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
    agent.destroy();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Changes the bodies of answers, and nothing else. */
export function rewriting(rewrite: (body: string, request: PassingRequest) => string): Passage {
  return async (request, forward) => {
    const answer = await forward();
    return { ...answer, body: rewrite(answer.body, request) };
  };
}

/** How far a held request is let through. */
export type Moment =
  | 'before the service is asked'
  | 'before its answer arrives'
  | 'once it arrived'
  | 'before it is let go';

/** Stops one request on its way, and lets all others pass. */
export class Holding {
  #hold: { path: string; moment: Moment; reached: Deferred<() => void> } | undefined;

  /**
   * Stops the next request for a path at that moment; resolves, when it has come so far, to what lets it go
   * where it is not stopped for ever.
   */
  reached(path: string, moment: Moment): Promise<() => void> {
    const reached = deferred<() => void>();
    this.#hold = { path, moment, reached };
    return reached.promise;
  }

  readonly pass: Passage = async ({ path }, forward) => {
    if (this.#hold?.path !== path) return forward();
    const { moment, reached } = this.#hold;
    this.#hold = undefined;
    const forEver = () =>
      new Promise<never>(() => {
        reached.resolve(() => undefined);
      });
    if (moment === 'before the service is asked') return forEver();
    if (moment === 'before it is let go')
      await new Promise<void>((resolve) => reached.resolve(resolve));
    const answer = await forward();
    if (moment === 'before its answer arrives') return forEver();
    return { ...answer, onSent: () => reached.resolve(() => undefined) };
  };
}
