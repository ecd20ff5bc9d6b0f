import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

/** A request that was taken. */
export interface TakenRequest {
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A web server on loopback that keeps every request, in order. */
export interface RunningInbox {
  readonly url: string;
  readonly requests: readonly TakenRequest[];
}

/** Starts a web server that answers everything with this JSON; it goes with the test. */
export async function startInbox(answer: object): Promise<RunningInbox> {
  const requests: TakenRequest[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const url = new URL(request.url ?? '/', 'http://127.0.0.1');
      requests.push({ url, headers: request.headers, body });
      response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, requests };
}
