import { describe, expect, test } from 'vitest';
import type { Learnt, Lesson } from '../../src/client/dialect-lesson.ts';
import type { ProbedAnswer } from '../../src/client/dialect-probe.ts';
import { LessonBook } from '../../src/client/lesson-book.ts';
import type { DeviceReport } from '../../src/model/readings.ts';
import { reportOf } from '../support/device-report.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { SilentLog } from '../support/silent-log.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const LESSON: Lesson = {
  family: 'hpvinv02',
  source: 'history',
  keys: ['pvPower'],
  tags: new Map(),
  missing: [],
  unknownKeys: [],
  absentKeys: new Set(),
  hasNoEnergyFlow: false,
};
const LATEST: ProbedAnswer = {
  place: 'latest-state',
  outcome: 'ok',
  samples: [],
  firingAlarms: [],
  isWorthRepeating: false,
  isOutage: false,
  isMissing: false,
  isHopeless: false,
};

function learnt(changes: Partial<Lesson> = {}, isInconclusive = false): Learnt {
  return {
    lesson: { ...LESSON, ...changes },
    frames: [{ source: 'history', fields: [], measurements: [] }],
    probed: [LATEST],
    latest: LATEST,
    isInconclusive,
    isPlaceGone: false,
  };
}

function createBook(random = 0.5) {
  const clock = new FakeClock();
  const log = new SilentLog();
  const book = new LessonBook({ clock, random: () => random, log });
  /** A report of a device that measured something so long ago. */
  const report = (ageMs: number | undefined, serviceAheadMs = 0): DeviceReport =>
    reportOf(
      {
        batteryVoltageVolts: 52,
        measuredAtMs: ageMs === undefined ? undefined : clock.nowMs() + serviceAheadMs - ageMs,
      },
      { serviceAheadMs },
    );
  return { book, clock, log, report };
}

describe('a lesson', () => {
  test('is none of a device that was never learnt', () => {
    const { book, report } = createBook();
    book.wasRead('1', report(0));
    expect(book.current('1')).toBeUndefined();
    expect(book.any('1')).toBeUndefined();
  });

  test.each([
    { what: 'of a live device', ageMs: MINUTE_MS, isInconclusive: false, lastsMs: DAY_MS },
    { what: 'of a device without times', ageMs: undefined, isInconclusive: false, lastsMs: DAY_MS },
    { what: 'of an offline device', ageMs: 3 * DAY_MS, isInconclusive: false, lastsMs: DAY_MS },
    {
      what: 'with a look that failed for the moment',
      ageMs: MINUTE_MS,
      isInconclusive: true,
      lastsMs: 10 * MINUTE_MS,
    },
  ])('$what lasts for $lastsMs ms', ({ ageMs, isInconclusive, lastsMs }) => {
    const { book, clock, report } = createBook();
    book.wasLearnt('1', learnt({}, isInconclusive), report(ageMs));
    clock.advance(lastsMs - 1);
    expect(book.current('1')).toEqual(LESSON);
    clock.advance(1);
    expect(book.current('1')).toBeUndefined();
    expect(book.any('1')).toEqual(LESSON);
  });

  test.each([
    { isInconclusive: false, lastsMs: HOUR_MS },
    { isInconclusive: true, lastsMs: 10 * MINUTE_MS },
  ])('of a device that says nothing lasts for $lastsMs ms', ({ isInconclusive, lastsMs }) => {
    const { book, clock } = createBook();
    book.wasLearnt('1', learnt({}, isInconclusive), reportOf({}));
    clock.advance(lastsMs - 1);
    expect(book.current('1')).toBeDefined();
    clock.advance(1);
    expect(book.current('1')).toBeUndefined();
  });

  test.each([
    { random: 0, lastsMs: 0.9 * DAY_MS },
    { random: 0.5, lastsMs: DAY_MS },
    { random: 1, lastsMs: 1.1 * DAY_MS },
  ])('lasts for $lastsMs ms by the random number $random', ({ random, lastsMs }) => {
    const { book, clock, report } = createBook(random);
    book.wasLearnt('1', learnt(), report(0));
    clock.advance(Math.floor(lastsMs) - 1);
    expect(book.current('1')).toBeDefined();
    clock.advance(2);
    expect(book.current('1')).toBeUndefined();
  });

  test('is repeated after ten minutes, an hour, and then every day while looks fail', () => {
    const { book, clock, report } = createBook();
    for (const lastsMs of [10 * MINUTE_MS, HOUR_MS, DAY_MS, DAY_MS]) {
      book.wasLearnt('1', learnt({}, true), report(0));
      clock.advance(lastsMs - 1);
      expect(book.current('1')).toBeDefined();
      clock.advance(1);
      expect(book.current('1')).toBeUndefined();
    }
  });

  test('is repeated after ten minutes again when looks had succeeded in between', () => {
    const { book, clock, report } = createBook();
    book.wasLearnt('1', learnt({}, true), report(0));
    book.wasLearnt('1', learnt(), report(0));
    book.wasLearnt('1', learnt({}, true), report(0));
    clock.advance(10 * MINUTE_MS);
    expect(book.current('1')).toBeUndefined();
  });

  test.each<{
    what: string;
    known: Partial<Lesson>;
    later: Partial<Lesson>;
    isInconclusive: boolean;
    expected: Partial<Lesson>;
  }>([
    {
      what: 'gives way to a newer one',
      known: { source: 'history' },
      later: { source: 'latest', missing: ['pvPowerWatts'] },
      isInconclusive: false,
      expected: { source: 'latest', missing: ['pvPowerWatts'] },
    },
    {
      what: 'stays where a look failed and taught no more',
      known: { source: 'history' },
      later: { source: 'latest' },
      isInconclusive: true,
      expected: { source: 'history' },
    },
    {
      what: 'stays where a look failed and taught less',
      known: { source: 'history' },
      later: { source: 'latest', missing: ['pvPowerWatts'] },
      isInconclusive: true,
      expected: { source: 'history', missing: [] },
    },
    {
      what: 'gives way where a look failed and others taught more',
      known: { source: 'history', missing: ['pvPowerWatts'] },
      later: { source: 'latest' },
      isInconclusive: true,
      expected: { source: 'latest', missing: [] },
    },
    {
      what: 'stays, and knows of the missing energy flow',
      known: { source: 'history' },
      later: { source: 'latest', hasNoEnergyFlow: true },
      isInconclusive: true,
      expected: { source: 'history', hasNoEnergyFlow: true },
    },
  ])('$what', ({ known, later, isInconclusive, expected }) => {
    const { book, report } = createBook();
    book.wasLearnt('1', learnt(known), report(0));
    const counts = book.wasLearnt('1', learnt(later, isInconclusive), report(0));
    expect(counts).toMatchObject(expected);
    expect(book.current('1')).toEqual(counts);
  });

  test('is forgotten a day after it was due, when the device seems to have left', () => {
    const { book, clock, report } = createBook();
    book.wasLearnt('1', learnt(), report(0));
    clock.advance(2 * DAY_MS);
    book.wasLearnt('2', learnt(), report(0));
    expect(book.any('1')).toBeDefined();
    clock.advance(1);
    book.wasLearnt('3', learnt(), report(0));
    expect(book.any('1')).toBeUndefined();
    expect(book.any('2')).toBeDefined();
  });

  test('of a device that lost its place is repeated like one that failed', () => {
    const { book, clock, report } = createBook();
    for (const pauseMs of [10 * MINUTE_MS, HOUR_MS, DAY_MS]) {
      book.wasLearnt('1', learnt({ lostPlace: 'energy-flow' }), report(0));
      clock.advance(pauseMs - 1);
      expect(book.current('1')).toBeDefined();
      clock.advance(1);
      expect(book.current('1')).toBeUndefined();
    }
  });

  test('is one of its device', () => {
    const { book, report } = createBook();
    book.wasLearnt('1', learnt(), report(0));
    expect(book.current('2')).toBeUndefined();
  });
});

describe('a device that was read', () => {
  test.each([
    { when: 'it was live when it was learnt', learntAgeMs: MINUTE_MS, ageMs: 0, isKept: true },
    { when: 'it is still offline', learntAgeMs: 2 * HOUR_MS, ageMs: HOUR_MS, isKept: true },
    { when: 'it has come back', learntAgeMs: 2 * HOUR_MS, ageMs: HOUR_MS - 1, isKept: false },
  ])('keeps its lesson when $when: $isKept', ({ learntAgeMs, ageMs, isKept }) => {
    const { book, report } = createBook();
    book.wasLearnt('1', learnt(), report(learntAgeMs));
    book.wasRead('1', report(ageMs));
    expect(book.current('1') !== undefined).toBe(isKept);
  });

  test('without a word has not come back', () => {
    const { book, report } = createBook();
    book.wasLearnt('1', learnt(), report(2 * HOUR_MS));
    book.wasRead('1', reportOf({}));
    expect(book.current('1')).toBeDefined();
  });

  test.each([{ serviceAheadMs: 5 * DAY_MS }, { serviceAheadMs: -5 * DAY_MS }])(
    'is live by the clock of the service, which is $serviceAheadMs ms ahead',
    ({ serviceAheadMs }) => {
      const { book, report } = createBook();
      book.wasLearnt('1', learnt(), report(2 * HOUR_MS, serviceAheadMs));
      book.wasRead('1', report(2 * HOUR_MS, serviceAheadMs));
      expect(book.current('1')).toBeDefined();
      book.wasRead('1', report(MINUTE_MS, serviceAheadMs));
      expect(book.current('1')).toBeUndefined();
    },
  );
});

describe('the log', () => {
  const NO_FLOW = 'the service has no energy flow for this device; it is not asked again';

  test('tells of a model without an energy flow once', () => {
    const { book, log, report } = createBook();
    book.wasLearnt('1', learnt(), report(0));
    expect(log.messages('info')).toEqual([]);
    book.wasLearnt('1', learnt({ hasNoEnergyFlow: true }), report(0));
    book.wasLearnt('1', learnt({ hasNoEnergyFlow: true }), report(0));
    expect(log.messages('info')).toEqual([NO_FLOW]);
  });

  test('warns of an undescribed family once for each device', () => {
    const { book, log, report } = createBook();
    const unknown = learnt({ family: undefined, unknownKeys: ['a', 'b'] });
    book.wasLearnt('1', unknown, report(0));
    book.wasLearnt('1', learnt(), report(0));
    book.wasLearnt('1', unknown, report(0));
    book.wasLearnt('2', unknown, report(0));
    const warnings = log.lines.filter(({ level }) => level === 'warn');
    expect(warnings.map(({ fields }) => fields)).toEqual([
      { device_id: '1', unknown_keys: 2 },
      { device_id: '2', unknown_keys: 2 },
    ]);
  });

  test('warns of no family while a look has failed for the moment', () => {
    const { book, log, report } = createBook();
    book.wasLearnt('1', learnt({ family: undefined }, true), report(0));
    expect(log.messages('warn')).toEqual([]);
    book.wasLearnt('1', learnt({ family: undefined }), report(0));
    expect(log.messages('warn')).toHaveLength(1);
  });

  test('has a line for every dialect that is new', () => {
    const { book, log, report } = createBook();
    book.wasLearnt('1', learnt(), report(0));
    book.wasLearnt('1', learnt(), report(0));
    book.wasLearnt('1', learnt({ source: 'latest' }), report(0));
    book.wasLearnt('1', learnt({ source: 'latest', family: 'uwb1' }), report(0));
    const lines = log.lines.filter(({ level }) => level === 'debug');
    expect(
      lines.map(({ fields }) => `${String(fields['family'])} ${String(fields['source'])}`),
    ).toEqual(['hpvinv02 history', 'hpvinv02 latest', 'uwb1 latest']);
  });
});
