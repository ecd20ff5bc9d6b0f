import { intervalsOf, LEAST_MAX_AGE_MS, LONGEST_MAX_AGE_MS, usualInterval } from './cadence.ts';
import { type Energies, ENERGY_QUANTITIES, type EnergyQuantity } from './energy.ts';
import { type PowerFigures, powerFiguresOf, type Readings } from './readings.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** A logger that sends less often has a gap when it has left out more than one point. */
const INTERVALS_PER_GAP = 2.5;
/** How many intervals are remembered. */
const REMEMBERED = 6;
/** 2 % of a day: less than the totals of the service and a count differ anyway. */
const MOST_GAP_OF_DAY_MS = DAY_MS / 48;

/** The power of each flow of a device at one time, in W and never negative; an unknown flow is absent. */
export type Flows = Readonly<Partial<Record<EnergyQuantity, number>>>;

/** What has been counted of a device, up to the last point; an immutable value. */
export interface EnergyCount {
  /** When the last point was measured, by the service's clock. */
  readonly lastAtMs: number;
  readonly lastFlows: Flows;
  /** In kWh, since the count began; a flow that was never known is absent. */
  readonly energies: Energies;
  /** How long the source had gaps in which nothing was counted. */
  readonly gapMs: number;
  /** How far apart the last points were, the newest last. */
  readonly intervalsMs: readonly number[];
}

/**
 * Begins to count at a point: nothing that flowed before it counts. Absent where no flow is known at that
 * point, because there is nothing to count yet.
 *
 * @param timesAtMs - when the last points were measured, ascending.
 */
export function beginCount(
  atMs: number,
  readings: Readings,
  timesAtMs: readonly number[] = [],
): EnergyCount | undefined {
  const lastFlows = flowsOf(powerFiguresOf(readings));
  if (Object.keys(lastFlows).length === 0) return undefined;
  const intervalsMs = intervalsOf(timesAtMs).slice(-REMEMBERED);
  const energies = added({}, {}, lastFlows, 0);
  return { lastAtMs: atMs, lastFlows, energies, gapMs: 0, intervalsMs };
}

/**
 * Goes on at a point that is dated earlier than the last one, because that one was dated by a clock that was
 * wrong: nothing that flowed before it counts. How long nothing was counted is not known. It is taken for a gap
 * as long as the last date was wrong, and of a day at most: a date may be wrong by centuries.
 */
export function countAnew(count: EnergyCount, atMs: number, readings: Readings): EnergyCount {
  const lastAtMs = atMs - Math.min(DAY_MS, count.lastAtMs - atMs);
  const counted = countEnergy({ ...count, lastAtMs, lastFlows: {} }, atMs, readings);
  return { ...counted, intervalsMs: count.intervalsMs };
}

/**
 * Counts the energy between the last point and the next one, whose power is taken to change evenly. Between
 * points that are too far apart, or without a flow that is known at both, it counts nothing but the length of the
 * gap. Where a counted flow is known at one of them only, because it was misread, say, that is a gap as well, and
 * the others are counted. A point that is not later than the last one changes nothing.
 */
export function countEnergy(count: EnergyCount, atMs: number, readings: Readings): EnergyCount {
  return countFlows(count, atMs, flowsOf(powerFiguresOf(readings)));
}

function countFlows(count: EnergyCount, atMs: number, flows: Flows): EnergyCount {
  const { lastFlows, energies, intervalsMs } = count;
  const lengthMs = atMs - count.lastAtMs;
  if (lengthMs <= 0) return count;
  const isJoined = lengthMs <= longestIntervalMs(intervalsMs);
  const isShared = ENERGY_QUANTITIES.some((name) => name in lastFlows && name in flows);
  const isGap =
    !(isJoined && isShared) ||
    ENERGY_QUANTITIES.some((name) => name in energies && name in lastFlows !== name in flows);
  return {
    lastAtMs: atMs,
    lastFlows: flows,
    energies: added(energies, lastFlows, flows, isJoined ? lengthMs : 0),
    gapMs: count.gapMs + (isGap ? lengthMs : 0),
    intervalsMs: [...intervalsMs, lengthMs].slice(-REMEMBERED),
  };
}

/**
 * Counts a day up to its next point. What flowed before its first point is a gap, unless `last` ends the day before.
 *
 * @param last - the count up to the point before; absent where that is not known.
 */
export function countDay(
  last: EnergyCount | undefined,
  startsAtMs: number,
  { atMs, values }: { readonly atMs: number; readonly values: PowerFigures },
): EnergyCount {
  const lastFlows = flowsOf(values);
  const gapMs = Math.max(0, atMs - startsAtMs);
  if (last === undefined)
    return { lastAtMs: atMs, lastFlows, energies: {}, gapMs, intervalsMs: [] };
  const isBefore = last.lastAtMs < startsAtMs && atMs >= startsAtMs;
  const begun = isBefore ? { ...last, lastAtMs: startsAtMs, energies: {}, gapMs: 0 } : last;
  return countFlows(begun, atMs, lastFlows);
}

/** Returns what was counted of a day; nothing where too much of it is missing. */
export function countedOf({ energies, lastFlows, gapMs }: EnergyCount): Energies {
  if (gapMs > MOST_GAP_OF_DAY_MS) return {};
  // A flow that was always 0 has not begun to be counted.
  return { ...Object.fromEntries(Object.keys(lastFlows).map((name) => [name, 0])), ...energies };
}

/** Returns how far apart two points may be while somebody knows what flowed: by the usual one of the last intervals. */
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
  // A sensor may show a little less than nothing; a counter never falls.
  return Object.fromEntries(
    Object.entries(powers).flatMap(([name, watts]) =>
      watts === undefined ? [] : [[name, Math.max(0, watts)]],
    ),
  );
}

/** Adds what flowed between two points; a flow that is known for the first time begins at 0. */
function added(energies: Energies, from: Flows, to: Flows, lengthMs: number): Energies {
  const sums: Partial<Record<EnergyQuantity, number>> = {};
  for (const name of ENERGY_QUANTITIES) {
    // In the dark, the PV power of every device is known to be 0: also of one whose points never say it by day.
    const isBegun = name === 'pvGeneratedKwh' ? Number(to[name]) > 0 : name in to;
    const countedKwh = energies[name] ?? (isBegun ? 0 : undefined);
    const flowedKwh = (meanWatts(name, from, to) * lengthMs) / HOUR_MS / 1000;
    if (countedKwh !== undefined) sums[name] = countedKwh + flowedKwh;
  }
  return sums;
}

/** Returns the mean of a flow between two points; 0 where it is unknown at one of them. */
function meanWatts(name: EnergyQuantity, from: Flows, to: Flows): number {
  const { [name]: before = NaN } = from;
  const { [name]: after = NaN } = to;
  const opposite = OPPOSITES[name];
  const [backBefore = NaN, backAfter = NaN] = opposite ? [from[opposite], to[opposite]] : [];
  const isOneWay = before * backBefore === 0 && after * backAfter === 0;
  const sum = before + after;
  // Where the power changes its sign, each way counts up to where the line between the points crosses 0.
  const share = isOneWay ? sum / (sum + backBefore + backAfter) : 1;
  return (share * sum) / 2 || 0;
}
