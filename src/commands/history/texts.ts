import { printable } from '../../base/shown.ts';
import { formatDuration } from '../../config/duration.ts';
import type { MonthPart } from '../../history/months.ts';
import type { EndedRun } from '../../history/run-history.ts';
import { LONGEST_MAX_AGE_MS } from '../../model/cadence.ts';
import type { Device } from '../../model/station.ts';
import { sumOf } from '../../model/units.ts';

/** Says what a run has written, and what the next one asks for again. */
export function outcomeText(
  { kept, doubted, error }: EndedRun,
  { complete, intoFiles }: { readonly complete: number; readonly intoFiles: boolean },
): string {
  const samples = sumOf(kept.map((one) => one.samples));
  const bytes = sumOf(kept.map((one) => one.bytes));
  const noun = intoFiles ? 'file' : 'month';
  const before = complete === 0 ? '' : `; ${plural(complete, noun)} complete before`;
  // A database does not say what it has.
  const last = error === undefined && intoFiles ? undefined : kept.at(-1)?.part;
  return linesOf([
    `${plural(kept.length, noun)} written: ${count(samples)} samples, ${sizeOf(bytes)}${before}`,
    ...kept.map(({ place }) => intoFiles && `  ${place}`),
    doubted.length > 0 &&
      'not complete, because the service answered without readings, or with too many; the next run asks again:',
    ...doubted.map(({ part, place }) => `  ${intoFiles ? `${place}.partial` : monthOf(part)}`),
    last !== undefined &&
      `the last that is complete: ${monthOf(last)}, to ${new Date(last.toMs).toISOString()}`,
  ]);
}

function linesOf(lines: readonly (string | false)[]): string {
  return lines.map((line) => (line === false ? '' : `${line}\n`)).join('');
}

/** A logger sends every five minutes (service.md#cadence). */
const READING_INTERVAL_MS = 5 * 60_000;
/** What the service gives at once. */
const READINGS_PER_REQUEST = 2000;
/** Until it is known how a device speaks, it is asked for its keys and their units. */
const REQUESTS_PER_NEW_DEVICE = 4;
/** Simulated devices have 20 to 40 series beside the energies, and a station its totals, which are not in CSV. */
const [SERIES_PER_DEVICE, SERIES_OF_STATION] = [28, 8];
/** What a sample takes, and a value of CSV, as far as the months of simulated families show it. */
const BYTES_PER_SAMPLE = { openmetrics: 153, json: 20, csv: 9.3 } as const;

export interface EstimateOptions {
  /** How far apart samples are; those of CSV are as far apart as the readings. */
  readonly intervalMs: number;
  readonly format: keyof typeof BYTES_PER_SAMPLE;
  /** How many parts are complete. */
  readonly complete: number;
  /** Requests that may be sent. */
  readonly perSecond: number;
}

/** Says how much it will be to write some parts, before the service is asked for any of them. */
export function estimateText(
  parts: readonly MonthPart[],
  { intervalMs, format, complete, perSecond }: EstimateOptions,
): string {
  const stepMs = format === 'csv' ? READING_INTERVAL_MS : intervalMs;
  const steps = ({ fromMs, toMs }: MonthPart, ms: number): number =>
    Math.ceil((toMs - fromMs) / ms);
  const pagesOf = ({ fromMs, toMs }: MonthPart): number =>
    (toMs - fromMs + LONGEST_MAX_AGE_MS) / READING_INTERVAL_MS / READINGS_PER_REQUEST;
  const ofAll = (perDevice: (part: MonthPart) => number): number =>
    sumOf(parts.map((part) => Math.ceil(perDevice(part)) * part.devices.length));
  const readings = ofAll((part) => steps(part, READING_INTERVAL_MS));
  const seriesOf = ({ devices }: MonthPart): number =>
    SERIES_PER_DEVICE * devices.length + (format === 'csv' ? 0 : SERIES_OF_STATION);
  const samples = sumOf(parts.map((part) => steps(part, stepMs) * seriesOf(part)));
  const devices = new Set(parts.flatMap((part) => part.devices.map(({ deviceId }) => deviceId)));
  const stations = new Set(parts.map(({ station }) => station.stationId));
  const summaries = new Set(
    parts.flatMap(({ station, month }) => {
      const before = new Date(Date.parse(`${month}-01`) - 1).toISOString().slice(0, 7);
      const periods = [month, before, month.slice(0, 4), 'years'];
      return periods.map((period) => `${station.stationId} ${period}`);
    }),
  );
  const requests = ofAll(pagesOf) + devices.size * REQUESTS_PER_NEW_DEVICE + summaries.size;
  const before = complete === 0 ? '' : `; ${plural(complete, 'part')} complete before`;
  return linesOf([
    `${plural(devices.size, 'device')} of ${plural(stations.size, 'station')}, ${plural(parts.length, 'month or part of one', 'months or parts of one')}${before}`,
    'at most about, where the service has a reading every five minutes:',
    `  requests  ${count(requests)}, which take ${formatDuration(Math.ceil(requests / perSecond) * 1000)} at ${perSecond} a second`,
    `  readings  ${count(readings)}`,
    `  samples   ${count(samples)}`,
    `  bytes     ${sizeOf(samples * BYTES_PER_SAMPLE[format])}`,
  ]);
}

/** Names a device as a person knows it. */
export function nameOf({ deviceId, name }: Device): string {
  return name === undefined ? deviceId : `${printable(name)} (${deviceId})`;
}

function monthOf({ station: { name, stationId }, month }: MonthPart): string {
  return `${month} of ${printable(name ?? stationId)}`;
}

function plural(many: number, one: string, several = `${one}s`): string {
  return `${count(many)} ${many === 1 ? one : several}`;
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}

/** Writes a length in bytes with its unit: `1.2 MB`. */
function sizeOf(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB'];
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(bytes, 1)) / 3));
  const rounded = bytes / 1000 ** power;
  return `${power === 0 ? rounded : rounded.toFixed(1)} ${units[power] ?? ''}`;
}
