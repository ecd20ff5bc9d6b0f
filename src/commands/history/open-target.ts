import { ConfigError } from '../../base/errors.ts';
import type { Labels } from '../../collectors/metric.ts';
import { formatDuration } from '../../config/duration.ts';
import { openDirectory } from '../../history/directory.ts';
import { HISTORY_METRICS } from '../../history/history-metrics.ts';
import type { WaitOptions } from '../../history/patience.ts';
import { openPush } from '../../history/push.ts';
import type { HistoryTarget } from '../../history/run-history.ts';
import type { CommandContext } from '../command.ts';

/** What a Prometheus adds that scrapes the exporter as prometheus/scrape.example.yml says. */
const DEFAULT_LABELS: Labels = { job: 'solar', instance: 'localhost:9877' };

/**
 * Refuses options that contradict each other, before anything is opened.
 *
 * @throws ConfigError
 */
export function checkTarget({ config, isGiven }: CommandContext, isDryRun: boolean): void {
  const { output, push, labels } = config.history;
  const ownLabels = new Set(HISTORY_METRICS.flatMap(({ labelNames }) => labelNames));
  const problems = Array.from(labels.keys())
    .filter((name) => ownLabels.has(name))
    .map(
      (name) => `--label: ${name} is a label of the metrics; accepted: another name, such as job`,
    );
  if (output !== undefined && push !== undefined)
    problems.push('--output and --push exclude each other; accepted: one of the two');
  if (push !== undefined && isGiven('format'))
    problems.push('--format: is about the files of --output; accepted: --push without it');
  if (output === undefined && push === undefined && !isDryRun)
    problems.push(
      '--output: is missing; accepted: --output DIRECTORY, or --push URL of a VictoriaMetrics',
    );
  if (problems.length > 0) throw new ConfigError(problems);
}

/**
 * Opens where the past goes; a dry run changes nothing there.
 *
 * @throws ConfigError when it cannot be used; TargetError when the database does not answer, or refuses.
 */
export async function openTarget(
  { config, runtime }: CommandContext,
  waiting: WaitOptions,
  isDryRun: boolean,
): Promise<HistoryTarget> {
  const { output: path, push: address, format, intervalMs } = config.history;
  const { station } = config;
  // An empty value takes a label away, as in Prometheus.
  const labels: Labels = Object.fromEntries(
    Object.entries({ ...DEFAULT_LABELS, ...Object.fromEntries(config.history.labels) }).filter(
      ([, value]) => value !== '',
    ),
  );
  if (path !== undefined) {
    const madeBy = {
      '--interval': formatDuration(intervalMs),
      '--label': labels,
      '--dialect.file': config.dialect?.entries,
      '--cache.max-age': config.cache.maxAgeMs,
      '--collect.energy': config.collect.energy,
      ...(station.independent.length > 0 && { '--station.independent': station.independent }),
    };
    const settings = `${JSON.stringify(madeBy, undefined, 2)}\n`;
    return openDirectory({ path, format, labels, settings, nonce: runtime.newNonce(), isDryRun });
  }
  if (address === undefined || isDryRun) return NOWHERE;
  const { pushUser: user, pushPassword: password } = config.history;
  const { timeoutMs } = config.request;
  return openPush({ ...waiting, address, user, password, timeoutMs, labels });
}

/** Where a dry run goes that writes no files. */
const NOWHERE: HistoryTarget = {
  has: () => false,
  write: () => Promise.reject(new TypeError('a dry run writes nothing')),
  finish: () => Promise.resolve(),
  close: () => Promise.resolve(),
};
