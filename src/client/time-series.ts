import { z } from 'zod';
import type { Readings } from '../model/station.ts';
import type { FieldRule } from './dialects/field-rule.ts';
import { parseTimestamp } from './timestamp.ts';
import { parse } from './wire.ts';

const elementsSchema = z.array(z.unknown()).catch([]);
const timeSeriesSchema = z.object({
  payload: z
    .object({
      timeSeries: elementsSchema,
      fields: z.record(z.string(), elementsSchema).nullish(),
    })
    .nullish(),
});

/**
 * Reads the newest value of each key that `rules` know (interface 2.4). Arrays are in ascending order
 * of time; elements are numbers, numeric strings, or objects with `value` or `vd`; a key without any
 * usable element is absent from the result.
 */
export function decodeReadings(data: unknown, rules: readonly FieldRule[], path: string): Readings {
  const { payload } = parse(timeSeriesSchema, data, path);
  const newest: Partial<Record<keyof Readings, number>> = {};
  let newestIndex = -1;
  for (const { key, quantity, convert } of rules) {
    const elements = payload?.fields?.[key] ?? [];
    const index = elements.findLastIndex((element) => toNumber(element) !== undefined);
    const value = toNumber(elements[index]);
    if (value === undefined) continue;
    newest[quantity] = convert(value);
    newestIndex = Math.max(newestIndex, index);
  }
  const measuredAt = payload?.timeSeries[newestIndex];
  const measuredAtMs = typeof measuredAt === 'string' ? parseTimestamp(measuredAt) : undefined;
  return measuredAtMs === undefined ? newest : { ...newest, measuredAtMs };
}

function toNumber(element: unknown): number | undefined {
  if (typeof element === 'number') return Number.isFinite(element) ? element : undefined;
  if (typeof element === 'string') return element.trim() === '' ? undefined : finite(element);
  if (typeof element !== 'object' || element === null) return undefined;
  const { value, vd } = element as { value?: unknown; vd?: unknown };
  const inner = value ?? vd;
  return typeof inner === 'object' ? undefined : toNumber(inner);
}

function finite(text: string): number | undefined {
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}
