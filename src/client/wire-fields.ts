import { z } from 'zod';
import { isTimeZone } from './time-zone.ts';
import { parseTimestamp } from './timestamp.ts';

/** Makes a field absent that is missing or not what the schema says, null included. */
export const optional = <T extends z.ZodType>(schema: T): z.ZodCatch<z.ZodOptional<T>> =>
  schema.optional().catch(undefined);

/** More than any name has; a label is in every scrape. */
const LONGEST_NAME = 1024;
/** An id that is longer is none, and cut it could be that of another. */
const LONGEST_ID = 100;

/** A text as UTF-8 can have it, and no longer than a label should be. */
export function labelText(words: string): string {
  return Buffer.from(words.slice(0, LONGEST_NAME)).toString();
}

/** An id: a string here, whatever the service sent; long integers arrive as their digits (json.ts). */
export const id = optional(
  z
    .union([z.string(), z.number().int().nonnegative()])
    .transform((value) => String(value).trim())
    .pipe(z.string().min(1).max(LONGEST_ID))
    .transform(labelText),
);

/** A text without the blanks around it; absent when nothing is left. */
export const text = optional(z.string().trim().min(1).transform(labelText));

/** An IANA time zone that this machine knows. */
export const timeZone = optional(z.string().trim().refine(isTimeZone));

/** What is more is a mistake of the service; and what is less stays finite in any other unit. */
const MOST = 1e15;

/** A finite number, or the text of one. */
export const quantity = optional(
  z
    .union([z.number(), z.string().trim().min(1).transform(Number)])
    .refine((value) => Math.abs(value) <= MOST),
);

/** A boolean, or one of the ways it is spelled (field notes 2.2). */
export const flag = optional(
  z
    .union([z.boolean(), z.number(), z.string()])
    .transform((value) => FLAGS[String(value).trim().toLowerCase()])
    .pipe(z.boolean()),
);

const FLAGS: Readonly<Record<string, boolean>> = { true: true, 1: true, false: false, 0: false };

/** An instant in ISO 8601, as epoch milliseconds. */
export const timestamp = optional(z.string().trim().transform(parseTimestamp).pipe(z.number()));
