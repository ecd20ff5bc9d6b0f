import { landingPage } from './landing-page.ts';
import { metricsRoute, type MetricsRouteOptions } from './metrics-route.ts';
import { textReply } from './reply.ts';
import type { Route } from './route.ts';

export interface RouteOptions extends MetricsRouteOptions {
  readonly telemetryPath: string;
  readonly version: string;
}

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
    [telemetryPath, metricsRoute(options)],
  ]);
}
