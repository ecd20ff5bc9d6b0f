import { z } from 'zod';
import type { Energies, EnergyQuantity } from '../../model/energy.ts';
import { toKilowattHours } from '../dialects/unit.ts';
import { anyList, flag, id, optional, quantity, text } from '../exchange/decode.ts';

/** The quantities by the portal's keys in lower case, because the case of the keys varies. */
const QUANTITY_BY_KEY: ReadonlyMap<string, EnergyQuantity> = new Map([
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
  timePoints: anyList.catch([]),
});
// A year may come as a bare number, as ids do.
const pointSchema = z.object({ time: id, value: quantity, isRealValue: flag });

/** Reads the time of a point as the name of a bucket, always spelt the same way; undefined for other times. */
export type BucketOf = (time: string) => string | undefined;

/** What the portal measured, by bucket. */
export interface MeasuredBuckets {
  /** In kWh. */
  readonly energies: ReadonlyMap<string, Energies>;
  /** The quantities with a point that cannot be read: nobody knows of which bucket, or how much. */
  readonly unreadable: ReadonlySet<EnergyQuantity>;
}

/**
 * Decodes what the portal measured in each bucket (a day, a month, a year) from nested properties; skips
 * entries of another form. A placeholder (`isRealValue: false`) is absent; a real 0 is 0; a negative value
 * is a mistake of the service. The last value of a bucket counts (field notes 2.9).
 */
export function measuredBuckets(entries: readonly unknown[], bucketOf: BucketOf): MeasuredBuckets {
  const energies = new Map<string, Partial<Record<EnergyQuantity, number>>>();
  const unreadable = new Set<EnergyQuantity>();
  for (const entry of entries) {
    const { property, hasRealTimePoints, timePoints } = propertySchema.safeParse(entry).data ?? {};
    const name = QUANTITY_BY_KEY.get(property?.key?.toLowerCase() ?? '');
    if (name === undefined || hasRealTimePoints === false) continue;
    for (const point of timePoints ?? []) {
      const { time = '', value = NaN, isRealValue } = pointSchema.safeParse(point).data ?? {};
      if (isRealValue === false) continue;
      const bucket = bucketOf(time);
      const energyKwh = value >= 0 ? toKilowattHours(value, property?.unit) : undefined;
      if (bucket === undefined || energyKwh === undefined) unreadable.add(name);
      else energies.set(bucket, { ...energies.get(bucket), [name]: energyKwh });
    }
  }
  return { energies, unreadable };
}

/** Returns the day of `2026-08-01`, `2026-8-1` or `2026-08-01 00:00:00`; undefined for a month. */
export const dayOf: BucketOf = (time) => {
  const [, year, month = '', day = ''] =
    /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[ T]00:00:00)?$/.exec(time) ?? [];
  return year && `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
};

/** Returns the month of `2026-08`, `2026-8` or `2026-08-01`; undefined for a year and for another day. */
export const monthOf: BucketOf = (time) => {
  const [, year, month = ''] = /^(\d{4})-(\d{1,2})(?:-0?1)?$/.exec(time) ?? [];
  return year && `${year}-${month.padStart(2, '0')}`;
};

/** Returns the year of `2026`; undefined for a month or a day, which is no year's total. */
export const yearOf: BucketOf = (time) => (/^\d{4}$/.test(time) ? time : undefined);
