/** Everything a device may measure; the unit is part of the name. */
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

/** The modes of work that have a name; any other shows as the service's code. */
export const WORKING_MODES = [
  'power_on',
  'standby',
  'line',
  'battery',
  'fault',
  'shutdown',
] as const;

/** Where a device is read: the time series, its latest state, or its energy flow. */
export type Source = 'history' | 'latest' | 'flow';

/** One value of a device, and when the service says it was measured. */
export interface Measurement {
  readonly quantity: Quantity;
  /** Which string or which sensor, where a device has several; `''` otherwise. */
  readonly part: string;
  /** A number in the quantity's unit; text for the working mode. */
  readonly value: number | string;
  /** By the service's clock; absent where the answer does not say. */
  readonly measuredAtMs?: number | undefined;
}

/** Which dialect a device speaks, as far as it was learnt. */
export interface SpokenDialect {
  /** `unknown` for a family that nobody has described. */
  readonly family: string;
  readonly source: Source;
  /** Quantities of the interface that this device has no known key for. */
  readonly missing: readonly Quantity[];
  /** Keys it sends that no rule reads. */
  readonly unknownKeys: readonly string[];
}

/** What one answer of the service says about one device. */
export interface DeviceReport {
  readonly measurements: readonly Measurement[];
  /** When the newest of them was measured, by the service's clock. */
  readonly newestAtMs?: number | undefined;
  readonly dialect: SpokenDialect;
  /** How far the service's clock is ahead of ours. */
  readonly serviceAheadMs: number;
}

/** What one PV string delivers. */
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

/** The newest values of one device that are young enough to show. A missing value is absent, never 0. */
export type Readings = Readonly<
  Partial<Record<Exclude<Quantity, PartedQuantity>, number | undefined>>
> & {
  /** By the string's number: `1`, `2`, … */
  readonly pvStrings?: ReadonlyMap<string, PvString> | undefined;
  /** By the sensor's name. */
  readonly temperaturesCelsius?: ReadonlyMap<string, number> | undefined;
  readonly workingMode?: string | undefined;
  /** Measured, but too long ago to show: unknown now, which is not the same as never sent. */
  readonly withdrawn?: ReadonlySet<Quantity> | undefined;
  /** When the newest of all values, shown or not, was measured, by the service's clock. */
  readonly measuredAtMs?: number | undefined;
  readonly dialect?: SpokenDialect | undefined;
};

/**
 * What of a report may be shown at an instant of our clock: values that the service measured longer
 * than `maxAgeMs` ago are left out, and so are those from further than that in the future, whose age
 * nobody knows. Values without a time stay.
 */
export function readingsAt(report: DeviceReport, nowMs: number, maxAgeMs: number): Readings {
  const { measurements, newestAtMs, dialect, serviceAheadMs } = report;
  const serviceNowMs = nowMs + serviceAheadMs;
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

/** When, after `nowMs`, what may be shown of a report next changes; never for undated values. */
export function nextExpiryAtMs(report: DeviceReport, nowMs: number, maxAgeMs: number): number {
  let earliestAtMs = Infinity;
  for (const { measuredAtMs = Infinity } of report.measurements) {
    // Exactly at the maximum age a value is still shown.
    const ourAtMs = measuredAtMs - report.serviceAheadMs;
    for (const changeAtMs of [ourAtMs - maxAgeMs, ourAtMs + maxAgeMs + 1])
      if (changeAtMs > nowMs) earliestAtMs = Math.min(earliestAtMs, changeAtMs);
  }
  return earliestAtMs;
}
