import { isRefusal, ServiceError } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import type { Device, Station } from '../../model/station.ts';
import type { CollectorApi, Validity } from '../collector.ts';

/** How long lists have to lack an entry before it can be let go: one that is short now may be whole again soon. */
const CONFIRMED_AFTER_MS = 3_600_000;
const MOST_NAMED = 5;

/** An entry of a list that is believed: a device or a station. */
export interface Believed {
  /** Since when, by our clock, the lists have lacked it; absent while it is listed. */
  readonly unlistedSinceMs?: number | undefined;
}

/** What a list is of. */
export interface ListKind<Entry> {
  readonly what: 'devices' | 'stations';
  readonly idOf: (entry: Entry) => string;
}

/** A list, and what is known of the entries that it lacks. */
interface NewList<Entry extends object> {
  /** What was believed before. */
  readonly known: readonly (Entry & Believed)[];
  readonly listed: readonly Entry[];
  /** Whether an entry that the list lacks is listed elsewhere or under another id: nothing is wrong then. */
  readonly hasMoved?: (entry: Entry) => boolean;
  /** Asks for an entry itself, and returns whether it answers nothing. */
  readonly isGone: (entry: Entry & Believed) => Promise<boolean>;
  readonly nowMs: number;
  readonly log: Logger;
}

/**
 * Returns the listed entries in the order of the list, then those that it lacks and that are kept. An entry that the
 * list lacks is kept until lists an hour apart lack it and it answers nothing itself, because an empty or short list
 * is more often a fault of the service than a house without inverters. One that is listed elsewhere is let go at once.
 */
export async function believeList<Entry extends object>(
  { what, idOf }: ListKind<Entry>,
  { known, listed, hasMoved = () => false, isGone, nowMs, log }: NewList<Entry>,
): Promise<readonly (Entry & Believed)[]> {
  const ids = new Set(listed.map(idOf));
  const [moved, gone]: [string[], string[]] = [[], []];
  const decide = async (entry: Entry & Believed): Promise<readonly (Entry & Believed)[]> => {
    // A time to come means that the clock was set back: then the hour begins again.
    const unlistedSinceMs = Math.min(entry.unlistedSinceMs ?? Infinity, nowMs);
    const isConfirmed = nowMs - unlistedSinceMs >= CONFIRMED_AFTER_MS;
    if (hasMoved(entry)) moved.push(idOf(entry));
    else if (isConfirmed && (await isGone(entry))) gone.push(idOf(entry));
    else return [{ ...entry, unlistedSinceMs }];
    return [];
  };
  const kept = await Promise.all(known.filter((entry) => !ids.has(idOf(entry))).map(decide));
  if (moved.length > 0)
    log.info({ [what]: moved }, `${what} are listed elsewhere, or under another id, now`);
  if (gone.length > 0)
    log.warn(
      { [what]: gone },
      `${what} are gone: lists an hour apart lack them, and they answer nothing`,
    );
  return [...listed, ...kept.flat()];
}

/** Returns what is wrong with a list; an empty or shorter one is more often a fault of the service than true. */
export function doubtOf<Entry extends Believed>(
  { what, idOf }: ListKind<Entry>,
  entries: readonly Entry[],
): Pick<Validity, 'isDoubtful' | 'problem'> {
  const unlisted = entries.filter(({ unlistedSinceMs }) => unlistedSinceMs !== undefined);
  if (unlisted.length === 0) return { isDoubtful: entries.length === 0 };
  const more = unlisted.length > MOST_NAMED ? ', …' : '';
  const ids = unlisted.slice(0, MOST_NAMED).map(idOf).join(', ') + more;
  const problem = new ServiceError(
    'SERVICE_PAYLOAD_INVALID',
    `the list of ${what} lacks ${unlisted.length} of the ${entries.length} known ones: ${ids}; ` +
      'they are kept until lists an hour apart lack them and they answer nothing themselves',
    { remedy: 'if you removed them, wait; else look for them in the app of the portal' },
  );
  return { isDoubtful: true, problem };
}

/**
 * Asks for a device that the list of its station lacks, and returns whether it answers nothing: asks for its record,
 * because an inverter that sleeps has no readings, and where the service has no record, for its readings. An answer
 * that fails for the moment says nothing, and one that nobody can read may be about anything.
 */
export async function isDeviceGone(
  api: CollectorApi,
  { deviceId, model, unlistedSinceMs = -Infinity }: Device & Believed,
  { stationId, timeZone }: Station,
): Promise<boolean> {
  try {
    const record = await api.fetchDevice(deviceId);
    if (record !== undefined) return (record.stationId ?? stationId) !== stationId;
    const report = await api.fetchReadings({ deviceId, timeZone, model });
    // What has no time was measured now.
    const { measurements, newestAtMs = Infinity, serviceAheadMs } = report;
    return measurements.length === 0 || newestAtMs - serviceAheadMs <= unlistedSinceMs;
  } catch (error) {
    return isRefusal(error);
  }
}
