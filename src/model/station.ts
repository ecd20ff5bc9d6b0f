/** A station: a house with its inverters. Ids are opaque strings, never numbers. */
export interface Station {
  readonly stationId: string;
  readonly name?: string | undefined;
  /** IANA name, already validated; absent when the service gives none it can be trusted with. */
  readonly timeZone?: string | undefined;
}

/** A device of a station, as the device list describes it; what the record leaves out is absent. */
export interface Device {
  readonly deviceId: string;
  readonly name?: string | undefined;
  readonly serial?: string | undefined;
  readonly model?: string | undefined;
  readonly isOnline?: boolean | undefined;
  /** The datalogger that reports for it: an id of the service, and the number printed on it. */
  readonly dataloggerId?: string | undefined;
  readonly dataloggerNumber?: string | undefined;
  /** The station the record says it belongs to, where the record says so. */
  readonly stationId?: string | undefined;
  readonly stationName?: string | undefined;
  /** IANA name, already validated. */
  readonly stationTimeZone?: string | undefined;
  readonly ratedPowerWatts?: number | undefined;
  /** Of the station's own day in which {@link pvEnergyTodayAtMs} lies. */
  readonly pvEnergyTodayKwh?: number | undefined;
  readonly pvEnergyTotalKwh?: number | undefined;
  /** When the device last reported, by the service's clock. */
  readonly lastDataAtMs?: number | undefined;
  /** When the service was asked for it, by the service's clock. */
  readonly listedAtMs?: number | undefined;
  /** How far the service's clock was ahead of ours then. */
  readonly serviceAheadMs?: number | undefined;
}

/** When the service knew a device's energy of the day, by the service's clock; absent when unknown. */
export function pvEnergyTodayAtMs({ lastDataAtMs, listedAtMs }: Device): number | undefined {
  // A device that is offline keeps the figure of its last day.
  return lastDataAtMs ?? listedAtMs;
}
