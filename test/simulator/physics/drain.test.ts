import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { StationCalendar } from '../../../src/simulator/physics/station-calendar.ts';
import { StationPlant } from '../../../src/simulator/physics/station-plant.ts';

const MINUTE_MS = 60_000;
const EVENING_MS = Date.parse('2026-03-03T19:00:00+08:00');
const manila = new StationCalendar('Asia/Manila');

function socsOfEvening(seed: number): readonly number[] {
  const plant = new StationPlant(seed, 14.6, manila, EVENING_MS + 17_000);
  return Array.from(
    { length: 150 },
    (_, minute) => plant.stateAt(EVENING_MS + minute * MINUTE_MS).batterySocRatio,
  );
}

describe('a battery that is made to run empty', () => {
  test('has a quarter left when it begins, and what it had before', () => {
    const drained = new StationPlant(1, 14.6, manila, EVENING_MS + 17_000);
    const usual = new StationPlant(1, 14.6, manila);
    expect(drained.stateAt(EVENING_MS).batterySocRatio).toBe(0.25);
    expect(drained.stateAt(EVENING_MS - 1)).toEqual(usual.stateAt(EVENING_MS - 1));
    expect(usual.stateAt(EVENING_MS).batterySocRatio).toBeGreaterThan(0.5);
  });

  test('falls in every minute of the evening down to three per cent, whatever the seed', () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const socs = socsOfEvening(seed);
        const emptyAt = socs.findIndex((soc) => soc < 0.031);
        expect(emptyAt).toBeGreaterThan(60);
        for (const [minute, soc] of socs.entries())
          if (minute > 0 && minute < emptyAt) expect(soc).toBeLessThan(socs[minute - 1] ?? 0);
        expect(Math.min(...socs)).toBeCloseTo(0.03, 6);
      }),
      { numRuns: 8 },
    );
  });

  test('never loses a fifth of its charge in an hour, which is six minutes of the demo', () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const socs = socsOfEvening(seed);
        for (const [minute, soc] of socs.entries())
          expect((socs[minute - 60] ?? soc) - soc).toBeLessThan(0.195);
      }),
      { numRuns: 8 },
    );
  });

  test('leaves the house to the grid once it is empty, and is charged in the morning', () => {
    const plant = new StationPlant(1, 14.6, manila, EVENING_MS);
    const night = plant.stateAt(EVENING_MS + 5 * 60 * MINUTE_MS);
    expect(night.batteryPowerWatts).toBeCloseTo(0, 6);
    expect(night.gridImportPowerWatts).toBeCloseTo(night.loadPowerWatts, 6);
    const noon = plant.stateAt(EVENING_MS + 17 * 60 * MINUTE_MS);
    expect(noon.batterySocRatio).toBeGreaterThan(0.3);
  });
});
