/** Prices change on the quarter hour, as every clock change of the world does. */
export const QUARTERS_OF_DAY = 96;

const WEEKDAYS = 7;
const MONTHS = 12;

/** A quarter of an hour of every week of a month: January, Monday and midnight are 0. */
export interface QuarterHour {
  readonly month: number;
  readonly weekday: number;
  readonly quarter: number;
}

/** The prices of a week in each month of the year, in the currency per kWh, by {@link indexOf}. */
export type Prices = readonly number[];

/** Prices, and the first day on which they hold, in the zone of the station: `2026-08-01`. */
export interface PriceList {
  /** Absent for the first list where it holds from the beginning. */
  readonly validFrom?: string | undefined;
  readonly prices: Prices;
}

/** What a kWh costs in one direction: lists in ascending order of their first days. */
export type PriceLists = readonly PriceList[];

export const DIRECTIONS = ['import', 'feed-in'] as const;

export type Direction = (typeof DIRECTIONS)[number];

/** The prices of energy; a direction without prices is unknown. */
export interface Tariff {
  /** ISO 4217: `EUR`. */
  readonly currency: string;
  readonly priceLists: Readonly<Partial<Record<Direction, PriceLists>>>;
}

/** How many quarter hours a list of prices has. */
export const PRICES_OF_YEAR = MONTHS * WEEKDAYS * QUARTERS_OF_DAY;

/** Returns where the price of a quarter hour stands in a list of prices. */
export function indexOf({ month, weekday, quarter }: QuarterHour): number {
  return (month * WEEKDAYS + weekday) * QUARTERS_OF_DAY + quarter;
}

/** Returns the quarter hour that an index of a list of prices stands for. */
export function quarterHourAt(index: number): QuarterHour {
  const day = Math.floor(index / QUARTERS_OF_DAY);
  return {
    month: Math.floor(day / WEEKDAYS),
    weekday: day % WEEKDAYS,
    quarter: index % QUARTERS_OF_DAY,
  };
}

/** A moment on the clock of a station. */
export interface LocalMoment extends QuarterHour {
  /** `2026-08-01`. */
  readonly date: string;
}

/** Returns the price of a kWh at a moment; absent before the first day of the first list. */
export function priceAt(lists: PriceLists, moment: LocalMoment): number | undefined {
  const list = lists.findLast(({ validFrom = '' }) => validFrom <= moment.date);
  return list?.prices[indexOf(moment)];
}
