import type { SimulatorOptions } from './options.ts';
import type { StationCalendar } from './station-calendar.ts';

/** Maps the clock's instants to the sun's. */
export type PhysicalTime = (clockMs: number) => number;

/**
 * Makes the mapping: physical time runs `speed` times as fast as the clock from the creation on
 * (and, seen from there, as fast backwards), starting at the clock's own instant or, with
 * `startAtHour`, at that local hour of the same day.
 */
export function createPhysicalTime(
  { speed, startAtHour }: SimulatorOptions,
  calendar: StationCalendar,
  createdAtMs: number,
): PhysicalTime {
  const offsetMs =
    startAtHour === undefined ? 0 : (startAtHour - calendar.hourAt(createdAtMs)) * 3_600_000;
  return (clockMs) => createdAtMs + (clockMs - createdAtMs) * speed + offsetMs;
}
