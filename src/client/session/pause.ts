import { wasSetBack } from '../../base/not-before.ts';

/**
 * A time during which the service is not asked. It outlives the program, so that a restart does not end it; and a clock
 * that was set back does not end it either, but begins it anew.
 */
export interface Pause {
  readonly endsAtMs: number;
  readonly lengthMs: number;
  /** When the pause ends by a clock that was set back since it began; a restart forgets it. */
  readonly endsAfterSetBackMs?: number | undefined;
}

/** A pause that is over. */
export const NO_PAUSE: Pause = { endsAtMs: 0, lengthMs: 0 };

/** Returns a pause that begins now. */
export function pauseFor(lengthMs: number, nowMs: number): Pause {
  return { endsAtMs: nowMs + lengthMs, lengthMs };
}

/**
 * Returns when the pause ends, or absent when it is over. A clock that was set back makes no pause longer
 * than it was; {@link withClockSeen} has to remember when such a clock was first seen.
 */
export function pauseEndMs(pause: Pause, nowMs: number): number | undefined {
  if (nowMs >= pause.endsAtMs) return undefined;
  if (!isBeforeBeginning(pause, nowMs)) return pause.endsAtMs;
  const endsAtMs = endAfterSetBackMs(pause, nowMs);
  return nowMs >= endsAtMs ? undefined : endsAtMs;
}

/**
 * Remembers when the pause ends by a clock that was set back. The real end stays as well: after a power
 * cut the clock may be wrong at first and be put right later.
 */
export function withClockSeen(pause: Pause, nowMs: number): Pause {
  if (!isBeforeBeginning(pause, nowMs)) return pause;
  const endsAfterSetBackMs = endAfterSetBackMs(pause, nowMs);
  return endsAfterSetBackMs === pause.endsAfterSetBackMs ? pause : { ...pause, endsAfterSetBackMs };
}

/** Whether it is earlier than when the pause began, which means that the clock was set back. */
function isBeforeBeginning({ endsAtMs, lengthMs }: Pause, nowMs: number): boolean {
  return wasSetBack(endsAtMs - lengthMs, nowMs);
}

function endAfterSetBackMs({ lengthMs, endsAfterSetBackMs = Infinity }: Pause, nowMs: number) {
  return Math.min(endsAfterSetBackMs, nowMs + lengthMs);
}
