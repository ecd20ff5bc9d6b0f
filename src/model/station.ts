/** A station: a house with its inverters. Ids are opaque strings, never numbers. */
export interface Station {
  readonly stationId: string;
  readonly name?: string | undefined;
  /** IANA name, or an offset such as `+05:30`; absent when the service gives none that is understood. */
  readonly timeZone?: string | undefined;
  /** The sum of its devices; a device that does not state its own counts generously. Absent before they are known. */
  readonly ratedPowerWatts?: number | undefined;
  /** The service's name of its time zone, where that is not understood. */
  readonly unknownTimeZone?: string | undefined;
}

/** A device of a station, as the device list describes it; fields that its record leaves out are absent. */
export interface Device {
  readonly deviceId: string;
  readonly name?: string | undefined;
  readonly serial?: string | undefined;
  readonly model?: string | undefined;
  readonly isOnline?: boolean | undefined;
  /** The service's id of the datalogger that reports for it, and the number printed on that datalogger. */
  readonly dataloggerId?: string | undefined;
  readonly dataloggerNumber?: string | undefined;
  readonly stationId?: string | undefined;
  readonly stationName?: string | undefined;
  /** As {@link Station} has them. */
  readonly stationTimeZone?: string | undefined;
  readonly unknownTimeZone?: string | undefined;
  readonly ratedPowerWatts?: number | undefined;
  /** For the day of {@link lastDataAtMs}, else of {@link listedAtMs}, in the time zone of the station. */
  readonly pvEnergyTodayKwh?: number | undefined;
  readonly pvEnergyTotalKwh?: number | undefined;
  /** When the device last reported, by the service's clock. */
  readonly lastDataAtMs?: number | undefined;
  /** When the list was fetched, by the service's clock. */
  readonly listedAtMs?: number | undefined;
  /** How far the service's clock was ahead of ours then. */
  readonly serviceAheadMs?: number | undefined;
}

/** A fault that a device reports right now. */
export interface Alarm {
  /** The service's key for it, such as `lineLoss`. */
  readonly key: string;
  /** `notice`, `warning` or `critical`; any other level as the service writes it, `unknown` without one. */
  readonly level: string;
}

export interface FiringAlarm extends Alarm {
  readonly deviceId: string;
  /** When the device last reported it, by our clock; absent where it comes from the service's own list. */
  readonly observedAtMs?: number | undefined;
}
