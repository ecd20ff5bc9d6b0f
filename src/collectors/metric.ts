/** Label values by label name; an absent value leaves the label out. */
export type Labels = Readonly<Record<string, string | undefined>>;

/** What a metric is, as the page, the README and the dashboard know it. */
export interface MetricDefinition {
  readonly name: `solar_${string}`;
  readonly type: 'gauge' | 'counter';
  /** One sentence: what it is, its sign, and what of the service it comes from. */
  readonly help: string;
  readonly labelNames: readonly string[];
}

/** One value of a metric, with the labels that the metric adds to those of its target. */
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

/** A metric and how it is read from what a collector fetched; no points means unknown, and absent. */
export interface CollectorMetric<Value> extends MetricDefinition {
  readonly read: (value: Value) => readonly Point[];
}

/** No point for an unknown value, one for a known one. */
export function pointOf(value: number | undefined, labels?: Labels): readonly Point[] {
  if (value === undefined) return [];
  return labels === undefined ? [{ value }] : [{ value, labels }];
}
