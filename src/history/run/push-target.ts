import type { Clock } from '../../base/clock.ts';
import type { MonthPart } from '../collect-month.ts';
import { writeImportLines } from '../import-lines.ts';
import { type MonthSeries, sampleCount } from '../month-series.ts';
import { importUrl, metricsUrl, push, pushAddress, PushError } from '../push.ts';
import { createPushRequest, type PushRequest } from '../push-request.ts';
import { droppedSamples, readRowCounts } from './dropped-samples.ts';
import type { SampleSettings } from './file-settings.ts';
import type { HistoryTarget, Written } from './history-target.ts';
import { StoppedError } from './patience.ts';
import type { PushProgress } from './push-progress.ts';
import { covers, isSameMonth, type WrittenPart, writtenPart } from './written-parts.ts';

export interface PushTargetOptions {
  /** The address of the database, with the path under which it answers. */
  readonly base: URL;
  readonly settings: SampleSettings;
  /** Where it is remembered what was acknowledged; absent where nothing outlives the run. */
  readonly progress: PushProgress | undefined;
  readonly clock: Clock;
  readonly random: () => number;
  /** Ends every wait. */
  readonly stop: AbortSignal;
  readonly onWait: (reason: string, pauseMs: number) => void;
  /** Replaces the network in tests. */
  readonly request?: PushRequest;
}

/** A database that takes the past, month by month. What it has acknowledged is not sent again. */
export class PushTarget implements HistoryTarget {
  readonly #options: PushTargetOptions;
  readonly #url: URL;
  readonly #request: PushRequest;
  #acknowledged: readonly WrittenPart[];

  constructor(options: PushTargetOptions) {
    this.#options = options;
    this.#url = importUrl(options.base);
    this.#request = options.request ?? createPushRequest(this.#url, metricsUrl(this.#url));
    this.#acknowledged = options.progress?.acknowledged ?? [];
  }

  /** @throws PushError when the database does not take an empty line at once. */
  async check(): Promise<void> {
    await push(['\n'], this.#request, this.#url, {
      ...this.#options,
      onWait: (reason) => {
        throw new PushError('PUSH_UNREACHABLE', reason);
      },
    });
  }

  /** Only what follows: the samples that it has already would be there twice. */
  missing(part: MonthPart, deviceIds: readonly string[]): MonthPart | undefined {
    const there = this.#acknowledged.filter(
      (written) =>
        isSameMonth(written, part) && deviceIds.every((id) => written.devices.includes(id)),
    );
    if (there.some((written) => covers(written, { ...part, isWhole: false }, deviceIds)))
      return undefined;
    let { fromMs } = part;
    for (const { from, to } of there.toSorted((one, other) => one.from - other.from))
      if (from <= fromMs) fromMs = Math.max(fromMs, to);
    if (fromMs >= part.toMs) return undefined;
    return { ...part, fromMs, isWhole: part.isWhole && fromMs === part.fromMs };
  }

  /** @throws PushError when the database refuses the samples, or acknowledges them and throws them away. */
  async write(part: MonthPart, deviceIds: readonly string[], month: MonthSeries): Promise<Written> {
    const { settings, progress, clock } = this.#options;
    const count = { bytes: 0 };
    const before = await readRowCounts(this.#request);
    await push(counted(writeImportLines(month, settings.labels), count), this.#request, this.#url, {
      ...this.#options,
      clock: this.#stoppableClock(),
    });
    const samples = sampleCount(month);
    const dropped = await droppedSamples(before, samples, {
      ...this.#options,
      request: this.#request,
    });
    if (dropped > 0)
      throw new PushError(
        'PUSH_DROPPED',
        `${pushAddress(this.#url)}: threw away ${dropped} samples of ${part.month}, although it acknowledged them`,
      );
    const written = writtenPart(part, deviceIds, clock.nowMs());
    this.#acknowledged = [...this.#acknowledged, written];
    await progress?.save(this.#acknowledged);
    return { place: pushAddress(this.#url), samples, ...count };
  }

  async close(): Promise<void> {
    await this.#request.close();
    await this.#options.progress?.close();
  }

  /** The clock of the run, on which nobody sleeps once the person has asked to stop. */
  #stoppableClock(): Clock {
    const { clock, stop } = this.#options;
    return {
      nowMs: () => clock.nowMs(),
      monotonicMs: () => clock.monotonicMs(),
      sleep: async (durationMs) => {
        await clock.sleep(durationMs, stop);
        if (stop.aborted) throw new StoppedError('stopped while the database was being waited for');
      },
    };
  }
}

/** Passes texts on, and counts their bytes. */
function* counted(texts: Iterable<string>, count: { bytes: number }): Generator<string> {
  for (const text of texts) {
    count.bytes += Buffer.byteLength(text);
    yield text;
  }
}
