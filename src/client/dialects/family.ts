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

/** Keys that only one family uses, in lower case. */
const MARKERS: ReadonlyMap<string, Family> = findMarkers();

/** A classic device may lack some keys of the interface, but not most of them. */
const LEAST_INTERFACE_KEYS = 3;
/** Several families share the names of the battery's keys. The key of the PV power tells them apart. */
const INTERFACE_PV_KEY = 'pvInputPower';

/**
 * Recognises the family of a device by the keys that only this family uses. Where there are none, the
 * keys of the interface mark the classic family. Absent for a family that has not been described.
 */
export function recogniseFamily(keys: readonly string[]): Family | undefined {
  const marked = keys.map((key) => MARKERS.get(key.toLowerCase()));
  const countOf = (family: Family): number => marked.filter((mark) => mark === family).length;
  const [best] = FAMILIES.map((family) => {
    const base = BASES[family];
    const ownCount = countOf(family);
    // The keys of its base count for a family, too, and its own tell it from its base.
    const baseCount = base === undefined || ownCount === 0 ? 0 : countOf(base);
    return { family, count: ownCount + baseCount };
  }).sort((one, other) => other.count - one.count);
  if (best !== undefined && best.count > 0) return best.family;
  const known = INTERFACE_KEYS.filter((key) => keys.includes(key)).length;
  const isClassic = known >= LEAST_INTERFACE_KEYS && keys.includes(INTERFACE_PV_KEY);
  return isClassic ? 'classic' : undefined;
}

function findMarkers(): ReadonlyMap<string, Family> {
  const familiesByKey = new Map<string, Set<Family | 'every'>>();
  for (const { key, families } of RULES) {
    const known = familiesByKey.get(key.toLowerCase()) ?? new Set();
    // A key with a rule for every family does not mark one of them.
    for (const family of families.length > 0 ? families : (['every'] as const)) known.add(family);
    familiesByKey.set(key.toLowerCase(), known);
  }
  return new Map(
    [...familiesByKey].flatMap(([key, [only = 'every', ...others]]) =>
      only === 'every' || others.length > 0 ? [] : [[key, only]],
    ),
  );
}
