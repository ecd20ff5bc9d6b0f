import { alarmsCollector } from '../collectors/alarms.ts';
import { daysCollector, yearsCollector } from '../collectors/energy.ts';
import { quantityName } from '../collectors/freshness-metrics.ts';
import { devicesCollector, type ListedDevice } from '../collectors/inventory.ts';
import { readingsCollector } from '../collectors/readings.ts';
import { settingsCollector, visibleSettings } from '../collectors/settings.ts';
import type { StationCollection } from '../collectors/station-collection.ts';
import { summaryCollector } from '../collectors/summary.ts';
import { derivePowerIfReporting, isReporting } from '../model/derive.ts';
import type { Energies } from '../model/energy.ts';
import { leastOf } from '../model/extremes.ts';
import { isEmptyMonth, type MonthlyEnergy, withoutAssumed } from '../model/month.ts';
import type { Readings } from '../model/readings.ts';
import { sumOf } from '../model/units.ts';
import type {
  DeviceStatus,
  EnergiesStatus,
  EnergyStatus,
  FlowStatus,
  MonthStatus,
  StationPageStatus,
} from './status.ts';

/** The collected values of one station, by collector: the same that its metrics are read from. */
export type StationValues = Pick<StationCollection, 'shown'>;

/** Describes what is known now of a station and its devices. */
export function describeStation(
  station: Pick<StationPageStatus, 'account' | 'stationId' | 'isUp' | 'collectors'>,
  values: StationValues,
): StationPageStatus {
  const [listing] = values.shown(devicesCollector).values();
  const [month] = values.shown(summaryCollector).values();
  const devices = describeDevices(values);
  return {
    ...station,
    month: month === undefined ? {} : describeMonth(withoutAssumed(month)),
    energy: describeEnergies(values),
    ...text('name', listing?.station.name),
    ...text('timeZone', listing?.station.timeZone),
    flow: flowOf(devices),
    partial: SUMMED_FIGURES.filter((name) => isPartial(devices, name)),
    ...figures({ pvEnergyTodayKwh: stationSum(devices, 'pvEnergyTodayKwh') }),
    devices,
  };
}

function describeMonth(month: MonthlyEnergy): MonthStatus {
  return {
    ...describeEnergy(month),
    ...figures({
      solarRatio: month.solarRatio,
      startsAtMs: isEmptyMonth(month) ? undefined : month.startsAtMs,
    }),
  };
}

function describeEnergies(values: StationValues): EnergiesStatus {
  const [days] = values.shown(daysCollector).values();
  const [years] = values.shown(yearsCollector).values();
  return {
    today: describeEnergy(days?.today),
    yesterday: describeEnergy(days?.yesterday),
    year: describeEnergy(years?.year),
    lifetime: describeEnergy(years?.lifetime),
  };
}

function describeEnergy(energies: Energies = {}): EnergyStatus {
  return figures({
    pvGeneratedKwh: energies.pvGeneratedKwh,
    gridImportKwh: energies.gridImportKwh,
    gridFeedInKwh: energies.gridFeedInKwh,
    consumptionKwh: energies.consumptionKwh,
    batteryChargedKwh: energies.batteryChargedKwh,
    batteryDischargedKwh: energies.batteryDischargedKwh,
  });
}

/** Describes every device of which anything is known: listed devices first, in the order of the list. */
function describeDevices(values: StationValues): readonly DeviceStatus[] {
  const devices = new Map<string, DeviceStatus>();
  const add = (deviceId: string, facts: Partial<DeviceStatus>): void => {
    const known = devices.get(deviceId) ?? { deviceId, missingQuantities: [], alarms: [] };
    devices.set(deviceId, { ...known, ...facts });
  };
  for (const listing of values.shown(devicesCollector).values())
    for (const device of listing.devices) add(device.deviceId, describeRecord(device));
  for (const firing of values.shown(alarmsCollector).values())
    for (const { deviceId, key, level } of firing) {
      const alarm = { alarm: shortened(key), level: shortened(level) };
      add(deviceId, { alarms: [...(devices.get(deviceId)?.alarms ?? []), alarm] });
    }
  for (const [deviceId, readings] of values.shown(readingsCollector))
    add(deviceId, describeReadings(readings));
  // Settings are not shown, but a device of which only settings are known is listed as well.
  for (const [deviceId, settings] of values.shown(settingsCollector))
    if (visibleSettings(settings).length > 0) add(deviceId, {});
  return [...devices.values()];
}

/** Describes what the device list says of a device. */
function describeRecord({
  name,
  model,
  isOnline,
  pvEnergyTodayKwh,
  unlistedSinceMs,
}: ListedDevice): Partial<DeviceStatus> {
  return {
    ...text('name', name),
    ...text('model', model),
    ...(isOnline !== undefined && { isOnline }),
    ...figures({ pvEnergyTodayKwh, unlistedSinceMs }),
  };
}

function describeReadings(readings: Readings): Partial<DeviceStatus> {
  const { workingMode, measuredAtMs, dialect } = readings;
  const derived = derivePowerIfReporting(readings);
  return {
    ...figures({
      pvPowerWatts: readings.pvPowerWatts,
      loadPowerWatts: derived.loadPowerWatts,
      gridPowerWatts: derived.gridPowerWatts,
      gridImportPowerWatts: derived.gridImportPowerWatts,
      gridFeedInPowerWatts: readings.gridFeedInPowerWatts,
      batteryPowerWatts: derived.batteryPowerWatts,
      batterySocRatio: readings.batterySocRatio,
    }),
    ...text('workingMode', workingMode),
    ...figures({ measuredAtMs }),
    isReporting: isReporting(readings),
    ...text('family', dialect?.family),
    missingQuantities: (dialect?.missing ?? []).map(quantityName),
  };
}

const FLOW_SUMS = [
  'pvPowerWatts',
  'loadPowerWatts',
  'gridPowerWatts',
  'gridImportPowerWatts',
  'gridFeedInPowerWatts',
  'batteryPowerWatts',
] as const satisfies (keyof FlowStatus)[];

/** The figures of a station that are made of those of its devices. */
const SUMMED_FIGURES = [...FLOW_SUMS, 'batterySocRatio', 'pvEnergyTodayKwh'] as const;

type SummedFigure = (typeof SUMMED_FIGURES)[number];

function flowOf(devices: readonly DeviceStatus[]): FlowStatus {
  const sums = Object.fromEntries(FLOW_SUMS.map((name) => [name, stationSum(devices, name)]));
  const socs = knownOf(devices, 'batterySocRatio');
  // The minimum of nothing is infinite, and so left out.
  return figures({ ...sums, batterySocRatio: leastOf(socs) });
}

/** Whether some devices know a figure and others do not. */
function isPartial(devices: readonly DeviceStatus[], name: SummedFigure): boolean {
  const known = knownOf(devices, name).length;
  return known > 0 && known < devices.length;
}

/** The sum over the devices that know the figure; absent when none does. */
function stationSum(devices: readonly DeviceStatus[], name: SummedFigure): number | undefined {
  const known = knownOf(devices, name);
  return known.length === 0 ? undefined : sumOf(known);
}

function knownOf(devices: readonly DeviceStatus[], name: SummedFigure): readonly number[] {
  return devices.map((device) => device[name]).filter((value) => value !== undefined);
}

/** Keeps the known figures. One that is not finite counts as unknown: JSON cannot express it. */
function figures<Name extends string>(
  values: Readonly<Record<Name, number | undefined>>,
): Partial<Record<Name, number>> {
  const known = Object.entries(values).filter(([, value]) => Number.isFinite(value));
  return Object.fromEntries(known) as Partial<Record<Name, number>>;
}

/** Returns a text of the service under a field's name; without the field when the text is empty. */
function text<Name extends string>(name: Name, value = ''): Partial<Record<Name, string>> {
  return value === '' ? {} : ({ [name]: shortened(value) } as Record<Name, string>);
}

/** Enough for a person to read; a browser needs seconds to lay out a much longer text. */
const LONGEST_TEXT = 200;

function shortened(value: string): string {
  if (value.length <= LONGEST_TEXT) return value;
  return `${Array.from(value.slice(0, LONGEST_TEXT)).slice(0, -1).join('')}…`;
}
