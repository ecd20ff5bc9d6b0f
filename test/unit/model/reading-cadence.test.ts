import { describe, expect, test } from 'vitest';
import { learnCadence, maxAgeMs, type ReadingCadence } from '../../../src/model/cadence.ts';
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

type Interval = number | undefined;

describe('interval and lag', () => {
  test.each<[Interval, lag: Interval, when: string, answers: string, earlier?: readonly number[]]>([
    [undefined, undefined, 'there is no reading', '0/-'],
    [
      undefined,
      undefined,
      'one reading was found, which may have been there for long',
      '0/-4 1/-4',
    ],
    [undefined, 3, 'a reading came while we were asking', '0/-4 4/1'],
    [5, 3, 'two readings came while we were asking', '0/-4 4/1 9/6'],
    [5, undefined, 'the last reading of a series has no values', '0/-9', [-14, -9, -4]],
    [10, undefined, 'a series shows the readings before', '0/-4', [-34, -24, -14, -4]],
    [5, 2, 'a reading was lost', '0/-2 5/3 10/8 20/18 25/23'],
    [5, 2, 'a reading was seen late once', '0/-2 5/3 10/8 35/13 36/34'],
    [5, 2, 'an answer had no readings', '0/-2 5/3 6/- 10/8'],
    [5, 2, 'the clock of the device was set back', '0/118 1/-2 5/3 10/8'],
    [5, 2, 'the service and its readings are ahead of us', '0/118/120 5/123/120 10/128/120'],
    [5, 2, 'the dates of the answers alone are wrong', '0/-2/30 5/3/30 10/8/30'],
    [5, 0, 'the readings are from the future by every clock', '0/30/0 5/35/0 10/40/10'],
    // Our clock jumps ahead by the half hour that it was behind.
    [undefined, 2, 'our clock was set', '0/28/30 5/33/30 36/33'],
    [5, 2, 'our clock was set, and a reading came', '0/28/30 5/33/30 36/33 40/38'],
    // The plan of the logger changed, three readings ago.
    [30, 1, 'readings are rarer now', '0/-1 5/4 10/9 15/14 20/19 25/24 55/54 85/84 115/114'],
  ])('are %s and %s minutes when %s', (interval, lag, _when, answers, earlier) => {
    const { intervalMs, lagMs } = learned(answersOf(answers), earlier);
    expect([minutes(intervalMs), minutes(lagMs)]).toEqual([interval, lag]);
  });
});

describe('the clock that dates the readings', () => {
  test.each([
    [7, 'nothing is dated', '0/-/7'],
    [0, 'both clocks agree', '0/-5'],
    [0, 'only the dates are ahead', '0/-5/30'],
    [0, 'only the dates are behind', '0/-5/-30'],
    [30, 'dates and readings are ahead', '0/25/30'],
    [-120, 'dates and readings are behind', '0/-125/-120'],
    [30, 'readings are ahead of everything', '0/90/30'],
    [30, 'time passes without a reading', '0/25/30 60/25/30'],
    [0, 'the dates begin to be wrong', '0/-5/0 1/-5/30'],
    [30, 'our own clock was set back', '0/-5/0 -29/-5/30'],
  ])('is %d minutes ahead when %s', (ahead, _when, answers) => {
    expect(minutes(learned(answersOf(answers)).aheadMs)).toBe(ahead);
  });
});

describe('the maximum age', () => {
  const every = (interval: number, lag: number): ReadingCadence => {
    const seen = Array.from({ length: 8 }, (_, index) => (index + 1) * interval);
    return learned(seen.map((at) => [at, at - lag]));
  };

  test.each([
    [1, 0, 15],
    [5, 1, 15],
    [5, 9, 21],
    [5, 12, 24],
    [15, 3, 35],
    [30, 12, 74],
    [60, 12, 75],
    [5, 200, 75],
  ])('of a reading every %d minutes that takes %d is %d', (interval, lag, maxAge) => {
    expect(minutes(maxAgeMs('auto', every(interval, lag)))).toBe(maxAge);
  });

  test.each([
    [30, 64, 'the last reading came half an hour after the one before'],
    [10, 24, 'one reading was lost'],
    [34, 15, 'the device was silent for longer than any logger'],
  ])('of a reading every 5 minutes after a gap of %d is %d: %s', (gap, maxAge) => {
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

  test.each<[maxAge: number, when: string, cadence: ReadingCadence | undefined]>([
    [15, 'there was no answer', undefined],
    [15, 'readings have no times', learned([[0, undefined]])],
    [44, 'an old reading was found', learned([[0, -40]])],
    [36, 'a young reading was found', learned([[0, -4]])],
    [20, 'a series shows the interval', learned([[0, -8]], [-18, -13, -8])],
    [40, 'an interval is known that may have lost a reading', learned([[0, -8]], [-28, -8])],
    [20, 'one short interval is known', learned([[0, -8]], [-13, -8])],
  ])('is %d minutes at first, when %s', (maxAge, _when, cadence) => {
    expect(minutes(maxAgeMs('auto', cadence))).toBe(maxAge);
  });
});
