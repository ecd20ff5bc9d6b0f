import { collectDefaultMetrics, Registry } from 'prom-client';

/** Gauges with names that end like a counter's, which promtool rejects. */
const MISNAMED = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
];

/** Starts prom-client's default metrics of the process, which observe the garbage collector and the event loop. */
export function startProcessMetrics(): Registry {
  const register = new Registry();
  collectDefaultMetrics({ register });
  for (const name of MISNAMED) register.removeSingleMetric(name);
  return register;
}
