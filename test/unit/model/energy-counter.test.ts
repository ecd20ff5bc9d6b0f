import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  beginCount,
  countedToday,
  countEnergy,
  type EnergyCount,
  goOnFrom,
} from '../../../src/model/energy-counter.ts';
import { ENERGY_QUANTITIES } from '../../../src/model/energy.ts';
import { type PowerPoint, powersOf, type Readings } from '../../../src/model/readings.ts';
import { DAY_MS, MINUTE_MS } from '../../support/durations.ts';

const START_MS = Date.parse('2026-08-24T08:00:00Z');
/** Speaks no specified dialect, so that what is missing is unknown. */
const OTHER = { family: 'pi30', source: 'latest', missing: [], unknownKeys: [] } as const;

/** A point, so many minutes after the start. */
type Point = readonly [minute: number, readings: Readings];

const of = (powers: Readings): Readings => ({ ...powers, dialect: OTHER });
const load = (loadPowerWatts: number) => of({ loadPowerWatts });
const battery = (batteryPowerWatts: number) => of({ batteryPowerWatts });
const grid = (gridImportPowerWatts: number, gridFeedInPowerWatts?: number) =>
  of({ gridImportPowerWatts, gridFeedInPowerWatts });
const withPv = (pvPowerWatts: number) => of({ pvPowerWatts, loadPowerWatts: 600 });

const pointOf = ([minute, readings]: Point): PowerPoint => ({
  ...powersOf(readings),
  atMs: START_MS + minute * MINUTE_MS,
});

function begun(point: Point, midnightMs?: number): EnergyCount {
  const count = beginCount(pointOf(point), [], midnightMs);
  if (count === undefined) throw new Error('nothing to count');
  return count;
}

function counted(count: EnergyCount, points: readonly Point[]): EnergyCount {
  return points.reduce((sum, point) => countEnergy(sum, pointOf(point)), count);
}

function countOf([first, ...others]: readonly [Point, ...Point[]]): EnergyCount {
  return counted(begun(first), others);
}

/** Points of a load, so many minutes apart. */
function loads(minutes: readonly number[]): readonly [Point, ...Point[]] {
  return minutes.map((minute): Point => [minute, load(600)]) as [Point, ...Point[]];
}

describe('the energy of six minutes', () => {
  const ALL = of({
    pvPowerWatts: 3000,
    loadPowerWatts: 1000,
    batteryPowerWatts: -1500,
    gridImportPowerWatts: 0,
    gridFeedInPowerWatts: 500,
  });
  const ofGrid = (gridImportKwh: number, gridFeedInKwh: number) => ({
    gridImportKwh,
    gridFeedInKwh,
  });
  const ofBattery = (batteryDischargedKwh: number, batteryChargedKwh: number) => ({
    batteryDischargedKwh,
    batteryChargedKwh,
  });
  const OF_ALL = { pvGeneratedKwh: 0.3, consumptionKwh: 0.1, ...ofGrid(0, 0.05) };
  const LITTLE = of({ pvPowerWatts: -3, loadPowerWatts: -1 });
  // It speaks the specified dialect, where what is missing is 0, as on the page.
  const INTERFACE = { pvPowerWatts: 1000, acOutputPowerWatts: 400 };
  const OF_INTERFACE = { pvGeneratedKwh: 0.1, consumptionKwh: 0.04, gridImportKwh: 0 };

  test.each<[what: string, from: Readings, to: Readings, energies: Record<string, number>]>([
    ['is that of a line between two points', load(0), load(500), { consumptionKwh: 0.025 }],
    ['is that of every flow that is known', ALL, ALL, { ...OF_ALL, ...ofBattery(0, 0.15) }],
    // The line crosses 0 after a quarter of the time, and after two fifths of it.
    ['turns with a battery', battery(300), battery(-900), ofBattery(0.00375, 0.03375)],
    ['turns with the grid', grid(0, 450), grid(675, 0), ofGrid(0.02025, 0.009)],
    ['is that of each way where both flow', grid(100, 400), grid(600, 0), ofGrid(0.035, 0.02)],
    ['is that of the way that is known at both', grid(600), grid(0, 400), ofGrid(0.03, 0)],
    ['is none of a little less than nothing', LITTLE, LITTLE, { consumptionKwh: 0 }],
    ['is 0 of what is missing', INTERFACE, INTERFACE, { ...OF_INTERFACE, ...ofBattery(0, 0) }],
  ])('%s', (_what, from, to, energies) => {
    const expected = Object.entries(energies).map(([name, kwh]) => [name, expect.closeTo(kwh, 12)]);
    const count = countOf([
      [0, from],
      [6, to],
    ]);
    expect(count.energies).toEqual(Object.fromEntries(expected));
  });
});

test.each([
  [24 * 60 - 5, 24 * 60 - 5],
  [60_000_000, 24 * 60],
])('a count from %d minutes ahead goes on after a gap of %d', (aheadMinutes, gapMinutes) => {
  const before = countOf(loads([0, 5, 10, 10 + aheadMinutes]));
  const point: Point = [10, of({ loadPowerWatts: 1200, batteryPowerWatts: 300 })];
  expect(goOnFrom(before, pointOf(point))).toEqual({
    ...before,
    lastAtMs: pointOf(point).atMs,
    lastFlows: begun(point).lastFlows,
    gapMs: before.gapMs + gapMinutes * MINUTE_MS,
  });
});

describe('a flow', () => {
  test('that is known later begins at 0 there', () => {
    const both = of({ loadPowerWatts: 600, batteryPowerWatts: 300 });
    const early = countOf([...loads([0]), [5, both]]);
    expect([early.energies.batteryDischargedKwh, early.gapMs]).toEqual([0, 0]);
    const { energies } = counted(early, [[10, both]]);
    expect(energies.batteryDischargedKwh).toBeCloseTo(0.025, 12);
  });

  test('that is unknown at a point keeps its count, and is a gap there', () => {
    const { energies, gapMs } = countOf([
      [0, withPv(600)],
      [5, withPv(600)],
      [10, load(600)],
      [15, withPv(600)],
    ]);
    expect(energies.pvGeneratedKwh).toBeCloseTo(0.05, 12);
    expect(energies.consumptionKwh).toBeCloseTo(0.15, 12);
    expect(gapMs).toBe(600_000);
  });

  test('of PV begins with the first light', () => {
    expect(begun([0, of({ pvPowerWatts: 0 })]).energies).toEqual({});
    const dark = countOf([
      [0, withPv(0)],
      [5, withPv(0)],
    ]);
    expect(dark.energies.pvGeneratedKwh).toBeUndefined();
    const light = counted(dark, [[10, withPv(240)]]);
    expect(light.energies.pvGeneratedKwh).toBeCloseTo(0.01, 12);
    const night = counted(light, [[15, withPv(0)]]);
    expect(night.energies.pvGeneratedKwh).toBeCloseTo(0.02, 12);
  });
});

describe('a gap counts nothing but its length, and', () => {
  test.each<[what: string, minutes: readonly number[], gapMinutes: number]>([
    ['is longer than 15 minutes', [0, 5, 10, 26, 31], 16],
    ['is no quarter of an hour', [0, 5, 10, 25], 0],
    ['is shorter than an hour and a half, every 30 minutes', [0, 30, 60, 90, 120], 60],
    ['begins after 37.5 minutes, every 15 minutes', [0, 15, 30, 45, 60, 97], 0],
    ['begins after 37.5 minutes, every 15 minutes', [0, 15, 30, 45, 60, 98], 38],
    // Of a single interval nobody can tell.
    ['is measured by two intervals', [0, 20, 40, 60], 40],
    // Nobody has such a logger: its readings would be withdrawn in between.
    ['is everything, every 76 minutes', [0, 76, 152, 228], 228],
    ['of a night does not shorten the next', [0, 5, 10, 15, 600, 605, 610, 615, 1200, 1205], 1170],
  ])('%s: in %j there are %d minutes of it', (_what, minutes, gapMinutes) => {
    const { energies, gapMs } = countOf(loads(minutes));
    expect(gapMs).toBe(gapMinutes * MINUTE_MS);
    const countedMinutes = Math.max(...minutes) - gapMinutes;
    expect(energies.consumptionKwh).toBeCloseTo((0.6 * countedMinutes) / 60, 12);
  });
});

describe('what was counted of today', () => {
  const DAY = 24 * 60;
  /** Days begin when the count does. */
  const midnightMs = (minute: number) => START_MS + Math.floor(minute / DAY) * DAY_MS;
  /** What is counted of points every five minutes from minute 2 on, where none of them is other or missing. */
  const kwhOf = (
    days: number,
    other: (minute: number) => Readings | undefined = () => load(600),
    zoneAheadMs = 0,
  ) => {
    let count = begun([2, load(600)], START_MS);
    for (let minute = 7; minute <= days * DAY; minute += 5) {
      const readings = other(minute);
      if (readings) count = countEnergy(count, pointOf([minute, readings]), midnightMs(minute));
    }
    const { consumptionKwh: kwh } = countedToday(count, midnightMs(days * DAY - 3) - zoneAheadMs);
    return kwh && Math.round(kwh * 100) / 100;
  };
  const without = (fromDay: number, minutes: number, readings?: Readings) => (minute: number) =>
    minute >= fromDay * DAY && minute < fromDay * DAY + minutes ? readings : load(600);

  test.each<[when: string, kwh: number | undefined, shown: unknown]>([
    ['the day is the first, and counts from its first point', 14.35, kwhOf(1)],
    ['points lie beside midnight', 14.37, kwhOf(2)],
    ['half an hour is missing', 14.12, kwhOf(4, without(3.5, 20))],
    ['more is missing', undefined, kwhOf(4, without(3.5, 35))],
    ['a flow is unknown that long', undefined, kwhOf(4, without(3.5, 35, of({ pvPowerWatts: 0 })))],
    ['it is silent', undefined, kwhOf(2.01, without(1.9, 300, of({})))],
    ['points say nothing that long', undefined, kwhOf(4, without(3.5, 35, of({})))],
    ['half of yesterday is missing', 14.37, kwhOf(4, without(2.3, 720))],
    ['midnight lies in a gap', 14.25, kwhOf(4, without(2.98, 40))],
    ['the zone is another one', undefined, kwhOf(4, undefined, MINUTE_MS)],
  ])('is right when %s', (_, kwh, shown) => {
    expect(shown).toEqual(kwh);
  });

  test('is 0 of the PV of an inverter that never had any', () => {
    let count = begun([-5, withPv(0)]);
    for (const minute of [0, 5])
      count = countEnergy(count, pointOf([minute, withPv(0)]), midnightMs(0));
    expect(countedToday(count, midnightMs(0)).pvGeneratedKwh).toBe(0);
  });
});

const power = fc.option(fc.integer({ min: -5, max: 8000 }), { nil: undefined });
const anyReadings = fc
  .record({
    pvPowerWatts: power,
    loadPowerWatts: power,
    gridImportPowerWatts: power,
    gridFeedInPowerWatts: power,
    batteryPowerWatts: fc.option(fc.integer({ min: -5000, max: 5000 }), { nil: undefined }),
  })
  .map((readings) => of(readings));
const anySeries = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 40 }), anyReadings), { minLength: 1, maxLength: 40 })
  .map((steps) => {
    let minute = 0;
    return steps.map(([length, readings]): Point => {
      minute += length;
      return [minute, readings];
    });
  });
const FIRST: Point = [0, load(100)];

test('of any series nothing ever falls, and points that come again add 0', () => {
  fc.assert(
    fc.property(anySeries, fc.nat(), fc.nat(), (points, end, repeated) => {
      const counts = [begun(FIRST)];
      for (const point of points) {
        const before = counts.at(-1) ?? begun(FIRST);
        const after = counted(before, [point]);
        counts.push(after);
        expect(after.gapMs).toBeGreaterThanOrEqual(before.gapMs);
        expect(after.midnight).toBe(before.midnight);
        for (const name of ENERGY_QUANTITIES)
          if (before.energies[name] !== undefined)
            expect(after.energies[name]).toBeGreaterThanOrEqual(before.energies[name]);
      }
      const interruptedAt = end % points.length;
      const kept = JSON.parse(JSON.stringify(counts[interruptedAt])) as EnergyCount;
      const from = Math.max(0, interruptedAt - (repeated % 10));
      expect(counted(kept, points.slice(from))).toEqual(counts.at(-1));
    }),
  );
});
