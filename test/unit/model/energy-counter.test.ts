import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  beginCount,
  countAnew,
  countedFromNowOn,
  countEnergy,
  type EnergyCount,
} from '../../../src/model/energy-counter.ts';
import { ENERGY_QUANTITIES } from '../../../src/model/energy.ts';
import type { Readings } from '../../../src/model/readings.ts';
import { MINUTE_MS } from '../../support/durations.ts';

const START_MS = Date.parse('2026-08-24T08:00:00Z');
/** Speaks no dialect of the interface, so that what is missing is unknown. */
const OTHER = { family: 'pi30', source: 'latest', missing: [], unknownKeys: [] } as const;

/** A point, so many minutes after the start. */
type Point = readonly [minute: number, readings: Readings];

function of(powers: Readings): Readings {
  return { ...powers, dialect: OTHER };
}

function begun([minute, readings]: Point): EnergyCount {
  const count = beginCount(START_MS + minute * MINUTE_MS, readings);
  if (count === undefined) throw new Error('nothing to count');
  return count;
}

function counted(count: EnergyCount, points: readonly Point[]): EnergyCount {
  return points.reduce(
    (sum, [minute, readings]) => countEnergy(sum, START_MS + minute * MINUTE_MS, readings),
    count,
  );
}

function countOf([first, ...others]: readonly [Point, ...Point[]]): EnergyCount {
  return counted(begun(first), others);
}

/** Points of a load, so many minutes apart. */
function loads(minutes: readonly number[]): readonly [Point, ...Point[]] {
  const points = minutes.map((minute): Point => [minute, of({ loadPowerWatts: 600 })]);
  return points as [Point, ...Point[]];
}

describe('the energy between two points', () => {
  const all = of({
    pvPowerWatts: 3000,
    loadPowerWatts: 1000,
    batteryPowerWatts: -1500,
    gridImportPowerWatts: 0,
    gridFeedInPowerWatts: 500,
  });
  const interfaceFlow = { pvPowerWatts: 1000, acOutputPowerWatts: 400 };

  test.each<{
    what: string;
    from: Readings;
    to: Readings;
    minutes: number;
    energies: Readonly<Record<string, number>>;
  }>([
    {
      what: 'is that of a line between their powers',
      from: of({ pvPowerWatts: 1000, loadPowerWatts: 0 }),
      to: of({ pvPowerWatts: 2000, loadPowerWatts: 500 }),
      minutes: 6,
      energies: { pvGeneratedKwh: 0.15, consumptionKwh: 0.025 },
    },
    {
      what: 'has every flow of a device that says all',
      from: all,
      to: all,
      minutes: 12,
      energies: {
        pvGeneratedKwh: 0.6,
        consumptionKwh: 0.2,
        gridImportKwh: 0,
        gridFeedInKwh: 0.1,
        batteryChargedKwh: 0.3,
        batteryDischargedKwh: 0,
      },
    },
    {
      // The line crosses 0 after 3 of the 12 minutes.
      what: 'goes one way and then the other where the battery turns',
      from: of({ batteryPowerWatts: 300 }),
      to: of({ batteryPowerWatts: -900 }),
      minutes: 12,
      energies: { batteryDischargedKwh: 0.0075, batteryChargedKwh: 0.0675 },
    },
    {
      what: 'goes one way and then the other where the grid turns',
      from: of({ gridImportPowerWatts: 0, gridFeedInPowerWatts: 400 }),
      to: of({ gridImportPowerWatts: 600, gridFeedInPowerWatts: 0 }),
      minutes: 10,
      energies: { gridFeedInKwh: 0.2 * (4 / 60), gridImportKwh: 0.3 * (6 / 60) },
    },
    {
      what: 'is that of each way by itself where both flow at once',
      from: of({ gridImportPowerWatts: 100, gridFeedInPowerWatts: 400 }),
      to: of({ gridImportPowerWatts: 600, gridFeedInPowerWatts: 0 }),
      minutes: 6,
      energies: { gridImportKwh: 0.035, gridFeedInKwh: 0.02 },
    },
    {
      what: 'is that of one way where the other is not known',
      from: of({ gridImportPowerWatts: 600 }),
      to: of({ gridImportPowerWatts: 0, gridFeedInPowerWatts: 400 }),
      minutes: 6,
      energies: { gridImportKwh: 0.03, gridFeedInKwh: 0 },
    },
    {
      what: 'takes a little less than nothing for nothing',
      from: of({ pvPowerWatts: -3, loadPowerWatts: -1 }),
      to: of({ pvPowerWatts: -3, loadPowerWatts: -1 }),
      minutes: 6,
      energies: { consumptionKwh: 0 },
    },
    {
      what: 'counts a missing input of the interface as 0, as the page does',
      from: interfaceFlow,
      to: interfaceFlow,
      minutes: 6,
      energies: {
        pvGeneratedKwh: 0.1,
        consumptionKwh: 0.04,
        gridImportKwh: 0,
        batteryChargedKwh: 0,
        batteryDischargedKwh: 0,
      },
    },
  ])('$what', ({ from, to, minutes, energies }) => {
    const expected = Object.entries(energies).map(([name, kwh]) => [name, expect.closeTo(kwh, 12)]);
    const count = countOf([
      [0, from],
      [minutes, to],
    ]);
    expect(count.energies).toEqual(Object.fromEntries(expected));
  });
});

describe('a point that is dated before the last one', () => {
  test.each([
    { aheadMinutes: 24 * 60 - 5, gapMinutes: 24 * 60 - 5 },
    { aheadMinutes: 60_000_000, gapMinutes: 24 * 60 },
  ])(
    'goes on after a gap of a day at most: $aheadMinutes minutes',
    ({ aheadMinutes, gapMinutes }) => {
      const before = countOf(loads([0, 5, 10, 10 + aheadMinutes]));
      const atMs = START_MS + 10 * MINUTE_MS;
      const power = of({ loadPowerWatts: 1200, batteryPowerWatts: 300 });
      const after = countAnew(before, atMs, power);
      expect(after).toEqual({
        ...before,
        lastAtMs: atMs,
        lastFlows: { consumptionKwh: 1200, batteryDischargedKwh: 300, batteryChargedKwh: 0 },
        energies: { ...before.energies, batteryDischargedKwh: 0, batteryChargedKwh: 0 },
        gapMs: before.gapMs + gapMinutes * MINUTE_MS,
      });
      const { consumptionKwh = NaN } = counted(after, [[15, power]]).energies;
      expect(consumptionKwh).toBeCloseTo((before.energies.consumptionKwh ?? NaN) + 0.1, 12);
    },
  );
});

describe('a flow', () => {
  test('that is known later begins at 0 there', () => {
    const early = countOf([
      [0, of({ loadPowerWatts: 600 })],
      [5, of({ loadPowerWatts: 600, batteryPowerWatts: 300 })],
    ]);
    expect(early.energies.batteryDischargedKwh).toBe(0);
    const { energies } = counted(early, [
      [10, of({ loadPowerWatts: 600, batteryPowerWatts: 300 })],
    ]);
    expect(energies.batteryDischargedKwh).toBeCloseTo(0.025, 12);
  });

  test('that is unknown at a point keeps what was counted, and counts nothing around it', () => {
    const { energies, gapMs } = countOf([
      [0, of({ pvPowerWatts: 600, loadPowerWatts: 600 })],
      [5, of({ pvPowerWatts: 600, loadPowerWatts: 600 })],
      [10, of({ loadPowerWatts: 600 })],
      [15, of({ pvPowerWatts: 600, loadPowerWatts: 600 })],
    ]);
    expect(energies.pvGeneratedKwh).toBeCloseTo(0.05, 12);
    expect(energies.consumptionKwh).toBeCloseTo(0.15, 12);
    expect(gapMs).toBe(0);
  });

  test('of PV begins with the first light: in the dark its 0 is known of every device', () => {
    expect(begun([0, of({ pvPowerWatts: 0 })]).energies).toEqual({});
    const dark = countOf([
      [0, of({ pvPowerWatts: 0, loadPowerWatts: 600 })],
      [5, of({ pvPowerWatts: 0, loadPowerWatts: 600 })],
    ]);
    expect(dark.energies).not.toHaveProperty('pvGeneratedKwh');
    const light = counted(dark, [[10, of({ pvPowerWatts: 240, loadPowerWatts: 600 })]]);
    expect(light.energies.pvGeneratedKwh).toBeCloseTo(0.01, 12);
    const night = counted(light, [[15, of({ pvPowerWatts: 0, loadPowerWatts: 600 })]]);
    expect(night.energies.pvGeneratedKwh).toBeCloseTo(0.02, 12);
  });
});

describe('a gap', () => {
  test('counts nothing but its length', () => {
    const { energies, gapMs } = countOf(loads([0, 5, 10, 26, 31]));
    expect(energies.consumptionKwh).toBeCloseTo((0.6 * 15) / 60, 12);
    expect(gapMs).toBe(16 * MINUTE_MS);
  });

  test('is longer than 15 minutes', () => {
    expect(countOf(loads([0, 5, 10, 25])).gapMs).toBe(0);
  });

  test('is where the points say nothing, however many there are', () => {
    const { energies, gapMs, lastAtMs } = countOf([
      ...loads([0, 5]),
      [10, of({})],
      [15, of({})],
      ...loads([20, 25]),
    ]);
    expect(energies.consumptionKwh).toBeCloseTo((0.6 * 10) / 60, 12);
    expect(gapMs).toBe(15 * MINUTE_MS);
    expect(lastAtMs).toBe(START_MS + 25 * MINUTE_MS);
  });

  test.each([
    { every: 30, minutes: [0, 30, 60, 90, 120], gapMinutes: 60 },
    { every: 15, minutes: [0, 15, 30, 45, 60, 97], gapMinutes: 0 },
    { every: 15, minutes: [0, 15, 30, 45, 60, 98], gapMinutes: 38 },
    // Of a single interval nobody can tell.
    { every: 20, minutes: [0, 20, 40, 60], gapMinutes: 40 },
    // Nobody has such a logger: its readings would be withdrawn in between.
    { every: 76, minutes: [0, 76, 152, 228], gapMinutes: 228 },
  ])('is measured by the points of a logger that sends every $every minutes', (row) => {
    expect(countOf(loads(row.minutes)).gapMs).toBe(row.gapMinutes * MINUTE_MS);
  });

  test('of a night does not make the next one shorter', () => {
    const nights = [0, 5, 10, 15, 600, 605, 610, 615, 1200, 1205];
    expect(countOf(loads(nights)).gapMs).toBe(2 * 585 * MINUTE_MS);
  });
});

describe('a count', () => {
  test('is not changed by a point that is not later than the last', () => {
    const count = countOf(loads([0, 5]));
    expect(counted(count, loads([5, 3, 0]))).toBe(count);
  });

  test('does not begin where no flow is known', () => {
    expect(beginCount(START_MS, of({ batterySocRatio: 0.5 }))).toBeUndefined();
  });

  test('that begins at the newest of several points knows how far apart they are', () => {
    const intervalsMs = [5, 30, 30, 30, 30, 30, 30].map((minutes) => minutes * MINUTE_MS);
    const begun = beginCount(START_MS, of({ acOutputPowerWatts: 600 }), intervalsMs);
    expect(begun?.intervalsMs).toEqual(intervalsMs.slice(-6));
    expect(begun?.energies).toEqual({ consumptionKwh: 0 });
    if (begun === undefined) throw new Error('nothing is counted');
    // Half an hour would be a gap of a logger that sends every five minutes.
    expect(counted(begun, loads([30])).gapMs).toBe(0);
  });

  test('that begins anew knows the rhythm of the points and nothing else', () => {
    const slow = countOf(loads([0, 30, 60, 90]));
    const { energies, gapMs, intervalsMs } = countedFromNowOn(slow);
    expect(energies).toEqual({ consumptionKwh: 0 });
    expect(gapMs).toBe(0);
    expect(intervalsMs).toEqual([30, 30, 30].map((minutes) => minutes * MINUTE_MS));
    const { energies: later } = counted(countedFromNowOn(slow), loads([120]));
    expect(later.consumptionKwh).toBeCloseTo(0.3, 12);
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
const FIRST: Point = [0, of({ loadPowerWatts: 100 })];

describe('of any series', () => {
  test('no energy and no gap ever falls, and none disappears', () => {
    fc.assert(
      fc.property(anySeries, (points) => {
        let before = begun(FIRST);
        for (const point of points) {
          const after = counted(before, [point]);
          expect(after.gapMs).toBeGreaterThanOrEqual(before.gapMs);
          for (const name of ENERGY_QUANTITIES) {
            const energyKwh = before.energies[name];
            if (energyKwh !== undefined)
              expect(after.energies[name]).toBeGreaterThanOrEqual(energyKwh);
          }
          before = after;
        }
      }),
    );
  });

  test('the sum is the same wherever it is interrupted, written down and asked for again', () => {
    fc.assert(
      fc.property(anySeries, fc.nat(), fc.nat(), (points, end, repeated) => {
        const first = counted(begun(FIRST), points.slice(0, end % points.length));
        const kept = JSON.parse(JSON.stringify(first)) as EnergyCount;
        const from = Math.max(0, (end % points.length) - (repeated % 10));
        expect(counted(kept, points.slice(from))).toEqual(counted(begun(FIRST), points));
      }),
    );
  });

  test('of a battery, what went in and out is the line between the points', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -5000, max: 5000 }), { minLength: 2 }), (watts) => {
        const points = watts.map((batteryPowerWatts, index): Point => [
          5 * index,
          of({ batteryPowerWatts }),
        ]);
        const { energies } = countOf(points as [Point, ...Point[]]);
        const { batteryDischargedKwh = NaN, batteryChargedKwh = NaN } = energies;
        const pairs = watts.slice(1).map((after, index) => [watts[index] ?? NaN, after] as const);
        const netKwh = pairs.reduce((sum, [one, other]) => sum + (one + other) / 2 / 12_000, 0);
        expect(batteryDischargedKwh - batteryChargedKwh).toBeCloseTo(netKwh, 9);
        // Never more than what would flow if the power did not fall between the points.
        const mostKwh = pairs.reduce(
          (sum, [one, other]) => sum + Math.max(Math.abs(one), Math.abs(other)) / 12_000,
          0,
        );
        expect(batteryDischargedKwh + batteryChargedKwh).toBeLessThanOrEqual(mostKwh + 1e-9);
      }),
    );
  });
});
