import type { Labels, Metric, MetricDefinition } from '../collectors/metric.ts';
import { HISTORY_METRICS } from './history-metrics.ts';
import type { Span } from './months.ts';

/** Returns the first step at or after an instant: a scrape could have been at the multiples of a step since 1970. */
export function stepFrom(atMs: number, stepMs: number): number {
  return Math.ceil(atMs / stepMs) * stepMs;
}

/** A stretch of time in which no series of a table changes. */
export interface Row extends Span {
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
  readonly rows: Row[] = [];
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

/** Everything that is known of a station in a month, as the page would have shown it at each step. */
export interface MonthSeries {
  readonly stepMs: number;
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

/** Returns the values of a series at each step, in ascending order of time. */
export function* samplesOf(
  { table, column }: Series,
  stepMs: number,
): Generator<readonly [atMs: number, value: number]> {
  for (const [row, { fromMs, toMs }] of table.rows.entries()) {
    const value = column.values[row] ?? NaN;
    if (!Number.isNaN(value))
      for (let atMs = stepFrom(fromMs, stepMs); atMs < toMs; atMs += stepMs) yield [atMs, value];
  }
}
