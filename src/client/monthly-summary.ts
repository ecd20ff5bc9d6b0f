import { z } from 'zod';
import { deriveMonthlyEnergy } from '../model/derive.ts';
import type { MonthlyEnergy } from '../model/station.ts';
import { parse } from './wire.ts';

const valueSchema = z
  .union([z.number(), z.string().trim().min(1).transform(Number)])
  .refine(Number.isFinite)
  .optional()
  .catch(undefined);
const itemSchema = z.object({
  key: z.string().optional().catch(undefined),
  name: z.string().optional().catch(undefined),
  value: valueSchema,
});
const itemsSchema = z.array(z.unknown()).optional().catch(undefined);
const summarySchema = z.object({ properties: itemsSchema, list: itemsSchema });

/**
 * Reads the flat monthly summary (interface 2.5) for `month` (`2026-08`) by the rules of interface 2.7.
 * Absent when the answer holds not one usable item: nothing was read, so nothing is derived.
 */
export function decodeMonthlyEnergy(
  data: unknown,
  month: string,
  path: string,
): MonthlyEnergy | undefined {
  const { properties, list } = parse(summarySchema, data, path);
  const values = new Map<string, number>();
  for (const candidate of properties ?? list ?? []) {
    const { key, name, value } = itemSchema.safeParse(candidate).data ?? {};
    const label = key ?? name;
    if (label !== undefined && value !== undefined) values.set(label, value);
  }
  if (values.size === 0) return undefined;

  const pick = (...keys: string[]): (number | undefined)[] => keys.map((key) => values.get(key));
  return deriveMonthlyEnergy({
    pvGeneratedKwh: pick(month, 'pvTotal', 'pv'),
    gridImportKwh: pick('gridImport', 'buy'),
    consumptionKwh: pick('totalConsumption', 'load'),
  });
}
