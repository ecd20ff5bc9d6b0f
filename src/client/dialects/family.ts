import { type Family, FAMILIES } from './field-rule.ts';
import { INTERFACE_KEYS, RULES } from './rules.ts';

/** Keys that only one family was ever seen to use, in lower case. */
const MARKERS: ReadonlyMap<string, Family> = findMarkers();

/** A device that speaks the interface's dialect may lack some of its keys, but not most. */
const LEAST_INTERFACE_KEYS = 3;
/** Batteries go by the same names in several families; the PV power does not. */
const INTERFACE_PV_KEY = 'pvInputPower';

/**
 * Recognises a family by the keys that only it uses; by those of the interface when there are none.
 * Absent for a family that nobody has described.
 */
export function recogniseFamily(keys: readonly string[]): Family | undefined {
  const marked = keys.map((key) => MARKERS.get(key.toLowerCase()));
  const [best] = FAMILIES.map((family) => ({
    family,
    count: marked.filter((mark) => mark === family).length,
  })).sort((one, other) => other.count - one.count);
  if (best !== undefined && best.count > 0) return best.family;
  const known = INTERFACE_KEYS.filter((key) => keys.includes(key)).length;
  const isClassic = known >= LEAST_INTERFACE_KEYS && keys.includes(INTERFACE_PV_KEY);
  return isClassic ? 'classic' : undefined;
}

function findMarkers(): ReadonlyMap<string, Family> {
  const familiesByKey = new Map<string, Set<Family>>();
  // A key of no family in particular marks none.
  const shared = new Set<string>();
  for (const { key, families } of RULES) {
    const lowerCase = key.toLowerCase();
    if (families.length === 0) shared.add(lowerCase);
    const seen = familiesByKey.get(lowerCase) ?? new Set();
    for (const family of families) seen.add(family);
    familiesByKey.set(lowerCase, seen);
  }
  const markers = new Map<string, Family>();
  for (const [key, families] of familiesByKey) {
    const [only, another] = families;
    if (only !== undefined && another === undefined && !shared.has(key)) markers.set(key, only);
  }
  return markers;
}
