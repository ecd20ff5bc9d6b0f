import { alarmsCollector } from '../collectors/alarms.ts';
import { summaryCollector, yearsCollector } from '../collectors/energy.ts';
import { devicesCollector } from '../collectors/inventory.ts';
import { readingsCollector } from '../collectors/readings.ts';
import { settingsCollector } from '../collectors/settings.ts';
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
import { describeDevices } from './describe-devices.ts';
import { figures, text } from './known-fields.ts';
import { stationProblems } from './problems.ts';
import type { CurveSeries, EnergyStatus, MonthStatus, StationPageStatus } from './status.ts';

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
  const known = {
    listed: listing?.devices ?? [],
    firing: onlyOf(values.shown(alarmsCollector)) ?? [],
    readings: values.shown(readingsCollector),
    settings: values.shown(settingsCollector),
  };
  const { powers, today, countedToday, yesterday, month: energies } = values.totals();
  const devices = await describeDevices(known);
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

function onlyOf<Value>(shown: ReadonlyMap<string, ShownValue<Value>>): Value | undefined {
  const [only] = shown.values();
  return only?.value;
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
