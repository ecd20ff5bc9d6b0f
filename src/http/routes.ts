import type { IncomingHttpHeaders } from 'node:http';
import { ConfigError } from '../base/errors.ts';
import type { Page } from '../metrics/page.ts';
import { metricsRoute, type MetricsRouteOptions } from './metrics-route.ts';
import { probeRoutes, type ProbeRouteOptions } from './probe-routes.ts';
import { type Route, textReply } from './reply.ts';
import { statusRoutes, type StatusRouteOptions } from './status-routes.ts';

/** The metrics of the exporter itself, without those of stations. */
const SELF_PATH = '/metrics/self';

export interface RouteOptions extends MetricsRouteOptions, ProbeRouteOptions, StatusRouteOptions {
  readonly telemetryPath: string;
  /** Returns the metrics of the exporter itself. */
  readonly readSelf: () => Promise<Page>;
  readonly isReloadEnabled: boolean;
  /** Rejects with a ConfigError when the configuration is unusable; nothing changes then. */
  readonly reload: () => Promise<void>;
}

/**
 * Creates the routes of all paths.
 *
 * @throws ConfigError when the telemetry path is the path of another route. Only the status page may give
 * way to the metrics.
 */
export function createRoutes(options: RouteOptions): ReadonlyMap<string, Route> {
  // The server listens only once the configuration is valid, so it is ready whenever it answers.
  const ready = textReply(200, 'Ready.');
  const healthy = textReply(200, 'Healthy.');
  const routes = new Map<string, Route>([
    [SELF_PATH, metricsRoute({ ...options, current: () => undefined, scrape: options.readSelf })],
    ...statusRoutes(options),
    ...probeRoutes(options),
    ['/-/healthy', () => healthy],
    ['/-/ready', () => ready],
    ['/-/reload', reloadRoute(options)],
  ]);
  const { telemetryPath } = options;
  if (telemetryPath !== '/' && routes.has(telemetryPath))
    throw new ConfigError([
      `--web.telemetry-path: "${telemetryPath}" is a path that the exporter needs itself; accepted: any other`,
    ]);
  return routes.set(telemetryPath, metricsRoute(options));
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
  const site = headers['sec-fetch-site'];
  return headers.origin !== undefined || (site !== undefined && site !== 'none');
}
