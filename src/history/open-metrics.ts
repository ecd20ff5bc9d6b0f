import type { Labels, MetricDefinition } from '../collectors/metric.ts';
import { inChunks } from './chunks.ts';
import { familiesOf, type MonthSeries } from './month-series.ts';
import { sampleLines } from './sample-lines.ts';

/**
 * Writes a month in OpenMetrics 1.0, as `promtool tsdb create-blocks-from openmetrics` reads it: metric by
 * metric, series by series, times in seconds and ascending.
 *
 * @param target - labels of every series beside its own, such as `job` and `instance`.
 */
export function writeOpenMetrics(month: MonthSeries, target: Labels): Generator<string> {
  return inChunks(linesOf(month, target));
}

function* linesOf(month: MonthSeries, target: Labels): Generator<string> {
  for (const { metric, series } of familiesOf(month)) {
    yield headerOf(metric);
    for (const one of series) yield* sampleLines(metric.name, one, target, month.grid, 1000);
  }
  yield '# EOF\n';
}

/** Describes a metric. The name of a counter is without the `_total` that its samples have. */
function headerOf({ name, type, help }: MetricDefinition): string {
  const family = type === 'counter' ? name.replace(/_total$/, '') : name;
  const escaped = help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
  return `# HELP ${family} ${escaped}\n# TYPE ${family} ${type}\n`;
}
