import type { Outcome } from '../client/exchange/transport.ts';
import type { SessionStatus } from '../client/session/session.ts';
import type { KnownProblem } from '../metrics/definitions.ts';
import type { RequestCount } from '../metrics/self.ts';
import type { CurveQuantity } from '../model/day-curve.ts';
import type { EnergyQuantity } from '../model/energy.ts';

/** Power in watts and the charge of the battery now; an unknown figure is absent, never 0. */
export interface FlowStatus {
  readonly pvPowerWatts?: number;
  readonly loadPowerWatts?: number;
  /** The net of the grid, positive when importing; absent where the feed-in is unknown. */
  readonly gridPowerWatts?: number;
  readonly gridImportPowerWatts?: number;
  readonly gridFeedInPowerWatts?: number;
  /** Positive when discharging. */
  readonly batteryPowerWatts?: number;
  /** 0 to 1; for a station, the mean over its devices. */
  readonly batterySocRatio?: number;
}

/** Energy of one period by the service's own figures, in kWh; an unknown figure is absent. */
export type EnergyStatus = Readonly<Partial<Record<EnergyQuantity, number>>>;

/** The energy of a station in the current month. */
export interface MonthStatus extends EnergyStatus {
  readonly startsAtMs?: number;
  readonly solarRatio?: number;
}

/**
 * What a station measured since midnight, every {@link stepMs}: the first value of each list is of
 * {@link startsAtMs}. A list ends with the last known value; one of which nothing is known is absent.
 */
export interface CurveStatus extends CurveSeries {
  /** Midnight at the station. */
  readonly startsAtMs: number;
  /** The next midnight. */
  readonly endsAtMs: number;
  readonly stepMs: number;
}

/** The lists of a curve: sums over the devices, in W, and the mean charge of the batteries, 0 to 1. */
export type CurveSeries = Readonly<Partial<Record<CurveQuantity, readonly (number | null)[]>>>;

export interface DeviceStatus extends FlowStatus {
  readonly deviceId: string;
  readonly name?: string;
  readonly model?: string;
  /** Whether the device list calls the device online. */
  readonly isOnline?: boolean;
  /** Since when the device list has lacked the device; absent while it is listed. */
  readonly unlistedSinceMs?: number;
  /** Whether any reading is recent enough to show; absent before the device was first read. */
  readonly isReporting?: boolean;
  /** When the newest reading was measured, by the service's clock, however old it is. */
  readonly measuredAtMs?: number;
  /** A newest reading that is older than this is late, by the cadence of the device; absent until that is learned. */
  readonly lateAfterMs?: number;
  /** How far that is ahead of the service's clock, where the reading is not shown for that. */
  readonly datedAheadMs?: number;
  readonly pvEnergyTodayKwh?: number;
  /** Whether the BMS of its battery, which has answered before, does not answer now; absent where none ever has. */
  readonly isBmsSilent?: boolean;
  readonly family?: string;
  readonly workingMode?: string;
  /** Quantities that the device has no known key for. */
  readonly missingQuantities: readonly string[];
  /** Keys of strings and phases without a value, which keep a sum unknown; absent for none. */
  readonly silentKeys?: readonly string[];
  /** Keys whose values came and cannot be, with what came and what can be; absent for none. */
  readonly misread?: readonly { readonly key: string; readonly why: string }[];
  readonly alarms: readonly { readonly alarm: string; readonly level: string }[];
}

/** How the last round of a collector went. */
export interface CollectorStatus {
  readonly collector: string;
  /** `ok`, or the code of the first failure. */
  readonly code: Outcome;
  /** Where and how it failed; absent after a success, and for a fault of the exporter. */
  readonly reason?: string;
  /** What to do about it; absent after a success. */
  readonly remedy?: string;
  readonly durationSeconds: number;
  readonly lastSuccessAtMs?: number | undefined;
  /** Whether the last good answers are still shown, about all that it asks. */
  readonly isServed: boolean;
}

/** What is wrong, or not known yet. */
export interface Problem extends KnownProblem {
  /** The same for people: which alarm it is, or which collectors fail. */
  readonly what: string;
  /** Where and how it failed, with an error code; absent where nothing failed. */
  readonly reason?: string;
  /** What to do about it; absent where nobody knows. */
  readonly remedy?: string;
  readonly deviceId?: string;
  /** Of the device or the station; its id where it has none. Absent for the account. */
  readonly name?: string;
}

export interface StationPageStatus {
  readonly stationId: string;
  readonly name?: string;
  readonly timeZone?: string;
  /** Whether the readings of all its devices could be refreshed; absent before they were asked for. */
  readonly isUp?: boolean | undefined;
  /** What is wrong with it and its devices, the worst first; empty when all is well. */
  readonly problems: readonly Problem[];
  /** The totals over the devices that know a figure; of what several say of the whole house, one counts. */
  readonly flow: FlowStatus;
  /** How many devices some of these totals lack. */
  readonly devicesMissing: number;
  /** The figures that only some devices know: their sums may be too small. */
  readonly partial: readonly (keyof FlowStatus | 'pvEnergyTodayKwh')[];
  /** The same as {@link energy} has of today. */
  readonly pvEnergyTodayKwh?: number;
  /** The energies of today that the service does not say: the exporter counted them. */
  readonly countedToday: readonly EnergyQuantity[];
  readonly month: MonthStatus;
  /** By period; {@link month} has that of the month. */
  readonly energy: Readonly<Record<'today' | 'yesterday' | 'year' | 'lifetime', EnergyStatus>>;
  /** The day so far; absent while nothing is known of it. */
  readonly curve?: CurveStatus;
  readonly devices: readonly DeviceStatus[];
  readonly collectors: readonly CollectorStatus[];
}

/** The answer of `/api/v1/status`, described field by field in docs/api.md; the status page shows it. */
export interface Status {
  readonly atMs: number;
  readonly version: string;
  readonly telemetryPath: string;
  /** Whether the service is the simulated one: no value is of a real inverter. */
  readonly isSimulated: boolean;
  /** Whether an account or tokens are configured, and the demo runs nevertheless. */
  readonly areCredentialsIgnored: boolean;
  /** What is wrong with the account; empty when all is well. */
  readonly problems: readonly Problem[];
  readonly session: SessionStatus;
  /** How the station list was read; empty where the stations are configured. */
  readonly account: readonly CollectorStatus[];
  readonly stations: readonly StationPageStatus[];
  readonly requests: readonly RequestCount[];
}
