import { z } from 'zod';
import { toKilowattHours } from '../dialects/unit.ts';
import { anyList, flag, optional, parse, quantity, text } from '../exchange/decode.ts';
import { type BucketOf, type MeasuredBuckets, measuredBuckets } from './measured-buckets.ts';

const itemsSchema = anyList.catch([]);
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

/** The two forms that a summary may have. */
export interface SummaryAnswer {
  /** The portal's own form (field notes 2.9). */
  readonly measured: MeasuredBuckets;
  /** The valid items of the flat form by key, in kWh (interface 2.5); absent without any. */
  readonly flat: ReadonlyMap<string, number> | undefined;
}

/**
 * Takes the answer of any summary apart.
 *
 * @throws ServiceError `SERVICE_PAYLOAD_INVALID` when it is no summary.
 */
export function openSummary(data: unknown, path: string, bucketOf: BucketOf): SummaryAnswer {
  const { properties, list, hasRealTimePoints } = parse(summarySchema, data, path);
  const nested = hasRealTimePoints === false ? [] : [...properties, ...list];
  const measured = measuredBuckets(nested, bucketOf);
  return {
    measured,
    flat: [flatValues(properties), flatValues(list)].find(({ size }) => size > 0),
  };
}

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
