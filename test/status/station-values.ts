import type { Collector } from '../../src/collectors/collector.ts';
import type { StationListing } from '../../src/collectors/inventory/station-listing.ts';
import type { ShownValue } from '../../src/collectors/run/shown-target.ts';
import type { FiringAlarm } from '../../src/model/station.ts';
import type { DailyEnergy, YearlyEnergy } from '../../src/model/energy.ts';
import type { MonthlyEnergy } from '../../src/model/month.ts';
import type { Readings } from '../../src/model/readings.ts';
import type { DeviceSettings } from '../../src/model/settings.ts';
import type { Device, Station } from '../../src/model/station.ts';
import type { StationValues } from '../../src/status/describe-station.ts';

export const MONTH: MonthlyEnergy = {
  pvGeneratedKwh: 300,
  solarRatio: 0,
  startsAtMs: 1_780_000_000_000,
  endsAtMs: 1_782_000_000_000,
};

/** What is known of one station; nothing where it is left out. */
export interface Known {
  readonly station?: Omit<Station, 'stationId'>;
  readonly devices?: readonly Device[];
  readonly month?: MonthlyEnergy;
  readonly days?: DailyEnergy;
  readonly years?: YearlyEnergy;
  readonly alarms?: readonly FiringAlarm[];
  /** By device id. */
  readonly readings?: Readonly<Record<string, Readings>>;
  readonly settings?: Readonly<Record<string, DeviceSettings>>;
}

/** The values of a station, as its collectors show them. */
export function valuesOf({
  station,
  devices,
  month,
  days,
  years,
  alarms,
  readings = {},
  settings = {},
}: Known): StationValues {
  const listing: StationListing | undefined =
    station === undefined && devices === undefined
      ? undefined
      : { station: { stationId: 'house', ...station }, devices: devices ?? [] };
  const shown: Readonly<Record<string, ReadonlyMap<string, unknown>>> = {
    devices: only(listing),
    summary: only(month),
    'summary-days': only(days),
    'summary-years': only(years),
    alarms: only(alarms),
    readings: valuesById(readings),
    settings: valuesById(settings),
  };
  return {
    shown: <Target, Fetched, Shown>({ name }: Collector<Target, Fetched, Shown>) =>
      (shown[name] ?? new Map()) as ReadonlyMap<string, ShownValue<Shown>>,
  };
}

function only(value: unknown): ReadonlyMap<string, unknown> {
  return valuesById(value === undefined ? {} : { station: value });
}

function valuesById(values: Readonly<Record<string, unknown>>): ReadonlyMap<string, unknown> {
  return new Map(Object.entries(values).map(([id, value]) => [id, { value }]));
}
