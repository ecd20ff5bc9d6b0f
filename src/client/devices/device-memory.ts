import { NO_WAIT, type Wait } from '../../base/wait.ts';
import type { FiringAlarm } from '../../model/station.ts';
import type { DeviceProfile, Evidence } from './device-profile.ts';

/** What is known of one device: how it speaks, and what it said last. */
export interface DeviceMemory {
  /** Absent until it is learnt for the first time. */
  profile?: DeviceProfile | undefined;
  /** It began when the profile was learnt. */
  learnAgain: Wait;
  /** Absent while nothing is being learnt. */
  evidence?: Evidence | undefined;
  /** Consecutive attempts to learn the profile during which an endpoint failed. */
  failures: number;
  /** Whether the device was offline: when it is online again, another source may be better. */
  isProvisional: boolean;
  isUnknownReported: boolean;
  /** Of the last latest state; absent where the device is not read from it. */
  alarms?: readonly FiringAlarm[] | undefined;
}

/** Remembers nothing of a device yet. */
export function newMemory(): DeviceMemory {
  return { learnAgain: NO_WAIT, failures: 0, isProvisional: false, isUnknownReported: false };
}
