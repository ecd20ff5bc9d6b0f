import { ConfigError } from '../../base/errors.ts';
import type { SampleSettings } from '../../history/run/file-settings.ts';
import { HistoryDirectory } from '../../history/run/history-directory.ts';
import type { HistoryTarget } from '../../history/run/history-target.ts';
import { PushProgress } from '../../history/run/push-progress.ts';
import { PushTarget } from '../../history/run/push-target.ts';
import { seriesLabels } from '../../history/run/series-labels.ts';
import type { CommandContext } from '../command.ts';

/** What a target is told of a run. */
export interface TargetRun {
  readonly isDryRun: boolean;
  /** Ends every wait. */
  readonly stop: AbortSignal;
  /** Is told why nothing is sent to the database, and for how long. */
  readonly onWait: (reason: string, pauseMs: number) => void;
}

/**
 * Refuses options that contradict each other, before anything is opened.
 *
 * @throws ConfigError
 */
export function checkTarget({ config, isGiven }: CommandContext, isDryRun: boolean): void {
  const { output, push } = config.history;
  if (output !== undefined && push !== undefined)
    throw new ConfigError(['--output and --push exclude each other; accepted: one of the two']);
  if (push !== undefined && isGiven('format'))
    throw new ConfigError([
      '--format: is about the files of --output; accepted: --push without it',
    ]);
  if (output === undefined && push === undefined && !isDryRun)
    throw new ConfigError([
      '--output: is missing; accepted: --output DIRECTORY, or --push URL of a VictoriaMetrics',
    ]);
  seriesLabels(config.history.labels);
}

/**
 * Opens where the past goes; a dry run changes nothing there.
 *
 * @throws ConfigError when it cannot be used; PushError when the database does not answer, or refuses.
 */
export async function openTarget(
  { config, runtime, complain }: CommandContext,
  { isDryRun, stop, onWait }: TargetRun,
): Promise<HistoryTarget> {
  const { output, push, format, labels, intervalMs } = config.history;
  const { clock, random, newNonce } = runtime;
  const { stateDir, accounts, accountName } = config;
  const settings: SampleSettings = {
    intervalMs,
    labels: seriesLabels(labels, accounts.length > 1 ? accountName : undefined),
    dialect: config.dialect?.entries,
    maxAgeMs: config.cache.maxAgeMs,
    isEnergyWanted: config.collect.energy,
  };
  const nowMs = (): number => clock.nowMs();
  if (output !== undefined) {
    const options = { path: output, settings: { ...settings, format }, nowMs, newNonce };
    return isDryRun ? HistoryDirectory.look(options) : HistoryDirectory.open(options);
  }
  if (push === undefined) return NOWHERE;
  const progress =
    stateDir === undefined
      ? undefined
      : await PushProgress.open({ stateDir, target: push, settings, newNonce });
  if (progress === undefined && !isDryRun)
    complain('solar-exporter: without --state.dir, a second run pushes all of it again\n');
  const target = new PushTarget({
    ...{ base: new URL(push), settings, progress, clock, random, stop, onWait },
  });
  try {
    if (!isDryRun) await target.check();
  } catch (error) {
    await target.close();
    throw error;
  }
  return target;
}

/** What a dry run asks that names no target. */
const NOWHERE: HistoryTarget = {
  missing: (part) => part,
  write: () => Promise.reject(new TypeError('a dry run writes nothing')),
  close: () => Promise.resolve(),
};
