import { deriveSeed, smoothNoise } from './seeded.ts';

const DEGREE = Math.PI / 180;
const EARTH_TILT = 23.44 * DEGREE;

/** The sine of the sun's elevation above the horizon at a local hour (0 to 24); negative at night. */
export type SunOfDay = (hour: number) => number;

/** Computes the sun's course over one day (1 is the first of January); it culminates at 12. */
export function sunOfDay(latitudeDegrees: number, dayOfYear: number): SunOfDay {
  const latitude = latitudeDegrees * DEGREE;
  // Ten days before the new year the sun stands furthest south.
  const declination = -EARTH_TILT * Math.cos((2 * Math.PI * (dayOfYear + 10)) / 365.25);
  const mean = Math.sin(latitude) * Math.sin(declination);
  const swing = Math.cos(latitude) * Math.cos(declination);
  return (hour) => mean + swing * Math.cos((hour - 12) * 15 * DEGREE);
}

/** Computes the clear-sky irradiance on level ground in W/m² (Haurwitz's model); 0 at night. */
export function clearSkyWattsPerSquareMetre(elevationSine: number): number {
  return elevationSine > 0 ? 1098 * elevationSine * Math.exp(-0.057 / elevationSine) : 0;
}

const FRONT_PERIOD_MS = 9 * 3_600_000;
const CLOUD_PERIOD_MS = 9 * 60_000;
const DARKEST_LOSS = 0.75;

/** The share of sunlight that gets through at an instant, 0.25 to 1. */
export type Weather = (atMs: number) => number;

/** Makes weather that follows from the seed: fronts over hours, single clouds over minutes. */
export function createWeather(seed: number): Weather {
  const frontSeed = deriveSeed(seed, 'fronts');
  const cloudSeed = deriveSeed(seed, 'clouds');
  return (atMs) => {
    const front = smoothNoise(frontSeed, atMs / FRONT_PERIOD_MS);
    const cloud = smoothNoise(cloudSeed, atMs / CLOUD_PERIOD_MS);
    // Squared: clear skies are the rule, and single clouds show only when a front passes.
    return 1 - DARKEST_LOSS * front * front * (0.5 + 0.5 * cloud);
  };
}
