import { describe, expect, test } from 'vitest';
import { type Energies, lifetimeOf } from '../../../src/model/energy.ts';

/** PV by year. */
const pv = (kwhByYear: Readonly<Record<number, number | undefined>>) =>
  new Map(
    Object.entries(kwhByYear).map(([year, pvGeneratedKwh]): [number, Energies] => [
      Number(year),
      { pvGeneratedKwh },
    ]),
  );

describe('the energy of a lifetime', () => {
  test.each([
    { when: 'every year is known', years: pv({ 2024: 1, 2025: 2, 2026: 3 }), kwh: 6 },
    { when: 'there is only this year', years: pv({ 2026: 0 }), kwh: 0 },
    { when: 'years before the first are unknown', years: pv({ 2023: undefined, 2026: 3 }), kwh: 3 },
    { when: 'a later year is named', years: pv({ 2026: 3, 2027: 4 }), kwh: 3 },
    { when: 'a year in between is missing', years: pv({ 2024: 1, 2026: 3 }) },
    { when: 'a year in between is unknown', years: pv({ 2024: 1, 2025: undefined, 2026: 3 }) },
    { when: 'this year is unknown', years: pv({ 2024: 1, 2025: 2 }) },
    { when: 'there are only later years', years: pv({ 2027: 1 }) },
    { when: 'there is no year', years: pv({}) },
  ])('is $kwh kWh when $when', ({ years, kwh }) => {
    expect(lifetimeOf(years, 2026)).toEqual(kwh === undefined ? {} : { pvGeneratedKwh: kwh });
  });

  test('is known for each quantity by itself', () => {
    const years = new Map<number, Energies>([
      [2025, { pvGeneratedKwh: 0.1, gridImportKwh: 5 }],
      [2026, { pvGeneratedKwh: 0.2, batteryChargedKwh: 7 }],
    ]);
    expect(lifetimeOf(years, 2026)).toEqual({ pvGeneratedKwh: 0.3, batteryChargedKwh: 7 });
  });
});
