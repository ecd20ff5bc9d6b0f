import { ConfigError } from '../../base/errors.ts';
import type { Labels } from '../../collectors/metric.ts';
import { HISTORY_METRICS } from '../history-metrics.ts';

/** What a Prometheus adds that scrapes the exporter as prometheus/scrape.example.yml says. */
export const DEFAULT_LABELS: Labels = { job: 'solar', instance: 'localhost:9877' };

/**
 * Returns the labels that every series gets beside its own: those of the user over the default ones. An empty
 * value takes a label away, as in Prometheus.
 *
 * @param account - the name of the account, where the page has a label of that name.
 * @throws ConfigError when a label is one that the metrics have themselves.
 */
export function seriesLabels(given: ReadonlyMap<string, string>, account?: string): Labels {
  const own = new Set(HISTORY_METRICS.flatMap(({ labelNames }) => labelNames));
  const problems = Array.from(given.keys())
    .filter((name) => own.has(name))
    .map(
      (name) => `--label: ${name} is a label of the metrics; accepted: another name, such as job`,
    );
  if (problems.length > 0) throw new ConfigError(problems);
  const before = account === undefined ? DEFAULT_LABELS : { ...DEFAULT_LABELS, account };
  const all = [...Object.entries(before), ...given];
  return Object.fromEntries([...new Map(all)].filter(([, value]) => value !== ''));
}
