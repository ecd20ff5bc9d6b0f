import { labelList, series } from './series.ts';

// Two accounts of one exporter may know the same ids; where there is only one, the label is absent.
const DEVICE = ['account', 'station_id', 'device_id'] as const;
const STATION = ['account', 'station_id'] as const;

/** What tells stations apart, also where several exporters serve the same one. */
export const BY_STATION = labelList(...STATION);

/** What tells the devices of all exporters apart. */
export const DEVICE_OF_EXPORTER = labelList('job', 'instance', ...DEVICE);

/** What tells the stations of all exporters apart. */
export const STATION_OF_EXPORTER = labelList('job', 'instance', ...STATION);

/** One value for each device, also where several exporters serve the same one. */
export function perDevice(expression: string, ...labels: readonly string[]): string {
  return `max by ${labelList(...DEVICE, ...labels)} (${expression})`;
}

/** One value for each station, also where several exporters serve the same one. */
export function perStation(expression: string, ...labels: readonly string[]): string {
  return `max by ${labelList(...STATION, ...labels)} (${expression})`;
}

/** Adds up the devices of each station. */
export function stationTotal(expression: string, ...labels: readonly string[]): string {
  return `sum by ${labelList(...STATION, ...labels)} (${perDevice(expression, ...labels)})`;
}

/** Counts the selected devices: those in the device list and those with readings. */
export function deviceCount(): string {
  const listed = perDevice(series('solar_device_info'));
  return `count(${listed} or ${perDevice(series('solar_device_reporting'))})`;
}

/** Always at least 0 for each selected station: known for as long as the station is, whatever fails. */
export function everyStation(): string {
  return perStation(series('solar_up', { station_id: '=~"$station"' }));
}

/**
 * How far a figure of each device rose in the range. It is no counter: a device may correct it downwards,
 * and `increase` would take that for a reset and add all of it again. Where it ends lower than it began,
 * or began within the range, it rose from its lowest.
 */
export function risen(gauge: string): string {
  const by = labelList(...DEVICE);
  const last = perDevice(`last_over_time(${gauge}[$__range])`);
  const first = `min by ${by} (${gauge} offset $__range)`;
  const lowest = `min by ${by} (min_over_time(${gauge}[$__range]))`;
  return `((${last} - ${first}) >= 0 or ${last} - ${lowest})`;
}

/**
 * A figure of the month, without the stations of which the service does not say it: a 0 that only stands in
 * would make money of nothing. `quantities` are matched as a regular expression.
 */
export function knownOfMonth(metric: string, quantities: string): string {
  const assumed = series('solar_month_quantity_assumed_info', { quantity: `=~"${quantities}"` });
  return `(${series(metric)} unless on ${STATION_OF_EXPORTER} ${assumed})`;
}
