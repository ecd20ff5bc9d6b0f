import { z } from 'zod';
import { deriveMonthlyEnergy, type MonthFigures } from '../model/month.ts';
import { toKilowattHours } from './energy-unit.ts';
import { measuredQuantities } from './measured-months.ts';
import { parse } from './wire.ts';
import { flag, optional, quantity, text } from './wire-fields.ts';

const itemsSchema = z.array(z.unknown()).catch([]);
const summarySchema = z.object({
  hasRealTimePoints: flag,
  properties: itemsSchema,
  list: itemsSchema,
});
const flatItemSchema = z.object({
  // What names a property is of the portal's form, whatever else it has.
  property: z.null().optional(),
  key: text,
  name: text,
  value: quantity,
  unit: optional(z.string()),
});

/**
 * Reads the monthly summary for `month` (`2026-08`): the flat form of interface 2.5 by the rules of
 * interface 2.7, and the portal's nested form (field notes 2.9), alone or within the same answer.
 * Everything is absent when the answer holds neither.
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

/** The usable flat items by key, in kWh. */
function flatValues(items: readonly unknown[]): ReadonlyMap<string, number> {
  const values = new Map<string, number>();
  for (const item of items) {
    const { key, name, value, unit } = flatItemSchema.safeParse(item).data ?? {};
    const label = key ?? name;
    const energyKwh = value === undefined ? undefined : toKilowattHours(value, unit);
    // Energy is counted up: what is below zero was not counted.
    const isCounted = energyKwh !== undefined && energyKwh >= 0;
    if (label !== undefined && isCounted) values.set(label, energyKwh);
  }
  return values;
}
