import { labelList, series } from './series.ts';

// Two accounts of one exporter may know the same ids; where there is only one, the label is absent.
const DEVICE = ['account', 'station_id', 'device_id'] as const;
const STATION = ['account', 'station_id'] as const;

/**
 * Gives every series of a device the name of the device, for its legend; the id where the device has no
 * name, or where its readings are served but the device list no longer is.
 */
export function named(expression: string, ...labels: readonly string[]): string {
  const on = labelList('job', 'instance', ...DEVICE);
  const wanted = labelList('name', ...labels);
  const names = series('solar_device_info', { name: '!=""' });
  const byId = `label_replace(${expression}, "name", "$1", "device_id", "(.+)")`;
  return `(${expression}) * on ${on} group_left ${wanted} ${names} or on ${on} ${byId}`;
}

/**
 * Gives every series the label `exporter`, for its legend: the instance, and its account where the exporter
 * has several.
 */
export function exporterNamed(expression: string): string {
  const joined = `label_join(${expression}, "exporter", ", ", "instance", "account")`;
  return `label_replace(${joined}, "exporter", "$1", "exporter", "(.*), ")`;
}

/** One value for each device, also where several exporters serve the same one. */
export function perDevice(expression: string): string {
  return `max by ${labelList(...DEVICE)} (${expression})`;
}

/** One value for each station, also where several exporters serve the same one. */
export function perStation(expression: string): string {
  return `max by ${labelList(...STATION)} (${expression})`;
}

/** Adds up the selected devices, and says in the label `coverage` how many of them have no value. */
export function houseSum(expression: string): string {
  return covered(`sum(${perDevice(expression)})`, expression);
}

/** Like {@link houseSum}, of an expression in which `%` stands for the {@link perDevice} values. */
export function houseSumOf(expression: string, template: string): string {
  return covered(template.replaceAll('%', perDevice(expression)), expression);
}

/** Adds up the selected stations, and says in the label `coverage` how many of them have no value. */
export function stationSum(expression: string): string {
  const known = `count(${perStation(expression)})`;
  // Known for as long as the station is, whatever fails.
  const all = `count(${perStation(series('solar_up', { station_id: '=~"$station"' }))})`;
  return `sum(${perStation(expression)}) * on () group_left (coverage) ${coverage(all, known, 'stations')}`;
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
  const on = labelList('job', 'instance', ...STATION);
  const assumed = series('solar_month_quantity_assumed', { quantity: `=~"${quantities}"` });
  return `(${series(metric)} unless on ${on} ${assumed})`;
}

/** Counts the selected devices: those in the device list and those with readings. */
export function deviceCount(): string {
  const listed = perDevice(series('solar_device_info'));
  return `count(${listed} or ${perDevice(series('solar_device_reporting'))})`;
}

/**
 * Adds up the kilowatt-hours of a power since the start of the range, over the selected devices, and says
 * in the label `coverage` for how much of that time it is known. Each minute counts by itself, so that an
 * exporter that moved to another address loses nothing.
 */
export function energySum(powerWatts: string): string {
  return energyTimes(powerWatts, perDevice(powerWatts));
}

/** Like {@link energySum}, in money: each minute counts at the price of that minute. */
export function moneySum(powerWatts: string, price: string): string {
  const on = labelList(...STATION);
  return energyTimes(powerWatts, `${perDevice(powerWatts)} * on ${on} group_left () ${price}`);
}

/** The price of a kilowatt-hour at each station: of the tariff file, else what was typed. */
export function priceOf(direction: 'import' | 'feed_in', typed: string): string {
  const fromFile = perStation(series('solar_tariff_price', { direction: `="${direction}"` }));
  const stations = perStation(series('solar_up', { station_id: '=~"$station"' }));
  return `(${fromFile} or 0 * ${stations} + ${typed})`;
}

/** @param weightedWatts - the watts of each device in each minute, times what they are worth. */
function energyTimes(powerWatts: string, weightedWatts: string): string {
  const kwh = `sum(sum_over_time((${weightedWatts})[$__range:1m])) / 60 / 1000`;
  const known = `sum(count_over_time((${perDevice(powerWatts)})[$__range:1m]))`;
  const percent = `clamp_max(round(100 * ${known} / (${deviceCount()} * $__range_s / 60)), 100)`;
  const told = `label_replace(count_values("coverage", ${percent}), "coverage", "known for $1 % of the time", "coverage", "(.+)")`;
  return `(${kwh}) * on () group_left (coverage) ${told}`;
}

function covered(sum: string, expression: string): string {
  const known = `count(${perDevice(expression)})`;
  return `(${sum}) * on () group_left (coverage) ${coverage(deviceCount(), known, 'devices')}`;
}

/** Always 1, with a label that a person reads beside the sum. */
function coverage(all: string, known: string, what: string): string {
  const missing = `count_values("coverage", clamp_min(${all} - ${known}, 0))`;
  const told = `label_replace(${missing}, "coverage", "without $1 of the ${what}", "coverage", "(.+)")`;
  return `label_replace(${told}, "coverage", "all ${what}", "coverage", "without 0 of the ${what}")`;
}
