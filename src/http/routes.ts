import type { IncomingHttpHeaders } from 'node:http';
import { ConfigError } from '../base/errors.ts';
import type { Prober, ProbeRefusal } from '../metrics/probe.ts';
import type { Scraper } from '../metrics/scrape.ts';
import {
  type Awaitable,
  compressibleReply,
  type Reply,
  replyWith,
  type Route,
  textReply,
} from './reply.ts';
import { statusRoutes, type StatusRouteOptions } from './status-routes.ts';

export interface RouteOptions extends StatusRouteOptions, Pick<Scraper, 'current' | 'scrape'> {
  readonly telemetryPath: string;
  /** Returns the metrics of the exporter itself. */
  readonly readSelf: Scraper['ofItself'];
  readonly listStations: Prober['stations'];
  readonly probe: Prober['probe'];
  readonly isReloadEnabled: boolean;
  /** Rejects with a ConfigError when the configuration is unusable; nothing changes then. */
  readonly reload: () => Promise<void>;
}

/** Creates the routes of all paths. The metrics may take the place of the status page. */
export function createRoutes(options: RouteOptions): ReadonlyMap<string, Route> {
  const { telemetryPath, scrapeTimeoutMs, current, scrape, readSelf } = options;
  // The server listens only once the configuration is valid, so it is ready whenever it answers.
  const ready = textReply(200, 'Ready.');
  const healthy = textReply(200, 'Healthy.');
  // Most scrapes find a page that is up to date, and do not wait at all.
  const metrics: Route = ({ headers }) => {
    const page = current();
    if (page !== undefined) return metricsReply(headers, page);
    const scraped = scrape(scrapeWaitMs(headers, scrapeTimeoutMs));
    return scraped.then((made) => metricsReply(headers, made));
  };
  const routes: Readonly<Record<string, Route>> = {
    ...statusRoutes(options),
    '/metrics/self': async ({ headers }) => metricsReply(headers, await readSelf()),
    '/sd': targetsRoute(options),
    '/probe': probeRoute(options),
    '/-/healthy': () => healthy,
    '/-/ready': () => ready,
    '/-/reload': reloadRoute(options),
    [telemetryPath]: metrics,
  };
  return new Map(Object.entries(routes));
}

// Prometheus 2 and 3 both read this text format.
const METRICS_HEADERS = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' };

function metricsReply(headers: IncomingHttpHeaders, page: Buffer): Awaitable<Reply> {
  return compressibleReply(headers, METRICS_HEADERS, page);
}

/** Time that Prometheus needs beside our wait, for the request and the answer to travel. */
const MARGIN_MS = 500;

/**
 * Returns how long a scrape may wait: the configured limit, or the timeout of Prometheus
 * (`X-Prometheus-Scrape-Timeout-Seconds`) less half a second, whichever is shorter.
 */
export function scrapeWaitMs(headers: IncomingHttpHeaders, limitMs: number): number {
  const timeoutMs = Number(headers['x-prometheus-scrape-timeout-seconds']) * 1000;
  if (!Number.isFinite(timeoutMs) || timeoutMs <= 0) return limitMs;
  return Math.max(0, Math.min(limitMs, timeoutMs - MARGIN_MS));
}

const REFUSALS: Readonly<Record<ProbeRefusal | 'no target', Reply>> = {
  'no target': textReply(
    400,
    'target: give one station id, as /probe?target=…; /sd lists what is accepted.',
  ),
  'unknown station': textReply(
    404,
    'target: no station of this exporter has that id; /sd lists what is accepted.',
  ),
  'unknown yet': textReply(503, 'The stations are not known yet; the log says why.'),
};

/** Creates `/sd`, which lists the stations for Prometheus (http_sd). */
function targetsRoute({ scrapeTimeoutMs, listStations }: RouteOptions): Route {
  return async () => {
    const stations = await listStations(scrapeTimeoutMs);
    // While any are unknown it fails, so that Prometheus keeps the targets that it has.
    if (stations === undefined) return REFUSALS['unknown yet'];
    const targets = stations.map(({ stationId, name = '', timeZone = '' }) => ({
      targets: [stationId],
      labels: {
        __meta_solar_station_name: name,
        __meta_solar_station_time_zone: timeZone,
      },
    }));
    const body = Buffer.from(JSON.stringify(targets));
    return replyWith(200, { 'content-type': 'application/json; charset=utf-8' }, body);
  };
}

/** Creates `/probe`, which scrapes one station. */
function probeRoute({ scrapeTimeoutMs, probe }: RouteOptions): Route {
  return async ({ url = '', headers }) => {
    const query = new URLSearchParams(/\?.*$/s.exec(url)?.[0]);
    const [stationId = '', ...others] = query.getAll('target');
    if (stationId === '' || others.length > 0) return REFUSALS['no target'];
    const waitMs = scrapeWaitMs(headers, scrapeTimeoutMs);
    const page = await probe(stationId, waitMs);
    return typeof page === 'string' ? REFUSALS[page] : metricsReply(headers, page);
  };
}

/** Creates `/-/reload`, which reads the configuration again. */
function reloadRoute({ isReloadEnabled, reload }: RouteOptions): Route {
  const route: Route = async ({ headers }) => {
    if (!isReloadEnabled)
      return textReply(
        403,
        'Reloading over HTTP is off; --web.enable-lifecycle turns it on, and the signal SIGHUP reloads without it.',
      );
    if (isFromWebPage(headers))
      return textReply(403, 'A web page may not reload the configuration.');
    try {
      await reload();
      return textReply(200, 'Reloaded.');
    } catch (error) {
      // The problems name files and quote values, which only the readers of the log may see.
      if (error instanceof ConfigError)
        return textReply(400, 'Not reloaded; the log says why. The configuration before goes on.');
      throw error;
    }
  };
  return Object.assign(route, { methods: ['POST'] });
}

/** Whether a browser sent the request for a page. Without this check, any page that an operator visits could reload. */
function isFromWebPage(headers: IncomingHttpHeaders): boolean {
  const { origin, referer, 'sec-fetch-site': site = 'none' } = headers;
  return origin !== undefined || referer !== undefined || site !== 'none';
}
