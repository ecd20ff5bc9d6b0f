import type { ServiceApi } from '../../client/client.ts';
import { formatDuration } from '../../config/duration.ts';
import { PushError } from '../../history/push.ts';
import { estimateRun } from '../../history/run/estimate.ts';
import type { HistoryTarget } from '../../history/run/history-target.ts';
import { ServicePatience, StoppedError } from '../../history/run/patience.ts';
import { planRun, type PlannedPart, runHistory } from '../../history/run/run-history.ts';
import {
  type CommandContext,
  EXIT_FAILED,
  EXIT_INTERRUPTED,
  EXIT_OK,
  withConnection,
} from '../command.ts';
import { checkTarget, openTarget } from './open-target.ts';
import { estimateText, nameOf, outcomeText } from './outcome.ts';
import { lengthOf, observerFor, progressLines, type ProgressView } from './progress.ts';
import { refusedDevices, without } from './refused-devices.ts';
import { pastRange, wantedParts } from './wanted-past.ts';

/** What the service is asked per second, unless the user says otherwise. */
const REQUESTS_PER_SECOND = 1;

/** Writes the past that the service holds, as files or to a database, and goes on where a run before it stopped. */
export async function history(given: CommandContext, isDryRun: boolean): Promise<number> {
  const context = withPace(given);
  const range = pastRange(context.config.history, context.runtime.clock.nowMs());
  checkTarget(context, isDryRun);
  const run = new HistoryRun(context, isDryRun);
  try {
    return await withConnection(context, async ({ api }) => {
      const target = await openTarget(context, run);
      try {
        const wanted = await wantedParts(api, context, range);
        return await (isDryRun ? run.estimate(wanted, target) : run.write(api, wanted, target));
      } finally {
        await target.close();
      }
    });
  } catch (error) {
    if (error instanceof StoppedError) return EXIT_INTERRUPTED;
    if (!(error instanceof PushError)) throw error;
    context.complain(
      `solar-exporter: ${error.code}: ${error.message}\n  → ${REMEDIES[error.code]}\n`,
    );
    return EXIT_FAILED;
  }
}

const REMEDIES: Readonly<Record<PushError['code'], string>> = {
  PUSH_REFUSED: 'check --push: it is the address of a VictoriaMetrics, without /api/v1/import',
  PUSH_DROPPED:
    'raise -retentionPeriod of the VictoriaMetrics and run it again; or begin later, with --from',
  PUSH_UNREACHABLE: 'check --push, and that the database runs; then run it again: it goes on',
};

/** The past is not urgent: whatever else asks the service comes first. */
function withPace(context: CommandContext): CommandContext {
  const { request } = context.config;
  const { ratePerSecond = REQUESTS_PER_SECOND } = request;
  return { ...context, config: { ...context.config, request: { ...request, ratePerSecond } } };
}

/** One run of the command, and what the person sees of it. */
class HistoryRun {
  readonly isDryRun: boolean;
  /** Ends every wait, and the run after the part in work. */
  readonly stop: AbortSignal;
  readonly #context: CommandContext;
  readonly #patience: ServicePatience;
  /** Shows a line that stays, whatever else is shown. */
  #say: (line: string) => void;

  constructor(context: CommandContext, isDryRun: boolean) {
    const { complain, runtime, stopRequested } = context;
    const stopping = new AbortController();
    this.isDryRun = isDryRun;
    this.stop = stopping.signal;
    this.#context = context;
    this.#say = (line) => complain(`${line}\n`);
    this.#patience = new ServicePatience({
      ...runtime,
      stop: stopping.signal,
      onWait: (waitMs, { code, message }) => this.onWait(`${code}: ${message}`, waitMs),
    });
    void stopRequested(true).then(() => {
      this.#say('solar-exporter: stopping after what is in work; once more stops at once');
      stopping.abort();
    });
  }

  readonly onWait = (reason: string, waitMs: number): void =>
    this.#say(
      `solar-exporter: ${reason}; trying again in ${formatDuration(Math.ceil(waitMs / 1000) * 1000)}`,
    );

  /** Says how much it will be. */
  estimate(wanted: readonly PlannedPart[], target: HistoryTarget): number {
    const { config, out } = this.#context;
    const { push, format, intervalMs } = config.history;
    const plan = planRun(wanted, target);
    const estimate = estimateRun(plan, intervalMs, push === undefined ? format : 'push');
    const perSecond = config.request.ratePerSecond ?? REQUESTS_PER_SECOND;
    out(estimateText(plan, estimate, { complete: wanted.length - plan.length, perSecond }));
    return EXIT_OK;
  }

  /** Writes what a target still lacks. */
  async write(
    api: ServiceApi,
    all: readonly PlannedPart[],
    target: HistoryTarget,
  ): Promise<number> {
    const { config, out } = this.#context;
    const { intervalMs: stepMs, output } = config.history;
    const wanted = await this.#readable(api, all, planRun(all, target));
    const plan = planRun(wanted, target);
    const view = await this.#view(plan);
    this.#say = view.say;
    const { outcome, error } = await runHistory(plan, {
      ...{ api, target, stepMs, patience: this.#patience, stop: this.stop },
      maxAge: config.cache.maxAgeMs,
      isEnergyWanted: config.collect.energy,
      observer: observerFor(view),
    }).finally(view.end);
    const complete = wanted.length - plan.length;
    out(outcomeText(outcome, plan, { complete, intoFiles: output !== undefined }));
    if (error !== undefined) throw error;
    return outcome.isStopped ? EXIT_INTERRUPTED : EXIT_OK;
  }

  /** Leaves out the devices whose past the service refuses, and says so. */
  async #readable(
    api: ServiceApi,
    wanted: readonly PlannedPart[],
    plan: readonly PlannedPart[],
  ): Promise<readonly PlannedPart[]> {
    const refused = await refusedDevices(api, plan, this.#patience.ask);
    for (const { device, error } of refused)
      this.#say(
        `solar-exporter: ${nameOf(device)} is left out: the service refuses its past: ${error.code}: ${error.message}`,
      );
    return without(wanted, refused);
  }

  async #view(plan: readonly PlannedPart[]): Promise<ProgressView> {
    const { terminal, runtime, complain } = this.#context;
    const totalMs = lengthOf(plan);
    if (terminal === undefined || totalMs === 0)
      return progressLines(totalMs, runtime.clock, complain);
    const { progressBar } = await import('./progress-bar.ts');
    return progressBar(totalMs, terminal);
  }
}
