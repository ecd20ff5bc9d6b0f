import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createHousehold } from '../../../src/simulator/physics/household.ts';
import { deriveSeed, seededUnit, smoothNoise } from '../../../src/simulator/physics/seeded.ts';
import { createWeather } from '../../../src/simulator/physics/sky.ts';

const MINUTE_MS = 60_000;

describe('seeded chance', () => {
  test('is the same for the same seed and another for another name', () => {
    expect(deriveSeed(1, 'clouds', 3)).toBe(deriveSeed(1, 'clouds', 3));
    const seeds = [deriveSeed(1, 'ab', 'c'), deriveSeed(1, 'a', 'bc'), deriveSeed(2, 'ab', 'c')];
    expect(new Set(seeds).size).toBe(3);
  });

  test('is uniform from 0 to 1', () => {
    const draws = Array.from({ length: 10_000 }, (_, index) => seededUnit(7, index));
    expect(draws.every((draw) => draw >= 0 && draw < 1)).toBe(true);
    expect(draws.reduce((sum, draw) => sum + draw, 0) / draws.length).toBeCloseTo(0.5, 1);
    expect(draws.filter((draw) => draw < 0.1).length / draws.length).toBeCloseTo(0.1, 1);
  });

  test('is smooth in between', () => {
    fc.assert(
      fc.property(
        fc.integer(),
        fc.double({ min: -1e6, max: 1e6, noNaN: true }),
        (seed, position) => {
          const step = Math.abs(smoothNoise(seed, position + 1e-3) - smoothNoise(seed, position));
          expect(step).toBeLessThan(2e-3);
        },
      ),
    );
  });
});

describe('weather', () => {
  test('lets a quarter to all of the light through and changes little within a minute', () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: 0, max: 2e12 }), (seed, atMs) => {
        const weather = createWeather(seed);
        const light = weather(atMs);
        expect(light).toBeGreaterThanOrEqual(0.25);
        expect(light).toBeLessThanOrEqual(1);
        expect(Math.abs(weather(atMs + MINUTE_MS) - light)).toBeLessThan(0.1);
      }),
    );
  });
});

describe('the household', () => {
  const household = createHousehold(5);

  test('draws most in the evening, something in the morning and little at night', () => {
    const [night, morning, noon, evening] = [3, 7, 11, 19.5].map((hour) => household(0, hour));
    expect(evening).toBeGreaterThan(1200);
    expect(morning).toBeGreaterThan(noon ?? NaN);
    expect(night).toBeLessThan(300);
  });

  test('has no jump at midnight', () => {
    expect(Math.abs(household(0, 23.999) - household(0, 0))).toBeLessThan(10);
  });
});
