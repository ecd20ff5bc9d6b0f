import type { Labels } from '../collectors/metric.ts';
import { inChunks } from './chunks.ts';
import { familiesOf, type MonthSeries } from './month-series.ts';
import { sampleLines } from './sample-lines.ts';

/**
 * Writes a month in the text format of Prometheus with times in milliseconds, as VictoriaMetrics takes it at
 * `/api/v1/import/prometheus`.
 *
 * @param target - labels of every series beside its own, such as `job` and `instance`.
 */
export function writeImportLines(month: MonthSeries, target: Labels): Generator<string> {
  return inChunks(linesOf(month, target));
}

function* linesOf(month: MonthSeries, target: Labels): Generator<string> {
  for (const { metric, series } of familiesOf(month))
    for (const one of series) yield* sampleLines(metric.name, one, target, month.grid, 1);
}
