import { describe, expect, test } from 'vitest';
import { clearSkyWattsPerSquareMetre, sunOfDay } from '../../../src/simulator/physics/sky.ts';

const JUNE_SOLSTICE = 172;
const DECEMBER_SOLSTICE = 355;

function elevationDegrees(latitudeDegrees: number, dayOfYear: number, hour: number): number {
  return (Math.asin(sunOfDay(latitudeDegrees, dayOfYear)(hour)) * 180) / Math.PI;
}

describe('the sun', () => {
  test.each([
    { where: 'Manila', latitude: 14.6, day: JUNE_SOLSTICE, hour: 12, expected: 81.2 },
    { where: 'Manila', latitude: 14.6, day: DECEMBER_SOLSTICE, hour: 12, expected: 52 },
    { where: 'Berlin', latitude: 52.5, day: JUNE_SOLSTICE, hour: 12, expected: 60.9 },
    { where: 'Berlin', latitude: 52.5, day: DECEMBER_SOLSTICE, hour: 12, expected: 14.1 },
    { where: 'the equator', latitude: 0, day: 80, hour: 6, expected: 0 },
    { where: 'Cape Town', latitude: -33.9, day: DECEMBER_SOLSTICE, hour: 12, expected: 79.5 },
  ])(
    'stands $expected° high in $where on day $day at $hour',
    ({ latitude, day, hour, expected }) => {
      expect(Math.abs(elevationDegrees(latitude, day, hour) - expected)).toBeLessThan(0.5);
    },
  );

  test('stays up at midnight north of the polar circle in June only', () => {
    expect(elevationDegrees(70, JUNE_SOLSTICE, 0)).toBeGreaterThan(0);
    expect(elevationDegrees(70, DECEMBER_SOLSTICE, 12)).toBeLessThan(0);
  });

  test('is as high in the afternoon as in the morning', () => {
    const sun = sunOfDay(14.6, 100);
    expect(sun(15)).toBeCloseTo(sun(9), 12);
  });
});

describe('clear-sky irradiance', () => {
  test('is nothing below the horizon, little above it and a kilowatt at the zenith', () => {
    expect(clearSkyWattsPerSquareMetre(-0.5)).toBe(0);
    expect(clearSkyWattsPerSquareMetre(0)).toBe(0);
    expect(clearSkyWattsPerSquareMetre(0.02)).toBeLessThan(5);
    expect(clearSkyWattsPerSquareMetre(1)).toBeCloseTo(1037, 0);
  });
});
