import type { MonthPart } from '../collect-month.ts';
import type { MonthSeries } from '../month-series.ts';

/** What has been written of a part. */
export interface Written {
  /** Where it is: the name of a file, or the database. */
  readonly place: string;
  readonly samples: number;
  readonly bytes: number;
}

/** Where the past goes: a directory of files, or a database. It remembers what it has, over runs. */
export interface HistoryTarget {
  /**
   * Returns what of a part is still to be written; undefined when all of it is there.
   *
   * @throws ConfigError when the part cannot be put beside what is there.
   */
  missing(part: MonthPart, deviceIds: readonly string[]): MonthPart | undefined;
  /** Writes a part as a whole or not at all. */
  write(part: MonthPart, deviceIds: readonly string[], month: MonthSeries): Promise<Written>;
  close(): Promise<void>;
}
