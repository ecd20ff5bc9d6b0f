import {
  type AnswerTimes,
  learnCadence,
  type MaxAge,
  maxAgeMs as maxAgeFor,
  type ReadingCadence,
} from './cadence.ts';

/** The quantities that a device can measure; the unit is part of the name, and a fact is 1 or 0. */
export const QUANTITIES = [
  'pvPowerWatts',
  'loadPowerWatts',
  'acOutputPowerWatts',
  'gridImportPowerWatts',
  'gridFeedInPowerWatts',
  'batteryPowerWatts',
  'batteryVoltageVolts',
  'batteryChargingCurrentAmperes',
  'batteryDischargeCurrentAmperes',
  'batterySocRatio',
  'batterySohRatio',
  'batteryBmsConnected',
  'batteryTemperatureCelsius',
  'gridVoltageVolts',
  'gridFrequencyHertz',
  'acOutputVoltageVolts',
  'acOutputFrequencyHertz',
  'stringPowerWatts',
  'stringVoltageVolts',
  'stringCurrentAmperes',
  'temperatureCelsius',
  'workingMode',
] as const;

export type Quantity = (typeof QUANTITIES)[number];

/** The working modes that have a name; any other is shown as the service's code. */
export const WORKING_MODES = [
  'power_on',
  'standby',
  'line',
  'battery',
  'fault',
  'shutdown',
] as const;

/** Where a device is read: from the time series, its latest state, or its energy flow. */
export const SOURCES = ['history', 'latest', 'flow'] as const;
export type Source = (typeof SOURCES)[number];

/** One value of a device, and when the service says it was measured. */
export interface Measurement {
  readonly quantity: Quantity;
  /** The string or the sensor, where a device has several; `''` otherwise. */
  readonly part: string;
  /** A number in the quantity's unit; text for the working mode. */
  readonly value: number | string;
  /** By the service's clock; absent where the answer does not say. */
  readonly measuredAtMs?: number | undefined;
}

/** The dialect of a device, as far as it is known. */
export interface SpokenDialect {
  /** `unknown` for a family that nobody has described. */
  readonly family: string;
  readonly source: Source;
  /** Quantities of the interface that it has no known key for, and sums that lack a string or phase. */
  readonly missing: readonly Quantity[];
  /** The keys of strings and phases without a value, which keep a sum unknown; absent for none. */
  readonly silentKeys?: readonly string[] | undefined;
  /** Keys of the device that no rule reads. */
  readonly unknownKeys: readonly string[];
}

/** What one answer of the service says about one device. */
export interface DeviceReport extends AnswerTimes {
  /** When undated values last differed from those before them, by the service's clock; absent when they never did. */
  readonly changedAtMs?: number | undefined;
  readonly measurements: readonly Measurement[];
  readonly dialect: SpokenDialect;
  /** What was learned of the times of its readings, from this answer and those before it. */
  readonly cadence?: ReadingCadence | undefined;
  /** The points that the answer brought, where they were just read. */
  readonly points?: NewPoints | undefined;
}

/** The points of a device that an answer brought, in ascending order; each is decoded when it is asked for. */
export interface NewPoints {
  /** From when on these are all that there are, by the service's clock; Infinity where the answer says no time. */
  readonly fromMs: number;
  readonly readings: Iterable<PastReading>;
}

/** What a device was known to measure at a time of the past, as if it had been read then. */
export interface PastReading {
  /** When the device measured, by the service's clock. */
  readonly atMs: number;
  /** With the times of the values: one that is missing here is the last one before. */
  readonly report: DeviceReport;
}

/** The readings of one PV string. */
export interface PvString {
  readonly powerWatts?: number | undefined;
  readonly voltageVolts?: number | undefined;
  readonly currentAmperes?: number | undefined;
}

type PartedQuantity =
  | 'stringPowerWatts'
  | 'stringVoltageVolts'
  | 'stringCurrentAmperes'
  | 'temperatureCelsius'
  | 'workingMode';

/** The newest values of one device that are recent enough to show. A missing value is absent, never 0. */
export type Readings = Readonly<
  Partial<Record<Exclude<Quantity, PartedQuantity>, number | undefined>>
> & {
  /** By the string's number: `1`, `2`, … */
  readonly pvStrings?: ReadonlyMap<string, PvString> | undefined;
  /** By the sensor's name. */
  readonly temperaturesCelsius?: ReadonlyMap<string, number> | undefined;
  readonly workingMode?: string | undefined;
  /** Quantities measured too long ago to show: they are unknown now, but not missing from the device. */
  readonly withdrawn?: ReadonlySet<Quantity> | undefined;
  /** When the newest value, shown or not, was measured, by the service's clock. */
  readonly measuredAtMs?: number | undefined;
  /** How often the device has a reading, once that is known. */
  readonly intervalMs?: number | undefined;
  /** The age at which readings of the device are withdrawn. */
  readonly maxAgeMs?: number | undefined;
  readonly dialect?: SpokenDialect | undefined;
};

/**
 * Returns the values of a report that may be shown at an instant of our clock. Values older than the
 * maximum age are left out, and so are values from further in the future than that, because their age
 * is unknown. Values without a time stay.
 */
export function readingsAt(report: DeviceReport, nowMs: number, maxAge: MaxAge): Readings {
  const { cadence, maxAgeMs } = ageLimit(report, nowMs, maxAge);
  return recentReadings(report, nowMs + cadence.aheadMs, maxAgeMs);
}

/** Returns the values of a report that were young enough at an instant of the service's clock. */
export function recentReadings(
  { measurements, newestAtMs, dialect }: DeviceReport,
  serviceNowMs: number,
  maxAgeMs: number,
): Readings {
  const values: Partial<Record<string, number>> = {};
  const strings = new Map<string, PvString>();
  const temperatures = new Map<string, number>();
  let workingMode: string | undefined;
  const withdrawn = new Set<Quantity>();
  for (const { quantity, part, value, measuredAtMs = serviceNowMs } of measurements) {
    if (Math.abs(serviceNowMs - measuredAtMs) > maxAgeMs) withdrawn.add(quantity);
    else if (typeof value === 'string') workingMode = value;
    else if (quantity === 'temperatureCelsius') temperatures.set(part, value);
    else {
      const field = STRING_FIELDS[quantity];
      if (field === undefined) values[quantity] = value;
      else strings.set(part, { ...strings.get(part), [field]: value });
    }
  }
  return {
    ...values,
    ...(strings.size > 0 && { pvStrings: strings }),
    ...(temperatures.size > 0 && { temperaturesCelsius: temperatures }),
    ...(workingMode !== undefined && { workingMode }),
    ...(withdrawn.size > 0 && { withdrawn }),
    ...(newestAtMs !== undefined && { measuredAtMs: newestAtMs }),
    dialect,
  };
}

const STRING_FIELDS: Partial<Record<Quantity, keyof PvString>> = {
  stringPowerWatts: 'powerWatts',
  stringVoltageVolts: 'voltageVolts',
  stringCurrentAmperes: 'currentAmperes',
};

/** Returns when, after `nowMs`, the values to show next change; never for undated values. */
export function nextExpiryAtMs(report: DeviceReport, nowMs: number, maxAge: MaxAge): number {
  const { cadence, maxAgeMs } = ageLimit(report, nowMs, maxAge);
  let earliestAtMs = Infinity;
  for (const { measuredAtMs = Infinity } of report.measurements) {
    // A value is still shown exactly at the maximum age.
    const ourAtMs = measuredAtMs - cadence.aheadMs;
    for (const changeAtMs of [ourAtMs - maxAgeMs, ourAtMs + maxAgeMs + 1])
      if (changeAtMs > nowMs) earliestAtMs = Math.min(earliestAtMs, changeAtMs);
  }
  return earliestAtMs;
}

/** Returns how old the values of a report may become, and by which clock. A report on its own is taken as the first. */
function ageLimit(
  report: DeviceReport,
  nowMs: number,
  maxAge: MaxAge,
): { readonly cadence: ReadingCadence; readonly maxAgeMs: number } {
  const cadence = report.cadence ?? learnCadence(undefined, report, nowMs);
  return { cadence, maxAgeMs: maxAgeFor(maxAge, cadence) };
}
