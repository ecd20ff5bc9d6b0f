import { deriveSeed, smoothNoise } from './seeded.ts';

const BASE_WATTS = 220;
const NOISE_PERIOD_MS = 4 * 60_000;
const NOISE_SHARE = 0.15;
const MINUTES_PER_DAY = 1440;

const PEAKS = [
  { hour: 7, widthHours: 1.1, watts: 750 },
  { hour: 13, widthHours: 2.5, watts: 350 },
  { hour: 19.5, widthHours: 2, watts: 1500 },
] as const;

/** What the house draws, in watts, at an instant that is `hour` (0 to 24) of the local day. */
export type Household = (atMs: number, hour: number) => number;

/** Makes a household that follows from the seed: morning and evening peaks over a constant base. */
export function createHousehold(seed: number): Household {
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
  let watts = BASE_WATTS;
  for (const peak of PEAKS) {
    // Around the clock the short way, so that the evening's tail runs on after midnight.
    const apart = Math.abs(hour - peak.hour);
    const distance = Math.min(apart, 24 - apart) / peak.widthHours;
    watts += peak.watts * Math.exp(-0.5 * distance * distance);
  }
  return watts;
}
