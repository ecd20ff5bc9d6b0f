import { z } from 'zod';
import { type FieldSample, type Timed, toNumber, toText } from './dialects/field-sample.ts';
import { parseTimestamp } from './timestamp.ts';
import { parse } from './wire.ts';

const elementsSchema = z.array(z.unknown()).catch([]);
const timeSeriesSchema = z.object({
  payload: z
    .object({
      timeSeries: elementsSchema,
      fields: z.record(z.string(), elementsSchema).nullish(),
      formatters: z.record(z.string(), z.unknown()).nullish().catch(undefined),
    })
    .nullish(),
});
const formatterSchema = z.object({ unit: z.string().trim().min(1) });

/**
 * Reads the newest value of every key (interface 2.4, field notes 2.4), dated by its own element.
 * Arrays are in ascending order of time; elements are numbers, texts, or objects with `value` or `vd`.
 */
export function decodeTimeSeries(data: unknown, path: string): readonly FieldSample[] {
  const { payload } = parse(timeSeriesSchema, data, path);
  const { timeSeries = [], fields, formatters } = payload ?? {};
  return Object.entries(fields ?? {}).map(([key, elements]) => ({
    key,
    tag: formatterSchema.safeParse(formatters?.[key]).data?.unit,
    number: newest(elements, toNumber, timeSeries),
    text: newest(elements, toText, timeSeries),
  }));
}

function newest<T>(
  elements: readonly unknown[],
  read: (element: unknown) => T | undefined,
  timeSeries: readonly unknown[],
): Timed<T> | undefined {
  const index = elements.findLastIndex((element) => read(element) !== undefined);
  const value = read(elements[index]);
  if (value === undefined) return undefined;
  const measuredAt = timeSeries[index];
  const measuredAtMs = typeof measuredAt === 'string' ? parseTimestamp(measuredAt) : undefined;
  return { value, measuredAtMs };
}
