import { FIGURE_OF, type Flows, flowsOf } from './energy-counter.ts';
import { type DailyEnergy, type Energies, byQuantity } from './energy.ts';
import {
  isLevelOfNothing,
  isReporting,
  POWER_FIGURES,
  type PowerFigure,
  type PowerFigures,
  powerFiguresOf,
  type Powers,
  powersOf,
  type Readings,
} from './readings.ts';
import { greatestOf, productOf, sumOf } from './units.ts';

const HOUR_MS = 3_600_000;
/** Devices reset their energy of the day up to two hours late, and send that of yesterday until then. */
export const LATE_RESET_MS = 2.5 * HOUR_MS;

/** What one device contributes to the totals of its station now. */
export interface DeviceShare extends Powers {
  readonly hasBattery: boolean;
  readonly measuredAtMs: number;
}

/** The power of a station, in W, and the mean charge of its batteries; an unknown figure is absent. */
export interface StationPowers {
  readonly figures: PowerFigures;
  readonly flows: Flows;
  /** The figures that some device lacks: their totals may be too small. */
  readonly partial: readonly PowerFigure[];
  /** How many devices report nothing, or lack a figure that has a total. */
  readonly missing: number;
}

/** Returns what a device contributes to its station; undefined while it reports nothing. */
export function shareOf(readings: Readings): DeviceShare | undefined {
  if (!isReporting(readings)) return undefined;
  const { measuredAtMs = 0 } = readings;
  return { ...powersOf(readings), measuredAtMs, hasBattery: !isLevelOfNothing(readings) };
}

/** Adds up the powers of the devices of a station; undefined stands for a device that reports nothing. */
export function stationPowers(devices: readonly (DeviceShare | undefined)[]): StationPowers {
  const shares = eachOnce(devices);
  const figures: Partial<Record<PowerFigure, number>> = {};
  const partial: PowerFigure[] = [];
  const lacking = new Set(devices.flatMap((device, index) => (device ? [] : [index])));
  for (const name of POWER_FIGURES) {
    const known = shares.flatMap((share) => share[name] ?? []);
    const isMean = name === 'batterySocRatio';
    const lacks = shares.map(({ [name]: figure }, index) => {
      const isExpected = known.length > 0 || devices[index]?.misread.includes(name) === true;
      const hasNone = isMean && devices[index]?.hasBattery === false;
      return figure === undefined && isExpected && !hasNone;
    });
    // The net power of the grid is not a total of its own.
    if (name !== 'gridPowerWatts')
      for (const [index, isLacking] of lacks.entries()) if (isLacking) lacking.add(index);
    if (known.length === 0) continue;
    figures[name] = isMean ? productOf(sumOf(known), 1 / known.length) : sumOf(known);
    if (lacks.includes(true)) partial.push(name);
  }
  return { figures, flows: flowsOf(figures), partial, missing: lacking.size };
}

type Figures = Partial<Record<PowerFigure, number | undefined>>;

/** Returns the figures of each device. A figure of the whole house stays at one device and is 0 at the others. */
function eachOnce(devices: readonly (DeviceShare | undefined)[]): readonly Figures[] {
  const all = devices.map((share) => ({ share, figures: { ...share?.figures } }));
  const sharing = (name: PowerFigure) => all.filter(({ share }) => share?.shared.includes(name));
  for (const name of POWER_FIGURES) {
    const [newest] = sharing(name)
      .filter(({ figures }) => figures[name] !== undefined)
      .sort((one, other) => (other.share?.measuredAtMs ?? 0) - (one.share?.measuredAtMs ?? 0));
    const value = newest?.figures[name];
    if (value === undefined) continue;
    for (const one of sharing(name)) one.figures[name] = one === newest ? value : 0;
  }
  const system = sharing('loadPowerWatts');
  if (system.every(({ figures }) => figures.gridImportPowerWatts !== undefined))
    return all.map(({ figures }) => figures);
  // A device that reports nothing may belong to the system: without its PV and battery there is no balance. There is a
  // balance without a measured feed-in, but not with a misread one.
  const hasNoBalance =
    devices.includes(undefined) ||
    system.some(({ share }) => share?.misread.includes('gridFeedInPowerWatts'));
  const total = (name: PowerFigure): number =>
    hasNoBalance ? NaN : sumOf(system.map(({ figures }) => figures[name] ?? NaN));
  const { gridImportPowerWatts, gridPowerWatts } = powerFiguresOf({
    pvPowerWatts: total('pvPowerWatts'),
    loadPowerWatts: total('loadPowerWatts'),
    gridFeedInPowerWatts: total('gridFeedInPowerWatts'),
    batteryPowerWatts: total('batteryPowerWatts'),
  });
  for (const [order, { figures }] of system.entries()) {
    const of = (watts: number | undefined): number | undefined =>
      watts === undefined || order === 0 ? watts : 0;
    figures.gridImportPowerWatts = of(gridImportPowerWatts);
    figures.gridPowerWatts = of(gridPowerWatts);
  }
  return all.map(({ figures }) => figures);
}

/**
 * Adds up what the devices of a station counted; a quantity is absent where a device lacks its own count.
 *
 * @param counted - what each device counted; absent where that is not known.
 */
export function countedOfAll(
  devices: readonly (DeviceShare | undefined)[],
  counted: readonly (Energies | undefined)[],
): Energies {
  return byQuantity((name) => {
    const isShared = (index: number): boolean =>
      devices[index]?.shared.includes(FIGURE_OF[name]) === true;
    const counts = devices.map((share, index) => (share && counted[index]?.[name]) ?? NaN);
    const own = counts.filter((_, index) => !isShared(index));
    const shared = counts.filter((_, index) => isShared(index));
    // All count the same flow; the greatest count has the fewest gaps.
    const once = shared.length > 0 ? [greatestOf(shared.filter(Number.isFinite))] : [];
    const sumKwh = counts.length > 0 ? sumOf([...own, ...once]) : NaN;
    return Number.isFinite(sumKwh) ? sumKwh : undefined;
  });
}

/** Leaves out the energies of today that are still those of yesterday. */
export function withoutYesterday(
  { today, yesterday }: Pick<DailyEnergy, 'today' | 'yesterday'>,
  sinceMidnightMs: number,
): Energies {
  if (sinceMidnightMs >= LATE_RESET_MS) return today;
  return byQuantity((name) => {
    const { [name]: energyKwh = 0 } = today;
    const { [name]: yesterdayKwh = 0 } = yesterday;
    // What flows at night, such as a load, goes on from the figure of yesterday.
    return yesterdayKwh > 0 && energyKwh >= yesterdayKwh ? undefined : today[name];
  });
}
