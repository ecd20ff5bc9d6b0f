import type { InverterState, Simulator } from '../../../src/simulator/simulator.ts';
import { MINUTE_MS } from '../../doors/house.ts';
import { SOC, VOLT, WATT } from '../resolution.ts';

/** What a device that sends every five minutes may be silent for before it is shown no longer. */
const MAX_AGE_MS = 15 * MINUTE_MS;

/** A time in which a device was not heard. */
export interface Gap {
  readonly fromMs: number;
  readonly toMs: number;
}

/** One metric of a device, and what it has to show. */
export interface Quantity {
  readonly metric: string;
  readonly truth: (state: InverterState) => number;
  /** Half of the last digit that the service gives, of each summand. */
  readonly tolerance: number;
}

/** What every family of these tests measures. */
export const QUANTITIES: readonly Quantity[] = [
  // A sum of two strings is rounded twice.
  { metric: 'solar_pv_power_watts', truth: (state) => state.pvPowerWatts, tolerance: 2 * WATT },
  { metric: 'solar_load_power_watts', truth: (state) => state.loadPowerWatts, tolerance: WATT },
  {
    metric: 'solar_battery_voltage_volts',
    truth: (state) => state.batteryVoltageVolts,
    tolerance: VOLT,
  },
  { metric: 'solar_battery_soc_ratio', truth: (state) => state.batterySocRatio, tolerance: SOC },
];

/** Returns the time of the newest reading that a scrape at an instant would have shown, if any. */
export function shownReadingAtMs(
  { options }: Simulator,
  gaps: readonly Gap[],
  scrapedAtMs: number,
): number | undefined {
  const { sampleIntervalMs } = options;
  let atMs = Math.floor(scrapedAtMs / sampleIntervalMs) * sampleIntervalMs;
  const gapAt = (sampleMs: number): Gap | undefined =>
    gaps.find(({ fromMs, toMs }) => fromMs <= sampleMs && sampleMs < toMs);
  for (let gap = gapAt(atMs); gap !== undefined; gap = gapAt(atMs))
    atMs = (Math.ceil(gap.fromMs / sampleIntervalMs) - 1) * sampleIntervalMs;
  return scrapedAtMs - atMs <= MAX_AGE_MS ? atMs : undefined;
}
