import { ServiceError } from '../base/errors.ts';
import { LONGEST_MAX_AGE_MS, type MaxAge, maxAgeMs } from '../model/cadence.ts';
import type { FiringAlarm } from '../model/station.ts';
import { leastOf } from '../model/units.ts';
import {
  type CacheLifetimes,
  type Collector,
  slowlyChanging,
  type StationSubject,
  type Validity,
} from './collector.ts';
import { metricsOf } from './metric.ts';

/** How long alarms from readings count as fresh: looking for newer ones takes no request. */
const BROUGHT_TTL_MS = 2 * 60_000;

/** The alarms of the devices of a station. */
interface StationAlarms {
  /** Alarms of the devices whose readings bring them; absent where there are none. */
  readonly brought?: readonly FiringAlarm[] | undefined;
  /** Alarms of the other devices; absent where there are none, and before the first list. */
  readonly listed?: Listed | undefined;
  /** Why the list could not be fetched this time, or is not whole. */
  readonly problem?: ServiceError | undefined;
}

interface Listed {
  readonly alarms: readonly FiringAlarm[];
  readonly askedAtMs: number;
}

/**
 * Fetches the alarms that fire on the devices of a station (service.md#alarms): from readings, and for the other
 * devices from the list of the account, which serves all stations.
 */
export const alarmsCollector: Collector<StationSubject, StationAlarms, readonly FiringAlarm[]> = {
  name: 'alarms',
  validity: (lifetimes, { brought, listed, problem }, fetchedAtMs) => {
    const { alarmsTtlMs, maxAgeMs: maxAge } = lifetimes;
    const own = slowlyChanging(fetchedAtMs, Math.min(alarmsTtlMs, BROUGHT_TTL_MS), maxAge);
    const ofList = listed === undefined ? own : validityOf(listed, lifetimes);
    const servedUntilMs = Math.max(own.servedUntilMs, ofList.servedUntilMs);
    if (problem !== undefined) {
      const { retryAfterMs = 0 } = problem;
      return { dueAtMs: Math.max(own.dueAtMs, fetchedAtMs + retryAfterMs), servedUntilMs, problem };
    }
    const dueAtMs = brought === undefined ? ofList.dueAtMs : Math.min(own.dueAtMs, ofList.dueAtMs);
    return { dueAtMs, servedUntilMs };
  },
  fetch: async (api, { devices }, { previous, lifetimes, nowMs }) => {
    const others = devices.filter(({ deviceId }) => api.firingAlarms(deviceId) === undefined);
    const isAnyBrought = others.length < devices.length;
    const brought = isAnyBrought
      ? devices.flatMap(({ deviceId }) => api.firingAlarms(deviceId) ?? [])
      : undefined;
    if (others.length === 0) return { brought };
    try {
      const { alarmsOf, ageMs, problem } = await api.listAlarms(lifetimes.alarmsTtlMs);
      const listed = { alarms: others.flatMap(alarmsOf), askedAtMs: nowMs() - ageMs };
      return { brought, listed, problem };
    } catch (error) {
      // Alarms from readings do not wait for the list. Without any, the previous answer stays.
      if (brought === undefined || !(error instanceof ServiceError)) throw error;
      const { alarms = [], askedAtMs = -Infinity } = previous?.listed ?? {};
      const ids = new Set(others.map(({ deviceId }) => deviceId));
      const known = alarms.filter(({ deviceId }) => ids.has(deviceId));
      return { brought, listed: { alarms: known, askedAtMs }, problem: error };
    }
  },
  shownAt: (nowMs, { brought = [], listed }, lifetimes) => {
    const listedUntilMs = listed === undefined ? 0 : validityOf(listed, lifetimes).servedUntilMs;
    const shown = [
      ...brought.map((alarm) => ({ alarm, untilMs: broughtUntilMs(alarm, lifetimes.maxAgeMs) })),
      ...(listed?.alarms ?? []).map((alarm) => ({ alarm, untilMs: listedUntilMs })),
    ].filter(({ untilMs }) => nowMs < untilMs);
    return {
      value: shown.map(({ alarm }) => alarm),
      untilMs: leastOf(shown.map(({ untilMs }) => untilMs)),
    };
  },
  metrics: metricsOf<readonly FiringAlarm[]>('gauge', ['station_id'], {
    solar_device_alarm_firing: [
      'Always 1; an alarm that fires now on the device, with its key and level (notice, warning or critical); absent when cleared.',
      (alarms) =>
        alarms.map(({ deviceId, key, level }) => ({
          value: 1,
          labels: { device_id: deviceId, alarm: key, level },
        })),
      'device_id',
      'alarm',
      'level',
    ],
  }),
};

/** Returns how long a list counts as fresh, and how long it is shown. */
function validityOf(
  { askedAtMs }: Listed,
  { alarmsTtlMs, maxAgeMs: maxAge }: CacheLifetimes,
): Validity {
  return slowlyChanging(askedAtMs, alarmsTtlMs, maxAge);
}

/**
 * Returns until when an alarm is shown. An offline device repeats alarms from days ago (service.md#latest-state). How
 * often a device reports is not known here, so an alarm stays for as long as the slowest device needs.
 */
function broughtUntilMs({ observedAtMs = Infinity }: FiringAlarm, maxAge: MaxAge): number {
  return observedAtMs + maxAgeMs(maxAge, { maxAgeMs: LONGEST_MAX_AGE_MS }) + 1;
}
