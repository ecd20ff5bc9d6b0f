import { describe, expect, test } from 'vitest';
import { ServiceClock } from '../../../src/client/exchange/service-clock.ts';
import { learnCadence, type ReadingCadence } from '../../../src/model/reading-cadence.ts';
import { nextExpiryAtMs, readingsAt } from '../../../src/model/readings.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { type LoggerBehaviour, VirtualLogger } from '../../support/virtual-logger.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MINUTES = 24 * 60;
/** How many readings the logger has had before anybody asks. */
const READ_BEFORE = 40;

interface Case extends Partial<Omit<LoggerBehaviour, 'intervalMs' | 'startsAtMs' | 'diesAtMs'>> {
  readonly minutes: number;
  readonly lagMs: LoggerBehaviour['lagMs'];
  /** How far the dates of the answers are ahead of the true time, by the minutes passed. */
  readonly datesAheadMs?: (passedMinutes: number) => number;
  /** When the dates change, in minutes. */
  readonly datesChangeAt?: readonly number[];
  readonly diesAfterHours?: number;
  readonly isSeries?: boolean;
}

interface Outcome {
  /** After how many minutes the value came, went, came back, and so on. */
  readonly changes: readonly number[];
  /** How old the last reading was, by the true time, when it was withdrawn for good. */
  readonly lastAgeMinutes: number;
}

/**
 * Lets a device be asked once a minute for a day, by a machine whose clock is right, and notes when its
 * value comes and goes. Questions whose answers say nothing new are left out, to be quick.
 */
function runFor24Hours({
  minutes,
  datesAheadMs = () => 0,
  isSeries = false,
  ...rest
}: Case): Outcome {
  const { diesAfterHours = 24, datesChangeAt = [], ...behaviour } = rest;
  const clock = new FakeClock();
  const serviceClock = new ServiceClock(clock);
  const startedAtMs = clock.nowMs();
  const intervalMs = minutes * MINUTE_MS;
  const startsAtMs = startedAtMs - READ_BEFORE * intervalMs - 17 * SECOND_MS;
  const diesAtMs = startedAtMs + diesAfterHours * HOUR_MS;
  const logger = new VirtualLogger({ ...behaviour, intervalMs, startsAtMs, diesAtMs });
  const passed = (atMs: number) => (atMs - startedAtMs) / MINUTE_MS;
  const arrivals = [...logger.arrivalsAtMs(startedAtMs, startedAtMs + 24 * HOUR_MS)].map(passed);
  const asked = [0, ...arrivals, ...datesChangeAt.flatMap((at) => [at, at + 1, at + 2])].map(
    Math.ceil,
  );

  const changes: number[] = [];
  let cadence: ReadingCadence | undefined;
  let lastStampAtMs = 0;
  const questions = [...new Set(asked)].toSorted((one, other) => one - other);
  for (const [index, minute] of questions.entries()) {
    clock.advance(startedAtMs + minute * MINUTE_MS - clock.nowMs());
    serviceClock.observe(clock.nowMs() + datesAheadMs(minute));
    const report = logger.reportAt(clock.nowMs(), serviceClock.aheadMs, isSeries);
    cadence = learnCadence(cadence, report, clock.nowMs());
    const learned = { ...report, cadence };
    lastStampAtMs = report.newestAtMs ?? lastStampAtMs;
    const note = (atMs: number): void => {
      const isShown = readingsAt(learned, atMs, 'auto').pvPowerWatts !== undefined;
      if (isShown !== (changes.length % 2 === 1)) changes.push(passed(atMs));
    };
    note(clock.nowMs());
    const expiryAtMs = nextExpiryAtMs(learned, clock.nowMs(), 'auto');
    if (passed(expiryAtMs) < (questions[index + 1] ?? DAY_MINUTES)) note(expiryAtMs);
  }
  const lastAgeMinutes =
    (changes.at(-1) ?? 0) - passed(lastStampAtMs - (behaviour.stampsAheadMs ?? 0));
  return { changes, lastAgeMinutes };
}

const CADENCES = [1, 5, 10, 15, 30] as const;
const LAGS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12] as const;
/** By how many minutes the dates of the answers, and the times of the readings, are ahead. */
const CLOCKS = [
  { what: 'is right', dates: 0, stamps: 0 },
  { what: 'is 3 minutes ahead', dates: 3, stamps: 3 },
  { what: 'is 3 minutes behind', dates: -3, stamps: -3 },
  { what: 'is 3 minutes ahead, and that of the logger is right', dates: 3, stamps: 0 },
  { what: 'is 3 minutes behind, and that of the logger is right', dates: -3, stamps: 0 },
] as const;

/** Returns how old the last reading of a dead logger may become: it is asked for once a minute, and some margin is left. */
function longestAgeMinutes(minutes: number, lag: number, clockErrorMinutes: number): number {
  const [floor, ceiling] = [15 + clockErrorMinutes, 75 + clockErrorMinutes];
  return Math.max(floor, Math.min(ceiling, lag + 2 * minutes + 3)) + 0.01;
}

describe.each(CLOCKS)('while the clock of the service $what', ({ dates, stamps }) => {
  test.each(CADENCES)(
    'a value every %d minutes does not flap, loses nothing with one reading, and goes when its logger dies',
    (minutes) => {
      const wrong: unknown[] = [];
      for (const lag of LAGS) {
        const { changes, lastAgeMinutes } = runFor24Hours({
          minutes,
          lagMs: lag * MINUTE_MS,
          stampsAheadMs: stamps * MINUTE_MS,
          datesAheadMs: () => dates * MINUTE_MS,
          lost: new Set([READ_BEFORE + Math.floor((8 * 60) / minutes)]),
          diesAfterHours: 20,
        });
        const isSteady = changes.length === 2 && changes[0] === 0;
        if (!isSteady || lastAgeMinutes > longestAgeMinutes(minutes, lag, Math.abs(dates)))
          wrong.push({ lag, changes, lastAgeMinutes });
      }
      expect(wrong).toEqual([]);
    },
  );
});

describe('a date that is half an hour wrong', () => {
  const from12To13 = (minute: number) => minute >= 720 && minute < 780;
  test.each(
    [30, -30].flatMap((wrongMinutes) => [
      { what: 'in every answer', wrongMinutes, isWrong: () => true, datesChangeAt: [] },
      {
        what: 'in one answer',
        wrongMinutes,
        isWrong: (minute: number) => minute === 720,
        datesChangeAt: [720],
      },
      {
        what: 'in the first answer',
        wrongMinutes,
        isWrong: (minute: number) => minute === 0,
        datesChangeAt: [0],
      },
      { what: 'for an hour', wrongMinutes, isWrong: from12To13, datesChangeAt: [720, 780] },
      {
        what: 'in every other answer',
        wrongMinutes,
        isWrong: (minute: number) => minute % 2 === 0,
        datesChangeAt: [],
      },
    ]),
  )(
    '$what, by $wrongMinutes minutes, changes nothing',
    ({ wrongMinutes, isWrong, datesChangeAt }) => {
      const wrong: unknown[] = [];
      for (const minutes of CADENCES)
        for (const lag of [0, 1, 5, 9, 12]) {
          const { changes, lastAgeMinutes } = runFor24Hours({
            minutes,
            lagMs: lag * MINUTE_MS,
            datesAheadMs: (minute) => (isWrong(minute) ? wrongMinutes * MINUTE_MS : 0),
            datesChangeAt,
            diesAfterHours: 20,
          });
          const isSteady = changes.length === 2 && changes[0] === 0;
          if (!isSteady || lastAgeMinutes > longestAgeMinutes(minutes, lag, 0))
            wrong.push({ minutes, lag, changes, lastAgeMinutes });
        }
      expect(wrong).toEqual([]);
    },
  );
});

test.each(CADENCES)(
  'lags that differ from reading to reading do not let a value every %d minutes flap',
  (minutes) => {
    const lagMs = (reading: number) => (1 + ((reading * 7919) % 12)) * MINUTE_MS;
    expect(runFor24Hours({ minutes, lagMs }).changes).toEqual([0]);
  },
);

test.each(CADENCES)('a series with its times shows a cadence of %d minutes at once', (minutes) => {
  const { changes, lastAgeMinutes } = runFor24Hours({
    minutes,
    lagMs: 5 * MINUTE_MS,
    isSeries: true,
    diesAfterHours: 0,
  });
  expect(changes).toHaveLength(2);
  // The lag is not known yet, so the longest counts.
  expect(lastAgeMinutes).toBeLessThanOrEqual(longestAgeMinutes(minutes, 12, 0));
});
