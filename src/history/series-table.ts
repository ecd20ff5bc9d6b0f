import type { Labels, Metric, Point } from '../collectors/metric.ts';

const FIRST_ROWS = 1024;

/** The values of one series, by row of its table; `NaN` where it has none. */
export interface SeriesColumn {
  /** What the metric adds to the labels of the table. */
  readonly labels: Labels | undefined;
  readonly values: Float64Array;
}

/** A stretch of steps in which no series of a table changes. */
export interface Stretch {
  readonly firstStep: number;
  /** How many steps it has: none where it lies between two steps. */
  readonly steps: number;
  /** When the service measured what it begins with; absent where no reading begins it. */
  readonly readAtMs?: number | undefined;
}

/**
 * The series of one device, or of one station: a row for each stretch of time in which they do not change, and
 * a column for each series. The numbers of a month and a device take some 3 MB this way.
 */
export class SeriesTable {
  /** The labels of what all its series describe. */
  readonly labels: Labels;
  #rowCount = 0;
  #firstSteps = new Int32Array(FIRST_ROWS);
  #stepCounts = new Int32Array(FIRST_ROWS);
  #readAtMs = new Float64Array(FIRST_ROWS);
  /** By the name of the metric, and then by the labels that it adds. */
  readonly #columns = new Map<
    string,
    Map<string, { labels: Labels | undefined; values: Float64Array }>
  >();

  constructor(labels: Labels) {
    this.labels = labels;
  }

  get rowCount(): number {
    return this.#rowCount;
  }

  /** Appends a row, which is later than those before it; {@link fill} says what is in it. */
  addRow({ firstStep, steps, readAtMs = NaN }: Stretch): void {
    if (this.#rowCount === this.#firstSteps.length) this.#grow();
    this.#firstSteps[this.#rowCount] = firstStep;
    this.#stepCounts[this.#rowCount] = steps;
    this.#readAtMs[this.#rowCount] = readAtMs;
    this.#rowCount += 1;
  }

  /** Reads a value with all its metrics into the last row. */
  fill<Value>(metrics: readonly Metric<Value>[], value: Value): void {
    for (const { name, read } of metrics)
      for (const point of read(value))
        this.#valuesOf(name, point)[this.#rowCount - 1] = point.value;
  }

  row(index: number): Stretch {
    const readAtMs = this.#readAtMs[index] ?? NaN;
    return {
      firstStep: this.#firstSteps[index] ?? 0,
      steps: this.#stepCounts[index] ?? 0,
      ...(!Number.isNaN(readAtMs) && { readAtMs }),
    };
  }

  /** Returns the series of a metric, in the order in which they first had a value. */
  columnsOf(name: string): readonly SeriesColumn[] {
    return [...(this.#columns.get(name)?.values() ?? [])];
  }

  #valuesOf(name: string, { labels }: Point): Float64Array {
    let columns = this.#columns.get(name);
    if (columns === undefined) {
      columns = new Map();
      this.#columns.set(name, columns);
    }
    const key = labels === undefined ? '' : Object.values(labels).join('\0');
    let column = columns.get(key);
    if (column === undefined) {
      column = { labels, values: new Float64Array(this.#firstSteps.length).fill(NaN) };
      columns.set(key, column);
    }
    return column.values;
  }

  #grow(): void {
    const length = 2 * this.#firstSteps.length;
    const grown = <Numbers extends Int32Array | Float64Array>(into: Numbers, from: Numbers) => {
      into.set(from);
      return into;
    };
    this.#firstSteps = grown(new Int32Array(length), this.#firstSteps);
    this.#stepCounts = grown(new Int32Array(length), this.#stepCounts);
    this.#readAtMs = grown(new Float64Array(length), this.#readAtMs);
    for (const columns of this.#columns.values())
      for (const column of columns.values())
        column.values = grown(new Float64Array(length).fill(NaN), column.values);
  }
}
