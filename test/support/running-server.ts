import http from 'node:http';
import https from 'node:https';
import { buffer } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { createRoutes, type RouteOptions } from '../../src/http/routes.ts';
import { type HttpServer, type HttpServerOptions, startHttpServer } from '../../src/http/server.ts';
import { sampleStatus } from './sample-status.ts';
import { SilentLog } from './silent-log.ts';

/** The status of an exporter that has sent no request yet. */
const EMPTY_STATUS = sampleStatus({ account: [], stations: [], requests: [] });

export const PAGE_TEXT = 'solar_up 1\n';
export const SELF_TEXT = 'solar_reauthentication_required 0\n';

export interface Answer {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** A server with all routes on a free port of the loopback interface. */
export async function startServer(
  changes: Partial<RouteOptions> = {},
  options: Partial<HttpServerOptions> = {},
) {
  const log = new SilentLog();
  const waitsMs: number[] = [];
  const routes = createRoutes({
    telemetryPath: '/metrics',
    scrapeTimeoutMs: 9500,
    current: () => undefined,
    scrape: (waitMs) => {
      waitsMs.push(waitMs);
      return Promise.resolve(Buffer.from(PAGE_TEXT));
    },
    readSelf: () => Promise.resolve(Buffer.from(SELF_TEXT)),
    listStations: () => Promise.resolve([]),
    probe: () => Promise.resolve('unknown station'),
    readStatus: () => {
      const { telemetryPath = '/metrics' } = changes;
      return Promise.resolve({ ...EMPTY_STATUS, telemetryPath });
    },
    isReloadEnabled: false,
    reload: () => Promise.resolve(),
    ...changes,
  });
  const server = await startHttpServer({
    address: { host: '127.0.0.1', port: 0 },
    routes: () => routes,
    maxRequests: 0,
    log,
    ...options,
  });
  onTestFinished(() => server.stop());
  return { server, log, waitsMs, ...clientOf(server) };
}

export interface AskOptions {
  readonly method?: string;
  readonly headers?: Record<string, string>;
}

/** Creates a client that adds nothing of its own: no headers but those given, no decompression. */
export function clientOf({ url }: Pick<HttpServer, 'url'>) {
  const isSecure = url.startsWith('https:');
  // These tests do not check the identity of the server.
  const agent = isSecure
    ? new https.Agent({ keepAlive: true, rejectUnauthorized: false })
    : new http.Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  const { request } = isSecure ? https : http;
  const ask = (path: string, { method = 'GET', headers = {} }: AskOptions = {}) =>
    new Promise<Answer>((resolve, reject) => {
      const sent = request(url + path, { method, headers, agent }, (response) => {
        const { statusCode: status, headers: received } = response;
        buffer(response).then((body) => resolve({ status, headers: received, body }), reject);
      });
      sent.on('error', reject).end();
    });
  return { agent, ask };
}
