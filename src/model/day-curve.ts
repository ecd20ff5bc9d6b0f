import type { PowerPoint } from './readings.ts';

/** The quantities of a day's curves: the power of a station by flow, and the charge of its battery. */
export const CURVE_QUANTITIES = [
  'pvPowerWatts',
  'loadPowerWatts',
  'gridImportPowerWatts',
  'gridFeedInPowerWatts',
  'batteryPowerWatts',
  'batterySocRatio',
] as const;

export type CurveQuantity = (typeof CURVE_QUANTITIES)[number];

/** How far apart the instants of a curve are on any day but that of the demo. */
export const CURVE_STEP_MS = 5 * 60_000;

/** The day of a curve, from midnight to midnight: of 23 or 25 hours when the clocks change. */
export interface CurveDay {
  readonly startsAtMs: number;
  readonly endsAtMs: number;
  /** {@link CURVE_STEP_MS} when left out. */
  readonly stepMs?: number;
}

/**
 * The curve of one station and one day: for every fifth minute since midnight the sums over its devices, in
 * W, and the mean charge of its batteries (0 to 1). It takes 10 KB, however many devices there are.
 */
export class DayCurve {
  readonly startsAtMs: number;
  readonly endsAtMs: number;
  readonly stepMs: number;
  readonly #length: number;
  /** One row of instants after the other, in the order of {@link CURVE_QUANTITIES}. */
  readonly #values: Float32Array;
  /** How many devices contribute to each value. */
  readonly #devices: Uint16Array;

  constructor({ startsAtMs, endsAtMs, stepMs = CURVE_STEP_MS }: CurveDay) {
    this.startsAtMs = startsAtMs;
    this.endsAtMs = endsAtMs;
    this.stepMs = stepMs;
    this.#length = Math.ceil((endsAtMs - startsAtMs) / stepMs);
    this.#values = new Float32Array(CURVE_QUANTITIES.length * this.#length);
    this.#devices = new Uint16Array(this.#values.length);
  }

  /**
   * Adds what a device measured after one point and up to the next; in between, values change evenly. Each span of a
   * device is to be added once.
   */
  add(from: PowerPoint, to: PowerPoint): void {
    const first = Math.max(0, Math.floor((from.atMs - this.startsAtMs) / this.stepMs) + 1);
    const last = Math.min(this.#length - 1, Math.floor((to.atMs - this.startsAtMs) / this.stepMs));
    for (const [row, name] of CURVE_QUANTITIES.entries()) {
      const [before, after] = [from.figures[name], to.figures[name]];
      if (before === undefined || after === undefined) continue;
      for (let index = first; index <= last; index += 1) {
        const atMs = this.startsAtMs + index * this.stepMs;
        const value = before + ((atMs - from.atMs) / (to.atMs - from.atMs)) * (after - before);
        const place = row * this.#length + index;
        const [known = 0, devices = 0] = [this.#values[place], this.#devices[place]];
        const isShared = to.shared.includes(name);
        const isMean = name === 'batterySocRatio';
        const sum = isMean ? (known * devices + value) / (devices + 1) : known + value;
        this.#values[place] = isShared ? Math.max(known, value) : sum;
        this.#devices[place] = isShared ? 1 : devices + 1;
      }
    }
  }

  /**
   * Returns a quantity at every instant since midnight, up to the last one at which it is known; empty where it is
   * never known. It is unknown at an instant where devices lack it that have it at other times.
   */
  valuesOf(name: CurveQuantity): readonly (number | undefined)[] {
    const start = CURVE_QUANTITIES.indexOf(name) * this.#length;
    const devices = this.#devices.subarray(start, start + this.#length);
    let most = 1;
    for (const count of devices) most = Math.max(most, count);
    // At least 19 of 20 devices must have it: a sum of fewer would look like a drop.
    const isKnown = (count: number): boolean => 20 * count >= 19 * most;
    return Array.from(devices.subarray(0, devices.findLastIndex(isKnown) + 1), (count, index) =>
      isKnown(count) ? this.#values[start + index] : undefined,
    );
  }
}
