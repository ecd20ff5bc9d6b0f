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
  /** The station the record says it belongs to, where the record says so. */
  readonly stationName?: string | undefined;
  /** IANA name, already validated. */
  readonly stationTimeZone?: string | undefined;
}

/** The newest value of each quantity in one window of one device. A missing value is absent, never 0. */
export interface Readings {
  readonly pvPowerWatts?: number | undefined;
  readonly acOutputPowerWatts?: number | undefined;
  readonly gridFeedInPowerWatts?: number | undefined;
  readonly batteryVoltageVolts?: number | undefined;
  /** Never negative: charging and discharging are measured apart. */
  readonly batteryChargingCurrentAmperes?: number | undefined;
  readonly batteryDischargeCurrentAmperes?: number | undefined;
  /** 0 to 1. */
  readonly batterySocRatio?: number | undefined;
  /** When the newest of these values was measured, by the service's clock, where it says so. */
  readonly measuredAtMs?: number | undefined;
}

/** What follows from {@link Readings} (interface 2.7); a missing input counts as 0. */
export interface DerivedPower {
  readonly loadPowerWatts: number;
  /** Positive when discharging. */
  readonly batteryPowerWatts: number;
  /** The interface's own rule, in which a discharging battery raises the import. */
  readonly gridPowerWatts: number;
  /** The energy balance: what the sun and the battery do not cover. */
  readonly gridImportPowerWatts: number;
}

/** Energy of one calendar month of a station's own time zone. */
export interface MonthlyEnergy {
  readonly pvGeneratedKwh: number;
  readonly gridImportKwh: number;
  readonly consumptionKwh: number;
  /** Generated ÷ consumed, to three decimals; above 1 when more was generated than consumed. */
  readonly solarRatio: number;
}

/** One setting's value as the service holds it. */
export type SettingValue = string | number | boolean;

/** The settings of a device by the service's own names. */
export type DeviceSettings = ReadonlyMap<string, SettingValue>;
