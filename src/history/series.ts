import type { Labels, Metric, MetricDefinition } from '../collectors/metric.ts';
import { HISTORY_METRICS } from './history-metrics.ts';

/**
 * The instants of a span at which a scrape could have been: the multiples of a step since the Unix epoch, so
 * that those of neighbouring spans are evenly spaced. They are numbered from 0.
 */
export class StepGrid {
  readonly stepMs: number;
  /** How many steps the span has. */
  readonly length: number;
  readonly #first: number;

  /** @param toMs - the first instant after the span. */
  constructor(fromMs: number, toMs: number, stepMs: number) {
    this.stepMs = stepMs;
    this.#first = Math.ceil(fromMs / stepMs);
    this.length = Math.max(0, Math.ceil(toMs / stepMs) - this.#first);
  }

  /** Returns when a step is. */
  atMs(step: number): number {
    return (this.#first + step) * this.stepMs;
  }

  /** Returns the first step at or after an instant: the first of all before the span, the length after it. */
  stepFrom(instantMs: number): number {
    const step = Math.ceil(instantMs / this.stepMs) - this.#first;
    return Math.min(Math.max(step, 0), this.length);
  }
}

/** A stretch of steps in which no series of a table changes. */
export interface Stretch {
  readonly firstStep: number;
  /** How many steps it has: none where it lies between two steps. */
  readonly steps: number;
  /** When the service measured what it begins with; absent where no reading begins it. */
  readonly readAtMs?: number;
}

/** The values of one series, by row of its table: `NaN` where it has none, and shorter where no more follow. */
export interface SeriesColumn {
  readonly name: string;
  /** What the metric adds to the labels of the table. */
  readonly labels: Labels | undefined;
  readonly values: number[];
}

/**
 * The series of one device, or of one station: a row for each stretch of time in which they do not change, and
 * a column for each series. The numbers of a month and a device take some 3 MB this way.
 */
export class SeriesTable {
  /** The labels of what all its series describe. */
  readonly labels: Labels;
  /** In ascending order of time. */
  readonly rows: Stretch[] = [];
  readonly #columns = new Map<string, SeriesColumn>();

  constructor(labels: Labels) {
    this.labels = labels;
  }

  /** The series, in the order in which they first had a value. */
  get columns(): Iterable<SeriesColumn> {
    return this.#columns.values();
  }

  /** Reads a value with all its metrics into the last row. */
  fill<Value>(metrics: readonly Metric<Value>[], value: Value): void {
    const row = this.rows.length - 1;
    for (const metric of metrics)
      for (const point of metric.read(value)) {
        const { values } = this.#column(metric.name, point.labels);
        // An array in which many are left out takes several times as much memory.
        while (values.length < row) values.push(NaN);
        values[row] = point.value;
      }
  }

  #column(name: string, labels: Labels | undefined): SeriesColumn {
    const key = labels === undefined ? name : [name, ...Object.values(labels)].join('\0');
    const known = this.#columns.get(key);
    if (known !== undefined) return known;
    const column = { name, labels, values: [] };
    this.#columns.set(key, column);
    return column;
  }
}

/** Everything that is known of a station in a month, as the page would have shown it. */
export interface MonthSeries {
  readonly grid: StepGrid;
  readonly tables: readonly SeriesTable[];
}

/** One series: its labels without the name, and its values by row of the table. */
export interface Series {
  readonly labels: Labels;
  readonly table: SeriesTable;
  readonly column: SeriesColumn;
}

/** A metric with all its series. */
interface Family {
  readonly metric: MetricDefinition;
  readonly series: readonly Series[];
}

/** Returns the metrics that have any value, in the order of the catalogue, each with all its series. */
export function familiesOf({ tables }: MonthSeries): readonly Family[] {
  const all = tables.flatMap((table) =>
    Array.from(table.columns, (column): Series => {
      return { labels: { ...table.labels, ...column.labels }, table, column };
    }),
  );
  return HISTORY_METRICS.flatMap((metric) => {
    const series = all.filter(({ column }) => column.name === metric.name);
    return series.length === 0 ? [] : [{ metric, series }];
  });
}

/** Returns the values of a series in ascending order of time. */
export function* stretchesOf({
  table,
  column,
}: Series): Generator<Stretch & { readonly value: number }> {
  for (const [row, { firstStep, steps }] of table.rows.entries()) {
    const value = column.values[row] ?? NaN;
    if (steps > 0 && !Number.isNaN(value)) yield { firstStep, steps, value };
  }
}
