import type { Labels } from '../collectors/metric.ts';
import { inChunks } from './chunks.ts';
import { familiesOf, type MonthSeries, type Series, stretchesOf } from './month-series.ts';
import type { StepGrid } from './step-grid.ts';

/** VictoriaMetrics refuses lines of more than 10 MiB; so many samples take some 200 KiB. */
const SAMPLES_PER_LINE = 10_000;

/**
 * Writes a month as lines of JSON, as VictoriaMetrics takes and gives them at `/api/v1/import` and
 * `/api/v1/export`: one object for each series, or several for a long one, with values and times in milliseconds.
 *
 * @param target - labels of every series beside its own, such as `job` and `instance`.
 */
export function writeJsonLines(month: MonthSeries, target: Labels): Generator<string> {
  return inChunks(linesOf(month, target));
}

function* linesOf(month: MonthSeries, target: Labels): Generator<string> {
  for (const { metric, series } of familiesOf(month))
    for (const one of series) {
      const named = JSON.stringify({ __name__: metric.name, ...target, ...one.labels });
      for (const { values, timestamps } of slicesOf(one, month.grid))
        yield `{"metric":${named},"values":[${values.join()}],"timestamps":[${timestamps.join()}]}\n`;
    }
}

interface Slice {
  readonly values: number[];
  readonly timestamps: number[];
}

function* slicesOf(series: Series, grid: StepGrid): Generator<Slice> {
  let slice: Slice = { values: [], timestamps: [] };
  for (const { firstStep, steps, value } of stretchesOf(series))
    for (let step = firstStep; step < firstStep + steps; step += 1) {
      slice.values.push(value);
      slice.timestamps.push(grid.atMs(step));
      if (slice.values.length < SAMPLES_PER_LINE) continue;
      yield slice;
      slice = { values: [], timestamps: [] };
    }
  if (slice.values.length > 0) yield slice;
}
