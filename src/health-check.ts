import { get as getHttp, type RequestOptions } from 'node:http';
import { get as getHttps } from 'node:https';
import process from 'node:process';

/** It answers; it asks for a password; it asks for a certificate. */
const HEALTHY_STATUSES = [200, 401, 403];
/** A server that wants a certificate ends the handshake with one of these: TLS 1.2, TLS 1.3. */
const CERTIFICATE_WANTED = /SSL alert number (40|116)\b/;
/** Where an exporter answers that listens on all addresses; on a machine without IPv4 at the second. */
const LOOPBACK = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

// The health check of the image, see the Dockerfile: asks the exporter of this container whether it is
// alive, where SOLAR_WEB_LISTEN_ADDRESS says that it listens. It is a program of its own, because it runs
// every 30 seconds and has to start fast. Its argument says after how many milliseconds it gives up. Exit
// status 0: the exporter is alive; 1: it is not, and standard error says why.
const timeoutMs = Number(process.argv[2]);
const fault = await faultOf(process.env['SOLAR_WEB_LISTEN_ADDRESS'] ?? '', timeoutMs);
if (fault !== undefined) {
  process.stderr.write(`unhealthy: ${fault}\n`);
  process.exitCode = 1;
}

/** Returns what is wrong with the exporter that listens at an address; undefined when it is healthy. */
async function faultOf(address: string, timeoutMs: number): Promise<string | undefined> {
  const options = { ...targetOf(address), signal: AbortSignal.timeout(timeoutMs) };
  try {
    return faultOfStatus(await statusOf(getHttp, options));
  } catch {
    // With TLS, a request without it fails. What is wrong is said by the second one.
  }
  try {
    return faultOfStatus(await statusOf(getHttps, options));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (CERTIFICATE_WANTED.test(message)) return undefined;
    return options.signal.aborted
      ? `no answer within ${timeoutMs} ms`
      : `no answer: ${code ?? message}`;
  }
}

function faultOfStatus(status: number): string | undefined {
  return HEALTHY_STATUSES.includes(status) ? undefined : `it answers ${status}`;
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

/** Takes an address such as `:9877`, `192.0.2.7:9877` or `[::1]:9877` apart. */
function targetOf(address: string): RequestOptions {
  const [, bracketed, plain, port = '9877'] =
    /^(?:\[(.*)\]|(.*)):(\d+)$/.exec(address.trim()) ?? [];
  const host = bracketed ?? plain ?? '';
  if (host !== '' && host !== '0.0.0.0' && host !== '::') return { host, port };
  return {
    host: 'localhost',
    port,
    lookup: (_host, _options, found) => found(null, LOOPBACK),
  };
}
