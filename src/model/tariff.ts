/** Prices change on the quarter hour, as every clock change of the world does. */
export const QUARTERS_OF_DAY = 96;

/** A quarter of an hour of a week of a month: January, Monday and midnight are 0. */
export interface QuarterHour {
  readonly month: number;
  readonly weekday: number;
  readonly quarter: number;
}

/** A price of a kWh, in the currency of the tariff, and when it applies; an absent field does not restrict it. */
export interface PriceRule {
  readonly price: number;
  /** The first day on which it applies, in the zone of the station: `2026-08-01`. */
  readonly from?: string | undefined;
  readonly months?: readonly number[] | undefined;
  readonly weekdays?: readonly number[] | undefined;
  /** In quarters of an hour since midnight. */
  readonly hours?: readonly number[] | undefined;
}

export const DIRECTIONS = ['import', 'feed-in'] as const;
export type Direction = (typeof DIRECTIONS)[number];

/** The prices of energy; a direction without rules is unknown. */
export interface Tariff {
  /** ISO 4217: `EUR`. */
  readonly currency: string;
  /** The first rule that fits counts. */
  readonly rules: Readonly<Partial<Record<Direction, readonly PriceRule[] | undefined>>>;
}

/** Returns the price of a kWh at a moment of a day, `2026-08-01`. */
export function priceAt(
  rules: readonly PriceRule[],
  { date, month, weekday, quarter }: QuarterHour & { readonly date: string },
): number | undefined {
  return rules.find(
    ({ from = date, months, weekdays, hours }) =>
      from <= date &&
      months?.includes(month) !== false &&
      weekdays?.includes(weekday) !== false &&
      hours?.includes(quarter) !== false,
  )?.price;
}
