/** Prices change on the quarter hour, as every clock change of the world does. */
export const QUARTERS_OF_DAY = 96;

const WEEKDAYS = 7;

/** A quarter of an hour of every week of a month: January, Monday and midnight are 0. */
export interface QuarterHour {
  readonly month: number;
  readonly weekday: number;
  readonly quarter: number;
}

export interface PriceList {
  /** The first day on which they hold, in the zone of the station: `2026-08-01`; absent for the beginning. */
  readonly validFrom?: string | undefined;
  /** Of a week in each month of the year, in the currency per kWh, by {@link indexOf}. */
  readonly prices: readonly number[];
}

export const DIRECTIONS = ['import', 'feed-in'] as const;
export type Direction = (typeof DIRECTIONS)[number];

/** The prices of energy; a direction without prices is unknown. */
export interface Tariff {
  /** ISO 4217: `EUR`. */
  readonly currency: string;
  /** In ascending order of their first days. */
  readonly priceLists: Readonly<Partial<Record<Direction, readonly PriceList[] | undefined>>>;
}

/** Returns where the price of a quarter hour stands in a list of prices. */
export function indexOf({ month, weekday, quarter }: QuarterHour): number {
  return (month * WEEKDAYS + weekday) * QUARTERS_OF_DAY + quarter;
}

/** Returns the price of a kWh at a moment of a day, `2026-08-01`; absent before the first day of the first list. */
export function priceAt(
  lists: readonly PriceList[],
  moment: QuarterHour & { readonly date: string },
): number | undefined {
  return lists.findLast(({ validFrom = '' }) => validFrom <= moment.date)?.prices[indexOf(moment)];
}
