import { NO_WAIT, type Wait } from '../../base/wait.ts';
import type { FiringAlarm } from '../../model/station.ts';
import type { DeviceProfile } from './device-profile.ts';
import { Habits } from './habits.ts';

/** What is known of one device: how it speaks, and what it said last. */
export interface DeviceMemory {
  /** Absent until it is learnt for the first time. */
  profile?: DeviceProfile | undefined;
  /** It began when the profile was learnt. */
  learnAgain: Wait;
  /** Consecutive attempts to learn the profile during which an endpoint failed. */
  failures: number;
  /** Whether the device was offline: when it is online again, another source may be better. */
  isProvisional: boolean;
  isUnknownReported: boolean;
  /** Of its readings since it was learnt. */
  habits: Habits;
  /** Until then it is not learnt again because its answers are unlike those before. */
  checkAgain: Wait;
  /** Until then the time series is not asked for points that the source of its readings lacks. */
  pastAgain: Wait;
  /** How often in a row that failed for the moment. */
  pastFailures: number;
  /** Keys whose values have jumped, and are in the same unit all the same: so it was learnt at the last check. */
  confirmed: readonly string[];
  /** The last time of an answer whose values had jumped, and nobody knew why; absent for none. */
  doubtedUntilMs?: number | undefined;
  /** Of the last latest state; absent where the device is not read from it. */
  alarms?: readonly FiringAlarm[] | undefined;
}

/** Remembers nothing of a device yet. */
export function newMemory(): DeviceMemory {
  return {
    ...{ learnAgain: NO_WAIT, failures: 0, isProvisional: false, isUnknownReported: false },
    ...{ habits: new Habits(), checkAgain: NO_WAIT, confirmed: [] },
    ...{ pastAgain: NO_WAIT, pastFailures: 0 },
  };
}
