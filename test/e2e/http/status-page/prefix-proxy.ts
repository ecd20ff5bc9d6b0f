import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface PrefixProxy {
  /** Where it answers, the prefix included. */
  readonly url: string;
  /** Answers again, where it did before. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** A reverse proxy that shows a server below a prefix, which it takes off, and nothing elsewhere. */
export async function startPrefixProxy(target: string, prefix: `/${string}`): Promise<PrefixProxy> {
  const server = createServer(({ method, url = '', headers }, response) => {
    if (!url.startsWith(prefix)) {
      response.writeHead(404).end();
      return;
    }
    const forwarded = request(
      new URL(url.slice(prefix.length - 1), target),
      { method, headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    forwarded.once('error', () => response.destroy());
    forwarded.end();
  });
  let port = 0;
  const start = async (): Promise<void> => {
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    ({ port } = server.address() as AddressInfo);
  };
  const stop = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  await start();
  onTestFinished(stop);
  return { url: `http://127.0.0.1:${port}${prefix}`, start, stop };
}
