import { z } from 'zod';
import { ConfigError } from '../../base/errors.ts';
import { cut, quote, toJsonLine } from '../../base/shown.ts';
import { QUANTITIES, SOURCES } from '../../model/readings.ts';
import { dimensionOf } from './interpret.ts';
import { type FieldRule, SIGNS } from './rules.ts';
import { parseUnit, UNIT_NAMES } from './unit.ts';

/** The quantities by the names that a dialect file gives them. The power of the battery has a sign there. */
export const QUANTITY_NAMES = Object.fromEntries(
  [...QUANTITIES, ...Object.keys(SIGNS), 'nothing']
    .filter((reads) => reads !== 'batteryPowerWatts')
    .map((reads) => [nameOf(reads), reads]),
) as Readonly<Record<string, FieldRule['reads']>>;

/** Returns the name in snake case and without its unit. */
function nameOf(reads: string): string {
  return reads
    .replace(/(?:Watts|Volts|Amperes|Ratio|Hertz|Celsius)$/, '')
    .replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    .replace('battery_bms', 'bms');
}

const ACCEPTED_NAMES = 'accepted: key, quantity, unit, sign, part, model';

/** The content of `--dialect.file`: a list of entries that have not been validated. */
export interface DialectFile {
  readonly file: { readonly path: string };
  readonly entries: readonly unknown[];
}

/**
 * Validates the entries of a dialect file and turns them into rules.
 *
 * @throws ConfigError that lists every problem of every entry.
 */
export function rulesOf({ file, entries }: DialectFile): readonly FieldRule[] {
  const results = entries.map((entry) => schemaOf(entry).safeParse(entry));
  const problems = results.flatMap(({ error }, index) =>
    (error?.issues ?? []).flatMap(problemsOf).map((problem) => `entry ${index + 1}: ${problem}`),
  );
  if (problems.length > 0)
    throw new ConfigError(
      problems.map((problem) => `--dialect.file: ${toJsonLine(file.path)}: ${problem}`),
    );
  return results.flatMap(({ data }) => data ?? []);
}

function problemsOf(issue: z.core.$ZodIssue): readonly string[] {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((name) => `${quote(name)}: unknown name; ${ACCEPTED_NAMES}`);
  if (issue.path.length === 0) return [`is not a mapping; ${ACCEPTED_NAMES}`];
  return [[...issue.path, issue.message].join(': ')];
}

const quantitySchema = choice(
  (name) => Object.hasOwn(QUANTITY_NAMES, name),
  `accepted: ${Object.keys(QUANTITY_NAMES).join(', ')}`,
);

/** Returns the schema of an entry. Its quantity decides what unit, sign and part may be; an unknown one allows any. */
function schemaOf(entry: unknown): z.ZodType<FieldRule> {
  const { quantity = '' } = z.object({ quantity: quantitySchema }).safeParse(entry).data ?? {};
  const reads = QUANTITY_NAMES[quantity];
  const anything = words().optional();
  const ofAny = { unit: anything, sign: anything, part: anything };
  return z
    .strictObject({
      key: words('accepted: a field key of the service'),
      quantity: quantitySchema,
      ...(reads === undefined ? ofAny : fieldsOf(quantity, reads)),
      model: anything,
    })
    .transform(({ key, unit, sign, part, model }) => ({
      ...{ key, unit, part, model, reads: reads ?? 'nothing' },
      positive: sign as FieldRule['positive'],
      ...{ families: [], sources: SOURCES, confidence: 'user' },
    }));
}

/** Returns the schemas of the unit, the sign and the part of a quantity. */
function fieldsOf(quantity: string, reads: FieldRule['reads']) {
  const isUnit = (unit: string): boolean => parseUnit(unit)?.dimension === dimensionOf({ reads });
  const units = UNIT_NAMES.filter(isUnit);
  const signs: readonly string[] = SIGNS[reads] ?? [];
  const isSign = (sign: string): boolean => signs.includes(sign);
  const accepted = `accepted for ${quantity}:`;
  const ofUnits = `${accepted} ${units.join(', ')}`;
  const ofSigns = `${accepted} ${signs.join(', ')} (what a positive value means)`;
  const signed = Object.keys(SIGNS).map(nameOf);
  // Strings and sensors are always measured by part; others as a whole, or by phase or cell.
  const isOfParts = /^string|^temperature/.test(reads);
  const mayHaveParts = reads in SIGNS || reads === 'batteryTemperatureCelsius';
  const wholeOrPart = mayHaveParts ? words().optional() : refused(`${quantity} has no parts`);
  return {
    unit: units[0] ? choice(isUnit, ofUnits) : refused(`${quantity} has none`),
    sign: signs[0] ? choice(isSign, ofSigns) : refused(`only ${signed.join(', ')} have one`),
    part: isOfParts ? words(`${accepted} which string or sensor it is`) : wholeOrPart,
  };
}

/** Accepts a text or a number, because YAML reads `part: 1` and `model: 5000` as numbers. */
function words(accepted = '') {
  return z.union([z.string().trim().min(1, { abort: true }), z.number().transform(String)], {
    error: ({ input }) =>
      input === undefined
        ? `is missing; ${accepted}`
        : `${cut(toJsonLine(input))} is not accepted; accepted: a text or a number`,
  });
}

/** Accepts the texts that pass the check. */
function choice(isAccepted: (text: string) => boolean, accepted: string) {
  return words(accepted).refine(isAccepted, {
    error: ({ input }) => `${quote(String(input))} is not accepted; ${accepted}`,
  });
}

/** Accepts no text: the field has to be left out. */
function refused(reason: string) {
  return choice(() => false, reason).optional();
}
