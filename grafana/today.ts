import { BY_STATION, everyStation, perDevice, perStation, stationTotal } from './expressions.ts';
import { labelList, series } from './series.ts';

/** How long one day is, in seconds; a day on which clocks change counts as one of these. */
const DAY_SECONDS = 86_400;

/**
 * When the day of each station began, in seconds. The exporter says when the month began there, and days follow each
 * other from then on; from a change of clocks to the end of its month, this is an hour off.
 */
function dayStart(): string {
  const month = `${series('solar_month_start_timestamp_seconds')} @ end()`;
  const start = perStation(month);
  const now = perStation(`timestamp(${month})`);
  return `(${start} + floor((${now} - ${start}) / ${DAY_SECONDS}) * ${DAY_SECONDS})`;
}

/**
 * The kilowatt-hours of each station since its midnight: the service's own figure, and where it does not say one, what
 * the counters of its devices counted. `flow` is one flow; all of them, each by its label, when it is left out.
 */
export function energyToday(flow?: string): string {
  const ofFlow = flow === undefined ? {} : { flow: `="${flow}"` };
  const labels = flow === undefined ? ['flow'] : [];
  const said = perStation(series('solar_energy_today_kwh', ofFlow), ...labels);
  const counted = countedToday(series('solar_device_energy_kwh_total', ofFlow), ...labels);
  return `(${said} or ${stationTotal(counted, ...labels)})`;
}

/** How far the counter of each device came since midnight, or since its first value when that was later. */
function countedToday(counter: string, ...labels: readonly string[]): string {
  const now = perDevice(counter, ...labels);
  const until = `(${counter} and on ${BY_STATION} (time() <= ${dayStart()}))[1d:5m]`;
  const before = perDevice(`max_over_time(${until})`, ...labels);
  const first = perDevice(`min_over_time(${counter}[1d])`, ...labels);
  // A count that began anew since then is all of today.
  return `((${now} - (${before} or ${first})) >= 0 or ${now})`;
}

/**
 * What a kilowatt-hour at each station is worth today, with its `currency`: of the tariff file, else what was typed. The
 * price of each time of the day so far counts by the watts that flowed then.
 */
export function priceToday(direction: 'import' | 'feed_in', typed: string, watts: string): string {
  const price = priceOf(direction, typed);
  const total = (values: string): string =>
    `sum_over_time((${values} and on ${BY_STATION} (time() > ${dayStart()}))[1d:5m])`;
  const flowed = `clamp_min(${stationTotal(watts)}, 0)`;
  const weighed = total(`(${flowed} * on ${BY_STATION} group_right () ${price})`);
  return `(${weighed} / on ${BY_STATION} group_left () (${total(flowed)} > 0) or ${price})`;
}

/** The price of this moment at each station, with its `currency`. */
export function priceOf(direction: 'import' | 'feed_in', typed: string): string {
  const fromFile = perStation(
    series('solar_tariff_price_per_kwh', { direction: `="${direction}"` }),
    'currency',
  );
  const fixed = `label_replace(0 * ${everyStation()} + ${typed}, "currency", "$currency", "station_id", ".*")`;
  return `(${fromFile} or on ${BY_STATION} ${fixed})`;
}

/** Money by currency: what was bought or sold at each station, at its price. */
export function money(kilowattHours: string, price: string): string {
  return `sum by ${labelList('currency')} (${kilowattHours} * on ${BY_STATION} group_right () ${price})`;
}
