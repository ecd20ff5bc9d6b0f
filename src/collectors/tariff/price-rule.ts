import { z } from 'zod';
import { quote, toJsonLine } from '../../base/shown.ts';
import { QUARTERS_OF_DAY } from '../../model/tariff.ts';

/** The months and weekdays as a tariff file spells them, in the order of their indexes. */
export const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
export const WEEKDAYS = 'mon tue wed thu fri sat sun'.split(' ');
export const MINUTES_OF_QUARTER = 15;

/** A price of a kWh, which may be negative. */
export const price = words(
  (text) => (/^-?\d{1,6}(\.\d{1,6})?$/.test(text) ? Number(text) : undefined),
  'a price',
  'a number such as 0.32',
);

const months = words(
  (text) => rangeOf(text, MONTHS),
  'a month',
  'one such as jan, or a range such as oct-mar',
).default(() => numbers(0, MONTHS.length, MONTHS.length));

const weekdays = words(
  (text) => rangeOf(text, WEEKDAYS),
  'a weekday',
  'one such as sun, or a range such as mon-fri',
).default(() => numbers(0, WEEKDAYS.length, WEEKDAYS.length));

const hours = words(
  quartersOf,
  'a range of hours',
  'quarter hours such as 22:00-06:00 or 00:00-24:00',
).default(() => numbers(0, QUARTERS_OF_DAY, QUARTERS_OF_DAY));

/** Returns the indexes of a name, or of a range of names that may pass the end. */
function rangeOf(text: string, names: readonly string[]): readonly number[] | undefined {
  const [first = '', last = first, ...more] = text
    .toLowerCase()
    .split('-')
    .map((name) => name.trim());
  const [from, to] = [names.indexOf(first), names.indexOf(last)];
  return from < 0 || to < 0 || more.length > 0 ? undefined : numbers(from, to + 1, names.length);
}

/** Returns the quarter hours from the first time up to the second, past midnight where that is earlier. */
function quartersOf(text: string): readonly number[] | undefined {
  const [from, to, ...more] = text.split('-').map((time) => quarterOf(time.trim()));
  if (from === undefined || to === undefined || more.length > 0) return undefined;
  return from === to || from === QUARTERS_OF_DAY ? undefined : numbers(from, to, QUARTERS_OF_DAY);
}

function quarterOf(time: string): number | undefined {
  const [, hour = '', minute = ''] = /^([01]?\d|2[0-4]):(00|15|30|45)$/.exec(time) ?? [];
  const quarter = (Number(hour) * 60 + Number(minute)) / MINUTES_OF_QUARTER;
  return hour === '' || quarter > QUARTERS_OF_DAY ? undefined : quarter;
}

/** Counts from one number up to another, round a circle of so many. */
function numbers(from: number, to: number, size: number): readonly number[] {
  const count = to > from ? to - from : to - from + size;
  return Array.from({ length: count }, (_, index) => (from + index) % size);
}

/** When a price holds: what it leaves out, it does not restrict. */
export const ruleSchema = z.strictObject(
  { price, months, weekdays, hours },
  { error: () => 'is not a mapping' },
);

/** A price, and the indexes of the months, weekdays and quarter hours in which it holds. */
export type PriceRule = z.output<typeof ruleSchema>;

/** Accepts a text of a form; the scalars of the file are all text. */
export function words<Value>(
  read: (text: string) => Value | undefined,
  what: string,
  accepted: string,
): z.ZodType<Value> {
  const fault = (input: unknown): string =>
    input === undefined
      ? `is missing; accepted: ${accepted}`
      : `${quote(typeof input === 'string' ? input : toJsonLine(input))} is not ${what}; accepted: ${accepted}`;
  return z.string({ error: ({ input }) => fault(input) }).transform((text, context) => {
    const value = read(text.trim());
    if (value !== undefined) return value;
    context.issues.push({ code: 'custom', message: fault(text), input: text });
    return z.NEVER;
  });
}
