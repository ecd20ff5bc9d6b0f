import { NO_WAIT, type Wait } from '../../base/wait.ts';
import type { FiringAlarm } from '../../model/station.ts';
import type { DeviceProfile } from './device-profile.ts';
import { Habits } from './habits.ts';

/** What is known of one device: how it is read, and what it sent last. */
export interface DeviceMemory {
  /** Absent until it is learnt for the first time. */
  profile?: DeviceProfile | undefined;
  /** Until then the profile is kept; it began when the profile was learnt. */
  learnAgain: Wait;
  /** Consecutive attempts to learn the profile during which an endpoint failed. */
  failures: number;
  /** Whether the device was offline when it was learnt: once it is online, another source may be better. */
  isProvisional: boolean;
  isUnknownReported: boolean;
  /** The habits of its readings since it was learnt. */
  habits: Habits;
  /** Until then, unusual answers are no reason to learn it again. */
  checkAgain: Wait;
  /** Until then the time series is not asked for points that the source of its readings lacks. */
  pastAgain: Wait;
  /** Consecutive temporary failures of that request. */
  pastFailures: number;
  /** Keys whose values jumped although their unit is the same, as the last check showed. */
  confirmed: readonly string[];
  /** The newest time of an answer whose jumped values could not be explained; absent for none. */
  doubtedUntilMs?: number | undefined;
  /** The alarms of its newest latest state; absent where the device is not read from that source. */
  alarms?: readonly FiringAlarm[] | undefined;
}

export function newMemory(): DeviceMemory {
  return {
    learnAgain: NO_WAIT,
    failures: 0,
    isProvisional: false,
    isUnknownReported: false,
    habits: new Habits(),
    checkAgain: NO_WAIT,
    confirmed: [],
    pastAgain: NO_WAIT,
    pastFailures: 0,
  };
}
