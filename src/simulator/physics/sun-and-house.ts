import { deriveSeed, smoothNoise } from './seeded.ts';

const DEGREE = Math.PI / 180;
const EARTH_TILT = 23.44 * DEGREE;
const MINUTE_MS = 60_000;
const MINUTES_PER_DAY = 1440;

/** Computes the sine of the sun's elevation on a day (1 is the first of January) by the local hour; it culminates at 12. */
export function sunOfDay(latitudeDegrees: number, dayOfYear: number): (hour: number) => number {
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

const FRONT_PERIOD_MS = 9 * 60 * MINUTE_MS;
const CLOUD_PERIOD_MS = 9 * MINUTE_MS;
const DARKEST_LOSS = 0.75;

/** Makes the share of sunlight that gets through, 0.25 to 1: fronts over hours, single clouds over minutes. */
export function createWeather(seed: number): (atMs: number) => number {
  const frontSeed = deriveSeed(seed, 'fronts');
  const cloudSeed = deriveSeed(seed, 'clouds');
  return (atMs) => {
    const front = smoothNoise(frontSeed, atMs / FRONT_PERIOD_MS);
    const cloud = smoothNoise(cloudSeed, atMs / CLOUD_PERIOD_MS);
    // Squared: clear skies are the rule, and single clouds show only when a front passes.
    return 1 - DARKEST_LOSS * front * front * (0.5 + 0.5 * cloud);
  };
}

const BASE_WATTS = 220;
const NOISE_PERIOD_MS = 4 * MINUTE_MS;
const NOISE_SHARE = 0.15;

const PEAKS = [
  { hour: 7, widthHours: 1.1, watts: 750 },
  { hour: 13, widthHours: 2.5, watts: 350 },
  { hour: 19.5, widthHours: 2, watts: 1500 },
] as const;

/** Makes what the house draws, in watts, by the local hour too: morning and evening peaks over a constant base. */
export function createHousehold(seed: number): (atMs: number, hour: number) => number {
  const noiseSeed = deriveSeed(seed, 'appliances');
  // A table, because this is asked for every minute of a month at once.
  const habitWatts = Array.from({ length: MINUTES_PER_DAY }, (_, minute) =>
    usualWatts((minute * 24) / MINUTES_PER_DAY),
  );
  return (atMs, hour) => {
    const usual = habitWatts[Math.floor((hour * MINUTES_PER_DAY) / 24)] ?? BASE_WATTS;
    const noise = 2 * smoothNoise(noiseSeed, atMs / NOISE_PERIOD_MS) - 1;
    return usual * (1 + NOISE_SHARE * noise);
  };
}

function usualWatts(hour: number): number {
  return PEAKS.reduce((watts, peak) => {
    // Around the clock the short way, so that the evening's tail runs on after midnight.
    const apart = Math.abs(hour - peak.hour);
    const distance = Math.min(apart, 24 - apart) / peak.widthHours;
    return watts + peak.watts * Math.exp(-0.5 * distance * distance);
  }, BASE_WATTS);
}
