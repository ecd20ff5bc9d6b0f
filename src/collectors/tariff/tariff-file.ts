import { z } from 'zod';
import { ConfigError } from '../../base/errors.ts';
import { quote, toJsonLine } from '../../base/shown.ts';
import { QUARTERS_OF_DAY, type Tariff } from '../../model/tariff.ts';

/** The months and weekdays as a tariff file spells them, in the order of their indexes. */
const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const WEEKDAYS = 'mon tue wed thu fri sat sun'.split(' ');
/** The start times of the quarter hours of a day, and the end of the day. */
const TIMES = Array.from({ length: QUARTERS_OF_DAY + 1 }, (_, quarter) =>
  [Math.floor(quarter / 4), (quarter % 4) * 15]
    .map((part) => String(part).padStart(2, '0'))
    .join(':'),
);

/** The content of `--tariff.file`, which has not been validated. */
export interface TariffFile {
  readonly file: { readonly path: string };
  readonly content: unknown;
  /** Returns the line of the value at a path, or of the nearest value around it. */
  readonly lineOf: (path: readonly PropertyKey[]) => number;
}

/**
 * Validates a tariff file: the last rule of each list must always apply, so that there is always a price.
 *
 * @throws ConfigError that lists every problem with its line.
 */
export function tariffOf({ file, content, lineOf }: TariffFile): Tariff {
  const { data, error } = fileSchema.safeParse(content);
  if (data !== undefined) {
    const { currency, ...rules } = data;
    return { currency, rules };
  }
  const place = `--tariff.file: ${toJsonLine(file.path)}: line`;
  throw new ConfigError(
    error.issues.flatMap(problemsOf).map(({ path, text }) => `${place} ${lineOf(path)}: ${text}`),
  );
}

function problemsOf(issue: z.core.$ZodIssue): readonly { path: PropertyKey[]; text: string }[] {
  const { path, message } = issue;
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((name) => ({
      path: [...path, name],
      text: `${quote(name)}: unknown name; ${ACCEPTED_NAMES[path.length === 0 ? 'file' : 'rule']}`,
    }));
  const name = path.findLast((part) => typeof part === 'string');
  const isSentence = issue.code === 'custom' && typeof path.at(-1) === 'number';
  return [{ path, text: name === undefined || isSentence ? message : `${name}: ${message}` }];
}

const ACCEPTED_NAMES = {
  file: 'accepted: currency, import, feed-in',
  rule: 'accepted: price, from, months, weekdays, hours',
};

/** Accepts a text in a certain form; the scalars of the file are all text. */
function words<Value>(
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

const mapping = { error: () => 'is not a mapping' };

/** A price of a kWh, which may be negative, and when it applies. */
const ruleSchema = z.strictObject(
  {
    price: words(
      (text) => (/^-?\d{1,6}(\.\d{1,6})?$/.test(text) ? Number(text) : undefined),
      'a price',
      'a number such as 0.32',
    ),
    from: words(
      (text) => z.iso.date().safeParse(text).data,
      'a day',
      'one such as 2026-08-01',
    ).optional(),
    months: words(
      (text) => rangeOf(text, MONTHS),
      'a month',
      'one such as jan, or a range such as oct-mar',
    ).optional(),
    weekdays: words(
      (text) => rangeOf(text, WEEKDAYS),
      'a weekday',
      'one such as sun, or a range such as mon-fri',
    ).optional(),
    hours: words(
      quartersOf,
      'a range of hours',
      'quarter hours such as 22:00-06:00 or 00:00-24:00',
    ).optional(),
  },
  mapping,
);

/** Accepts a list of rules, or a single price, so that a fixed price is one line. */
const rulesSchema = z
  .preprocess(
    (content) => (typeof content === 'string' ? [{ price: content }] : content),
    z
      .array(ruleSchema, { error: () => 'is neither a price nor a list' })
      .min(1, 'has no entry')
      .superRefine((rules, context) => {
        const last = rules.length - 1;
        if (Object.keys(rules[last] ?? {}).every((name) => name === 'price')) return;
        context.addIssue({
          code: 'custom',
          path: [last],
          message:
            'is the last entry, and does not hold always; accepted: one with a price alone behind it',
        });
      }),
  )
  .optional();

const fileSchema = z.strictObject(
  {
    currency: words(
      (text) => (/^[A-Z]{3}$/.test(text) ? text : undefined),
      'a currency',
      'a code such as EUR',
    ),
    import: rulesSchema,
    'feed-in': rulesSchema,
  },
  mapping,
);

/** Returns the indexes of a name, or of a range of names that may pass the end. */
function rangeOf(text: string, names: readonly string[]): readonly number[] | undefined {
  const [from, to = from] = endsOf(text, names);
  return from === undefined || to === undefined ? undefined : numbers(from, to + 1, names.length);
}

/** Returns the quarter hours from the first time up to the second, past midnight if the second is earlier. */
function quartersOf(text: string): readonly number[] | undefined {
  const [from, to] = endsOf(text.replaceAll(/\b\d:/g, '0$&'), TIMES);
  if (from === undefined || to === undefined || from === QUARTERS_OF_DAY) return undefined;
  return from === to ? undefined : numbers(from, to, QUARTERS_OF_DAY);
}

/** Returns the indexes of one name, or of the two of a range; none where the text is neither. */
function endsOf(text: string, names: readonly string[]): readonly number[] {
  const ends = text.split('-').map((name) => names.indexOf(name.trim().toLowerCase()));
  return ends.length > 2 || ends.includes(-1) ? [] : ends;
}

/** Counts from one number up to another, which is left out; after `size - 1` follows 0. */
function numbers(from: number, to: number, size: number): readonly number[] {
  const count = to > from ? to - from : to - from + size;
  return Array.from({ length: count }, (_, index) => (from + index) % size);
}
