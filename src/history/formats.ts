import type { Labels, MetricDefinition } from '../collectors/metric.ts';
import { renderLabels } from '../metrics/text-format.ts';
import { DEVICE_INFO, STATION_INFO, STATION_TOTALS } from './history-metrics.ts';
import { familiesOf, type MonthSeries, samplesOf, type Series } from './series.ts';

/** Writes a month as short texts; `target` are labels of every series beside its own, such as `job` and `instance`. */
export type WriteMonth = (month: MonthSeries, target: Labels) => Generator<string>;

/** The formats of files, by the name of the option. */
export const FILE_FORMATS = {
  openmetrics: { extension: 'om', write: openMetrics },
  csv: { extension: 'csv', write: csv },
} as const;

export type FileFormat = keyof typeof FILE_FORMATS;

/** Says in a file itself what to do with it: OpenMetrics has no comments, but a metric without samples. */
const HEADER =
  '# HELP solar_history To import this file. Prometheus: promtool tsdb create-blocks-from openmetrics --quiet --max-block-duration=1458h FILE DIRECTORY. VictoriaMetrics: curl -T FILE http://localhost:8428/api/v1/import/prometheus\n';

/**
 * Writes a month in OpenMetrics 1.0, as `promtool tsdb create-blocks-from openmetrics` reads it: metric by
 * metric, series by series, times in seconds and ascending.
 */
function* openMetrics(month: MonthSeries, target: Labels): Generator<string> {
  yield HEADER;
  for (const { metric, series } of familiesOf(month)) {
    yield headerOf(metric);
    for (const one of series) {
      const start = `${metric.name}${renderLabels({ ...target, ...one.labels })} `;
      for (const [atMs, value] of samplesOf(one, month.stepMs))
        yield `${start}${value} ${atMs / 1000}\n`;
    }
  }
  yield '# EOF\n';
}

/** Describes a metric. The name of a counter is without the `_total` that its samples have. */
function headerOf({ name, type, help }: MetricDefinition): string {
  const family = type === 'counter' ? name.replace(/_total$/, '') : name;
  const escaped = help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
  return `# HELP ${family} ${escaped}\n# TYPE ${family} ${type}\n`;
}

/** What describes stations and devices says the same in every row, and a total is no reading of a device. */
const IN_NO_ROW = [...STATION_INFO, ...STATION_TOTALS, ...DEVICE_INFO].map(({ name }) => name);

/**
 * Writes a month as RFC 4180 says: a row for each reading of a device, at the time at which it was measured, and one
 * for each day of a station, at its last step. A column is a metric with the labels that it adds, such as
 * `solar_pv_string_power_watts{string="1"}`; an unknown value is empty. Labels such as `job` are
 * left out, because they would say the same in every row.
 */
function* csv(month: MonthSeries): Generator<string> {
  const titleOf = ({ column: { name, labels = {} } }: Series): string =>
    name + renderLabels(labels);
  const all = familiesOf(month)
    .filter(({ metric }) => !IN_NO_ROW.includes(metric.name))
    .flatMap(({ series }) => series);
  const titles = [...new Set(all.map(titleOf))];
  yield rowOf(['time', 'station_id', 'device_id', ...titles]);
  for (const table of month.tables) {
    const own = new Map(
      all.filter((one) => one.table === table).map((one) => [titleOf(one), one.column.values]),
    );
    const { station_id: stationId = '', device_id: deviceId = '' } = table.labels;
    for (const [row, { readAtMs }] of table.rows.entries()) {
      if (readAtMs === undefined) continue;
      const of = [new Date(readAtMs).toISOString(), stationId, deviceId];
      yield rowOf([...of, ...titles.map((title) => own.get(title)?.[row])]);
    }
  }
}

function rowOf(fields: readonly (string | number | undefined)[]): string {
  const cells = fields.map((field = NaN) =>
    typeof field === 'string' ? textOf(field) : Number.isNaN(field) ? '' : field,
  );
  return `${cells.join()}\r\n`;
}

/** Quotes a text where it has to be. One that a spreadsheet would take for a formula begins with an apostrophe. */
function textOf(text: string): string {
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
