import type { Labels, MetricDefinition } from '../collectors/metric.ts';
import { renderLabels } from '../metrics/page.ts';
import { DEVICE_INFO, STATION_INFO, STATION_TOTALS } from './history-metrics.ts';
import { familiesOf, type MonthSeries, sampleCount, type Series, stretchesOf } from './series.ts';

/** Writes a month as short texts; `target` are labels of every series beside its own, such as `job` and `instance`. */
export type WriteMonth = (month: MonthSeries, target: Labels) => Generator<string>;

/** The formats of files, by the name of the option: how their names end, and how many samples they have of a month. */
export const FILE_FORMATS = {
  openmetrics: { extension: 'om', write: openMetrics, count: sampleCount },
  csv: { extension: 'csv', write: csv, count: valueCount },
  json: { extension: 'jsonl', write: jsonLines, count: sampleCount },
} as const;

export type FileFormat = keyof typeof FILE_FORMATS;

/** Joins short texts to chunks of about this length; none is empty. */
export function* inChunks(texts: Iterable<string>, length: number): Generator<string> {
  let chunk = '';
  for (const text of texts) {
    chunk += text;
    if (chunk.length < length) continue;
    yield chunk;
    chunk = '';
  }
  if (chunk !== '') yield chunk;
}

/**
 * Writes a month in OpenMetrics 1.0, as `promtool tsdb create-blocks-from openmetrics` reads it: metric by
 * metric, series by series, times in seconds and ascending.
 */
function* openMetrics(month: MonthSeries, target: Labels): Generator<string> {
  for (const { metric, series } of familiesOf(month)) {
    yield headerOf(metric);
    for (const one of series) {
      const start = `${metric.name}${renderLabels({ ...target, ...one.labels })} `;
      for (const { firstStep, steps, value } of stretchesOf(one))
        for (let step = firstStep; step < firstStep + steps; step += 1)
          yield `${start}${value} ${month.grid.atMs(step) / 1000}\n`;
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

/** VictoriaMetrics refuses lines of more than 10 MiB; so many samples take some 200 KiB. */
const SAMPLES_PER_LINE = 10_000;

/**
 * Writes a month as lines of JSON, as VictoriaMetrics takes and gives them at `/api/v1/import` and
 * `/api/v1/export`: one object for each series, or several for a long one, with values and times in milliseconds.
 */
export function* jsonLines(month: MonthSeries, target: Labels): Generator<string> {
  for (const { metric, series } of familiesOf(month))
    for (const one of series) {
      const named = JSON.stringify({ __name__: metric.name, ...target, ...one.labels });
      let [values, timestamps]: [number[], number[]] = [[], []];
      const line = (): string =>
        `{"metric":${named},"values":[${values.join()}],"timestamps":[${timestamps.join()}]}\n`;
      for (const { firstStep, steps, value } of stretchesOf(one))
        for (let step = firstStep; step < firstStep + steps; step += 1) {
          values.push(value);
          timestamps.push(month.grid.atMs(step));
          if (values.length < SAMPLES_PER_LINE) continue;
          yield line();
          [values, timestamps] = [[], []];
        }
      if (values.length > 0) yield line();
    }
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
  const all = seriesInRows(month);
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

function seriesInRows(month: MonthSeries): readonly Series[] {
  const measured = familiesOf(month).filter(({ metric }) => !IN_NO_ROW.includes(metric.name));
  return measured.flatMap(({ series }) => series);
}

/** Returns how many values the rows of CSV have. */
function valueCount(month: MonthSeries): number {
  return seriesInRows(month)
    .flatMap(({ table, column }) => column.values.filter((_, row) => table.rows[row]?.readAtMs))
    .filter((value) => !Number.isNaN(value)).length;
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
