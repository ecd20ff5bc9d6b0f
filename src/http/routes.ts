import { ConfigError } from '../base/errors.ts';
import type { Page } from '../metrics/page.ts';
import { metricsRoute, type MetricsRouteOptions } from './metrics-route.ts';
import { reloadRoute } from './reload-route.ts';
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
    ['/-/reload', reloadRoute({ isEnabled: options.isReloadEnabled, reload: options.reload })],
  ]);
  const { telemetryPath } = options;
  if (telemetryPath !== '/' && routes.has(telemetryPath))
    throw new ConfigError([
      `--web.telemetry-path: "${telemetryPath}" is a path that the exporter needs itself; accepted: any other`,
    ]);
  return routes.set(telemetryPath, metricsRoute(options));
}
