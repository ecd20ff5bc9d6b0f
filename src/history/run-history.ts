import { ExporterError } from '../base/errors.ts';
import { collectMonth, type CollectedMonth, type CollectOptions } from './collect-month.ts';
import { MOST_READINGS } from './device-replay.ts';
import type { MonthPart } from './months.ts';
import { StoppedError } from './patience.ts';
import type { MonthSeries } from './series.ts';

/** Where the past goes: a directory of files, or a database. It remembers what is complete there, over runs. */
export interface HistoryTarget {
  /** Whether all of a part is there. */
  has(part: MonthPart): boolean;
  /** Writes a part as a whole or not at all. @throws TargetError */
  write(part: MonthPart, month: MonthSeries): Promise<Written>;
  /** Looks, at the end of a run, whether all that was written is there. @throws TargetError */
  finish(): Promise<void>;
  close(): Promise<void>;
}

/** What was written of a part. Another run writes it again, unless it is kept. */
export interface Written {
  readonly part: MonthPart;
  /** Where it is: the name of a file, or the database. */
  readonly place: string;
  readonly samples: number;
  readonly bytes: number;
  /** Remembers that it is complete. @throws TargetError */
  readonly keep: () => Promise<void>;
}

/** A target did not take what was written to it. The message has no user and no password. */
export class TargetError extends ExporterError {
  override readonly name = 'TargetError';
  readonly code: 'WRITE_FAILED' | 'PUSH_REFUSED' | 'PUSH_UNREACHABLE' | 'PUSH_DROPPED';
  /** What helps. */
  readonly remedy: string;

  constructor(code: TargetError['code'], message: string, remedy: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.remedy = remedy;
  }
}

export interface RunOptions extends CollectOptions {
  readonly target: HistoryTarget;
  /** Ends the run after the part in work. */
  readonly stop: AbortSignal;
  readonly onBegun: (part: MonthPart) => void;
  readonly onWritten: (part: MonthPart, month: CollectedMonth) => void;
}

/** What a run has done; it keeps that when it is stopped, or fails. */
export interface EndedRun {
  /** What is complete. */
  readonly kept: readonly Written[];
  /** What the next run asks for again. */
  readonly doubted: readonly Written[];
  /** What it ended with before all was written: a {@link StoppedError}, or whatever it failed of. */
  readonly error: Error | undefined;
}

/**
 * Asks for one part after the other that is not there, and writes each as soon as it has come, so that no more than one is held
 * in memory, and nothing is lost when the run ends.
 *
 * A service that has a fault may answer as if it had no readings. So a month without any is complete only where it lies
 * before the first one that has some: a later one is doubted, and so are all of a station of which nothing came. A month
 * that was cut is doubted, too.
 */
export async function runHistory(
  wanted: readonly MonthPart[],
  { target, stop, onBegun, onWritten, ...options }: RunOptions,
): Promise<EndedRun> {
  const kept: Written[] = [];
  let doubted: Written[] = [];
  /** Of the station in work, what becomes complete once a month with readings has come. */
  let waiting: Written[] = [];
  const run = async (): Promise<void> => {
    let [stationId, hasBegun] = ['', false];
    for (const part of wanted) {
      if (part.station.stationId !== stationId) {
        doubted = [...doubted, ...waiting];
        [waiting, stationId, hasBegun] = [[], part.station.stationId, false];
      }
      if (target.has(part)) hasBegun = true;
      else {
        if (stop.aborted) throw new StoppedError('stopped before the next month');
        onBegun(part);
        const month = await collectMonth(part, options);
        const written = await target.write(part, month);
        onWritten(part, month);
        const isCut = month.devices.some(({ readings }) => readings === MOST_READINGS);
        const isDoubtful = isCut || (month.isEmpty && hasBegun);
        (isDoubtful ? doubted : waiting).push(written);
        hasBegun ||= !month.isEmpty;
      }
      if (!hasBegun) continue;
      for (const written of waiting) {
        await written.keep();
        kept.push(written);
      }
      waiting = [];
    }
    await target.finish();
  };
  const error = await run().then(
    () => undefined,
    (failure: unknown) => (failure instanceof Error ? failure : new Error(String(failure))),
  );
  return { kept, doubted: [...doubted, ...waiting], error };
}
