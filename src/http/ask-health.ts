import { get as getHttp, type RequestOptions } from 'node:http';
import { get as getHttps } from 'node:https';
import type { ListenAddress } from './listen.ts';

/** Where an exporter answers that listens on all addresses; on a machine without IPv4 at the second. */
const LOOPBACK = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/**
 * Asks the exporter that listens at an address whether it is alive.
 *
 * @param mayHaveTls - whether it is asked over TLS first, then without.
 * @returns what is wrong with it; undefined when it is healthy.
 */
export async function askHealth(
  address: ListenAddress,
  mayHaveTls: boolean,
  timeoutMs: number,
): Promise<string | undefined> {
  const signal = AbortSignal.timeout(timeoutMs);
  const options = { ...targetOf(address), signal };
  let fault: string | undefined;
  for (const get of mayHaveTls ? [getHttps, getHttp] : [getHttp])
    try {
      const status = await statusOf(get, options);
      return status === 200 ? undefined : `it answers ${status}`;
    } catch (error) {
      if (signal.aborted) return `no answer within ${timeoutMs} ms`;
      const { code, message } = error as NodeJS.ErrnoException;
      fault ??= `no answer: ${code ?? message}`;
    }
  return fault;
}

/** Asks a server over one connection; resolves when the head of the answer is there. */
function statusOf(get: typeof getHttp, options: RequestOptions): Promise<number> {
  // The exporter's certificate names the host that Prometheus knows, which is not this one.
  const more = { path: '/-/healthy', agent: false, rejectUnauthorized: false };
  return new Promise((resolve, reject) => {
    get({ ...options, ...more }, (answer) => {
      answer.destroy();
      resolve(answer.statusCode ?? 0);
    }).once('error', reject);
  });
}

function targetOf({ host = '', port }: ListenAddress): RequestOptions {
  if (host !== '' && host !== '0.0.0.0' && host !== '::') return { host, port };
  return { host: 'localhost', port, lookup: (_host, _options, found) => found(null, LOOPBACK) };
}
