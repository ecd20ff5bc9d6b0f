import { Agent, request } from 'node:http';
import { onTestFinished } from 'vitest';
import { createRoutes, type RouteOptions } from '../../src/http/routes.ts';
import { type HttpServer, type HttpServerOptions, startHttpServer } from '../../src/http/server.ts';
import { Page } from '../../src/metrics/render.ts';
import type { Status } from '../../src/status/status.ts';
import { deferred } from './deferred.ts';
import { SilentLog } from './silent-log.ts';

/** The status of an exporter that has sent no request yet. */
export const EMPTY_STATUS: Status = {
  atMs: Date.parse('2026-06-21T12:00:00Z'),
  version: '1.2.3',
  telemetryPath: '/metrics',
  isSimulated: false,
  areCredentialsIgnored: false,
  session: { mode: 'account', isReauthenticationRequired: false },
  account: [],
  stations: [],
  requests: [],
};

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
      return Promise.resolve(new Page(PAGE_TEXT));
    },
    readSelf: () => Promise.resolve(new Page(SELF_TEXT)),
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

/** A scrape that has the page once it is given one; `asked` resolves when it begins. */
export function heldScrape() {
  const [asked, page] = [deferred<undefined>(), deferred<Page>()];
  const scrape = (): Promise<Page> => {
    asked.resolve(undefined);
    return page.promise;
  };
  return { scrape, asked: asked.promise, give: (text: string) => page.resolve(new Page(text)) };
}

export interface AskOptions {
  readonly method?: string;
  readonly headers?: Record<string, string>;
}

/** Creates a client that adds nothing of its own: no headers but those given, no decompression. */
export function clientOf(server: Pick<HttpServer, 'url'>) {
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  const ask = (path: string, { method = 'GET', headers = {} }: AskOptions = {}) =>
    new Promise<Answer>((resolve, reject) => {
      const sent = request(server.url + path, { method, headers, agent }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () =>
          resolve({
            status: response.statusCode,
            headers: response.headers,
            body: Buffer.concat(chunks),
          }),
        );
      });
      sent.on('error', reject);
      sent.end();
    });
  return { agent, ask };
}
