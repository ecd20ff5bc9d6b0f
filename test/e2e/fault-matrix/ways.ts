import dns from 'node:dns';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { onTestFinished, vi } from 'vitest';

/** A name that nobody but {@link resolvingLoopback} knows. */
export const NAME = 'solar.invalid';

/** What can go wrong on the way to the service. */
export interface Ways {
  readonly stop: () => Promise<void>;
  readonly start: () => Promise<void>;
  readonly forget: () => void;
  readonly remember: () => void;
}

/** Somebody who speaks TLS, with a certificate of their own making. */
export async function startStranger(): Promise<{
  readonly url: string;
  readonly requests: () => number;
}> {
  const pem = (name: string): string =>
    readFileSync(new URL(`../../fixtures/tls/${name}`, import.meta.url), 'utf8');
  let requests = 0;
  const server = createServer({ cert: pem('server-ec.pem'), key: pem('server-ec.key') });
  server.on('request', (_, response) => {
    requests += 1;
    response.end();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `https://127.0.0.1:${port}`, requests: () => requests };
}

/** Stands in for the resolver, which is never asked for it: the name is this machine's until it is forgotten. */
export function resolvingLoopback(): Pick<Ways, 'forget' | 'remember'> {
  let isKnown = true;
  const genuine: (...given: never[]) => void = dns.lookup;
  const lookup = (...given: unknown[]): void => {
    const [host, , callback] = given;
    if (host !== NAME || typeof callback !== 'function') genuine(...(given as never[]));
    else if (isKnown) genuine(...(['127.0.0.1', ...given.slice(1)] as never[]));
    else
      (callback as (error: Error) => void)(
        Object.assign(new Error(`getaddrinfo ENOTFOUND ${NAME}`), { code: 'ENOTFOUND' }),
      );
  };
  vi.spyOn(dns, 'lookup').mockImplementation(lookup);
  return {
    forget: () => {
      isKnown = false;
    },
    remember: () => {
      isKnown = true;
    },
  };
}
