import { wasSetBack } from '../base/not-before.ts';
import { takeTurns } from '../base/turns.ts';
import { beginCount, countAnew, countEnergy, type EnergyCount } from '../model/energy-counter.ts';
import { intervalsOf } from '../model/cadence.ts';
import type { Collector, DeviceTarget } from './collector.ts';
import type { DayCurves } from './day-curves/day-curves.ts';
import { curvePointOf } from './day-curves/curve-point.ts';
import type { EnergyCounts } from './energy-counts/energy-counts.ts';
import {
  BEHIND_MS,
  type EvaluatedPoint,
  FIRST_SPAN_MS,
  nextPoints,
} from './energy-counts/next-points.ts';
import { flowPoints } from './energy.ts';
import { type Metric, pointOf } from './metric.ts';

const HOUR_MS = 3_600_000;
/** What was counted stays true while the service is down; it is only not complete. */
const SERVED_FOR_MS = 24 * HOUR_MS;
/** How soon the next page of an outage is asked for. */
const CATCH_UP_MS = 60_000;
/** How many times less often a device is asked whose points say nothing of power. */
const SLOWER = 4;
const LONGEST_TTL_MS = 15 * 60_000;

/** So many points are evaluated in one turn, however many answers arrive together: each takes up to 200 µs. */
const POINTS_PER_TURN = 50;

const LABELS = ['station_id', 'device_id'] as const;

/** The metrics of counted energy; a device of which nothing has been counted has none. */
export const ENERGY_COUNTER_METRICS: readonly Metric<EnergyCount>[] = [
  {
    name: 'solar_device_energy_kwh_total',
    type: 'counter',
    help: "Energy by flow, in kWh, since the count began: derived from the power at the service's own points, whatever is scraped. It differs from the service's totals, by up to 10 % as users report; where points are missing it counts nothing, and solar_device_energy_gap_seconds_total grows.",
    labelNames: [...LABELS, 'flow'],
    read: ({ energies }) =>
      flowPoints(energies).map(({ value, ...point }) => ({ ...point, value: rounded(value) })),
  },
  {
    name: 'solar_device_energy_gap_seconds_total',
    type: 'counter',
    help: 'Time between points of the device that were too far apart to count energy: more than 15 minutes, or 2.5 intervals of a logger that sends less often, and 75 minutes at most.',
    labelNames: LABELS,
    read: (count) => pointOf(isAnyCounted(count) ? count.gapMs / 1000 : undefined),
  },
];

/** What one fetch has found; the counts themselves are kept elsewhere, because they outlive snapshots. */
export interface CountedPoints {
  readonly deviceId: string;
  /** How soon to ask again: more points may follow at once, or none have been asked for yet. */
  readonly askInMs?: number | undefined;
  /** Whether there were points, and nothing can be counted by them so far. */
  readonly isWithoutPower: boolean;
}

const NOTHING: EnergyCount = {
  lastAtMs: 0,
  lastFlows: {},
  energies: {},
  gapMs: 0,
  intervalsMs: [],
};

/**
 * Counts the energy of a device from the points of its time series (interface endpoint 4): all that came since
 * the last one that was counted, so that neither an outage nor a restart loses any. The devices of a fleet are
 * asked about for the first time within a quarter of an hour.
 *
 * @param curves - take up the same points, and those since midnight that the first answer brings as well.
 */
export function energyCountersCollector(
  counts: EnergyCounts,
  curves?: DayCurves,
): Collector<DeviceTarget, CountedPoints, EnergyCount> {
  const turns = takeTurns(POINTS_PER_TURN);
  return {
    name: 'energy-counters',
    lifetime: ({ summaryTtlMs }, counted) => {
      const usualMs = Math.min(LONGEST_TTL_MS, summaryTtlMs);
      const ttlMs = counted?.isWithoutPower === true ? SLOWER * usualMs : usualMs;
      return { ttlMs, servedForMs: ttlMs + SERVED_FOR_MS };
    },
    fetch: async (api, target, { previous, areRequestsLimited }) => {
      const { deviceId } = target.device;
      const known = counts.get(deviceId);
      const isSpread = previous === undefined && !areRequestsLimited;
      const waitMs = isSpread ? counts.firstQuestions.waitMs(deviceId) : 0;
      if (waitMs > 0) return { deviceId, askInMs: waitMs, isWithoutPower: false };
      const serviceNowMs = api.serviceNowMs();
      // Until the service comes to the time of the last point once more, no point would be later.
      const isAhead = known !== undefined && wasSetBack(known.lastAtMs, serviceNowMs);
      const from = isAhead ? undefined : known;
      const wantedFromMs = curves?.wantedFromMs(target, serviceNowMs);
      const points = await nextPoints(api, target, from, { serviceNowMs, wantedFromMs, turns });
      curves?.add(target, points.map(curvePointOf));
      const readings = toBeCounted(points, from, serviceNowMs);
      const newest = readings.at(-1);
      if (isAhead && newest !== undefined)
        counts.replace(deviceId, known, countAnew(known, newest.atMs, newest.readings));
      const count = isAhead ? counts.get(deviceId) : countOf(known, readings);
      if (count !== undefined) counts.keep(deviceId, count);
      const lastAtMs = newest?.atMs ?? serviceNowMs;
      const isBehind = count?.lastAtMs !== known?.lastAtMs && serviceNowMs - lastAtMs > BEHIND_MS;
      return {
        deviceId,
        askInMs: isBehind ? CATCH_UP_MS : undefined,
        isWithoutPower: readings.length > 0 && !isAnyCounted(count ?? NOTHING),
      };
    },
    dueAtMs: ({ askInMs = Infinity }, fetchedAtMs) => fetchedAtMs + askInMs,
    ageing: {
      shownAt: ({ deviceId }) => counts.shown(deviceId) ?? NOTHING,
      // What is not in the file yet may be there at the next scrape.
      changesAtMs: ({ deviceId }, nowMs) => (counts.isShown(deviceId) ? Infinity : nowMs + 1),
    },
    metrics: ENERGY_COUNTER_METRICS,
  };
}

/** Leaves out the points that only a curve wanted: a count goes on from the last one, or begins at the newest. */
function toBeCounted(
  points: readonly EvaluatedPoint[],
  known: EnergyCount | undefined,
  serviceNowMs: number,
): readonly EvaluatedPoint[] {
  if (known !== undefined) return points.filter(({ atMs }) => atMs > known.lastAtMs);
  return points.filter(({ atMs }) => atMs >= serviceNowMs - FIRST_SPAN_MS);
}

/** Counts on; a count that begins has its 0 at the newest point. */
function countOf(
  known: EnergyCount | undefined,
  points: readonly EvaluatedPoint[],
): EnergyCount | undefined {
  if (known === undefined) {
    const newest = points.at(-1);
    return (
      newest && beginCount(newest.atMs, newest.readings, intervalsOf(newest.cadence.measuredAtMs))
    );
  }
  let count = known;
  for (const { atMs, readings } of points) count = countEnergy(count, atMs, readings);
  return count;
}

function isAnyCounted({ energies }: EnergyCount): boolean {
  return Object.keys(energies).length > 0;
}

/** Rounds to mWh, which a sum that grows does not make fall. */
function rounded(energyKwh: number): number {
  return Math.round(energyKwh * 1e6) / 1e6;
}
