import { describe, expect, test } from 'vitest';
import { maxAgeMs } from '../../../src/model/max-age.ts';
import { learnCadence, type ReadingCadence } from '../../../src/model/reading-cadence.ts';
import { MINUTE_MS } from '../../support/durations.ts';

const START_MS = Date.parse('2026-08-24T08:00:00Z');

/** An answer: when it was seen, and when its newest reading was measured, in minutes. */
type Answer = readonly [seen: number, measured: number | undefined, serviceAhead?: number];

/** Answers of a row, such as `0/- 5/3/30`: seen, measured or not, and how far the service is ahead. */
function answersOf(row: string): readonly Answer[] {
  return row.split(' ').map((answer) => {
    const [seen = '', measured = '-', ahead = '0'] = answer.split('/');
    return [Number(seen), measured === '-' ? undefined : Number(measured), Number(ahead)];
  });
}

function learned(answers: readonly Answer[], earlier?: readonly number[]): ReadingCadence {
  const at = (minutes: number) => START_MS + minutes * MINUTE_MS;
  let cadence: ReadingCadence | undefined;
  for (const [seen, measured, serviceAhead = 0] of answers)
    cadence = learnCadence(
      cadence,
      {
        newestAtMs: measured === undefined ? undefined : at(measured),
        timesAtMs: earlier?.map(at),
        serviceAheadMs: serviceAhead * MINUTE_MS,
      },
      at(seen),
    );
  if (cadence === undefined) throw new Error('no answer');
  return cadence;
}

function minutes(lengthMs: number | undefined): number | undefined {
  return lengthMs === undefined ? undefined : lengthMs / MINUTE_MS;
}

interface Row {
  readonly when: string;
  readonly answers: string;
  readonly earlier?: readonly number[];
  readonly interval: number | undefined;
  readonly lag: number | undefined;
}

describe('interval and lag', () => {
  test.each<Row>([
    { when: 'there is no reading', answers: '0/-', interval: undefined, lag: undefined },
    {
      when: 'one reading was found, which may have been there for long',
      answers: '0/-4 1/-4',
      interval: undefined,
      lag: undefined,
    },
    {
      when: 'a reading came while we were asking',
      answers: '0/-4 4/1',
      interval: undefined,
      lag: 3,
    },
    {
      when: 'two readings came while we were asking',
      answers: '0/-4 4/1 9/6',
      interval: 5,
      lag: 3,
    },
    {
      when: 'the last reading of a series has no values',
      answers: '0/-9',
      earlier: [-14, -9, -4],
      interval: 5,
      lag: undefined,
    },
    {
      when: 'a series shows the readings before',
      answers: '0/-4',
      earlier: [-34, -24, -14, -4],
      interval: 10,
      lag: undefined,
    },
    { when: 'a reading was lost', answers: '0/-2 5/3 10/8 20/18 25/23', interval: 5, lag: 2 },
    {
      when: 'a reading was seen late once',
      answers: '0/-2 5/3 10/8 35/13 36/34',
      interval: 5,
      lag: 2,
    },
    { when: 'an answer had no readings', answers: '0/-2 5/3 6/- 10/8', interval: 5, lag: 2 },
    {
      when: 'the clock of the device was set back',
      answers: '0/118 1/-2 5/3 10/8',
      interval: 5,
      lag: 2,
    },
    {
      when: 'the service and its readings are ahead of us',
      answers: '0/118/120 5/123/120 10/128/120',
      interval: 5,
      lag: 2,
    },
    {
      when: 'the dates of the answers are wrong, and the readings are not',
      answers: '0/-2/30 5/3/30 10/8/30',
      interval: 5,
      lag: 2,
    },
    {
      when: 'the readings are from the future by every clock',
      answers: '0/30/0 5/35/0 10/40/10',
      interval: 5,
      lag: 0,
    },
  ])('are $interval and $lag minutes when $when', ({ answers, earlier, interval, lag }) => {
    const { rhythm } = learned(answersOf(answers), earlier);
    expect([minutes(rhythm.intervalMs), minutes(rhythm.lagMs)]).toEqual([interval, lag]);
  });

  test('follow a logger whose plan changed, after three readings', () => {
    const every5: Answer[] = [0, 5, 10, 15, 20, 25].map((at) => [at, at - 1]);
    const every30: Answer[] = [55, 85, 115].map((at) => [at, at - 1]);
    expect(minutes(learned([...every5, ...every30]).rhythm.intervalMs)).toBe(30);
  });

  test('forget the delays by a clock that was set', () => {
    const before: Answer[] = [
      [0, 28, 30],
      [5, 33, 30],
    ];
    // Our clock jumps ahead by the half hour that it was behind.
    expect(learned([...before, [36, 33, 0]]).rhythm.lagMs).toBeUndefined();
    expect(minutes(learned([...before, [36, 33, 0], [40, 38, 0]]).rhythm.lagMs)).toBe(2);
  });
});

describe('the clock that dates the readings', () => {
  test.each<{ when: string; answers: string; ahead: number }>([
    { when: 'nothing is dated', answers: '0/-/7', ahead: 7 },
    { when: 'both clocks agree', answers: '0/-5', ahead: 0 },
    { when: 'only the dates are ahead', answers: '0/-5/30', ahead: 0 },
    { when: 'only the dates are behind', answers: '0/-5/-30', ahead: 0 },
    { when: 'dates and readings are ahead', answers: '0/25/30', ahead: 30 },
    { when: 'dates and readings are behind', answers: '0/-125/-120', ahead: -120 },
    { when: 'readings are ahead of everything', answers: '0/90/30', ahead: 30 },
    { when: 'time passes without a reading', answers: '0/25/30 60/25/30', ahead: 30 },
    { when: 'the dates begin to be wrong', answers: '0/-5/0 1/-5/30', ahead: 0 },
    { when: 'our own clock was set back', answers: '0/-5/0 -29/-5/30', ahead: 30 },
  ])('is $ahead minutes ahead when $when', ({ answers, ahead }) => {
    expect(minutes(learned(answersOf(answers)).aheadMs)).toBe(ahead);
  });
});

describe('the maximum age', () => {
  const every = (interval: number, lag: number): ReadingCadence =>
    learned(
      Array.from({ length: 8 }, (_, index) => [
        (index + 1) * interval,
        (index + 1) * interval - lag,
      ]),
    );

  test.each([
    { interval: 1, lag: 0, maxAge: 15 },
    { interval: 5, lag: 1, maxAge: 15 },
    { interval: 5, lag: 9, maxAge: 21 },
    { interval: 5, lag: 12, maxAge: 24 },
    { interval: 15, lag: 3, maxAge: 35 },
    { interval: 30, lag: 12, maxAge: 74 },
    { interval: 60, lag: 12, maxAge: 75 },
    { interval: 5, lag: 200, maxAge: 75 },
  ])('is $maxAge minutes for a reading every $interval minutes that takes $lag', (row) => {
    expect(minutes(maxAgeMs('auto', every(row.interval, row.lag)))).toBe(row.maxAge);
  });

  test.each([
    { when: 'the last reading came half an hour after the one before', gap: 30, maxAge: 64 },
    { when: 'one reading was lost', gap: 10, maxAge: 24 },
    { when: 'the device was silent for longer than any logger', gap: 34, maxAge: 15 },
  ])('is $maxAge minutes for a reading every 5 minutes after $when', ({ gap, maxAge }) => {
    const at = [0, 5, 10, 15, 20, 20 + gap];
    const cadence = learned(at.map((measured) => [measured + 2, measured]));
    expect(minutes(maxAgeMs('auto', cadence))).toBe(maxAge);
    const next = learned([...at, 25 + gap].map((measured) => [measured + 2, measured]));
    expect(minutes(maxAgeMs('auto', next))).toBe(15);
  });

  test('is as configured', () => {
    expect(maxAgeMs(1234, every(5, 9))).toBe(1234);
    expect(maxAgeMs(1234, undefined)).toBe(1234);
  });

  test.each<{ when: string; cadence: ReadingCadence | undefined; maxAge: number }>([
    { when: 'there was no answer', cadence: undefined, maxAge: 15 },
    { when: 'readings have no times', cadence: learned([[0, undefined]]), maxAge: 15 },
    { when: 'an old reading was found', cadence: learned([[0, -40]]), maxAge: 44 },
    { when: 'a young reading was found', cadence: learned([[0, -4]]), maxAge: 36 },
    {
      when: 'a series shows the interval',
      cadence: learned([[0, -8]], [-18, -13, -8]),
      maxAge: 20,
    },
    {
      when: 'one interval is known, which may have lost a reading',
      cadence: learned([[0, -8]], [-28, -8]),
      maxAge: 40,
    },
    { when: 'one short interval is known', cadence: learned([[0, -8]], [-13, -8]), maxAge: 20 },
    {
      when: 'the family has readings every 5 minutes, 9 minutes late',
      cadence: {
        ...learned([[0, -40]]),
        assumed: { intervalMs: 5 * MINUTE_MS, lagMs: 9 * MINUTE_MS },
      },
      maxAge: 21,
    },
  ])('is $maxAge minutes at first, when $when', ({ cadence, maxAge }) => {
    expect(minutes(maxAgeMs('auto', cadence))).toBe(maxAge);
  });
});
