import { z } from 'zod';
import type { MonthQuantities, MonthQuantity } from '../../model/month.ts';
import { toKilowattHours } from '../dialects/unit.ts';
import { flag, optional, quantity, text } from '../exchange/decode.ts';

/** The quantities by the portal's keys in lower case, because the case of the keys varies. */
const QUANTITY_BY_KEY: ReadonlyMap<string, MonthQuantity> = new Map([
  ['pvgeneratedenergy', 'pvGeneratedKwh'],
  ['buyelectricityquantity', 'gridImportKwh'],
  ['consumeelectricityquantity', 'consumptionKwh'],
  ['sellelectricityquantity', 'gridFeedInKwh'],
  ['chargeelectricityquantity', 'batteryChargedKwh'],
  ['dischargeelectricityquantity', 'batteryDischargedKwh'],
]);

const propertySchema = z.object({
  property: z.object({ key: text, unit: optional(z.string()) }),
  hasRealTimePoints: flag,
  timePoints: z.array(z.unknown()).catch([]),
});
const pointSchema = z.object({ time: text, value: quantity, isRealValue: flag });

/**
 * Decodes what the portal measured in `month` (`2026-08`), in kWh, from nested properties; skips entries
 * of another form. A placeholder (`isRealValue: false`) is absent; a real 0 is 0 (field notes 2.9).
 */
export function measuredQuantities(entries: readonly unknown[], month: string): MonthQuantities {
  const quantities: Partial<Record<MonthQuantity, number>> = {};
  for (const entry of entries) {
    const { property, hasRealTimePoints, timePoints } = propertySchema.safeParse(entry).data ?? {};
    const name = QUANTITY_BY_KEY.get(property?.key?.toLowerCase() ?? '');
    if (name === undefined || hasRealTimePoints === false) continue;
    const measured = valueOf(timePoints ?? [], month);
    const energyKwh =
      measured === undefined ? undefined : toKilowattHours(measured, property?.unit);
    if (energyKwh !== undefined) quantities[name] = energyKwh;
  }
  return quantities;
}

/** Returns the last real value of the month; a negative value is a mistake of the service. */
function valueOf(timePoints: readonly unknown[], month: string): number | undefined {
  let measured: number | undefined;
  for (const point of timePoints) {
    const { time, value, isRealValue } = pointSchema.safeParse(point).data ?? {};
    if (monthOf(time) !== month || isRealValue === false) continue;
    if (value !== undefined && value >= 0) measured = value;
  }
  return measured;
}

/** Returns the month of `2026-08`, `2026-8` or `2026-08-01`; undefined for a year and for another day. */
function monthOf(time = ''): string | undefined {
  const [, year, month = ''] = /^(\d{4})-(\d{1,2})(?:-0?1)?$/.exec(time) ?? [];
  return year === undefined ? undefined : `${year}-${month.padStart(2, '0')}`;
}
