import { z } from 'zod';
import { ConfigError } from '../../base/errors.ts';
import { cut, quote, toJsonLine } from '../../base/shown.ts';
import { QUANTITIES, SOURCES } from '../../model/readings.ts';
import { dimensionOf } from './interpret.ts';
import { type FieldRule, SIGNS } from './rules.ts';
import { parseUnit, UNIT_NAMES } from './unit.ts';

/** The quantities by their names in a dialect file. The battery's power is the signed one there. */
export const QUANTITY_NAMES = Object.fromEntries(
  [...QUANTITIES, ...Object.keys(SIGNS), 'nothing']
    .filter((reads) => reads !== 'batteryPowerWatts')
    .map((reads) => [snakeCaseOf(reads), reads]),
) as Readonly<Record<string, FieldRule['reads']>>;

/** Returns the name in snake case and without its unit. */
function snakeCaseOf(reads: string): string {
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

const quantitySchema = text(`accepted: ${Object.keys(QUANTITY_NAMES).join(', ')}`, (name) =>
  Object.hasOwn(QUANTITY_NAMES, name),
);

/** Returns the schema of an entry. Its quantity decides which unit, sign and part are accepted; if unknown, any are. */
function schemaOf(entry: unknown): z.ZodType<FieldRule> {
  const { quantity = '' } = z.object({ quantity: quantitySchema }).safeParse(entry).data ?? {};
  const reads = QUANTITY_NAMES[quantity];
  const anything = text().optional();
  const ofAny = { unit: anything, sign: anything, part: anything };
  return z
    .strictObject({
      key: text('accepted: a field key of the service'),
      quantity: quantitySchema,
      ...(reads === undefined ? ofAny : schemasOf(quantity, reads)),
      model: anything,
    })
    .transform(({ key, unit, sign, part, model }) => ({
      key,
      unit,
      part,
      model,
      reads: reads ?? 'nothing',
      positive: sign as FieldRule['positive'],
      families: [],
      sources: SOURCES,
      confidence: 'user',
    }));
}

/** Returns the schemas of unit, sign and part: the quantity decides whether each is required, optional or refused. */
function schemasOf(quantity: string, reads: FieldRule['reads']) {
  const isUnit = (unit: string): boolean => parseUnit(unit)?.dimension === dimensionOf({ reads });
  const units = UNIT_NAMES.filter(isUnit);
  const signs = SIGNS[reads];
  const signed = Object.keys(SIGNS).map(snakeCaseOf);
  const accepted = `accepted for ${quantity}:`;
  const meanings = `${accepted} ${signs?.join(', ')} (what a positive value means)`;
  // Strings and sensors always have a part. Other quantities are of the whole, or of a phase or cell.
  const isOfParts = /^string|^temperature/.test(reads);
  const mayHaveParts = reads in SIGNS || reads === 'batteryTemperatureCelsius';
  const wholeOrPart = mayHaveParts ? text().optional() : refused(`${quantity} has no parts`);
  return {
    unit: units[0]
      ? text(`${accepted} ${units.join(', ')}`, isUnit)
      : refused(`${quantity} has none`),
    sign: signs
      ? text(meanings, (sign) => signs.includes(sign))
      : refused(`only ${signed.join(', ')} have one`),
    part: isOfParts ? text(`${accepted} which string or sensor it is`) : wholeOrPart,
  };
}

/** Accepts a text that passes the check, or a number, because YAML reads `part: 1` and `model: 5000` as numbers. */
function text(accepted = '', isAccepted: (text: string) => boolean = () => true) {
  return z
    .union([z.string().trim().min(1, { abort: true }), z.number().transform(String)], {
      error: ({ input }) =>
        input === undefined
          ? `is missing; ${accepted}`
          : `${cut(toJsonLine(input))} is not accepted; accepted: a text or a number`,
    })
    .refine(isAccepted, {
      error: ({ input }) => `${quote(String(input))} is not accepted; ${accepted}`,
    });
}

/** Refuses every text: the field has to be left out. */
function refused(reason: string) {
  return text(reason, () => false).optional();
}
