import type { IncomingMessage } from 'node:http';
import type { Page } from '../metrics/page.ts';
import { acceptsGzip } from './accepts-gzip.ts';
import { landingPage } from './landing-page.ts';
import { type Reply, textReply } from './reply.ts';
import { scrapeWaitMs } from './scrape-deadline.ts';

/** The text format that Prometheus 2 and 3 both take. */
const METRICS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

export interface RouteOptions {
  readonly telemetryPath: string;
  /** The longest wait inside one scrape. */
  readonly scrapeTimeoutMs: number;
  readonly scrape: (waitMs: number) => Promise<Page>;
  readonly version: string;
}

export type Route = (request: IncomingMessage) => Reply | Promise<Reply>;

/** Every path that is answered. */
export function createRoutes(options: RouteOptions): ReadonlyMap<string, Route> {
  const { telemetryPath, version } = options;
  const landing = landingPage(telemetryPath, version);
  // The server listens only once the configuration is valid, so whoever gets an answer gets "ready".
  const ready = textReply(200, 'Ready.');
  const healthy = textReply(200, 'Healthy.');
  return new Map<string, Route>([
    ['/', () => landing],
    ['/-/healthy', () => healthy],
    ['/-/ready', () => ready],
    [telemetryPath, (request) => metrics(request, options)],
  ]);
}

async function metrics(
  { headers }: IncomingMessage,
  { scrape, scrapeTimeoutMs }: RouteOptions,
): Promise<Reply> {
  const waitMs = scrapeWaitMs(headers['x-prometheus-scrape-timeout-seconds'], scrapeTimeoutMs);
  const page = await scrape(waitMs);
  const common = { 'content-type': METRICS_CONTENT_TYPE, vary: 'accept-encoding' };
  if (!acceptsGzip(headers['accept-encoding']))
    return { status: 200, headers: common, body: page.body };
  const body = await page.gzipped();
  return { status: 200, headers: { ...common, 'content-encoding': 'gzip' }, body };
}
