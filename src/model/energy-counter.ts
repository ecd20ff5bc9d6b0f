import { LEAST_MAX_AGE_MS, LONGEST_MAX_AGE_MS, usualInterval } from './cadence.ts';
import {
  byQuantity,
  type ByQuantity,
  type Energies,
  ENERGY_QUANTITIES,
  type EnergyQuantity,
  hasNoEnergy,
} from './energy.ts';
import type { BatterySign, PowerFigure, PowerFigures, PowerPoint } from './readings.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Points may be this many usual intervals apart: one missing point is not a gap. */
const INTERVALS_PER_GAP = 2.5;
/** How many intervals are remembered. */
const REMEMBERED = 6;
/** 2 % of a day may be missing: our count and the totals of the service differ by more anyway. */
const MOST_MISSING_MS = 30 * 60_000;

/** The power of each flow of a device at one time, in W and never negative. */
export type Flows = ByQuantity;

/** What had been counted at one time. */
interface Counted {
  /** When that was, by the service's clock; for a count, when its last point was measured. */
  readonly lastAtMs: number;
  /** In kWh, since the count began; a flow that was never known is absent. */
  readonly energies: Energies;
  /** For how long each flow was known, and so counted. */
  readonly knownMs: ByQuantity;
}

const NOTHING = { energies: {}, knownMs: {} };

/** What has been counted of a device, up to the last point; an immutable value. */
export interface EnergyCount extends Counted {
  readonly lastFlows: Flows;
  /** How long the source had gaps in which nothing was counted. */
  readonly gapMs: number;
  /** How far apart the last points were, the newest last. */
  readonly intervalsMs: readonly number[];
  /**
   * What had been counted at the midnight before the last point; absent where that is unknown. Only files of older
   * versions have negative values.
   */
  readonly midnight?: Counted | undefined;
  /** What the device had shown of a battery; kept here, because it outlives the program as well. */
  readonly battery?: BatterySign | undefined;
}

/**
 * Begins to count at a point. Absent where no flow is known at that point, because there is nothing to count yet.
 *
 * @param intervalsMs - how far apart the last points were, the newest last.
 * @param midnightMs - when the day of the point began: the energy since then counts as 0; absent where it is not known.
 */
export function beginCount(
  { atMs, figures }: PowerPoint,
  intervalsMs: readonly number[] = [],
  midnightMs?: number,
): EnergyCount | undefined {
  const lastFlows = flowsOf(figures);
  if (hasNoEnergy(lastFlows)) return undefined;
  return {
    lastAtMs: atMs,
    lastFlows,
    gapMs: 0,
    knownMs: {},
    energies: added({}, {}, lastFlows, 0),
    intervalsMs: intervalsMs.slice(-REMEMBERED),
    midnight: midnightMs === undefined ? undefined : { ...NOTHING, lastAtMs: midnightMs },
  };
}

/**
 * Continues a count at a point before its end, because a wrong clock dated its last point. How long nothing was counted
 * is not known: it is assumed to be the error of that date, and a day at most.
 */
export function goOnFrom(count: EnergyCount, { atMs, figures }: PowerPoint): EnergyCount {
  const gapMs = count.gapMs + Math.min(DAY_MS, count.lastAtMs - atMs);
  return { ...count, lastAtMs: atMs, lastFlows: flowsOf(figures), gapMs, midnight: undefined };
}

/**
 * Counts the energy between the last point and the next one, and assumes that power changes evenly between them. If
 * the points are too far apart, or no flow is known at both, only the length of the gap is counted. If a counted flow
 * is not known at both, or was misread, that is a gap as well, but the other flows are counted. A point that is not
 * later than the last one changes nothing.
 *
 * @param midnightMs - when the day of the point began; absent where the energy of a day is not needed.
 */
export function countEnergy(
  count: EnergyCount,
  { atMs, figures, misread }: PowerPoint,
  midnightMs?: number,
): EnergyCount {
  const { lastFlows, energies, intervalsMs } = count;
  const flows = flowsOf(figures);
  const lengthMs = atMs - count.lastAtMs;
  if (lengthMs <= 0) return count;
  const isJoined = lengthMs <= longestIntervalMs(intervalsMs);
  const isIn = (of: ByQuantity, name: EnergyQuantity) => of[name] !== undefined;
  const isKnown = (name: EnergyQuantity) => isJoined && isIn(lastFlows, name) && isIn(flows, name);
  const isMisread = misread.some((name) => FLOWING.has(name));
  const isGap =
    isMisread ||
    !ENERGY_QUANTITIES.some(isKnown) ||
    ENERGY_QUANTITIES.some((name) => isIn(energies, name) && !isKnown(name));
  const after = {
    lastAtMs: atMs,
    lastFlows: flows,
    energies: added(energies, lastFlows, flows, isJoined ? lengthMs : 0),
    knownMs: byQuantity((name) => (count.knownMs[name] ?? 0) + (isKnown(name) ? lengthMs : 0)),
    gapMs: count.gapMs + (isGap ? lengthMs : 0),
    intervalsMs: [...intervalsMs.slice(1 - REMEMBERED), lengthMs],
    midnight: count.midnight,
    battery: count.battery,
  };
  const isSameDay = midnightMs === undefined || midnightMs <= count.lastAtMs;
  return isSameDay ? after : { ...after, midnight: countedAt(midnightMs, count, after) };
}

/** Returns what had been counted at an instant between two points, by linear interpolation. */
function countedAt(atMs: number, before: Counted, after: Counted): Counted {
  const share = (atMs - before.lastAtMs) / (after.lastAtMs - before.lastAtMs);
  const between = (one: ByQuantity, other: ByQuantity): ByQuantity =>
    byQuantity((name) => (one[name] ?? 0) + share * ((other[name] ?? 0) - (one[name] ?? 0)));
  return {
    lastAtMs: atMs,
    energies: between(before.energies, after.energies),
    knownMs: between(before.knownMs, after.knownMs),
  };
}

/**
 * Returns what was counted since midnight, without the flows that were unknown for too much of that time.
 *
 * @param midnightMs - when the day began.
 */
export function countedToday(count: EnergyCount, midnightMs: number): Energies {
  const { midnight } = count;
  if (midnight?.lastAtMs !== midnightMs) return {};
  const leastMs = Math.max(1, count.lastAtMs - midnightMs - MOST_MISSING_MS);
  return byQuantity((name) => {
    const knownMs = (count.knownMs[name] ?? 0) - (midnight.knownMs[name] ?? 0);
    const energyKwh = (count.energies[name] ?? 0) - (midnight.energies[name] ?? 0);
    return knownMs >= leastMs ? Math.max(0, energyKwh) : undefined;
  });
}

/** Returns how far apart two points may be without a gap, by the usual one of the last intervals. */
export function longestIntervalMs(intervalsMs: readonly number[]): number {
  const usualMs = usualInterval(intervalsMs) ?? 0;
  return Math.min(Math.max(LEAST_MAX_AGE_MS, INTERVALS_PER_GAP * usualMs), LONGEST_MAX_AGE_MS);
}

/** The other direction of a power that has a sign. */
const OPPOSITES: Readonly<Partial<Record<EnergyQuantity, EnergyQuantity>>> = {
  gridImportKwh: 'gridFeedInKwh',
  gridFeedInKwh: 'gridImportKwh',
  batteryDischargedKwh: 'batteryChargedKwh',
  batteryChargedKwh: 'batteryDischargedKwh',
};

/** The figure whose energy a quantity is. */
export const FIGURE_OF: Readonly<Record<EnergyQuantity, PowerFigure>> = {
  pvGeneratedKwh: 'pvPowerWatts',
  consumptionKwh: 'loadPowerWatts',
  gridImportKwh: 'gridImportPowerWatts',
  gridFeedInKwh: 'gridFeedInPowerWatts',
  batteryChargedKwh: 'batteryPowerWatts',
  batteryDischargedKwh: 'batteryPowerWatts',
};

/** The figures that {@link flowsOf} reads. */
const FLOWING: ReadonlySet<PowerFigure> = new Set(Object.values(FIGURE_OF));

/** Returns the flows of a device or of a station. */
export function flowsOf({ batteryPowerWatts, ...figures }: PowerFigures): Flows {
  const powers: Readonly<Record<EnergyQuantity, number | undefined>> = {
    pvGeneratedKwh: figures.pvPowerWatts,
    consumptionKwh: figures.loadPowerWatts,
    gridImportKwh: figures.gridImportPowerWatts,
    gridFeedInKwh: figures.gridFeedInPowerWatts,
    batteryDischargedKwh: batteryPowerWatts,
    batteryChargedKwh: batteryPowerWatts && -batteryPowerWatts,
  };
  // A sensor may show slightly less than 0, but a counter must never fall.
  return byQuantity((name) => powers[name] && Math.max(0, powers[name]));
}

/** Adds what flowed between two points; a flow that is known for the first time begins at 0. */
function added(energies: Energies, from: Flows, to: Flows, lengthMs: number): Energies {
  return byQuantity((name) => {
    // In the dark, the PV power of every device is known to be 0, even of a device that never sends it by day.
    const isBegun = name === 'pvGeneratedKwh' ? Number(to[name]) > 0 : to[name] !== undefined;
    if (!isBegun && energies[name] === undefined) return undefined;
    return (energies[name] ?? 0) + (meanWatts(name, from, to) * lengthMs) / HOUR_MS / 1000;
  });
}

/** Returns the mean of a flow between two points; 0 where it is unknown at one of them. */
function meanWatts(name: EnergyQuantity, from: Flows, to: Flows): number {
  const { [name]: before = NaN } = from;
  const { [name]: after = NaN } = to;
  const opposite = OPPOSITES[name];
  const [backBefore = NaN, backAfter = NaN] = opposite ? [from[opposite], to[opposite]] : [];
  const isOneWay = before * backBefore === 0 && after * backAfter === 0;
  const sum = before + after;
  // Where the power changes its sign, each direction counts up to where the line between the points crosses 0.
  const share = isOneWay ? sum / (sum + backBefore + backAfter) : 1;
  return (share * sum) / 2 || 0;
}
