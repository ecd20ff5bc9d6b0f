import type { Turns } from '../../base/turns.ts';
import type { EnergyCount } from '../../model/energy-counter.ts';
import { greatestOf } from '../../model/extremes.ts';
import {
  learnCadence,
  LEAST_MAX_AGE_MS,
  LONGEST_MAX_AGE_MS,
  type ReadingCadence,
} from '../../model/cadence.ts';
import { type PastReading, type Readings, readingsAt } from '../../model/readings.ts';
import type { CollectorApi, DeviceTarget } from '../collector.ts';

/** Enough points of a slow logger to know how far apart they are. */
export const FIRST_SPAN_MS = 2 * LONGEST_MAX_AGE_MS;
/** Points older than this, while there are newer ones, are those of an outage: more of them may follow. */
export const BEHIND_MS = 3_600_000;
/** Fewer points are the end of what there is, and not of a page. */
const LONG_PAGE = 500;

/** What was known of a device at one of its points. */
export interface EvaluatedPoint {
  readonly atMs: number;
  readonly readings: Readings;
  readonly cadence: ReadingCadence;
}

/**
 * Fetches the points since the last one that was counted, and those before it whose values may still be valid
 * then: one page of them, because a scrape waits for it.
 *
 * @param wantedFromMs - the points from then on are returned as well, if they are earlier.
 * @param turns - let others have a turn between the points.
 */
export async function nextPoints(
  api: CollectorApi,
  { device: { deviceId, model, ratedPowerWatts }, station: { timeZone } }: DeviceTarget,
  known: EnergyCount | undefined,
  {
    serviceNowMs,
    wantedFromMs = Infinity,
    turns,
  }: {
    readonly serviceNowMs: number;
    readonly wantedFromMs: number | undefined;
    readonly turns: Turns;
  },
): Promise<readonly EvaluatedPoint[]> {
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
  const ask = async (): Promise<readonly EvaluatedPoint[]> => {
    const found: EvaluatedPoint[] = [];
    for await (const page of api.fetchPastReadings({
      deviceId,
      timeZone,
      model,
      ratedPowerWatts,
      ...span,
      passedOver,
    })) {
      for (const point of evaluated(page)) {
        found.push(point);
        await turns();
      }
      break;
    }
    return found;
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

/** Evaluates points as live readings are: values that are missing for too long are withdrawn. */
function* evaluated(points: Iterable<PastReading>): Generator<EvaluatedPoint> {
  let previous: ReadingCadence | undefined;
  for (const { atMs, report } of points) {
    const cadence = learnCadence(previous, report, atMs);
    yield { atMs, readings: readingsAt({ ...report, cadence }, atMs, 'auto'), cadence };
    previous = cadence;
  }
}
