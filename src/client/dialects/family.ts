import type { Quantity } from '../../model/readings.ts';
import { BASES, type Family, FAMILIES } from './field-rule.ts';
import { RULES } from './rules.ts';

/** The keys of interface 2.4, and the quantity that each of them gives. */
const INTERFACE_FIELDS = {
  pvInputPower: 'pvPowerWatts',
  acOutputActivePower: 'acOutputPowerWatts',
  batteryDischargeCurrent: 'batteryDischargeCurrentAmperes',
  batteryChargingCurrent: 'batteryChargingCurrentAmperes',
  batteryVoltage: 'batteryVoltageVolts',
  feedInPower: 'gridFeedInPowerWatts',
  batterySOC: 'batterySocRatio',
} as const satisfies Readonly<Record<string, Quantity>>;

/** Every device is asked for these keys first. */
export const INTERFACE_KEYS: readonly string[] = Object.keys(INTERFACE_FIELDS);

/** The quantities that every device is expected to have. */
export const INTERFACE_QUANTITIES: readonly Quantity[] = Object.values(INTERFACE_FIELDS);

/** A classic device may lack some keys of the interface, but not most of them. */
const LEAST_INTERFACE_KEYS = 3;
/** Several families share the names of the battery's keys. The key of the PV power tells them apart. */
const INTERFACE_PV_KEY = 'pvInputPower';

/**
 * Recognises the family of a device by the keys that only this family uses. Where there are none, the
 * keys of the interface mark the classic family. Absent for a family that has not been described.
 */
export function recogniseFamily(keys: readonly string[]): Family | undefined {
  const marked = keys.flatMap(markedBy);
  const countOf = (family: Family | undefined): number =>
    marked.filter((mark) => mark === family).length;
  // The keys of its base count for a family, too, and its own tell it from its base.
  const [best] = FAMILIES.filter((family) => countOf(family) > 0)
    .map((family) => ({ family, count: countOf(family) + countOf(BASES[family]) }))
    .sort((one, other) => other.count - one.count);
  if (best !== undefined) return best.family;
  const known = INTERFACE_KEYS.filter((key) => keys.includes(key)).length;
  const isClassic = known >= LEAST_INTERFACE_KEYS && keys.includes(INTERFACE_PV_KEY);
  return isClassic ? 'classic' : undefined;
}

/** Returns the only family that uses the key, if there is just one. */
function markedBy(key: string): readonly Family[] {
  const used = RULES.filter((rule) => rule.key.toLowerCase() === key.toLowerCase());
  // A rule for every family marks none of them.
  const users = used.flatMap(({ families }) => (families.length > 0 ? families : FAMILIES));
  return new Set(users).size === 1 ? users.slice(0, 1) : [];
}
