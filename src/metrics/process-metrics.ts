import { collectDefaultMetrics, Registry } from 'prom-client';

/** Gauges whose names end as only a counter's may: promtool objects to them. */
const MISNAMED = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
];

/** Starts prom-client's default metrics of the process; returns what renders them. */
export function startProcessMetrics(): () => Promise<string> {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const name of MISNAMED) registry.removeSingleMetric(name);
  return () => registry.metrics();
}
