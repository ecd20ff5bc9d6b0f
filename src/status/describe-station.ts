import { nextTurn } from '../base/clock.ts';
import { type Turns, takeTurns } from '../base/turns.ts';
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

/** What is said of a station beside its values. */
type StationFacts = Pick<StationPageStatus, 'account' | 'stationId' | 'isUp' | 'collectors'>;

/** So many devices are described in one turn of the event loop, which takes a millisecond or two. */
export const DEVICES_PER_TURN = 50;

/**
 * Describes what is known of a station and its devices at the time of the call. A few devices are described in
 * each turn of the event loop; what changes in between is not seen.
 *
 * @param turns - taken for every device; shared by stations that are described together
 */
export function describeStation(
  station: StationFacts,
  values: StationValues,
  turns: Turns = takeTurns(DEVICES_PER_TURN),
): Promise<StationPageStatus> {
  return describeKnown(station, readKnown(values), turns);
}

type Known = ReturnType<typeof readKnown>;

/** Takes all values of a station at one instant; those of the devices are computed one by one, when they are described. */
function readKnown(values: StationValues) {
  const [listing] = values.shown(devicesCollector).values();
  const [month] = values.shown(summaryCollector).values();
  const [days] = values.shown(daysCollector).values();
  const [years] = values.shown(yearsCollector).values();
  const [firing] = values.shown(alarmsCollector).values();
  return {
    listing: listing?.value,
    month: month?.value,
    days: days?.value,
    years: years?.value,
    firing: firing?.value ?? [],
    readings: values.shown(readingsCollector),
    settings: values.shown(settingsCollector),
  };
}

async function describeKnown(
  station: StationFacts,
  known: Known,
  turns: Turns,
): Promise<StationPageStatus> {
  const { listing, month } = known;
  const devices = await describeDevices(known, turns);
  const sums = await summedFigures(devices);
  return {
    ...station,
    month: month === undefined ? {} : describeMonth(withoutAssumed(month)),
    energy: describeEnergies(known),
    ...text('name', listing?.station.name),
    ...text('timeZone', listing?.station.timeZone),
    flow: flowOf(sums),
    partial: SUMMED_FIGURES.filter((name) => isPartial(sums[name], devices)),
    ...figures({ pvEnergyTodayKwh: sums.pvEnergyTodayKwh.total }),
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

function describeEnergies({ days, years }: Known): EnergiesStatus {
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
async function describeDevices(
  { listing, firing, readings, settings }: Known,
  turns: Turns,
): Promise<readonly DeviceStatus[]> {
  const devices = new Map<string, DeviceStatus>();
  const add = (deviceId: string, facts: Partial<DeviceStatus>): void => {
    const known = devices.get(deviceId) ?? { deviceId, missingQuantities: [], alarms: [] };
    devices.set(deviceId, { ...known, ...facts });
  };
  for (const device of listing?.devices ?? []) {
    await turns();
    add(device.deviceId, describeRecord(device));
  }
  for (const { deviceId, key, level } of firing) {
    await turns();
    const alarm = { alarm: shortened(key), level: shortened(level) };
    add(deviceId, { alarms: [...(devices.get(deviceId)?.alarms ?? []), alarm] });
  }
  for (const [deviceId, shown] of readings) {
    await turns();
    add(deviceId, describeReadings(shown.value));
  }
  // Settings are not shown, but a device of which only settings are known is listed as well.
  for (const [deviceId, shown] of settings) {
    await turns();
    if (visibleSettings(shown.value).length > 0) add(deviceId, {});
  }
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

/** A figure of all devices together. */
interface StationFigure {
  readonly total: number | undefined;
  /** How many devices know it. */
  readonly devices: number;
}

type StationFigures = Readonly<Record<SummedFigure, StationFigure>>;

/** Sums up what the devices know, each figure of many devices in a turn of its own. */
async function summedFigures(devices: readonly DeviceStatus[]): Promise<StationFigures> {
  const sums: Partial<Record<SummedFigure, StationFigure>> = {};
  for (const name of SUMMED_FIGURES) {
    if (devices.length > DEVICES_PER_TURN) await nextTurn();
    const known = knownOf(devices, name);
    sums[name] = { total: totalOf(known, name), devices: known.length };
  }
  return sums as StationFigures;
}

/** The sum of a figure, or of the charge of the batteries the least; absent when no device knows it. */
function totalOf(known: readonly number[], name: SummedFigure): number | undefined {
  if (known.length === 0) return undefined;
  return name === 'batterySocRatio' ? leastOf(known) : sumOf(known);
}

function flowOf(sums: StationFigures): FlowStatus {
  const flow = [...FLOW_SUMS, 'batterySocRatio'] as const;
  const totals = flow.map((name) => [name, sums[name].total] as const);
  return figures(Object.fromEntries(totals) as Record<(typeof flow)[number], number | undefined>);
}

/** Whether some devices know a figure and others do not. */
function isPartial(sum: StationFigure, devices: readonly DeviceStatus[]): boolean {
  return sum.devices > 0 && sum.devices < devices.length;
}

function knownOf(devices: readonly DeviceStatus[], name: SummedFigure): readonly number[] {
  return devices.map((device) => device[name]).filter((value) => value !== undefined);
}

/** Keeps the known figures. One that is not finite counts as unknown: JSON cannot express it. */
function figures<Name extends string>(
  values: Readonly<Record<Name, number | undefined>>,
): Partial<Record<Name, number>> {
  const known: Partial<Record<Name, number>> = {};
  for (const name in values) if (Number.isFinite(values[name])) known[name] = values[name];
  return known;
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
