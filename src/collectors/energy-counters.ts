import { beginCount, countEnergy, type EnergyCount } from '../model/energy-counter.ts';
import { greatestOf } from '../model/extremes.ts';
import { LEAST_MAX_AGE_MS, LONGEST_MAX_AGE_MS } from '../model/max-age.ts';
import { intervalsOf, learnCadence, type ReadingCadence } from '../model/reading-cadence.ts';
import { type PastReading, type Readings, readingsAt } from '../model/readings.ts';
import type { Collector, CollectorApi, DeviceTarget } from './collector.ts';
import type { DayCurves } from './day-curves/day-curves.ts';
import { curvePointOf } from './day-curves/curve-point.ts';
import type { EnergyCounts } from './energy-counts/energy-counts.ts';
import { flowPoints } from './energy.ts';
import { type Metric, pointOf } from './metric.ts';

const HOUR_MS = 3_600_000;
/** Enough points of a slow logger to know how far apart they are. */
const FIRST_SPAN_MS = 2 * LONGEST_MAX_AGE_MS;
/** What was counted stays true while the service is down; it is only not complete. */
const SERVED_FOR_MS = 24 * HOUR_MS;
/** Points older than this, while there are newer ones, are those of an outage: more of them may follow. */
const BEHIND_MS = HOUR_MS;
/** Fewer points are the end of what there is, and not of a page. */
const LONG_PAGE = 500;
/** How soon the next page of an outage is asked for. */
const CATCH_UP_MS = 60_000;
/** How many times less often a device is asked whose points say nothing of power. */
const SLOWER = 4;

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
  /** Absent until a point says any power. */
  readonly count: EnergyCount | undefined;
  /** Whether more points may follow at once. */
  readonly isBehind: boolean;
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
 * the last one that was counted, so that neither an outage nor a restart loses any.
 *
 * @param curves - take up the same points, and those since midnight that the first answer brings as well.
 */
export function energyCountersCollector(
  counts: EnergyCounts,
  curves?: DayCurves,
): Collector<DeviceTarget, CountedPoints, EnergyCount> {
  return {
    name: 'energy-counters',
    lifetime: ({ summaryTtlMs }, counted) => {
      const ttlMs = counted?.isWithoutPower === true ? SLOWER * summaryTtlMs : summaryTtlMs;
      return { ttlMs, servedForMs: ttlMs + SERVED_FOR_MS };
    },
    fetch: async (api, target) => {
      const { deviceId } = target.device;
      const known = counts.get(deviceId);
      const serviceNowMs = api.serviceNowMs();
      const wantedFromMs = curves?.wantedFromMs(target, serviceNowMs);
      const points = await nextPoints(api, target, known, serviceNowMs, wantedFromMs);
      curves?.add(target, points.map(curvePointOf));
      const readings = toBeCounted(points, known, serviceNowMs);
      const count = countOf(known, readings);
      const lastAtMs = readings.at(-1)?.atMs ?? serviceNowMs;
      return {
        count: count && (await counts.keep(deviceId, count)),
        isBehind: count?.lastAtMs !== known?.lastAtMs && serviceNowMs - lastAtMs > BEHIND_MS,
        isWithoutPower: readings.length > 0 && !isAnyCounted(count ?? NOTHING),
      };
    },
    dueAtMs: ({ isBehind }, fetchedAtMs) => (isBehind ? fetchedAtMs + CATCH_UP_MS : Infinity),
    ageing: { shownAt: ({ count }) => count ?? NOTHING, changesAtMs: () => Infinity },
    metrics: ENERGY_COUNTER_METRICS,
  };
}

/** What was known of a device at one of its points. */
interface Evaluated {
  readonly atMs: number;
  readonly readings: Readings;
  readonly cadence: ReadingCadence;
}

/**
 * Fetches the points since the last one that was counted, and those before it whose values may still be valid
 * then: one page of them, because a scrape waits for it.
 *
 * @param wantedFromMs - the points from then on are returned as well, if they are earlier.
 */
async function nextPoints(
  api: CollectorApi,
  { device: { deviceId, model }, station: { timeZone } }: DeviceTarget,
  known: EnergyCount | undefined,
  serviceNowMs: number,
  wantedFromMs = Infinity,
): Promise<readonly Evaluated[]> {
  const countedFromMs =
    known === undefined ? serviceNowMs - FIRST_SPAN_MS : known.lastAtMs - heldForMs(known);
  // A point of this very instant counts.
  let span = { fromMs: Math.min(countedFromMs, wantedFromMs), toMs: serviceNowMs + 1 };
  let onPage: readonly number[] = [];
  // A count begins at the newest point; of those before it, only the times are needed.
  const passedOver = (timesAtMs: readonly number[]): number => {
    onPage = timesAtMs;
    const unwanted = timesAtMs.filter((atMs) => atMs < wantedFromMs).length;
    return known === undefined
      ? Math.min(unwanted, Math.max(0, timesAtMs.length - 1))
      : Math.min(unwanted, timesAtMs.filter((atMs) => atMs <= known.lastAtMs).length);
  };
  const ask = async (): Promise<readonly Evaluated[]> => {
    for await (const page of api.fetchPastReadings({
      deviceId,
      timeZone,
      model,
      ...span,
      passedOver,
    }))
      return [...evaluated(page)];
    return [];
  };
  const points = await ask();
  const lastAtMs = onPage.at(-1) ?? Infinity;
  const isPageTooShort = onPage.length >= LONG_PAGE && serviceNowMs - lastAtMs > BEHIND_MS;
  if (known !== undefined || !isPageTooShort) return points;
  // The points of a logger that sends every few seconds fill a page before they are those of now.
  span = { ...span, fromMs: serviceNowMs - (lastAtMs - span.fromMs) / 2 };
  return ask();
}

/** Returns how old values may be that still count beside a point: of a logger that sends often, not very. */
function heldForMs({ intervalsMs }: EnergyCount): number {
  const longestMs = intervalsMs.length < 2 ? Infinity : greatestOf(intervalsMs);
  return Math.min(Math.max(LEAST_MAX_AGE_MS, 30 * longestMs), LONGEST_MAX_AGE_MS);
}

/** Leaves out the points that only a curve wanted: a count goes on from the last one, or begins at the newest. */
function toBeCounted(
  points: readonly Evaluated[],
  known: EnergyCount | undefined,
  serviceNowMs: number,
): readonly Evaluated[] {
  if (known !== undefined) return points.filter(({ atMs }) => atMs > known.lastAtMs);
  return points.filter(({ atMs }) => atMs >= serviceNowMs - FIRST_SPAN_MS);
}

/** Counts on; a count that begins has its 0 at the newest point. */
function countOf(
  known: EnergyCount | undefined,
  points: readonly Evaluated[],
): EnergyCount | undefined {
  if (known === undefined) {
    const newest = points.at(-1);
    return newest && beginCount(newest.atMs, newest.readings, intervalsOf(newest.cadence));
  }
  let count = known;
  for (const { atMs, readings } of points) count = countEnergy(count, atMs, readings);
  return count;
}

/** Evaluates points as live readings are: values that are missing for too long are withdrawn. */
function* evaluated(points: Iterable<PastReading>): Generator<Evaluated> {
  let previous: ReadingCadence | undefined;
  for (const { atMs, report } of points) {
    const cadence = learnCadence(previous, report, atMs);
    yield { atMs, readings: readingsAt({ ...report, cadence }, atMs, 'auto'), cadence };
    previous = cadence;
  }
}

function isAnyCounted({ energies }: EnergyCount): boolean {
  return Object.keys(energies).length > 0;
}

/** Rounds to mWh, which a sum that grows does not make fall. */
function rounded(energyKwh: number): number {
  return Math.round(energyKwh * 1e6) / 1e6;
}
