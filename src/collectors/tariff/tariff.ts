import { calendarOf, FALLBACK_TIME_ZONE } from '../../base/time-zone.ts';
import { type Direction, DIRECTIONS, priceAt, type Tariff } from '../../model/tariff.ts';
import type { Collector, StationSubject } from '../collector.ts';
import { metricsOf, type Point, pointOf } from '../metric.ts';

const QUARTER_HOUR_MS = 15 * 60_000;
const DAY_MS = 24 * 60 * 60_000;

const DIRECTION_LABELS: Readonly<Record<Direction, string>> = {
  import: 'import',
  'feed-in': 'feed_in',
};

/** The metrics of {@link tariffCollector}, whatever the tariff. */
export const TARIFF_METRICS = metricsOf<readonly Point[]>('gauge', ['station_id'], {
  solar_tariff_price_per_kwh: [
    'Price of a kWh now, from --tariff.file; direction is import or feed_in.',
    (prices) => prices,
    'direction',
    'currency',
  ],
});

/** Shows the prices of energy at a station now. It asks the service for nothing. */
export function tariffCollector({
  currency,
  rules,
}: Tariff): Collector<StationSubject, string, readonly Point[]> {
  return {
    name: 'tariff',
    sendsNothing: true,
    validity: (_lifetimes, _zone, fetchedAtMs) => ({
      dueAtMs: fetchedAtMs + DAY_MS,
      servedUntilMs: Infinity,
    }),
    fetch: (_api, { station }) => Promise.resolve(station.timeZone ?? FALLBACK_TIME_ZONE),
    shownAt: (nowMs, timeZone) => {
      const moment = calendarOf(timeZone).quarterHour(nowMs);
      const value = DIRECTIONS.flatMap((direction) =>
        pointOf(priceAt(rules[direction] ?? [], moment), {
          direction: DIRECTION_LABELS[direction],
          currency,
        }),
      );
      // All prices change on the quarter hour, and the page may be rendered again that often.
      return { value, untilMs: (Math.floor(nowMs / QUARTER_HOUR_MS) + 1) * QUARTER_HOUR_MS };
    },
    metrics: TARIFF_METRICS,
  };
}
