import { beginCount, countEnergy, type EnergyCount } from '../model/energy-counter.ts';
import {
  isReporting,
  nextExpiryAtMs,
  type PastReading,
  type Readings,
  readingsAt,
} from '../model/readings.ts';
import { learnCadence, type MaxAge, type ReadingCadence } from '../model/cadence.ts';
import { ENERGY_COUNTER_METRICS } from '../collectors/device-points.ts';
import { PAST_READING_METRICS } from './history-metrics.ts';
import type { SeriesTable } from './series-table.ts';
import type { StepGrid } from './step-grid.ts';

/** A reading, with what the page showed of it at first. */
interface Evaluated extends PastReading {
  readonly readings: Readings;
  /** What is counted up to it; absent before the first power. */
  readonly count: EnergyCount | undefined;
}

export interface ReplayOptions {
  /** Is filled. */
  readonly table: SeriesTable;
  readonly grid: StepGrid;
  /** When the span begins. */
  readonly fromMs: number;
  /** When readings are withdrawn. With `auto`, a reading was there at once: nobody knows how late it came. */
  readonly maxAge: MaxAge;
  /** Whether energy is counted. */
  readonly isCounting: boolean;
}

/**
 * Plays the readings of a device again, in ascending order of time: writes down what the page would have shown
 * of them at each step, by the functions that make the page. Readings before the span decide what it shows at
 * its first steps, and counters begin at the last of them.
 */
export class DeviceReplay {
  readonly #options: ReplayOptions;
  #cadence: ReadingCadence | undefined;
  #last: Evaluated | undefined;

  constructor(options: ReplayOptions) {
    this.#options = options;
  }

  /** Plays the next reading; until then, the one before it was shown. */
  play({ atMs, report: received }: PastReading): void {
    this.#cadence = learnCadence(this.#cadence, received, atMs);
    const report = { ...received, cadence: this.#cadence };
    const readings = readingsAt(report, atMs, this.#options.maxAge);
    const last = this.#last;
    if (last !== undefined) this.#show(last, atMs, false);
    const count = this.#options.isCounting ? this.#counted(last?.count, atMs, readings) : undefined;
    this.#last = { atMs, report, readings, count };
  }

  #counted(
    last: EnergyCount | undefined,
    atMs: number,
    readings: Readings,
  ): EnergyCount | undefined {
    // Of the points before the span, only how far apart they were is of interest.
    return last === undefined || atMs < this.#options.fromMs
      ? beginCount(atMs, readings, this.#cadence?.measuredAtMs)
      : countEnergy(last, atMs, readings);
  }

  /** Ends the span: the last reading is shown until it is withdrawn. */
  end(toMs: number): void {
    if (this.#last !== undefined) this.#show(this.#last, toMs, true);
  }

  /** Adds a row for each stretch of time, up to an instant, in which the same values of a reading are shown. */
  #show(reading: Evaluated, untilMs: number, isLast: boolean): void {
    const { atMs, report, count } = reading;
    const { table, grid, maxAge, fromMs: spanFromMs } = this.#options;
    const end = grid.stepFrom(untilMs);
    for (let fromMs = atMs; fromMs < untilMs;) {
      const untilNextMs = nextExpiryAtMs(report, fromMs, maxAge);
      const readings = fromMs === atMs ? reading.readings : readingsAt(report, fromMs, maxAge);
      if (isLast && !isReporting(readings)) return;
      const firstStep = grid.stepFrom(fromMs);
      const steps = Math.min(grid.stepFrom(untilNextMs), end) - firstStep;
      const isOwn = fromMs === atMs && atMs >= spanFromMs;
      if (isOwn || steps > 0) {
        table.addRow({ firstStep, steps, ...(isOwn && { readAtMs: atMs }) });
        table.fill(PAST_READING_METRICS, readings);
        if (count !== undefined) table.fill(ENERGY_COUNTER_METRICS, count);
      }
      fromMs = untilNextMs;
    }
  }
}
