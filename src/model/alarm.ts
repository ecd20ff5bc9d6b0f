/** A fault that a device reports right now. */
export interface Alarm {
  /** The service's key for it, such as `lineLoss`. */
  readonly key: string;
  /** `notice`, `warning` or `critical`; the service's number where nobody has described it, `unknown` without one. */
  readonly level: string;
}

/** An alarm of one device. */
export interface FiringAlarm extends Alarm {
  readonly deviceId: string;
  /** When the device last said so, by our clock; absent where the service watches itself. */
  readonly observedAtMs?: number | undefined;
}
