import { derivePowerIfReporting } from './derive.ts';
import { type Energies, ENERGY_QUANTITIES, type EnergyQuantity } from './energy.ts';
import type { Readings } from './readings.ts';

const HOUR_MS = 3_600_000;
/** Between points that are further apart than this, nobody knows what flowed. */
const GAP_MS = 15 * 60_000;
/** A logger that sends less often has a gap when it has left out more than one point. */
const INTERVALS_PER_GAP = 2.5;
/** How many intervals are remembered. */
const REMEMBERED = 6;

/** The power of each flow of a device at one time, in W and never negative; an unknown flow is absent. */
type Flows = Readonly<Partial<Record<EnergyQuantity, number>>>;

/** What has been counted of a device, up to the last point; an immutable value. */
export interface EnergyCount {
  /** When the last point was measured, by the service's clock. */
  readonly lastAtMs: number;
  /** The flows at the last point. */
  readonly lastFlows: Flows;
  /** In kWh, since the count began; a flow that was never known is absent. */
  readonly energies: Energies;
  /** How long the source had gaps in which nothing was counted. */
  readonly gapMs: number;
  /** How far apart the last points were, the newest last. */
  readonly intervalsMs: readonly number[];
}

/** Begins to count at a point: nothing that flowed before it counts. */
export function beginCount(atMs: number, readings: Readings): EnergyCount {
  const lastFlows = flowsOf(readings);
  const energies = addedTo({}, zeroOf(lastFlows));
  return { lastAtMs: atMs, lastFlows, energies, gapMs: 0, intervalsMs: [] };
}

/**
 * Counts the energy between the last point and the next one, whose power is taken to change evenly. Between
 * points that are too far apart it counts nothing but the length of the gap; a point that is not later than
 * the last one changes nothing.
 */
export function countEnergy(count: EnergyCount, atMs: number, readings: Readings): EnergyCount {
  const lengthMs = atMs - count.lastAtMs;
  if (lengthMs <= 0) return count;
  const flows = flowsOf(readings);
  const isGap = lengthMs > longestIntervalMs(count.intervalsMs);
  const flowed = isGap ? {} : energiesBetween(count.lastFlows, flows, lengthMs / HOUR_MS);
  return {
    lastAtMs: atMs,
    lastFlows: flows,
    energies: addedTo(addedTo(count.energies, zeroOf(flows)), flowed),
    gapMs: count.gapMs + (isGap ? lengthMs : 0),
    intervalsMs: [...count.intervalsMs, lengthMs].slice(-REMEMBERED),
  };
}

/** Returns how far apart two points may be without a gap: by the median of the last intervals. */
function longestIntervalMs(intervalsMs: readonly number[]): number {
  const ascendingMs = intervalsMs.toSorted((one, other) => one - other);
  const medianMs = ascendingMs[Math.floor((ascendingMs.length - 1) / 2)];
  // Of a single interval nobody can tell whether it is one.
  if (medianMs === undefined || intervalsMs.length < 2) return GAP_MS;
  return Math.max(GAP_MS, INTERVALS_PER_GAP * medianMs);
}

/** The powers that have a sign: what flows one way and the other, never both at once. */
const OPPOSITES: readonly (readonly [EnergyQuantity, EnergyQuantity])[] = [
  ['gridImportKwh', 'gridFeedInKwh'],
  ['batteryDischargedKwh', 'batteryChargedKwh'],
];

/** Returns the energies, in kWh, between two points; those of flows that are known at both. */
function energiesBetween(from: Flows, to: Flows, hours: number): Energies {
  const flowed: Partial<Record<EnergyQuantity, number>> = {};
  for (const name of ENERGY_QUANTITIES) {
    const [before, after] = [from[name], to[name]];
    if (before !== undefined && after !== undefined)
      flowed[name] = (hours * (before + after)) / 2 / 1000;
  }
  for (const [forth, back] of OPPOSITES) {
    const before = net(from[forth], from[back]);
    const after = net(to[forth], to[back]);
    // Where the power changes its sign, each way counts up to where the line between the points crosses 0.
    if (before === undefined || after === undefined || before * after >= 0) continue;
    const crossing = before / (before - after);
    const [first, second] = [crossing * Math.abs(before), (1 - crossing) * Math.abs(after)];
    const [one, other] = before > 0 ? [forth, back] : [back, forth];
    flowed[one] = (hours * first) / 2 / 1000;
    flowed[other] = (hours * second) / 2 / 1000;
  }
  return flowed;
}

function net(forth: number | undefined, back: number | undefined): number | undefined {
  return forth === undefined || back === undefined ? undefined : forth - back;
}

function flowsOf(readings: Readings): Flows {
  const { loadPowerWatts, gridImportPowerWatts, batteryPowerWatts } =
    derivePowerIfReporting(readings);
  const flows: Readonly<Record<EnergyQuantity, number | undefined>> = {
    pvGeneratedKwh: readings.pvPowerWatts,
    consumptionKwh: loadPowerWatts,
    gridImportKwh: gridImportPowerWatts,
    gridFeedInKwh: readings.gridFeedInPowerWatts,
    batteryDischargedKwh: batteryPowerWatts,
    batteryChargedKwh: batteryPowerWatts === undefined ? undefined : 0 - batteryPowerWatts,
  };
  const known = Object.entries(flows).filter(
    (flow): flow is [string, number] => flow[1] !== undefined,
  );
  // A sensor may show a little less than nothing; a counter never falls.
  return Object.fromEntries(known.map(([name, watts]) => [name, Math.max(0, watts)]));
}

/** Returns a 0 for each flow that is known: it is counted from now on. */
function zeroOf(flows: Flows): Energies {
  return Object.fromEntries(Object.keys(flows).map((name) => [name, 0]));
}

function addedTo(energies: Energies, more: Energies): Energies {
  const sums: Partial<Record<EnergyQuantity, number>> = {};
  for (const name of ENERGY_QUANTITIES) {
    const [counted, addedKwh] = [energies[name], more[name]];
    if (counted !== undefined || addedKwh !== undefined)
      sums[name] = (counted ?? 0) + (addedKwh ?? 0);
  }
  return sums;
}
