import { ConfigError } from '../errors.ts';
import { metricsRoute, type MetricsRouteOptions } from './metrics-route.ts';
import { reloadRoute } from './reload-route.ts';
import { probeRoutes, type ProbeRouteOptions } from './probe-routes.ts';
import { textReply } from './reply.ts';
import type { Route } from './route.ts';
import { statusRoutes, type StatusRouteOptions } from './status-routes.ts';

export interface RouteOptions extends MetricsRouteOptions, ProbeRouteOptions, StatusRouteOptions {
  readonly telemetryPath: string;
  readonly isReloadEnabled: boolean;
  readonly reload: () => Promise<void>;
}

/**
 * Every path that is answered.
 *
 * @throws ConfigError when the metrics are wanted where something else is. The status page may be
 * replaced by them.
 */
export function createRoutes(options: RouteOptions): ReadonlyMap<string, Route> {
  // The server listens only once the configuration is valid, so whoever gets an answer gets "ready".
  const ready = textReply(200, 'Ready.');
  const healthy = textReply(200, 'Healthy.');
  const routes = new Map<string, Route>([
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
