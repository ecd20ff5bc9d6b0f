import { deriveSeed, smoothNoise } from './seeded.ts';

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
