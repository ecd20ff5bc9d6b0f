import { expect, test } from 'vitest';
import { StepGrid } from '../../../src/history/series.ts';

test('has the multiples of the step since 1970 that lie in the span', () => {
  const grid = new StepGrid(119_999, 240_000, 60_000);
  expect(grid.length).toBe(2);
  expect(new StepGrid(61_000, 62_000, 60_000).length).toBe(0);
  expect([0, 1].map((step) => grid.atMs(step))).toEqual([120_000, 180_000]);
});

test('neighbouring spans share no step and lack none', () => {
  const one = new StepGrid(0, 100_000, 7000);
  const other = new StepGrid(100_000, 200_000, 7000);
  expect(other.atMs(0) - one.atMs(one.length - 1)).toBe(7000);
});

test('knows the first step from an instant on', () => {
  const grid = new StepGrid(60_000, 240_000, 60_000);
  const steps = [-5, 60_000, 60_001, 240_000, Infinity].map((atMs) => grid.stepFrom(atMs));
  expect(steps).toEqual([0, 0, 1, 3, 3]);
});
