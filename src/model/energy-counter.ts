import { intervalsOf, LEAST_MAX_AGE_MS, LONGEST_MAX_AGE_MS, usualInterval } from './cadence.ts';
import {
  byQuantity,
  type ByQuantity,
  type Energies,
  ENERGY_QUANTITIES,
  type EnergyQuantity,
} from './energy.ts';
import {
  type BatterySign,
  misreadFigures,
  type PowerFigure,
  type PowerFigures,
  powerFiguresOf,
  type Readings,
} from './readings.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** A logger that sends less often has a gap when it has left out more than one point. */
const INTERVALS_PER_GAP = 2.5;
/** How many intervals are remembered. */
const REMEMBERED = 6;
/** 2 % of a period may be missing: less than the totals of the service and a count differ anyway. */
const MOST_MISSING_RATIO = 1 / 48;

/** The power of each flow of a device at one time, in W and never negative. */
export type Flows = ByQuantity;

/** When the day of an instant began, the day before and its month, by the calendar of a station. */
export type Midnights = readonly [todayAtMs: number, yesterdayAtMs: number, monthAtMs: number];

/** What had been counted at one time. */
interface Counted {
  /** By the service's clock: of a count, when its last point was measured. */
  readonly lastAtMs: number;
  /** In kWh, since the count began; a flow that was never known is absent. */
  readonly energies: Energies;
  /** For how long each flow was known, and so counted. */
  readonly knownMs: ByQuantity;
}

/** What has been counted of a device, up to the last point; an immutable value. */
export interface EnergyCount extends Counted {
  readonly lastFlows: Flows;
  /** How long the source had gaps in which nothing was counted. */
  readonly gapMs: number;
  /** How far apart the last points were, the newest last. */
  readonly intervalsMs: readonly number[];
  /**
   * What had been counted at the midnights of the last point, as far as points on both sides are known; before the
   * count began, that is less than 0. Absent where an older program has counted.
   */
  readonly marks?: readonly Counted[] | undefined;
  /** What the device had shown of a battery; kept here, because it outlives the program as well. */
  readonly battery?: BatterySign | undefined;
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
  return { lastAtMs: atMs, lastFlows, energies, gapMs: 0, intervalsMs, knownMs: {}, marks: [] };
}

/**
 * Goes on with a count where points end that were counted alone: of these, it takes over only what was counted up to
 * each midnight. Where the count ends later than they do, its last point was dated by a clock that was wrong, and how
 * long nothing was counted is not known. It is taken for a gap as long as that date was wrong, and of a day at most: a
 * date may be wrong by centuries.
 *
 * @param before - the count; it begins at 0 when left out.
 */
export function goOn(
  alone: EnergyCount,
  before: EnergyCount = { ...alone, energies: {}, knownMs: {}, gapMs: 0 },
): EnergyCount {
  const { energies, knownMs, gapMs, lastAtMs } = before;
  return {
    ...alone,
    energies: byQuantity((name) => energies[name] ?? (name in alone.energies ? 0 : undefined)),
    knownMs,
    gapMs: gapMs + Math.min(DAY_MS, Math.max(0, lastAtMs - alone.lastAtMs)),
    marks: alone.marks?.map((mark) =>
      countedBy(mark.lastAtMs, (of) => of(mark) + of(before) - of(alone)),
    ),
  };
}

/**
 * Counts the energy between the last point and the next one, whose power is taken to change evenly. Between
 * points that are too far apart, or without a flow that is known at both, it counts nothing but the length of the
 * gap. Where a counted flow is known at one of them only, or one was misread, that is a gap as well, and the others
 * are counted. A point that is not later than the last one changes nothing.
 *
 * @param midnights - of the point; absent where nobody asks for the energy of days and months.
 */
export function countEnergy(
  count: EnergyCount,
  atMs: number,
  readings: Readings,
  midnights?: Midnights,
): EnergyCount {
  const { lastFlows, energies, intervalsMs } = count;
  const flows = flowsOf(powerFiguresOf(readings));
  const lengthMs = atMs - count.lastAtMs;
  if (lengthMs <= 0) return count;
  const isJoined = lengthMs <= longestIntervalMs(intervalsMs);
  const isKnown = (name: EnergyQuantity) => isJoined && name in lastFlows && name in flows;
  const isMisread = misreadFigures(readings).some((name) => FLOWING.has(name));
  const isGap =
    isMisread ||
    !ENERGY_QUANTITIES.some(isKnown) ||
    ENERGY_QUANTITIES.some((name) => name in energies && name in lastFlows !== name in flows);
  const counted = {
    lastAtMs: atMs,
    energies: added(energies, lastFlows, flows, isJoined ? lengthMs : 0),
    knownMs: byQuantity((name) => (count.knownMs[name] ?? 0) + (isKnown(name) ? lengthMs : 0)),
  };
  return {
    ...counted,
    lastFlows: flows,
    gapMs: count.gapMs + (isGap ? lengthMs : 0),
    intervalsMs: [...intervalsMs, lengthMs].slice(-REMEMBERED),
    marks: midnights === undefined ? count.marks : marksAt(midnights, count, counted),
  };
}

/** Returns what had been counted at each midnight: at one between two points, on the line from one to the other. */
function marksAt(midnights: Midnights, before: EnergyCount, after: Counted): EnergyCount['marks'] {
  if (midnights[0] <= before.lastAtMs) return before.marks;
  return midnights.flatMap((lastAtMs) => {
    const known = before.marks?.find((mark) => mark.lastAtMs === lastAtMs);
    if (lastAtMs <= before.lastAtMs) return known ?? [];
    const share = (lastAtMs - before.lastAtMs) / (after.lastAtMs - before.lastAtMs);
    return countedBy(lastAtMs, (of) => of(before) + share * (of(after) - of(before)));
  });
}

/** Computes both sums of each flow in the same way; `of` returns the sum of a count, where a missing one is 0. */
function countedBy(
  lastAtMs: number,
  value: (of: (count: Pick<Counted, 'energies' | 'knownMs'>) => number) => number,
): Counted {
  return {
    lastAtMs,
    energies: byQuantity((name) => value(({ energies }) => energies[name] ?? 0)),
    knownMs: byQuantity((name) => value(({ knownMs }) => knownMs[name] ?? 0)),
  };
}

/** Returns what was counted since each midnight, and of the day before. */
export function countedSince(
  count: EnergyCount,
  midnights: Midnights,
): Readonly<Record<'today' | 'yesterday' | 'month', Energies>> {
  const [today, yesterday, month] = midnights.map((atMs) =>
    count.marks?.find(({ lastAtMs }) => lastAtMs === atMs),
  );
  return {
    today: energiesBetween(today, count),
    yesterday: energiesBetween(yesterday, today),
    month: energiesBetween(month, count),
  };
}

/** Returns what was counted from one time to another; a flow is absent that was not counted for too much of it. */
function energiesBetween(from: Counted | undefined, to: Counted | undefined): Energies {
  if (from === undefined || to === undefined) return {};
  const lengthMs = to.lastAtMs - from.lastAtMs;
  const leastMs = Math.max(1, lengthMs - Math.max(DAY_MS, lengthMs) * MOST_MISSING_RATIO);
  return byQuantity((name) => {
    const knownMs = (to.knownMs[name] ?? 0) - (from.knownMs[name] ?? 0);
    const energyKwh = (to.energies[name] ?? 0) - (from.energies[name] ?? 0);
    return knownMs >= leastMs ? Math.max(0, energyKwh) : undefined;
  });
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

/** The figure whose energy a quantity is. */
export const FIGURE_OF: Readonly<Record<EnergyQuantity, PowerFigure>> = {
  pvGeneratedKwh: 'pvPowerWatts',
  consumptionKwh: 'loadPowerWatts',
  gridImportKwh: 'gridImportPowerWatts',
  gridFeedInKwh: 'gridFeedInPowerWatts',
  batteryChargedKwh: 'batteryPowerWatts',
  batteryDischargedKwh: 'batteryPowerWatts',
};

/** The figures that {@link flowsOf} is made of. */
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
  // A sensor may show a little less than nothing; a counter never falls.
  return byQuantity((name) => powers[name] && Math.max(0, powers[name]));
}

/** Adds what flowed between two points; a flow that is known for the first time begins at 0. */
function added(energies: Energies, from: Flows, to: Flows, lengthMs: number): Energies {
  return byQuantity((name) => {
    // In the dark, the PV power of every device is known to be 0: also of one whose points never say it by day.
    const isBegun = name === 'pvGeneratedKwh' ? Number(to[name]) > 0 : name in to;
    if (!(isBegun || name in energies)) return undefined;
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
  // Where the power changes its sign, each way counts up to where the line between the points crosses 0.
  const share = isOneWay ? sum / (sum + backBefore + backAfter) : 1;
  return (share * sum) / 2 || 0;
}
