import type { ServiceApi } from '../../client/client.ts';
import { formatDuration } from '../../config/duration.ts';
import type { CollectedMonth } from '../../history/collect-month.ts';
import { MOST_READINGS } from '../../history/device-replay.ts';
import { energiesOnce } from '../../history/energies.ts';
import type { MonthPart } from '../../history/months.ts';
import { patienceWith, StoppedError, type WaitOptions } from '../../history/patience.ts';
import { type HistoryTarget, runHistory, TargetError } from '../../history/run-history.ts';
import {
  type CommandContext,
  EXIT_FAILED,
  EXIT_INTERRUPTED,
  EXIT_OK,
  withConnection,
} from '../command.ts';
import { checkTarget, openTarget } from './open-target.ts';
import { showProgress } from './progress.ts';
import { estimateText, nameOf, outcomeText } from './texts.ts';
import { spanOf, wantedParts } from './wanted-past.ts';

/** What the service is asked per second, unless the user says otherwise: whatever else asks it comes first. */
const REQUESTS_PER_SECOND = 1;

/** Writes the past that the service holds, as files or to a database, and goes on where a run before it stopped. */
export async function history(given: CommandContext, isDryRun: boolean): Promise<number> {
  const { request } = given.config;
  const { ratePerSecond = REQUESTS_PER_SECOND } = request;
  const config = { ...given.config, request: { ...request, ratePerSecond } };
  const context: CommandContext = { ...given, config };
  const { runtime, complain, out } = context;
  spanOf(config.history, runtime.clock.nowMs());
  checkTarget(context, isDryRun);

  const stopping = new AbortController();
  let say = (line: string): void => complain(`${line}\n`);
  const waiting: WaitOptions = {
    ...runtime,
    stop: stopping.signal,
    onWait: (reason, waitMs) =>
      say(
        `solar-exporter: ${reason}; trying again in ${formatDuration(Math.ceil(waitMs / 1000) * 1000)}`,
      ),
  };
  void context.stopRequested(true).then(() => {
    say('solar-exporter: stopping after what is in work; once more stops at once');
    stopping.abort();
  });

  async function write(api: ServiceApi, wanted: readonly MonthPart[], target: HistoryTarget) {
    const missing = wanted.filter((part) => !target.has(part));
    const progress = showProgress(missing, context);
    ({ say } = progress);
    const patiently = patienceWith(waiting);
    const ended = await runHistory(wanted, {
      ...{ api, target, patiently, stop: stopping.signal },
      stepMs: config.history.intervalMs,
      maxAge: config.cache.maxAgeMs,
      energies: config.collect.energy ? energiesOnce(api, patiently) : undefined,
      onBegun: progress.begun,
      onPage: progress.read,
      onWritten(part, month) {
        progress.written(part);
        for (const line of remarksOn(part, month)) say(`solar-exporter: ${line}`);
      },
    }).finally(progress.end);
    const intoFiles = config.history.output !== undefined;
    out(outcomeText(ended, { complete: wanted.length - missing.length, intoFiles }));
    if (ended.error !== undefined) throw ended.error;
    return EXIT_OK;
  }

  try {
    return await withConnection(context, async ({ api }) => {
      const target = await openTarget(context, waiting, isDryRun);
      try {
        const wanted = await wantedParts(api, context);
        if (!isDryRun) return await write(api, wanted, target);
        const missing = wanted.filter((part) => !target.has(part));
        const { format, intervalMs, push } = config.history;
        out(
          estimateText(missing, {
            ...{ intervalMs, format: push === undefined ? format : 'json' },
            ...{ complete: wanted.length - missing.length, perSecond: ratePerSecond },
          }),
        );
        return EXIT_OK;
      } finally {
        await target.close();
      }
    });
  } catch (error) {
    if (error instanceof StoppedError) return EXIT_INTERRUPTED;
    if (!(error instanceof TargetError)) throw error;
    complain(`solar-exporter: ${error.code}: ${error.message}\n  → ${error.remedy}\n`);
    return EXIT_FAILED;
  }
}

/** Says what is left out of a month. */
function remarksOn({ month }: MonthPart, { devices }: CollectedMonth): readonly string[] {
  return devices.flatMap(({ device, refusal, readings }) => {
    const name = nameOf(device);
    if (refusal !== undefined)
      return `${name} is left out of ${month}: the service refuses its past: ${refusal.code}: ${refusal.message}`;
    if (readings < MOST_READINGS) return [];
    return `${name} has more than ${MOST_READINGS} readings in ${month}: the later ones are left out`;
  });
}
