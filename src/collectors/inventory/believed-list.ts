import { isRefusal, ServiceError } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import type { DeviceReport } from '../../model/readings.ts';
import type { Device, Station } from '../../model/station.ts';
import type { CollectorApi } from '../collector.ts';

/** How long lists have to lack an entry before it can be let go: one that is short now may be whole again soon. */
const CONFIRMED_AFTER_MS = 3_600_000;

/** An entry of a list that is believed: a device or a station. */
export interface Believed {
  /** Since when, by our clock, the lists have lacked it; absent while it is listed. */
  readonly unlistedSinceMs?: number | undefined;
}

/**
 * What an entry that a list lacks answered when it was asked for itself: that it is `there`, `nothing` at
 * all, or `unknown` where the service could not be asked.
 */
export type OwnAnswer = 'there' | 'nothing' | 'unknown';

/** A list, and what is known of the entries that it lacks. */
export interface NewList<Entry extends object> {
  readonly what: 'devices' | 'stations';
  /** What was believed before. */
  readonly known: readonly (Entry & Believed)[];
  readonly listed: readonly Entry[];
  readonly idOf: (entry: Entry) => string;
  /** Whether an entry that the list lacks is listed elsewhere or under another id: nothing is wrong then. */
  readonly hasMoved: (entry: Entry) => boolean;
  /** Asks for an entry itself. */
  readonly ask: (entry: Entry & Believed) => Promise<OwnAnswer>;
  readonly nowMs: number;
  readonly log: Logger;
}

/**
 * Returns the listed entries in the order of the list, then those that it lacks and that are kept. An entry that the
 * list lacks is kept until lists an hour apart lack it and it answers nothing itself, because an empty or short list
 * is more often a fault of the service than a house without inverters. One that is listed elsewhere is let go at once.
 */
export async function believeList<Entry extends object>({
  what,
  known,
  listed,
  idOf,
  hasMoved,
  ask,
  nowMs,
  log,
}: NewList<Entry>): Promise<readonly (Entry & Believed)[]> {
  const ids = new Set(listed.map(idOf));
  const [moved, gone]: [string[], string[]] = [[], []];
  const decide = async (entry: Entry & Believed): Promise<readonly (Entry & Believed)[]> => {
    if (hasMoved(entry)) {
      moved.push(idOf(entry));
      return [];
    }
    // A time to come means that the clock was set back: then the hour begins again.
    const unlistedSinceMs = Math.min(entry.unlistedSinceMs ?? Infinity, nowMs);
    const isConfirmed = nowMs - unlistedSinceMs >= CONFIRMED_AFTER_MS;
    if (!isConfirmed || (await ask(entry)) !== 'nothing') return [{ ...entry, unlistedSinceMs }];
    gone.push(idOf(entry));
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

const MOST_NAMED = 5;

/** Returns the failure of a list that lacks entries; absent when it lacks none. */
export function lackOf<Entry extends Believed>(
  what: 'devices' | 'stations',
  entries: readonly Entry[],
  idOf: (entry: Entry) => string,
): ServiceError | undefined {
  const unlisted = entries.filter(({ unlistedSinceMs }) => unlistedSinceMs !== undefined);
  if (unlisted.length === 0) return undefined;
  const more = unlisted.length > MOST_NAMED ? ', …' : '';
  const ids = unlisted.slice(0, MOST_NAMED).map(idOf).join(', ') + more;
  return new ServiceError(
    'SERVICE_PAYLOAD_INVALID',
    `the list of ${what} lacks ${unlisted.length} of the ${entries.length} known ones: ${ids}; ` +
      'they are kept until lists an hour apart lack them and they answer nothing themselves',
  );
}

/**
 * Asks for a device that the list of its station lacks: for its record, because an inverter that sleeps
 * has no readings, and where the service has no record, for its readings. An answer that fails for the
 * moment says nothing.
 */
export async function askForDevice(
  api: CollectorApi,
  device: Device & Believed,
  { stationId, timeZone }: Station,
): Promise<OwnAnswer> {
  try {
    const record = await api.fetchDevice(device.deviceId);
    if (record !== undefined)
      return (record.stationId ?? stationId) === stationId ? 'there' : 'nothing';
    const { deviceId, model } = device;
    const report = await api.fetchReadings({ deviceId, timeZone, model });
    return isYounger(report, device.unlistedSinceMs) ? 'there' : 'nothing';
  } catch (error) {
    // An answer that nobody can read may be about anything.
    return isRefusal(error) ? 'nothing' : 'unknown';
  }
}

/** Whether anything was measured since then; what has no time was measured now. */
function isYounger(report: DeviceReport, sinceMs = -Infinity): boolean {
  const { measurements, newestAtMs, serviceAheadMs } = report;
  if (measurements.length === 0) return false;
  return newestAtMs === undefined || newestAtMs - serviceAheadMs > sinceMs;
}
