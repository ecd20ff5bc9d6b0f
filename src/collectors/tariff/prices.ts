import { indexOf, type QuarterHour, QUARTERS_OF_DAY } from '../../model/tariff.ts';
import { MINUTES_OF_QUARTER, MONTHS, type PriceRule, WEEKDAYS } from './price-rule.ts';

/** What is wrong at one place of a tariff file. */
export interface Problem {
  readonly path: readonly PropertyKey[];
  readonly text: string;
}

/** Prices, and the rules that overlap or leave a quarter hour out. */
export interface CheckedPrices {
  readonly prices: readonly number[];
  readonly problems: readonly Problem[];
}

/**
 * Gives every quarter hour the price of the one rule that names it.
 *
 * @param path - of the rules in the file.
 */
export function pricesOf(rules: readonly PriceRule[], path: readonly PropertyKey[]): CheckedPrices {
  const problems: Problem[] = [];
  const ruleAt: (number | undefined)[] = [];
  const overlapping = new Set<number>();
  rules.forEach((rule, number) => {
    for (const moment of quarterHoursOf(rule)) {
      const index = indexOf(moment);
      const earlier = ruleAt[index];
      if (earlier === undefined) ruleAt[index] = number;
      else if (!overlapping.has(number)) {
        overlapping.add(number);
        const text = `has a price for ${nameOf(moment)}, as entry ${earlier + 1} of the same list has`;
        problems.push({ path: [...path, number], text });
      }
    }
  });
  const all = [...quarterHoursOf(EVERYTHING)];
  const hole = all.find((moment) => ruleAt[indexOf(moment)] === undefined);
  if (hole !== undefined)
    problems.push({ path, text: `prices: there is none for ${nameOf(hole)}` });
  const prices = all.map((moment) => rules[ruleAt[indexOf(moment)] ?? 0]?.price ?? Number.NaN);
  return { prices, problems };
}

const EVERYTHING = {
  months: [...MONTHS.keys()],
  weekdays: [...WEEKDAYS.keys()],
  hours: [...Array(QUARTERS_OF_DAY).keys()],
};

/** Yields them in the order of their indexes. */
function* quarterHoursOf({
  months,
  weekdays,
  hours,
}: Omit<PriceRule, 'price'>): Generator<QuarterHour> {
  for (const month of months)
    for (const weekday of weekdays) for (const quarter of hours) yield { month, weekday, quarter };
}

/** Names a quarter hour for people: `06:15 on sat in nov`. */
function nameOf({ month, weekday, quarter }: QuarterHour): string {
  const minutes = quarter * MINUTES_OF_QUARTER;
  const time = [Math.floor(minutes / 60), minutes % 60].map((part) =>
    String(part).padStart(2, '0'),
  );
  return `${time.join(':')} on ${WEEKDAYS[weekday] ?? ''} in ${MONTHS[month] ?? ''}`;
}
