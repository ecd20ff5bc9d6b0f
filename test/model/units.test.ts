import { expect, test } from 'vitest';
import { kilowattsToWatts, percentToRatio } from '../../src/model/units.ts';

test.each([
  { kilowatts: 0.85, watts: 850 },
  { kilowatts: 1.003, watts: 1003 },
  { kilowatts: 0, watts: 0 },
  { kilowatts: -1.5, watts: -1500 },
])('$kilowatts kW are $watts W', ({ kilowatts, watts }) => {
  expect(kilowattsToWatts(kilowatts)).toBe(watts);
});

test.each([
  { percent: 0, ratio: 0 },
  { percent: 93, ratio: 0.93 },
  { percent: 100, ratio: 1 },
])('$percent % are $ratio', ({ percent, ratio }) => {
  expect(percentToRatio(percent)).toBe(ratio);
});
