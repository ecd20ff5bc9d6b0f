import { renderLabels } from '../metrics/page.ts';
import { inChunks } from './chunks.ts';
import { DEVICE_INFO, HISTORY_METRICS, STATION_INFO } from './history-metrics.ts';
import { familiesOf, type MonthSeries } from './month-series.ts';
import type { SeriesColumn, SeriesTable } from './series-table.ts';

/** What describes stations and devices is no measurement: it says the same in every row. */
const DESCRIPTIONS = new Set([...STATION_INFO, ...DEVICE_INFO].map(({ name }) => name));

/**
 * Writes a month as RFC 4180 says: a row for each reading of a device, at the time at which it was measured, and one
 * for each day of a station, at its last step. A column is a metric with the labels that it adds, such as
 * `solar_pv_string_power_watts{string="1"}`; an unknown value is empty. Labels such as `job` are
 * left out, because they would say the same in every row.
 */
export function writeCsv(month: MonthSeries): Generator<string> {
  return inChunks(rowsOf(month));
}

function* rowsOf(month: MonthSeries): Generator<string> {
  const titles = titlesOf(month);
  yield rowOf(['time', 'station_id', 'device_id', ...titles]);
  for (const table of month.tables) {
    const columns = columnsOf(table);
    if (columns.size === 0) continue;
    const values = titles.map((title) => columns.get(title)?.values);
    const { station_id: stationId = '', device_id: deviceId = '' } = table.labels;
    for (let index = 0; index < table.rowCount; index += 1) {
      const { readAtMs } = table.row(index);
      if (readAtMs === undefined) continue;
      const numbers = values.map((column) => textOf(column?.[index]));
      yield rowOf([new Date(readAtMs).toISOString(), stationId, deviceId, ...numbers]);
    }
  }
}

/** Returns the titles of the columns of all tables, each once, in the order of the catalogue. */
function titlesOf(month: MonthSeries): readonly string[] {
  const titles = new Set<string>();
  for (const { metric, series } of familiesOf(month))
    if (!DESCRIPTIONS.has(metric.name))
      for (const { column } of series) titles.add(titleOf(metric.name, column));
  return [...titles];
}

function columnsOf(table: SeriesTable): ReadonlyMap<string, SeriesColumn> {
  const columns = new Map<string, SeriesColumn>();
  for (const { name } of HISTORY_METRICS)
    if (!DESCRIPTIONS.has(name))
      for (const column of table.columnsOf(name)) columns.set(titleOf(name, column), column);
  return columns;
}

function titleOf(name: string, { labels = {} }: SeriesColumn): string {
  return name + renderLabels(labels);
}

function textOf(value = NaN): string {
  return Number.isNaN(value) ? '' : String(value);
}

function rowOf(fields: readonly string[]): string {
  return `${fields.map(quoted).join()}\r\n`;
}

function quoted(field: string): string {
  return /[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
}
