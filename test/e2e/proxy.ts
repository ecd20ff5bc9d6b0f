import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

/** Turns the service's answer to a request with these headers into another. */
export type Rewrite = (body: string, headers: IncomingHttpHeaders) => string;

/** Stands between a client and the service, and changes what the service answers. */
export async function startProxy(serviceUrl: string, rewrite: Rewrite): Promise<string> {
  const server = createServer((request, response) => {
    forward(request, serviceUrl).then(
      ({ body, date }) => {
        // The service's clock, not this machine's.
        response.setHeader('date', date);
        response.end(rewrite(body, request.headers));
      },
      () => response.destroy(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function forward(
  request: IncomingMessage,
  serviceUrl: string,
): Promise<{ body: string; date: string }> {
  const headers = Object.entries(request.headers)
    .filter(([name]) => name.startsWith('iot-') || name === 'content-type')
    .map(([name, value]): [string, string] => [name, String(value)]);
  const { method = 'GET' } = request;
  const body = await text(request);
  const response = await fetch(new URL(request.url ?? '', serviceUrl), {
    method,
    headers,
    ...(method === 'POST' && { body }),
  });
  return { body: await response.text(), date: response.headers.get('date') ?? '' };
}
