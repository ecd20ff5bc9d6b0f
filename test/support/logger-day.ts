import { maxAgeMs } from '../../src/model/max-age.ts';
import { nextQuestionAtMs } from '../../src/model/next-question.ts';
import { learnCadence, type ReadingCadence } from '../../src/model/reading-cadence.ts';
import { HOUR_MS, SECOND_MS } from './durations.ts';
import { type LoggerBehaviour, VirtualLogger } from './virtual-logger.ts';

/** When the first question is asked. */
export const START_MS = Date.parse('2026-08-24T08:00:00Z');

/** How a day went. */
export interface Day {
  readonly requests: number;
  /** Questions that found a new reading. */
  readonly found: number;
  /** How much later than possible, by the next scrape, readings were found; ascending. */
  readonly addedMs: readonly number[];
  /** How often values went from the page. */
  readonly withdrawn: number;
  readonly cadence: ReadingCadence;
  readonly questionsAtMs: readonly number[];
}

/** A logger, and who asks about it. */
export interface Case extends Omit<LoggerBehaviour, 'startsAtMs'> {
  readonly isSeries: boolean;
  readonly hours?: number;
  /** How long before the first scrape a reading was measured. */
  readonly phaseMs?: number;
  readonly scrapeMs?: number;
}

/** Scrapes for a day, every 30 seconds or so often, what is asked when it is due. */
export function dayOf({
  isSeries,
  hours = 24,
  phaseMs = 17 * SECOND_MS,
  scrapeMs = 30 * SECOND_MS,
  ...behaviour
}: Case): Day {
  const startsAtMs = START_MS - 40 * behaviour.intervalMs - phaseMs;
  const logger = new VirtualLogger({ ...behaviour, startsAtMs });
  const arrivals = [...logger.arrivalsAtMs(START_MS + 1, START_MS + hours * HOUR_MS)];
  const addedMs: number[] = [];
  const questionsAtMs: number[] = [];
  let cadence: ReadingCadence | undefined;
  let dueAtMs = -Infinity;
  let [lastAtMs, found, withdrawn, next] = [-Infinity, 0, 0, 0];
  let isShown = false;
  for (let nowMs = START_MS; nowMs < START_MS + hours * HOUR_MS; nowMs += scrapeMs) {
    if (nowMs >= dueAtMs) {
      questionsAtMs.push(nowMs);
      const report = logger.reportAt(nowMs, 0, isSeries);
      if ((report.newestAtMs ?? -Infinity) > lastAtMs) found += 1;
      lastAtMs = report.newestAtMs ?? lastAtMs;
      cadence = learnCadence(cadence, report, nowMs);
      dueAtMs = nextQuestionAtMs(cadence, maxAgeMs('auto', cadence));
      // Lost readings count as well, by the question that would have found them.
      for (let atMs = arrivals[next]; atMs !== undefined && atMs <= nowMs; atMs = arrivals[next]) {
        addedMs.push(nowMs - Math.ceil((atMs - START_MS) / scrapeMs) * scrapeMs - START_MS);
        next += 1;
      }
    }
    const isShownNow = nowMs - lastAtMs <= maxAgeMs('auto', cadence);
    if (isShown && !isShownNow) withdrawn += 1;
    isShown = isShownNow;
  }
  if (cadence === undefined) throw new Error('no question');
  const ascendingMs = addedMs.toSorted((one, other) => one - other);
  const requests = questionsAtMs.length;
  return { requests, found, addedMs: ascendingMs, withdrawn, cadence, questionsAtMs };
}

/** Returns the middle one of ascending numbers. */
export function medianOf(ascending: readonly number[]): number {
  return ascending[Math.floor(ascending.length / 2)] ?? Infinity;
}
