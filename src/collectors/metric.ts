/** Label values by label name; a label without a value is left out. */
export type Labels = Readonly<Record<string, string | undefined>>;

/** The definition of a metric, for the page, docs/metrics.md and the dashboard. */
export interface MetricDefinition {
  readonly name: `solar_${string}`;
  readonly type: 'gauge' | 'counter' | 'histogram';
  /** One sentence: what it is, its sign, and the service's field it comes from. */
  readonly help: string;
  readonly labelNames: readonly string[];
}

/** One value of a metric, and the labels that the metric adds to those of its target. */
export interface Point {
  readonly value: number;
  readonly labels?: Labels;
}

/** One line of the page. */
export interface Sample {
  readonly name: string;
  readonly labels: Labels;
  readonly value: number;
}

/** A metric and how it is read from a value; without points it is unknown, and absent from the page. */
export interface Metric<Value> extends MetricDefinition {
  read(value: Value): readonly Point[];
}

/** The help text of a metric, how it is read, and the labels that only it has. */
export type MetricRow<Value> = readonly [
  help: string,
  read: (value: Value) => number | undefined | readonly Point[],
  ...ownLabelNames: readonly string[],
];

/**
 * Declares metrics that are read from the same value.
 *
 * @param labelNames - the labels that all of them have.
 */
export function metricsOf<Value>(
  type: MetricDefinition['type'],
  labelNames: readonly string[],
  rows: Readonly<Record<MetricDefinition['name'], MetricRow<Value>>>,
): readonly Metric<Value>[] {
  return Object.entries(rows).map(([name, [help, read, ...ownLabelNames]]) => ({
    name: name as MetricDefinition['name'],
    type,
    help,
    labelNames: [...labelNames, ...ownLabelNames],
    read: (value) => {
      const found = read(value);
      const points = typeof found === 'object' ? found : pointOf(found);
      // A quotient may be infinite or NaN: it is unknown then.
      return points.every(isFinitePoint) ? points : points.filter(isFinitePoint);
    },
  }));
}

function isFinitePoint({ value }: Point): boolean {
  return Number.isFinite(value);
}

/** Returns one point for a known value, and none for an unknown one. */
export function pointOf(value: number | undefined, labels?: Labels): readonly Point[] {
  if (value === undefined) return [];
  return labels === undefined ? [{ value }] : [{ value, labels }];
}

/** Reads all metrics of a value; `labels` belong to the subject of the value. */
export function* samplesOf<Value>(
  metrics: readonly Metric<Value>[],
  value: Value,
  labels: Labels,
): Generator<Sample> {
  for (const metric of metrics) {
    for (const point of metric.read(value)) {
      // Most points add no labels; those of a target then share one object, and its rendering.
      const own = point.labels === undefined ? labels : joined(labels, point.labels);
      yield { name: metric.name, labels: own, value: point.value };
    }
  }
}

/**
 * Returns the labels of both. It does not use `{ ...labels, ...own }`: V8 would give every such object a hidden class
 * of its own, larger than the labels, and take five times as long.
 */
export function joined(labels: Labels, own: Labels | undefined): Labels {
  return Object.assign({}, labels, own);
}
