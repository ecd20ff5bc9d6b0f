import { RecentMap } from './recent-map.ts';

/** The names of all zones by their names in lower case; without the other names that some zones have. */
const ZONES: ReadonlyMap<string, string> = new Map(
  Intl.supportedValuesOf('timeZone').map((name) => [name.toLowerCase(), name]),
);

/** More than there are other names. */
const MOST_LOOKED_UP = 1000;

/** Names that are not in {@link ZONES}, in lower case, and what this machine makes of each; '' of what is none. */
const lookedUp = new RecentMap<string, string>(MOST_LOOKED_UP);

/**
 * Returns the name of a zone in its usual case; undefined where this machine knows no such zone. An offset
 * such as `+08:00` is not a name. Another name for a zone stays as it is, although this machine may call that
 * zone by the first: which of the two it prefers depends on the version of Node.js, and labels must not.
 */
export function canonicalTimeZone(name: string): string | undefined {
  const lowerCase = name.toLowerCase();
  const known = ZONES.get(lowerCase);
  if (known !== undefined) return known;
  const found = lookedUp.getOrMake(lowerCase, () => lookUp(name) ?? '');
  if (found === '') return undefined;
  return found.toLowerCase() === lowerCase ? found : name;
}

function lookUp(name: string): string | undefined {
  if (/^[+-]/.test(name)) return undefined;
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

/** Whether this machine knows a zone by that name, in any case. */
export function isTimeZone(name: string): boolean {
  return canonicalTimeZone(name) !== undefined;
}
