import { z } from 'zod';
import { deriveMonthlyEnergy, type MonthFigures, type MonthlyEnergy } from '../../model/month.ts';
import { toKilowattHours } from '../dialects/unit.ts';
import { measuredQuantities } from './measured-months.ts';
import { type AnswerTime, flag, optional, parse, quantity, text } from '../exchange/decode.ts';

const itemsSchema = z.array(z.unknown()).catch([]);
const summarySchema = z.object({
  hasRealTimePoints: flag,
  properties: itemsSchema,
  list: itemsSchema,
});
const flatItemSchema = z.object({
  // An item with a property has the nested form of the portal.
  property: z.null().optional(),
  key: text,
  name: text,
  value: quantity,
  unit: optional(z.string()),
});

/** Decodes the summary for the month of the request and adds when that month begins and ends. */
export function decodeCurrentMonth(
  data: unknown,
  path: string,
  { nowMs, calendar, serviceAheadMs }: AnswerTime,
): MonthlyEnergy {
  const { startsAtMs, endsAtMs } = calendar.monthPeriod(nowMs);
  return {
    ...decodeMonthlyEnergy(data, calendar.month(nowMs), path),
    startsAtMs,
    // The end is by our clock. When this answer shows that our clock is wrong, the month may be over.
    endsAtMs: endsAtMs - serviceAheadMs,
  };
}

/**
 * Decodes the summary for `month` (`2026-08`). An answer has the flat form of interface 2.5, which follows
 * the rules of interface 2.7, or the portal's nested form (field notes 2.9), or both. Every quantity is
 * absent when it has neither.
 */
export function decodeMonthlyEnergy(data: unknown, month: string, path: string): MonthFigures {
  const { properties, list, hasRealTimePoints } = parse(summarySchema, data, path);
  const measured =
    hasRealTimePoints === false ? {} : measuredQuantities([...properties, ...list], month);
  const flat = [flatValues(properties), flatValues(list)].find(({ size }) => size > 0);
  if (flat === undefined) return deriveMonthlyEnergy(measured);

  const pick = (...keys: string[]): (number | undefined)[] => keys.map((key) => flat.get(key));
  return deriveMonthlyEnergy(measured, {
    pvGeneratedKwh: pick(month, 'pvTotal', 'pv'),
    gridImportKwh: pick('gridImport', 'buy'),
    consumptionKwh: pick('totalConsumption', 'load'),
  });
}

/** Returns the valid flat items by key, in kWh. */
function flatValues(items: readonly unknown[]): ReadonlyMap<string, number> {
  const values = new Map<string, number>();
  for (const item of items) {
    const { key, name, value, unit } = flatItemSchema.safeParse(item).data ?? {};
    const label = key ?? name;
    const energyKwh = value === undefined ? undefined : toKilowattHours(value, unit);
    // Energy only counts up, so a negative value is a mistake of the service.
    const isCounted = energyKwh !== undefined && energyKwh >= 0;
    if (label !== undefined && isCounted) values.set(label, energyKwh);
  }
  return values;
}
