import type { StationAlarms } from '../client/client.ts';
import { LONGEST_MAX_AGE_MS, type MaxAge, maxAgeMs } from '../model/cadence.ts';
import type { FiringAlarm } from '../model/station.ts';
import { leastOf } from '../model/units.ts';
import { type Collector, slowlyChanging, type StationSubject } from './collector.ts';
import { metricsOf } from './metric.ts';

/** How long alarms that readings brought count as fresh: to look for newer ones takes no request. */
const BROUGHT_TTL_MS = 2 * 60_000;

/**
 * Returns until when an alarm is shown. An offline device repeats what it said days ago (service.md#latest-state). How
 * often a device says anything is not known here, so that an alarm stays for as long as the slowest device needs.
 */
function shownUntilMs({ observedAtMs = Infinity }: FiringAlarm, maxAge: MaxAge): number {
  return observedAtMs + maxAgeMs(maxAge, { maxAgeMs: LONGEST_MAX_AGE_MS });
}

/** Fetches the alarms that fire on the devices of a station (service.md#alarms). */
export const alarmsCollector: Collector<StationSubject, StationAlarms, readonly FiringAlarm[]> = {
  name: 'alarms',
  // Stations that share a list are due together, at its age.
  validity: ({ alarmsTtlMs, maxAgeMs: maxAge }, { ageMs, refusal }, fetchedAtMs) => ({
    ...slowlyChanging(
      fetchedAtMs,
      ageMs === undefined ? Math.min(alarmsTtlMs, BROUGHT_TTL_MS) : alarmsTtlMs - ageMs,
      maxAge,
    ),
    // The alarms that readings brought are shown although the list was refused.
    problem: refusal,
  }),
  fetch: (api, { station, devices }) =>
    api.fetchAlarms(
      station.stationId,
      devices.map(({ deviceId }) => deviceId),
    ),
  shownAt: (nowMs, { alarms }, { maxAgeMs: maxAge }) => {
    const value = alarms.filter((alarm) => nowMs <= shownUntilMs(alarm, maxAge));
    return { value, untilMs: leastOf(value.map((alarm) => shownUntilMs(alarm, maxAge) + 1)) };
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
