import { calendarOf, FALLBACK_TIME_ZONE, type ZonedCalendar } from '../../base/time-zone.ts';
import { type Direction, DIRECTIONS, priceAt, type Tariff } from '../../model/tariff.ts';
import type { Collector, StationSubject } from '../collector.ts';
import type { Metric } from '../metric.ts';

/** What a kWh costs in one direction now. */
interface Price {
  readonly direction: Direction;
  readonly currency: string;
  readonly price: number;
}

const QUARTER_HOUR_MS = 15 * 60_000;
const DAY_MS = 24 * 60 * 60_000;

const DIRECTION_LABELS: Readonly<Record<Direction, string>> = {
  import: 'import',
  'feed-in': 'feed_in',
};

/** The metrics of {@link tariffCollector}, whatever the tariff. */
export const TARIFF_METRICS: readonly Metric<readonly Price[]>[] = [
  {
    name: 'solar_tariff_price',
    type: 'gauge',
    help: 'What a kWh costs now, in the currency of its label, from --tariff.file in the time zone of the station; direction import is what is bought, feed_in what is sold.',
    labelNames: ['station_id', 'direction', 'currency'],
    read: (prices) =>
      prices.map(({ direction, currency, price }) => ({
        value: price,
        labels: { direction: DIRECTION_LABELS[direction], currency },
      })),
  },
];

/** Tells what energy costs at a station now. It asks the service for nothing. */
export function tariffCollector(
  tariff: Tariff,
): Collector<StationSubject, string, readonly Price[]> {
  return {
    name: 'tariff',
    lifetime: () => ({ ttlMs: DAY_MS, servedForMs: Infinity }),
    fetch: (_api, { station }) => Promise.resolve(station.timeZone ?? FALLBACK_TIME_ZONE),
    ageing: {
      shownAt: (timeZone, nowMs) => pricesAt(tariff, calendarOf(timeZone), nowMs),
      // All prices change on the quarter hour, and a page may be made anew so often.
      changesAtMs: (_timeZone, nowMs) =>
        (Math.floor(nowMs / QUARTER_HOUR_MS) + 1) * QUARTER_HOUR_MS,
    },
    metrics: TARIFF_METRICS,
  };
}

function pricesAt(
  { currency, priceLists }: Tariff,
  calendar: ZonedCalendar,
  nowMs: number,
): readonly Price[] {
  const moment = calendar.quarterHour(nowMs);
  return DIRECTIONS.flatMap((direction) => {
    const price = priceAt(priceLists[direction] ?? [], moment);
    return price === undefined ? [] : [{ direction, currency, price }];
  });
}
