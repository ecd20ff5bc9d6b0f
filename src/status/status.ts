import type { Outcome } from '../client/observer.ts';
import type { SessionMode } from '../client/session-status.ts';
import type { RequestCount } from '../metrics/self.ts';

/** What flows now, in watts, and how full the battery is; what is unknown is absent, never 0. */
export interface FlowStatus {
  readonly pvPowerWatts?: number;
  readonly loadPowerWatts?: number;
  readonly gridImportPowerWatts?: number;
  readonly gridFeedInPowerWatts?: number;
  /** Positive when discharging. */
  readonly batteryPowerWatts?: number;
  /** 0 to 1; of a station, that of its emptiest battery. */
  readonly batterySocRatio?: number;
}

/** The current month of a station, in kWh; what is unknown is absent. */
export interface MonthStatus {
  readonly startsAtMs?: number;
  readonly pvGeneratedKwh?: number;
  readonly gridImportKwh?: number;
  readonly gridFeedInKwh?: number;
  readonly consumptionKwh?: number;
  readonly batteryChargedKwh?: number;
  readonly batteryDischargedKwh?: number;
  readonly solarRatio?: number;
}

export interface AlarmStatus {
  readonly alarm: string;
  readonly level: string;
}

export interface DeviceStatus extends FlowStatus {
  readonly deviceId: string;
  readonly name?: string;
  readonly model?: string;
  /** As the service calls it in its device list. */
  readonly isOnline?: boolean;
  /** Whether there is a reading young enough to show; absent before the device was first asked. */
  readonly isReporting?: boolean;
  /** When the newest reading was measured, by the service's clock, however old. */
  readonly measuredAtMs?: number;
  readonly pvEnergyTodayKwh?: number;
  readonly family?: string;
  readonly workingMode?: string;
  /** Quantities that the device has no known key for. */
  readonly missingQuantities: readonly string[];
  readonly alarms: readonly AlarmStatus[];
}

/** How the last round of a collector went. */
export interface CollectorStatus {
  readonly collector: string;
  /** `ok`, or the code of the first failure. */
  readonly code: Outcome;
  readonly durationSeconds: number;
  readonly lastSuccessAtMs?: number | undefined;
  /** Whether what it brought last is young enough to show, of all that it asks about. */
  readonly isServed: boolean;
}

export interface StationPageStatus {
  readonly stationId: string;
  readonly name?: string;
  readonly timeZone?: string;
  /** Whether the readings of all its devices could be refreshed. */
  readonly isUp: boolean;
  /** Of all its devices together, as far as they are known. */
  readonly flow: FlowStatus;
  /** What not every device says: those sums may be too small. */
  readonly partial: readonly (keyof FlowStatus | 'pvEnergyTodayKwh')[];
  /** PV energy of all its devices today. */
  readonly pvEnergyTodayKwh?: number;
  readonly month: MonthStatus;
  readonly devices: readonly DeviceStatus[];
  readonly collectors: readonly CollectorStatus[];
}

export interface SessionPageStatus {
  readonly mode: SessionMode;
  readonly accessExpiresAtMs?: number | undefined;
  readonly isReauthenticationRequired: boolean;
  /** Until when no token is asked for because the service refused. */
  readonly blockedUntilMs?: number | undefined;
}

/** Everything that the status page shows, at one instant: the answer of `/api/v1/status`. */
export interface Status {
  readonly atMs: number;
  readonly version: string;
  readonly telemetryPath: string;
  readonly session: SessionPageStatus;
  /** How the station list was had; empty where the stations are configured. */
  readonly account: readonly CollectorStatus[];
  readonly stations: readonly StationPageStatus[];
  readonly requests: readonly RequestCount[];
}
