import { z } from 'zod';
import { isTimeZone } from './time-zone.ts';
import { parseTimestamp } from './timestamp.ts';

/** Makes a field absent that is missing or not what the schema says, null included. */
export const optional = <T extends z.ZodType>(schema: T): z.ZodCatch<z.ZodOptional<T>> =>
  schema.optional().catch(undefined);

/** An id: a string here, whatever the service sent; long integers arrive as their digits (json.ts). */
export const id = optional(
  z
    .union([z.string(), z.number().int().nonnegative()])
    .transform((value) => String(value).trim())
    .pipe(z.string().min(1)),
);

/** A text without the blanks around it; absent when nothing is left. */
export const text = optional(z.string().trim().min(1));

/** An IANA time zone that this machine knows. */
export const timeZone = optional(z.string().trim().refine(isTimeZone));

/** A finite number, or the text of one. */
export const quantity = optional(
  z.union([z.number(), z.string().trim().min(1).transform(Number)]).refine(Number.isFinite),
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
