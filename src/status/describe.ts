import { turn } from '../base/turns.ts';
import { alarmsCollector } from '../collectors/alarms.ts';
import { summaryCollector, yearsCollector } from '../collectors/energy.ts';
import { devicesCollector, type ListedDevice } from '../collectors/inventory.ts';
import { quantityName } from '../collectors/reading-metrics.ts';
import { readingsCollector } from '../collectors/readings.ts';
import { settingsCollector, visibleSettings } from '../collectors/settings.ts';
import type { StationTargets } from '../collectors/station-targets.ts';
import type { ShownValue } from '../collectors/target.ts';
import { CURVE_QUANTITIES, type CurveQuantity, type DayCurve } from '../model/day-curve.ts';
import {
  type Energies,
  byQuantity,
  isEmptyMonth,
  type MonthlyEnergy,
  solarRatio,
} from '../model/energy.ts';
import { isReporting, powerFiguresOf, type Readings } from '../model/readings.ts';
import { stationProblems } from './problems.ts';
import type {
  CurveSeries,
  DeviceStatus,
  EnergyStatus,
  MonthStatus,
  StationPageStatus,
} from './status.ts';

export type StationValues = Pick<StationTargets, 'station' | 'shown' | 'totals'>;

/** What is said of a station beside its values. */
type StationFacts = Pick<StationPageStatus, 'stationId' | 'isUp' | 'collectors'>;

/**
 * Describes what is known of a station and its devices at the time of the call: what changes while others have their
 * turn is not seen.
 *
 * @param values - the same that its metrics are read from.
 * @param curve - today's; absent where nothing is known of today.
 */
export async function describeStation(
  station: StationFacts,
  values: StationValues,
  curve: DayCurve | undefined,
): Promise<StationPageStatus> {
  const listing = onlyOf(values.shown(devicesCollector));
  const month = onlyOf(values.shown(summaryCollector));
  const years = onlyOf(values.shown(yearsCollector));
  const { powers, today, countedToday, yesterday, month: energies } = values.totals();
  const devices: DeviceStatus[] = [];
  for (const device of describeDevices(values)) {
    devices.push(device);
    if (turn.isOver()) await turn.next();
  }
  const described = {
    ...station,
    month: describeMonth(energies, month),
    energy: {
      today: describeEnergy(today),
      yesterday: describeEnergy(yesterday),
      year: describeEnergy(years?.year),
      lifetime: describeEnergy(years?.lifetime),
    },
    ...text('name', values.station.name),
    ...text('timeZone', values.station.timeZone),
    flow: figures(powers?.figures ?? {}),
    partial: powers?.partial ?? [],
    devicesMissing: powers?.missing ?? 0,
    countedToday,
    ...figures({ pvEnergyTodayKwh: today.pvGeneratedKwh }),
    devices,
    ...(curve && describeCurve(curve)),
  };
  return { ...described, problems: stationProblems(described, listing?.zoneProblem) };
}

/** Describes every device of which anything is known, one after the other: those of the list first, in its order. */
export function* describeDevices(station: Pick<StationTargets, 'shown'>): Generator<DeviceStatus> {
  const listing = onlyOf(station.shown(devicesCollector));
  const alarms = onlyOf(station.shown(alarmsCollector)) ?? [];
  const readings = station.shown(readingsCollector);
  const records = new Map(listing?.devices.map((record) => [record.deviceId, record]));
  const firing = new Map<string, DeviceStatus['alarms']>();
  for (const { deviceId, key, level } of alarms) {
    const alarm = { alarm: shortened(key), level: shortened(level) };
    firing.set(deviceId, [...(firing.get(deviceId) ?? []), alarm]);
  }
  // Settings are not shown, but a device of which only settings are known is listed as well.
  const set = [...station.shown(settingsCollector)]
    .filter(([, { value }]) => visibleSettings(value).length > 0)
    .map(([deviceId]) => deviceId);
  const deviceIds = [...records.keys(), ...firing.keys(), ...readings.keys(), ...set];
  for (const deviceId of new Set(deviceIds)) {
    const [record, reading] = [records.get(deviceId), readings.get(deviceId)];
    yield {
      deviceId,
      missingQuantities: [],
      alarms: firing.get(deviceId) ?? [],
      ...(record && describeRecord(record)),
      ...(reading && describeShown(reading)),
    };
  }
}

function onlyOf<Value>(shown: ReadonlyMap<string, ShownValue<Value>>): Value | undefined {
  const [only] = shown.values();
  return only?.value;
}

/** Describes what the device list says of a device. */
function describeRecord(device: ListedDevice): Partial<DeviceStatus> {
  const { name, model, isOnline, pvEnergyTodayKwh, unlistedSinceMs } = device;
  return {
    ...text('name', name),
    ...text('model', model),
    ...(isOnline !== undefined && { isOnline }),
    ...figures({ pvEnergyTodayKwh, unlistedSinceMs }),
  };
}

/** What is said of readings as long as the same are shown. */
const described = new WeakMap<ShownValue<Readings>, Partial<DeviceStatus>>();

function describeShown(shown: ShownValue<Readings>): Partial<DeviceStatus> {
  const known = described.get(shown) ?? statusOfReadings(shown.value);
  described.set(shown, known);
  return known;
}

/** Describes the readings of a device. */
export function statusOfReadings(readings: Readings): Partial<DeviceStatus> {
  const { battery, batteryBmsConnected, dialect, measuredAtMs, datedAheadMs } = readings;
  const { maxAgeMs = NaN, intervalMs = NaN, misread } = readings;
  return {
    ...figures(powerFiguresOf(readings)),
    ...text('workingMode', readings.workingMode),
    // The next one should have come an interval before this one is withdrawn.
    ...figures({ measuredAtMs, lateAfterMs: maxAgeMs - intervalMs, datedAheadMs }),
    isReporting: isReporting(readings),
    ...(battery === 'bms' &&
      batteryBmsConnected !== undefined && { isBmsSilent: batteryBmsConnected === 0 }),
    ...text('family', dialect?.family),
    missingQuantities: (dialect?.missing ?? []).map(quantityName),
    ...(dialect?.silentKeys && { silentKeys: dialect.silentKeys }),
    ...(misread && { misread: misread.map(({ key, why }) => ({ key, why })) }),
  };
}

function describeMonth(energies: Energies, month: MonthlyEnergy | undefined): MonthStatus {
  const startsAtMs = month === undefined || isEmptyMonth(month) ? undefined : month.startsAtMs;
  return {
    ...describeEnergy(energies),
    ...figures({ solarRatio: solarRatio(energies), startsAtMs }),
  };
}

function describeEnergy(energies: Energies = {}): EnergyStatus {
  return figures(byQuantity((name) => energies[name]));
}

/** Describes the curve of a day; nothing where nothing is known of it. */
function describeCurve(curve: DayCurve): Pick<StationPageStatus, 'curve'> {
  const series = CURVE_QUANTITIES.map(
    (name) => [name, curve.valuesOf(name).map((value) => shown(name, value))] as const,
  ).filter(([, values]) => values.length > 0);
  if (series.length === 0) return {};
  const { startsAtMs, endsAtMs, stepMs } = curve;
  const lists = Object.fromEntries(series) as CurveSeries;
  return { curve: { startsAtMs, endsAtMs, stepMs, ...lists } };
}

/** JSON cannot express what is not finite, and has no place for what is unknown. */
function shown(name: CurveQuantity, value: number | undefined): number | null {
  if (value === undefined || !Number.isFinite(value)) return null;
  if (name === 'batterySocRatio') return Math.round(value * 1000) / 1000;
  // Never -0.
  return Math.round(value) || 0;
}

/** Keeps the known figures. One that is not finite counts as unknown: JSON cannot express it. */
export function figures<Name extends string>(
  values: Readonly<Partial<Record<Name, number | undefined>>>,
): Partial<Record<Name, number>> {
  const known: Partial<Record<Name, number>> = {};
  for (const name in values) if (Number.isFinite(values[name])) known[name] = values[name];
  return known;
}

/** Returns a text of the service under a field's name; without the field when the text is empty. */
export function text<Name extends string>(name: Name, value = ''): Partial<Record<Name, string>> {
  return value === '' ? {} : ({ [name]: shortened(value) } as Record<Name, string>);
}

/** Enough for a person to read; a browser needs seconds to lay out a much longer text. */
const LONGEST_TEXT = 200;

/** Cuts a text of the service to {@link LONGEST_TEXT}, without half a character at its end. */
function shortened(value: string): string {
  if (value.length <= LONGEST_TEXT) return value;
  return `${Array.from(value.slice(0, LONGEST_TEXT)).slice(0, -1).join('')}…`;
}
