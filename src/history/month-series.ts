import type { Labels, MetricDefinition } from '../collectors/metric.ts';
import { HISTORY_METRICS } from './history-metrics.ts';
import type { DeviceReadings } from './reading-gaps.ts';
import type { SeriesColumn, SeriesTable } from './series-table.ts';
import type { StepGrid } from './step-grid.ts';

/** One series: its labels without the name, and its values by row of the table. */
export interface Series {
  readonly labels: Labels;
  readonly table: SeriesTable;
  readonly column: SeriesColumn;
}

/** A metric with all its series. */
export interface Family {
  readonly metric: MetricDefinition;
  readonly series: readonly Series[];
}

/** Everything that is known of a station in a part of a month, as the page would have shown it. */
export interface MonthSeries {
  readonly grid: StepGrid;
  readonly tables: readonly SeriesTable[];
  /** What the service has, and does not have, of each device. */
  readonly readings: readonly DeviceReadings[];
}

/** Returns the metrics that have any value, in the order of the catalogue, each with all its series. */
export function familiesOf({ tables }: Pick<MonthSeries, 'tables'>): readonly Family[] {
  return HISTORY_METRICS.flatMap((metric) => {
    const series = tables.flatMap((table) =>
      table.columnsOf(metric.name).map((column): Series => {
        return { labels: { ...table.labels, ...column.labels }, table, column };
      }),
    );
    return series.length === 0 ? [] : [{ metric, series }];
  });
}

/** Returns how many samples a month has. */
export function sampleCount({ tables }: Pick<MonthSeries, 'tables'>): number {
  let samples = 0;
  for (const { series } of familiesOf({ tables }))
    for (const one of series) for (const { steps } of stretchesOf(one)) samples += steps;
  return samples;
}

/** A value, and the steps at which it is written. */
export interface ValueStretch {
  readonly firstStep: number;
  readonly steps: number;
  readonly value: number;
}

/** Returns the values of a series in ascending order of time. */
export function* stretchesOf({ table, column }: Series): Generator<ValueStretch> {
  for (let row = 0; row < table.rowCount; row += 1) {
    const value = column.values[row] ?? NaN;
    const { firstStep, steps } = table.row(row);
    if (steps > 0 && !Number.isNaN(value)) yield { firstStep, steps, value };
  }
}
