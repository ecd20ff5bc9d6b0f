import { collectDefaultMetrics, Registry } from 'prom-client';

/** Gauges with names that end like a counter's, which promtool rejects. */
const MISNAMED = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
];

/** Starts prom-client's default metrics of the process, and returns the function that renders them. */
export function startProcessMetrics(): () => Promise<string> {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const name of MISNAMED) registry.removeSingleMetric(name);
  return () => registry.metrics();
}
