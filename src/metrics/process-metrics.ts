import { collectDefaultMetrics, Registry } from 'prom-client';

/** Gauges with names that end like a counter's, which promtool rejects. */
const MISNAMED = ['handles', 'requests', 'resources'].map((of) => `nodejs_active_${of}_total`);

/** Starts prom-client's default metrics of the process, which observe the garbage collector and the event loop. */
export function startProcessMetrics(): Registry {
  const register = new Registry();
  collectDefaultMetrics({ register });
  for (const name of MISNAMED) register.removeSingleMetric(name);
  return register;
}
