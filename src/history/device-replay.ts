import { beginCount, countEnergy, type EnergyCount } from '../model/energy-counter.ts';
import { isReporting } from '../model/derive.ts';
import type { MaxAge } from '../model/max-age.ts';
import { learnCadence, type ReadingCadence } from '../model/reading-cadence.ts';
import { nextExpiryAtMs, type PastReading, type Readings, readingsAt } from '../model/readings.ts';
import { ENERGY_COUNTER_METRICS } from './energy-counters.ts';
import { PAST_READING_METRICS } from './history-metrics.ts';
import type { SeriesTable } from './series-table.ts';
import type { StepGrid } from './step-grid.ts';

/** As the exporter does by default; a reading was there at once, because nobody knows how late it came. */
const MAX_AGE: MaxAge = 'auto';

/** A reading, with the cadence of the readings up to it, and what is counted up to it. */
interface Counted extends PastReading {
  readonly count: EnergyCount;
  readonly readings: Readings;
}

/**
 * Plays the readings of a device again, in ascending order of time: writes down what the page would have shown
 * of them at each step, by the functions that make the page. Readings before the span decide what it shows at
 * its first steps, and counters begin at the last of them.
 */
export class DeviceReplay {
  readonly #table: SeriesTable;
  readonly #grid: StepGrid;
  readonly #fromMs: number;
  #cadence: ReadingCadence | undefined;
  #last: Counted | undefined;

  /** @param fromMs - when the span begins. */
  constructor(table: SeriesTable, grid: StepGrid, fromMs: number) {
    this.#table = table;
    this.#grid = grid;
    this.#fromMs = fromMs;
  }

  /** Plays the next reading; until then, the one before it was shown. */
  play({ atMs, report: received }: PastReading): void {
    this.#cadence = learnCadence(this.#cadence, received, atMs);
    const report = { ...received, cadence: this.#cadence };
    const readings = readingsAt(report, atMs, MAX_AGE);
    const last = this.#last;
    if (last !== undefined) this.#show(last, atMs, false);
    const isCounting = last !== undefined && atMs >= this.#fromMs;
    const count = isCounting ? countEnergy(last.count, atMs, readings) : beginCount(atMs, readings);
    this.#last = { atMs, report, readings, count };
  }

  /** Ends the span: the last reading is shown until it is withdrawn. */
  end(toMs: number): void {
    if (this.#last !== undefined) this.#show(this.#last, toMs, true);
  }

  /** Adds a row for each stretch of time, up to an instant, in which the same values of a reading are shown. */
  #show(reading: Counted, untilMs: number, isLast: boolean): void {
    const { atMs, report, count } = reading;
    const end = this.#grid.stepFrom(untilMs);
    for (let fromMs = atMs; fromMs < untilMs;) {
      const untilNextMs = nextExpiryAtMs(report, fromMs, MAX_AGE);
      const readings = fromMs === atMs ? reading.readings : readingsAt(report, fromMs, MAX_AGE);
      if (isLast && !isReporting(readings)) return;
      const firstStep = this.#grid.stepFrom(fromMs);
      const steps = Math.min(this.#grid.stepFrom(untilNextMs), end) - firstStep;
      const isOwn = fromMs === atMs && atMs >= this.#fromMs;
      if (isOwn || steps > 0) {
        this.#table.addRow({ firstStep, steps, ...(isOwn && { readAtMs: atMs }) });
        this.#table.fill(PAST_READING_METRICS, readings);
        this.#table.fill(ENERGY_COUNTER_METRICS, count);
      }
      fromMs = untilNextMs;
    }
  }
}
