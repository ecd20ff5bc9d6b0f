import { DEVICE_OF_EXPORTER, perStation, STATION_OF_EXPORTER } from './expressions.ts';
import { labelList, series } from './series.ts';

/**
 * Gives every series of a device the name of the device, for its legend, and the name of its station before it where
 * there are several. It is the id where the device has no name, or where its readings are served but the device list
 * no longer is.
 */
export function named(expression: string, ...labels: readonly string[]): string {
  const wanted = labelList('name', ...labels);
  const byId = `label_replace(${expression}, "name", "$1", "device_id", "(.+)")`;
  return `(${expression}) * on ${DEVICE_OF_EXPORTER} group_left ${wanted} ${deviceNames()} or on ${DEVICE_OF_EXPORTER} ${byId}`;
}

/** Gives every series of a station the name of the station, and its account where the exporter has several. */
export function stationNamed(expression: string, ...labels: readonly string[]): string {
  const wanted = labelList('name', ...labels);
  const byId = `label_replace(${expression}, "name", "$1", "station_id", "(.+)")`;
  return `(${expression}) * on ${STATION_OF_EXPORTER} group_left ${wanted} ${stationNames('name')} or on ${STATION_OF_EXPORTER} ${byId}`;
}

/**
 * Gives every series the label `exporter`, for its legend: the instance, and its account where the exporter
 * has several.
 */
export function exporterNamed(expression: string): string {
  return joined(expression, 'exporter', 'instance', 'account');
}

/** Always 1 for each device with a name, with the name that it shows by. */
function deviceNames(): string {
  const names = series('solar_device_info', { name: '!=""' });
  const several = `count(${perStation(series('solar_station_info'))}) > 1`;
  const places = `(${stationNames('place')} and on () (${several}))`;
  const placed = `${names} * on ${STATION_OF_EXPORTER} group_left (place) ${places}`;
  return `(${joined(placed, 'name', 'place', 'name')} or on ${DEVICE_OF_EXPORTER} ${names})`;
}

/** Always 1 for each station with a name; in this label its account, where there are several, and its name. */
function stationNames(label: string): string {
  return joined(series('solar_station_info', { name: '!=""' }), label, 'account', 'name');
}

/** Writes what labels say, one after the other, into a label; leaves out one that is absent. */
function joined(expression: string, into: string, first: string, second: string): string {
  // VictoriaMetrics mixes up a label that is joined into itself.
  const label = into === second ? 'whole' : into;
  const both = `label_join(${expression}, "${label}", ", ", "${first}", "${second}")`;
  return `label_replace(${both}, "${into}", "$1", "${label}", "(?:, )?(.*?)(?:, )?")`;
}
