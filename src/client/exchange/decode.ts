import { z } from 'zod';
import { ServiceError } from '../../base/errors.ts';
import { isBelievable } from '../../base/instant.ts';
import type { NoteDropped } from '../../base/limits.ts';
import type { ZonedCalendar } from '../../base/time-zone.ts';
import { canonicalTimeZone } from '../../base/time-zone-name.ts';

/** When a request was sent, by the service's clock, and the calendar of the zone it was sent for. */
export interface RequestTime {
  readonly nowMs: number;
  readonly calendar: ZonedCalendar;
  /** How far the service's clock was ahead of ours; for a decoder, when the answer came. */
  readonly serviceAheadMs: number;
}

/** The time of a request whose answer has come. */
export type AnswerTime = RequestTime;

/**
 * Decodes the `data` of an answer.
 *
 * @param path - of the endpoint, for error messages.
 * @param noteDropped - is told what limits leave out.
 * @throws ServiceError `SERVICE_PAYLOAD_INVALID` when it is not what the endpoint answers.
 */
export type Decoder<T> = (
  data: unknown,
  path: string,
  time: AnswerTime,
  noteDropped: NoteDropped,
) => T;

const SAFE_DIGITS = 15;
/** Finds a number of 16 digits or more. A match inside a string only costs time. */
const LONG_NUMBER = /(?:^|[:[,])\s*-?\d{16}/;

/** A text of JSON as a whole, or a number. */
const TEXT_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/**
 * Parses JSON without losing digits: an integer that is too long for a double, such as a station id,
 * becomes the string of its digits.
 *
 * @throws SyntaxError when the text is not JSON.
 */
export function parseJson(text: string): unknown {
  // Most answers have no long number.
  return JSON.parse(LONG_NUMBER.test(text) ? withQuotedIntegers(text) : text) as unknown;
}

/** Puts integers that are too long for a double into quotes. */
function withQuotedIntegers(text: string): string {
  return text.replace(TEXT_OR_NUMBER, (found) =>
    found.length > SAFE_DIGITS && /^-?\d+$/.test(found) ? `"${found}"` : found,
  );
}

/** The most values of one answer, which take about 0.1 s to parse. A correct answer has some 30,000. */
export const MAX_VALUES = 100_000;

/** Whether a text of JSON has more values than an answer may have; what looks like one in a text counts. */
export function hasTooManyValues(text: string): boolean {
  let values = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === COMMA || code === BRACKET || code === BRACE) values += 1;
    if (values > MAX_VALUES) return true;
  }
  return false;
}

const COMMA = 44;
const BRACKET = 91;
const BRACE = 123;

/**
 * Validates a payload.
 *
 * @throws ServiceError `SERVICE_PAYLOAD_INVALID` when it does not fit the schema.
 */
export function parse<T>(schema: z.ZodType<T>, data: unknown, path: string): T {
  const result = schema.safeParse(data);
  if (result.success) return result.data;
  // The issues name fields and types, never values.
  const [issue] = result.error.issues;
  const problem = issue === undefined ? '' : `${issue.path.join('.')} ${issue.message}`.trim();
  throw new ServiceError('SERVICE_PAYLOAD_INVALID', `${path}: unexpected answer: ${problem}`, {
    cause: result.error,
  });
}

/** A list whose entries are not looked at: to check each takes long where there are many. */
export const anyList = z.custom<readonly unknown[]>(Array.isArray);

/** An object whose values are not looked at: to check each takes long where there are many. */
export const anyObject = z.custom<Readonly<Record<string, unknown>>>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
);

/** Makes a field absent when it is missing, null or not what the schema says. */
export const optional = <T extends z.ZodType>(schema: T): z.ZodCatch<z.ZodOptional<T>> =>
  schema.optional().catch(undefined);

/** Longer than any real name; a label is sent with every scrape. */
const LONGEST_LABEL = 1024;
/** A longer id counts as absent: cut to this length, it could equal the id of something else. */
const LONGEST_ID = 100;

/** Makes a text fit for a label: valid UTF-8 of a bounded length. */
export function labelText(value: string): string {
  return Buffer.from(value.slice(0, LONGEST_LABEL)).toString();
}

/** An id, always as a string: {@link parseJson} keeps the digits of long integers. */
export const id = optional(
  z
    .union([z.string(), z.number().int().nonnegative()])
    .transform((value) => String(value).trim())
    .pipe(z.string().min(1).max(LONGEST_ID))
    .transform(labelText),
);

/** A text without surrounding white space; absent when it is empty. */
export const text = optional(z.string().trim().min(1).transform(labelText));

/** Longer than the name of any time zone. */
const LONGEST_TIME_ZONE = 50;

/** An IANA time zone that this machine knows, in the usual case of its name. */
export const timeZone = optional(
  z.string().trim().max(LONGEST_TIME_ZONE).transform(canonicalTimeZone).pipe(z.string()),
);

/** A larger number is a mistake of the service; a smaller one stays finite in any unit. */
const LARGEST_QUANTITY = 1e15;

/** A finite number, or the text of one. */
export const quantity = optional(
  z
    .union([z.number(), z.string().trim().min(1).transform(Number)])
    .refine((value) => Math.abs(value) <= LARGEST_QUANTITY),
);

/** A boolean in any of its spellings (field notes 2.2). */
export const flag = optional(
  z
    .union([z.boolean(), z.number(), z.string()])
    .transform((value) => FLAGS[String(value).trim().toLowerCase()])
    .pipe(z.boolean()),
);

const FLAGS: Readonly<Record<string, boolean>> = { true: true, 1: true, false: false, 0: false };

/** An instant in ISO 8601, as epoch milliseconds; absent when nobody can believe it. */
export const timestamp = optional(
  z.string().trim().transform(parseTimestamp).pipe(z.number().refine(isBelievable)),
);

/**
 * Reads an ISO 8601 timestamp as epoch milliseconds, in UTC where it has no offset (interface 2.2).
 * Returns undefined for any other text. Whoever calls it decides what happens to a time that nobody can
 * believe: see instant.ts.
 */
export function parseTimestamp(text: string): number | undefined {
  const hasOffset = /(?:Z|[+-]\d\d:?\d\d)$/i.test(text);
  const instantMs = Date.parse(hasOffset ? text : `${text.replace(' ', 'T')}Z`);
  return Number.isNaN(instantMs) ? undefined : instantMs;
}
