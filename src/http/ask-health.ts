import { get as getHttp, type RequestOptions } from 'node:http';
import { get as getHttps } from 'node:https';
import { hostForPeople, type ListenAddress } from './listen.ts';

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
  { host = '', port }: ListenAddress,
  mayHaveTls: boolean,
  timeoutMs: number,
): Promise<string | undefined> {
  const signal = AbortSignal.timeout(timeoutMs);
  const name = hostForPeople(host);
  const address = `//${name}:${port}/-/healthy`;
  const options: RequestOptions =
    name === 'localhost' ? { lookup: (_host, _options, found) => found(null, LOOPBACK) } : {};
  let fault: string | undefined;
  for (const url of mayHaveTls ? [`https:${address}`, `http:${address}`] : [`http:${address}`])
    try {
      const status = await statusOf(url, { ...options, signal });
      return status === 200 ? undefined : `it answers ${status}`;
    } catch (error) {
      if (signal.aborted) return `no answer within ${timeoutMs} ms`;
      const { code, message } = error as NodeJS.ErrnoException;
      fault ??= `no answer: ${code ?? message}`;
    }
  return fault;
}

/** Asks a server over one connection; resolves when the head of the answer is there. */
function statusOf(url: string, options: RequestOptions): Promise<number> {
  const get = url.startsWith('https:') ? getHttps : getHttp;
  // The exporter's certificate names the host that Prometheus knows, which is not this one.
  const more = { agent: false, rejectUnauthorized: false };
  return new Promise((resolve, reject) => {
    get(url, { ...options, ...more }, (answer) => {
      answer.destroy();
      resolve(answer.statusCode ?? 0);
    }).once('error', reject);
  });
}
