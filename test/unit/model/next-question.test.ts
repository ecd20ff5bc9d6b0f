import { describe, expect, test } from 'vitest';
import {
  learnCadence,
  maxAgeMs,
  nextQuestionAtMs,
  type ReadingCadence,
} from '../../../src/model/cadence.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../support/durations.ts';

/** When the first question is asked. */
const START_MS = Date.parse('2026-08-24T08:00:00Z');
const SCRAPE_MS = 30 * SECOND_MS;

/** A logger that measures at fixed intervals and reports late, and how it is asked about. */
interface Logger {
  /** How far apart its readings are, in minutes. */
  readonly every: number;
  /** How many minutes a reading takes until the service answers with it; by its number, where that differs. */
  readonly lag: number | ((reading: number) => number);
  /** How far the clock that dates the readings is ahead of the true time. */
  readonly stampsAheadMs?: number;
  /** Numbers of readings that never arrive. */
  readonly lost?: ReadonlySet<number>;
  /** Whether an answer has the last six readings, and not one alone. */
  readonly isSeries: boolean;
  readonly hours?: number;
  /** How many minutes before the first scrape a reading was measured. */
  readonly phase?: number;
}

/** How a day went. */
interface Day {
  readonly questionsAtMs: readonly number[];
  /** Questions that found a new reading. */
  readonly found: number;
  /** How much later than possible, by the next scrape, readings were found; ascending. */
  readonly addedMs: readonly number[];
  /** How often values went from the page. */
  readonly withdrawn: number;
  readonly cadence: ReadingCadence;
}

/** Scrapes for a day, and asks what is due. */
function dayOf({ every, lag, stampsAheadMs = 0, lost, isSeries, ...when }: Logger): Day {
  const { hours = 24, phase = 17 / 60 } = when;
  const intervalMs = Math.round(every * MINUTE_MS);
  const startsAtMs = START_MS - 40 * intervalMs - Math.round(phase * MINUTE_MS);
  const endsAtMs = START_MS + hours * HOUR_MS;
  const measuredAtMs = (reading: number): number => startsAtMs + reading * intervalMs;
  const arrivalAtMs = (reading: number): number =>
    measuredAtMs(reading) + (typeof lag === 'number' ? lag : lag(reading)) * MINUTE_MS;
  const lastBy = (nowMs: number): number => Math.floor((nowMs - startsAtMs) / intervalMs);
  /** When the readings of an answer were measured, by their own clock. */
  const answerAt = (nowMs: number): readonly number[] => {
    const stampsAtMs: number[] = [];
    for (let reading = lastBy(nowMs); reading >= 0; reading -= 1) {
      if (stampsAtMs.length === (isSeries ? 6 : 1)) break;
      if (arrivalAtMs(reading) <= nowMs && lost?.has(reading) !== true)
        stampsAtMs.unshift(measuredAtMs(reading) + stampsAheadMs);
    }
    return stampsAtMs;
  };
  const arrivalsAtMs = Array.from({ length: lastBy(endsAtMs) + 1 }, (_, reading) =>
    arrivalAtMs(reading),
  ).filter((atMs) => atMs > START_MS && atMs < endsAtMs);
  const addedMs: number[] = [];
  const questionsAtMs: number[] = [];
  let cadence: ReadingCadence | undefined;
  let [dueAtMs, lastAtMs, found, withdrawn, next] = [-Infinity, -Infinity, 0, 0, 0];
  let isShown = false;
  for (let nowMs = START_MS; nowMs < endsAtMs; nowMs += SCRAPE_MS) {
    if (nowMs >= dueAtMs) {
      questionsAtMs.push(nowMs);
      const timesAtMs = answerAt(nowMs);
      const newestAtMs = timesAtMs.at(-1);
      if ((newestAtMs ?? -Infinity) > lastAtMs) found += 1;
      lastAtMs = newestAtMs ?? lastAtMs;
      const times = { newestAtMs, ...(isSeries && { timesAtMs }), serviceAheadMs: 0 };
      cadence = learnCadence(cadence, times, nowMs);
      dueAtMs = nextQuestionAtMs(cadence, maxAgeMs('auto', cadence));
      // Lost readings count as well, by the question that would have found them.
      for (let atMs = arrivalsAtMs[next]; atMs !== undefined && atMs <= nowMs;) {
        addedMs.push(nowMs - Math.ceil((atMs - START_MS) / SCRAPE_MS) * SCRAPE_MS - START_MS);
        atMs = arrivalsAtMs[(next += 1)];
      }
    }
    const isShownNow = nowMs - lastAtMs <= maxAgeMs('auto', cadence);
    if (isShown && !isShownNow) withdrawn += 1;
    isShown = isShownNow;
  }
  if (cadence === undefined) throw new Error('no question');
  return { questionsAtMs, found, addedMs: addedMs.toSorted((a, b) => a - b), withdrawn, cadence };
}

/** Returns the middle one of ascending numbers. */
function medianOf(ascending: readonly number[]): number {
  return ascending[Math.floor(ascending.length / 2)] ?? Infinity;
}

/** What a day has too much of. */
function excessOf(day: Day): readonly string[] {
  const { questionsAtMs, found, addedMs, withdrawn } = day;
  const ratio = questionsAtMs.length / found;
  const medianMs = medianOf(addedMs);
  return [
    ...(ratio > 1.15 ? [`${ratio} requests a reading`] : []),
    ...(medianMs > MINUTE_MS ? [`${medianMs} ms later`] : []),
    ...(withdrawn > 0 ? [`withdrawn ${withdrawn} times`] : []),
  ];
}

/** A number from 0 to 1 that looks random, by the number of a reading. */
function scatter(reading: number): number {
  const value = Math.sin(reading * 12.9898) * 43_758.5453;
  return value - Math.floor(value);
}

const LAGS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12] as const;

describe.each([true, false])('a day of a device, answered with a series: %s', (isSeries) => {
  test.each([1, 5, 10, 15, 30])(
    'costs hardly more than one request a reading every %d minutes',
    (minutes) => {
      const wrong = LAGS.flatMap((lag) => {
        const day = dayOf({ every: minutes, lag, isSeries });
        const excess = excessOf(day);
        // Late questions do not make the lag longer.
        const lagMs = day.cadence.lagMs ?? Infinity;
        const isLagTrue = lagMs >= lag * MINUTE_MS && lagMs <= (lag + 2) * MINUTE_MS;
        return excess.length === 0 && isLagTrue ? [] : [{ lag, excess, lagMs }];
      });
      expect(wrong).toEqual([]);
    },
  );

  test('costs no more every 30 minutes, whenever it is first asked', () => {
    const wrong = LAGS.flatMap((lag) =>
      [1, 4, 7, 10, 13, 16, 19, 22, 25, 28].flatMap((phase) => {
        const excess = excessOf(dayOf({ every: 30, lag, phase, isSeries }));
        return excess.length === 0 ? [] : [{ lag, phase, excess }];
      }),
    );
    expect(wrong).toEqual([]);
  });

  test.each<[what: string, lag: (reading: number) => number]>([
    ['scatter by 20 s', (reading) => 4.7 + scatter(reading) / 1.5],
    ['are 5 minutes longer once in 40', (reading) => (reading % 40 === 7 ? 9 : 4)],
    ['grow by 5 minutes', (reading) => (reading < 150 ? 4 : 9)],
    ['shrink by 5 minutes', (reading) => (reading < 150 ? 9 : 4)],
    ['drift by a minute in an hour', (reading) => 2 + reading / 60],
  ])('keeps to that while lags %s', (_what, lag) => {
    expect(excessOf(dayOf({ every: 5, lag, isSeries }))).toEqual([]);
  });

  test('keeps to that every 301 seconds, one in thirty readings lost', () => {
    const lost = new Set(Array.from({ length: 20 }, (_, index) => 11 + 30 * index));
    expect(excessOf(dayOf({ every: 301 / 60, lag: 4, lost, isSeries }))).toEqual([]);
  });

  test('never withdraws a value while readings come, however their lags jump', () => {
    const withdrawn = [2, 5, 10, 15, 20].flatMap((every) =>
      [1, 2, 3].map((from) => {
        const lag = (reading: number) => from + (12 - from) * scatter(reading);
        return dayOf({ every, lag, isSeries }).withdrawn;
      }),
    );
    expect(withdrawn).toEqual(withdrawn.map(() => 0));
  });

  test('asks a silent device every twelve minutes, and finds it again', () => {
    const lost = new Set(Array.from({ length: 120 }, (_, index) => 136 + index));
    const day = dayOf({ every: 5, lag: 4, lost, isSeries });
    const silentFromMs = START_MS + 11 * HOUR_MS;
    const silent = day.questionsAtMs.filter(
      (atMs) => atMs >= silentFromMs && atMs < silentFromMs + 5 * HOUR_MS,
    );
    expect(silent.length).toBeLessThanOrEqual(26);
    expect(day.withdrawn).toBe(1);
    expect(day.addedMs.at(-1)).toBeLessThanOrEqual(13 * MINUTE_MS);
    expect(medianOf(day.addedMs)).toBeLessThanOrEqual(MINUTE_MS);
  });
});

describe('the next question', () => {
  const UNKNOWN = { serviceAheadMs: 0 };
  const afterMisses = (misses: number): ReadingCadence => {
    let cadence = learnCadence(undefined, UNKNOWN, START_MS);
    for (let miss = 0; miss < misses; miss += 1) cadence = learnCadence(cadence, UNKNOWN, START_MS);
    return cadence;
  };

  test('about a device that has never said anything is asked later each time', () => {
    const waits = [0, 1, 2, 3, 4, 400].map(
      (misses) => nextQuestionAtMs(afterMisses(misses), 30 * MINUTE_MS) - START_MS,
    );
    expect(waits).toEqual([1, 2, 4, 8, 16, 16].map((minutes) => minutes * MINUTE_MS));
  });

  test('is never so late that an answer would be withdrawn', () => {
    expect(nextQuestionAtMs(afterMisses(9), 6 * MINUTE_MS) - START_MS).toBe(5 * MINUTE_MS);
    expect(nextQuestionAtMs(afterMisses(9), MINUTE_MS) - START_MS).toBe(45 * SECOND_MS);
  });

  test('does not follow a reading every ten seconds', () => {
    const { questionsAtMs } = dayOf({ every: 1 / 6, lag: 1 / 3, isSeries: true, hours: 2 });
    expect(questionsAtMs.length).toBeLessThanOrEqual(140);
  });

  test('comes sooner once a device has readings more often than it had', () => {
    // Every other reading is lost for half a day, which looks like a reading every ten minutes.
    const lost = new Set(Array.from({ length: 100 }, (_, index) => 2 * index + 1));
    const intervalAfter = (hours: number) =>
      dayOf({ every: 5, lag: 2, lost, isSeries: false, hours }).cadence.intervalMs;
    expect(intervalAfter(12)).toBe(10 * MINUTE_MS);
    expect(intervalAfter(24)).toBe(5 * MINUTE_MS);
  });

  test('between two readings forgets the interval when it finds a third', () => {
    let cadence: ReadingCadence | undefined;
    const hear = (askedMinutes: number, measuredMinutes: number) => {
      const newestAtMs = START_MS + measuredMinutes * MINUTE_MS;
      const times = { newestAtMs, serviceAheadMs: 0 };
      return (cadence = learnCadence(cadence, times, START_MS + askedMinutes * MINUTE_MS));
    };
    for (const minutes of [0, 10, 20, 30]) hear(minutes + 2, minutes);
    expect(hear(37, 35).measuredAtMs).toHaveLength(2);
    hear(42, 40);
    expect(cadence?.intervalMs).toBe(5 * MINUTE_MS);
  });

  test('follows clocks that are wrong', () => {
    for (const ahead of [-90, -3, 3, 90]) {
      const stampsAheadMs = ahead * MINUTE_MS;
      expect(excessOf(dayOf({ every: 5, lag: 4, stampsAheadMs, isSeries: true }))).toEqual([]);
    }
  });
});
