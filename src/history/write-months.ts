import { collectMonth, type CollectedMonth, type CollectOptions } from './collect-month.ts';
import type { HistoryDirectory } from './directory.ts';
import type { Month } from './months.ts';
import { StoppedError } from './retrying.ts';

export interface WriteOptions extends CollectOptions {
  readonly directory: HistoryDirectory;
  /** Ends the run after the month in work. */
  readonly stop: AbortSignal;
}

/** What came of a month. */
export interface WrittenMonth {
  readonly month: Month;
  readonly collected: CollectedMonth;
  /** The name of its file. */
  readonly file: string;
  /** Whether it has all that the service has; the next run asks again for one that is not. */
  readonly isComplete: boolean;
}

/**
 * Asks for one month after the other that has no file, station by station, and writes each as soon as it has come: no more
 * than one is held in memory, and nothing is lost when the run ends.
 *
 * A service with a fault may answer as if it had no readings. An answer without any is believed of the months before the
 * first reading of a station, once a later month has shown that there are readings.
 *
 * @throws ServiceError, WriteError and {@link StoppedError}
 */
export async function* writeMonths(
  wanted: readonly Month[],
  { directory, stop, ...options }: WriteOptions,
): AsyncGenerator<WrittenMonth> {
  /** Those of the station in work before its first reading. */
  let early: WrittenMonth[] = [];
  let [stationId, hasReadings] = ['', false];
  for (const month of wanted) {
    if (month.station.stationId !== stationId) {
      yield* early;
      [early, stationId, hasReadings] = [[], month.station.stationId, false];
    }
    if (directory.has(month)) hasReadings = true;
    else {
      if (stop.aborted) throw new StoppedError('stopped before the next month');
      const collected = await collectMonth(month, options);
      const file = await directory.write(month, collected);
      const written = { month, collected, file, isComplete: false };
      const isEmpty = collected.readings === 0;
      const { devices } = collected;
      const isCut = devices.some(({ isComplete }) => !isComplete);
      const isRefused = devices.length > 0 && devices.every(({ refusal }) => refusal !== undefined);
      if (isCut || isRefused || (isEmpty && hasReadings)) yield written;
      else early.push(written);
      hasReadings ||= !isEmpty;
    }
    if (!hasReadings) continue;
    for (const written of early) {
      await directory.keep(written.month);
      yield { ...written, isComplete: true };
    }
    early = [];
  }
  yield* early;
}
