import { z } from 'zod';
import { Secret } from '../base/shown.ts';
import { formatDuration, parseDurationMs } from './duration.ts';
import { type KindDetails, kindOf, withKind } from './kind.ts';
import type { Declare, Option, OptionRow, WithValue } from './option.ts';

/** A file of the user, read together with the configuration. */
export interface TextFile {
  readonly path: string;
  readonly text: string;
}

const trimmed = z.string().trim();
const line = z
  .string()
  .regex(/\S/)
  .regex(/^[^\r\n\0]*$/);
const LINE_REFUSAL = 'is not a text; accepted: one line that is not blank';

/** One line of text. */
export const string = kindOf({
  kind: 'string',
  schema: trimmed.pipe(line),
  refusal: LINE_REFUSAL,
});

/**
 * The name of one of several accounts. It becomes the value of a label and a part of the names of files, so
 * it holds nothing that a file system or a shell reads in its own way.
 */
export const accountName = kindOf({
  kind: 'accountName',
  schema: trimmed.regex(/^[A-Za-z0-9][\w-]{0,39}$/),
  refusal:
    'is not a name; accepted: up to 40 letters, digits, _ and -, of which the first is a letter or a digit',
});

/** The path of a file or directory, exactly as typed. */
export const path = kindOf({ kind: 'path', schema: line, refusal: LINE_REFUSAL });

/** The path of a file that is read when the configuration is. */
export function textFile(row: OptionRow): Option<TextFile | undefined> {
  const option: Option<TextFile> = {
    ...row,
    kind: 'textFile',
    read: (text, from = '') => ({ value: Object.freeze({ path: from, text }) }),
    show: (file) => file.path,
  };
  return option;
}

const secretText: KindDetails<Secret> = {
  kind: 'secret',
  schema: z
    .string()
    // Editors and `echo` end a file with a line break, which does not belong to the secret.
    .transform((text) => text.replace(/(?<![\r\n])[\r\n]+$/, ''))
    .pipe(line)
    .transform((text) => new Secret(text)),
  refusal: LINE_REFUSAL,
};

/** One line that is never shown. */
export function secret(row: OptionRow): Option<Secret | undefined> {
  return { ...withKind(row, secretText), secret: true };
}

const durationMs = trimmed.transform(parseDurationMs);

const NOT_POSITIVE =
  'is not a duration; accepted: a positive length such as 500ms, 30s, 15m, 1h30m';

/** What a timer of Node.js can hold, rounded down to days. It would run out at once for anything longer. */
const LONGEST_TIMER_MS = 24 * 24 * 3_600_000;

/** A positive length of time, in milliseconds. */
export const duration = kindOf({
  kind: 'duration',
  schema: durationMs.pipe(z.number().positive()),
  refusal: NOT_POSITIVE,
  show: formatDuration,
});

const timerMs = z.number().max(LONGEST_TIMER_MS, {
  error: `is too long; accepted: at most ${formatDuration(LONGEST_TIMER_MS)}`,
});

/** A positive length of time that a timer measures, in milliseconds. */
export const timeout = kindOf({
  kind: 'timeout',
  schema: durationMs.pipe(z.number().positive()).pipe(timerMs),
  refusal: NOT_POSITIVE,
  show: formatDuration,
});

/** A length of time that a timer measures, in milliseconds. */
export const timeoutOrZero = kindOf({
  kind: 'timeoutOrZero',
  schema: durationMs.pipe(z.number()).pipe(timerMs),
  refusal: 'is not a duration; accepted: a length such as 0s, 500ms, 30s, 15m, 1h30m',
  show: formatDuration,
});

/** A positive length of time, in milliseconds, or `auto`. */
export const durationOrAuto = kindOf<number | 'auto'>({
  kind: 'durationOrAuto',
  schema: trimmed.pipe(z.union([z.literal('auto'), durationMs.pipe(z.number().positive())])),
  refusal: 'is not a duration; accepted: auto, or a positive length such as 500ms, 30s, 15m, 1h30m',
  show: (value) => (value === 'auto' ? value : formatDuration(value)),
});

/** A yes or no. */
export const boolean = kindOf({
  kind: 'boolean',
  schema: trimmed.pipe(
    z.stringbool({ truthy: ['true', 'yes', 'on', '1'], falsy: ['false', 'no', 'off', '0'] }),
  ),
  refusal: 'is not a yes or no; accepted: true or false',
});

/** A plain unsigned number: without exponent, sign or base. */
const decimal = trimmed.regex(/^\d+(?:\.\d+)?$/).transform(Number);

/** The row of a count, with its bounds, both included. */
interface CountRow extends OptionRow {
  readonly minimum?: number;
  readonly maximum?: number;
}

/** A whole number within bounds. */
export const count: Declare<number, CountRow> = ({
  minimum = 0,
  maximum = Number.MAX_SAFE_INTEGER,
  ...row
}: CountRow) => {
  const isOpen = maximum === Number.MAX_SAFE_INTEGER;
  const range = isOpen ? `of at least ${minimum}` : `from ${minimum} to ${maximum}`;
  return withKind(row, {
    kind: 'count',
    schema: decimal.pipe(z.int().min(minimum).max(maximum)),
    refusal: `is not a count; accepted: a whole number ${range}`,
  });
};

/** A share from 0 to 1. */
export const ratio = kindOf({
  kind: 'ratio',
  schema: decimal.pipe(z.number().max(1)),
  refusal: 'is not a ratio; accepted: a number from 0 to 1 such as 0.05',
});

/** A number above 0. */
export const positive = kindOf({
  kind: 'positive',
  schema: decimal.pipe(z.number().positive()),
  refusal: 'is not a positive number; accepted: a number above 0 such as 60 or 0.5',
});

const idList: KindDetails<readonly string[]> = {
  kind: 'list',
  schema: z
    .string()
    .transform((text) => text.split(',').map((id) => id.trim()))
    .transform((ids) => [...new Set(ids.filter((id) => id !== ''))])
    // An empty list would select everything, which is never intended.
    .pipe(z.array(z.string()).nonempty())
    .transform((ids): readonly string[] => Object.freeze(ids)),
  refusal: 'names nothing; accepted: one or more ids, comma separated',
};

const NO_IDS: readonly string[] = Object.freeze([]);

/** Ids separated by commas, each once; empty without a value. */
export function list(row: OptionRow): Option<readonly string[]> {
  return { ...withKind(row, idList), emptyValue: NO_IDS };
}

interface ChoiceRow<Choice extends string> extends OptionRow {
  readonly choices: readonly Choice[];
  readonly default?: NoInfer<Choice>;
}

/** One of some words. */
export function choice<const Choice extends string>(
  row: ChoiceRow<Choice> & WithValue,
): Option<Choice>;
export function choice<const Choice extends string>(
  row: ChoiceRow<Choice>,
): Option<Choice | undefined>;
export function choice<const Choice extends string>({
  choices,
  ...row
}: ChoiceRow<Choice>): Option<Choice | undefined> {
  const kind = withKind(row, {
    kind: 'choice',
    schema: trimmed.toLowerCase().pipe(z.enum(choices)),
    refusal: `is not a choice; accepted: one of ${choices.join(', ')}`,
  });
  return { ...kind, choices };
}
