import { COLOURS } from './panel.ts';

/** Filters by what a person chose at the top of the dashboard: the metrics of stations and devices. */
export const S = 'job=~"$job", instance=~"$instance", station_id=~"$station"';

/** The same for metrics of the exporter, which have no station. */
export const E = 'job=~"$job", instance=~"$instance"';

/** What tells stations apart, also where several exporters serve the same one. */
export const BY_STATION = '(station_id)';

/** A device in a legend: its name, and where there are several stations that of its own. */
export const DEVICE = '{{name}}$of_station';

/** Gives every series of a device what {@link DEVICE} shows of it. */
export function named(expression: string): string {
  return deviceInfo(expression, 'name, station');
}

/** Gives every series of a device these labels of its record. */
export function deviceInfo(expression: string, labels: string): string {
  return `${expression} * on (instance, station_id, device_id) group_left (${labels}) solar_device_info`;
}

/** Gives every series of a station the name of the station. */
export function stationNamed(expression: string, labels = 'name'): string {
  return `${expression} * on (instance, station_id) group_left (${labels}) solar_station_info`;
}

/** Adds up stations, each of which has its own total; two exporters of one station count once. */
export function stations(total: string): string {
  return `sum(max by ${BY_STATION} (${total}))`;
}

/** What flows at the stations at this moment, in watts. */
export function power(flow: string): string {
  return stations(`solar_station_power_watts{${S}, flow="${flow}"}`);
}

/** Joins two flows of one station; of today, they may come from different sources. */
function ofSame(figure: string): string {
  return figure.endsWith('_today_kwh') ? 'ignoring (flow, source)' : 'ignoring (flow)';
}

/** What each station drew without its grid, in kilowatt-hours: where both are known. */
export function ownUse(figure: string): string {
  return `${figure}{${S}, flow="load"} - ${ofSame(figure)} ${figure}{flow="grid_import"}`;
}

/** The share of `whole` that is not `part`, of each station, with its name; below 0 while the grid charges a battery. */
export function share(figure: string, whole: string, part: string): string {
  const lost = `${figure}{${S}, flow="${part}"} / ${ofSame(figure)} (${figure}{flow="${whole}"} > 0)`;
  return stationNamed(`(1 - ${lost})`);
}

/** The flows above zero, then those below it: by metric and for people. */
export const FLOWS = [
  ['pv', 'PV', COLOURS.solar, ''],
  ['battery_discharge', 'battery discharging', COLOURS.battery, ''],
  ['grid_import', 'grid import', COLOURS.grid, ''],
  ['load', 'house', COLOURS.house, '-'],
  ['battery_charge', 'battery charging', COLOURS.battery, '-'],
  ['grid_feed_in', 'feed-in', COLOURS.grid, '-'],
] as const;
