import { z } from 'zod';
import type { MonthQuantities, MonthQuantity } from '../model/month.ts';
import { toKilowattHours } from './energy-unit.ts';
import { flag, optional, quantity, text } from './wire-fields.ts';

/** The portal's properties of a month, in lower case: the case of its keys is not reliable. */
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
 * Reads what the portal measured in `month` (`2026-08`), in kWh, from its nested properties; entries of
 * another form are passed over. A placeholder (`isRealValue: false`) is absent, a real 0 is a 0 (field
 * notes 2.9).
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

/** The last real value of the month's points; nothing that is measured here can be negative. */
function valueOf(timePoints: readonly unknown[], month: string): number | undefined {
  let measured: number | undefined;
  for (const point of timePoints) {
    const { time, value, isRealValue } = pointSchema.safeParse(point).data ?? {};
    if (monthOf(time) !== month || isRealValue === false) continue;
    if (value !== undefined && value >= 0) measured = value;
  }
  return measured;
}

/** The month of `2026-08`, `2026-8` or `2026-08-01`; absent for a year, and for another day. */
function monthOf(time = ''): string | undefined {
  const [, year, month = ''] = /^(\d{4})-(\d{1,2})(?:-0?1)?$/.exec(time) ?? [];
  return year === undefined ? undefined : `${year}-${month.padStart(2, '0')}`;
}
