import { z } from 'zod';
import { ServiceError } from '../../base/errors.ts';
import { isPlausibleTime } from '../../base/instant.ts';
import { MOST_PER_ANSWER } from '../../base/limits.ts';
import { canonicalTimeZone, type ZonedCalendar } from '../../base/time-zone.ts';

/** When a request was sent, by the service's clock, and the calendar of the zone it was sent for. */
export interface RequestTime {
  readonly nowMs: number;
  readonly calendar: ZonedCalendar;
  /** How far the service's clock was ahead of ours; for a decoder, when the answer came. */
  readonly serviceAheadMs: number;
}

/** The context of an answer that its decoder may use besides `data`. */
export interface AnswerContext extends RequestTime {
  /** The path of the endpoint, for error messages. */
  readonly path: string;
  /** Notes how many entries of a list in the answer are left out. */
  readonly noteDropped: (dropped: number) => void;
}

/** Decodes the `data` of an answer, or throws a ServiceError: `SERVICE_PAYLOAD_INVALID`. */
export type Decoder<T> = (data: unknown, answer: AnswerContext) => T;

/** Parses a payload with a schema, or throws a ServiceError: `SERVICE_PAYLOAD_INVALID`. */
export function parse<T>(
  schema: z.ZodType<T>,
  data: unknown,
  { path }: Pick<AnswerContext, 'path'>,
): T {
  const result = schema.safeParse(data);
  if (result.success) return result.data;
  const { error: cause } = result;
  // The issues name fields and types, never values.
  const [problem = ''] = cause.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`);
  const message = `${path}: unexpected answer: ${problem.trim()}`;
  // An answer without data may be how the service refuses a token.
  const isDoubtful = data === undefined || data === null;
  throw new ServiceError('SERVICE_PAYLOAD_INVALID', message, { cause, isDoubtful });
}

/** Returns the first entries of a list, up to the limit of an answer, and notes how many it leaves out. */
export function firstOf<T>(
  list: readonly T[],
  { noteDropped }: Pick<AnswerContext, 'noteDropped'>,
): readonly T[] {
  if (list.length > MOST_PER_ANSWER) noteDropped(list.length - MOST_PER_ANSWER);
  return list.slice(0, MOST_PER_ANSWER);
}

/** A list whose entries are not checked: checking each takes long where there are many. */
export const anyList = z.custom<readonly unknown[]>(Array.isArray);

/** An object whose values are not checked: checking each takes long where there are many. */
export const anyObject = z.custom<Readonly<Record<string, unknown>>>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
);

/** Makes a field absent when it is missing, null or does not match the schema. */
export const optional = <T extends z.ZodType>(schema: T): z.ZodCatch<z.ZodOptional<T>> =>
  schema.optional().catch(undefined);

export const objectOrNone = anyObject.catch({});

/** Returns a function that reads the first of several fields of a record that has a value. */
export function readerOf(record: unknown) {
  const fields = objectOrNone.parse(record);
  return <T>(schema: z.ZodType<T | undefined>, ...names: readonly string[]): T | undefined => {
    for (const name of names) {
      const value = schema.parse(fields[name]);
      if (value !== undefined) return value;
    }
    return undefined;
  };
}

/** Makes a text fit for a label, which every scrape sends: valid UTF-8, and no longer than any real name. */
export function labelText(value: string): string {
  return Buffer.from(value.slice(0, 1024)).toString();
}

/** A value, and the words for it. */
interface Choice {
  readonly value: string;
  readonly text: string | undefined;
  readonly localeText: string | undefined;
}

/** The most choices of a setting, or words for the codes of a key; they do not become series. */
const MOST_CHOICES = 100;

/** Decodes the first choices of a setting, or words for codes. Uses no schema, which is slow where there are many. */
export function choicesOf(list: readonly unknown[]): readonly Choice[] {
  const textOf = (words: unknown): string | undefined =>
    typeof words === 'string' ? labelText(words.trim()) || undefined : undefined;
  return list.slice(0, MOST_CHOICES).flatMap((choice) => {
    const { value, text, localeText } = (choice ?? {}) as Readonly<Record<string, unknown>>;
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean')
      return [];
    if (value === '') return [];
    return { value: String(value), text: textOf(text), localeText: textOf(localeText) };
  });
}

/** A text without surrounding white space. */
export const trimmed = z.string().trim();

/** A text for a label, absent when it is empty. */
export const text = optional(trimmed.min(1).transform(labelText));

/** An id, always as a string: {@link parseJson} keeps the digits of long integers. */
export const id = optional(
  z
    .union([z.string(), z.number().int().nonnegative()])
    .transform((value) => labelText(String(value).trim()))
    // A longer id counts as absent: cut to this length, it could equal another id.
    .pipe(z.string().min(1).max(100)),
);

/** A time zone as the service writes it; a number is an offset. */
export const zoneText = z.union([z.number().transform(String), text]);

/** A time zone by its name, in the usual case, or by an offset as `±HH:MM`. */
export const timeZone = optional(zoneText.transform((zone = '') => canonicalTimeZone(zone)));

/** A finite number, or its decimal text: `Number` alone would also read other bases, and empty text as 0. */
export const quantity = optional(
  z
    .union([z.number(), trimmed.regex(/^[\d.e+-]+$/i).transform(Number)])
    // A larger number is a mistake of the service; a smaller one stays finite in any unit.
    .refine((value) => Math.abs(value) <= 1e15),
);

const spellings = z.stringbool({ truthy: ['true', '1'], falsy: ['false', '0'] });

/** A boolean in any of its spellings (service.md#records). */
export const flag = optional(
  z.union([z.boolean(), z.number(), trimmed]).transform(String).pipe(spellings),
);

/** Parses an ISO 8601 timestamp, even an implausible one. It is in UTC where it has no offset (service.md#tokens). */
export function parseTimestamp(text: string): number | undefined {
  const hasOffset = /(?:Z|[+-]\d\d:?\d\d)$/i.test(text);
  const instantMs = Date.parse(hasOffset ? text : `${text.replace(' ', 'T')}Z`);
  return Number.isNaN(instantMs) ? undefined : instantMs;
}

/** As seconds this is in the year 5138; as milliseconds, in 1973. */
const HIGHEST_SECONDS = 100_000_000_000;

/**
 * An instant as epoch milliseconds, even an implausible one. It is sent in ISO 8601, or in seconds or milliseconds
 * since the Unix epoch, as a number or as text (service.md#latest-state, #tokens).
 */
export const instant = optional(
  z.union([z.number(), trimmed.min(1)]).transform((time) => {
    const epoch = Number(time);
    if (!Number.isFinite(epoch)) return parseTimestamp(String(time));
    return epoch > HIGHEST_SECONDS ? epoch : epoch * 1000;
  }),
);

/** An instant; absent when it is implausible. */
export const timestamp = optional(instant.pipe(z.number().refine(isPlausibleTime)));
