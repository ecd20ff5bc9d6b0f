import { z } from 'zod';
import { ConfigError } from '../../base/errors.ts';
import { quote, toJsonLine } from '../../base/shown.ts';
import { DIRECTIONS, type PriceList, type Tariff } from '../../model/tariff.ts';
import { type PriceRule, ruleSchema, words } from './price-rule.ts';
import { pricesOf, type Problem } from './prices.ts';

/** The content of `--tariff.file`, which has not been validated. */
export interface TariffFile {
  readonly file: { readonly path: string };
  readonly content: unknown;
  /** Returns the line of the value at a path, or of the nearest value around it. */
  readonly lineOf: (path: readonly PropertyKey[]) => number;
}

/** A list of prices as the file has it. */
interface ListEntry {
  readonly from?: string | undefined;
  readonly prices: readonly PriceRule[];
}

/**
 * Validates a tariff file: every list has exactly one price for every quarter hour of the year.
 *
 * @throws ConfigError that lists every problem with its line.
 */
export function tariffOf({ file, content, lineOf }: TariffFile): Tariff {
  const { data, error } = fileSchema.safeParse(content);
  const problems = (error?.issues ?? []).flatMap(problemsOf);
  const priceLists: Tariff['priceLists'] = Object.fromEntries(
    DIRECTIONS.flatMap((direction) => {
      const lists = data?.[direction];
      return lists === undefined ? [] : [[direction, priceListsOf(lists, direction, problems)]];
    }),
  );
  if (data !== undefined && problems.length === 0) return { currency: data.currency, priceLists };
  throw new ConfigError(
    problems.map(
      ({ path, text }) => `--tariff.file: ${toJsonLine(file.path)}: line ${lineOf(path)}: ${text}`,
    ),
  );
}

function priceListsOf(
  lists: readonly ListEntry[],
  direction: string,
  problems: Problem[],
): readonly PriceList[] {
  return lists.map(({ from, prices }, index): PriceList => {
    const path = [direction, index];
    const checked = pricesOf(prices, [...path, 'prices']);
    for (const problem of checked.problems) problems.push(problem);
    const before = lists[index - 1];
    const isLater = before === undefined || (from !== undefined && (before.from ?? '') < from);
    if (!isLater)
      problems.push({ path, text: 'from: needs a day after that of the list before it' });
    return { validFrom: from, prices: checked.prices };
  });
}

function problemsOf(issue: z.core.$ZodIssue): readonly Problem[] {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((name) => ({
      path: [...issue.path, name],
      text: `${quote(name)}: unknown name; ${ACCEPTED_NAMES[issue.path.length] ?? ACCEPTED_NAMES[4]}`,
    }));
  const [name] = issue.path.filter((part) => typeof part === 'string').slice(-1);
  return [
    { path: issue.path, text: name === undefined ? issue.message : `${name}: ${issue.message}` },
  ];
}

/** The names that a mapping takes, by how deep in the file it stands. */
const ACCEPTED_NAMES: Readonly<Record<number, string>> = {
  0: 'accepted: currency, import, feed-in',
  2: 'accepted: from, prices',
  4: 'accepted: price, months, weekdays, hours',
};

const currency = words(
  (text) => (/^[A-Z]{3}$/.test(text) ? text : undefined),
  'a currency',
  'a code such as EUR',
);

const day = words(
  (text) => (isDay(text) ? text : undefined),
  'a day',
  'one such as 2026-08-01',
).optional();

function isDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const atMs = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(atMs) && new Date(atMs).toISOString().startsWith(text);
}

const mapping = { error: () => 'is not a mapping' };

/** A fixed price stays one line. */
function listOr<Entry extends z.ZodType>(entry: Entry, fixed: (text: string) => unknown) {
  return z.preprocess(
    (content) => (typeof content === 'string' ? [fixed(content)] : content),
    z.array(entry, { error: () => 'is neither a price nor a list' }).min(1, 'has no entry'),
  );
}

const listSchema = z.strictObject(
  { from: day, prices: listOr(ruleSchema, (text) => ({ price: text })) },
  mapping,
);

const listsSchema = listOr(listSchema, (text) => ({ prices: text })).optional();

const fileSchema = z.strictObject(
  { currency, import: listsSchema, 'feed-in': listsSchema },
  mapping,
);
