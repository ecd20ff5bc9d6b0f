import type { Clock } from '../../base/clock.ts';
import type { ZonedCalendar } from '../../base/time-zone.ts';
import type { SimulatorOptions } from '../options.ts';
import type { FleetDevice } from '../physics/fleet.ts';
import { INSTALLED_YEAR } from '../physics/station-plant.ts';

const DAY_MS = 86_400_000;

interface Gap {
  readonly fromMs: number;
  /** The first instant at which the device is heard again. */
  readonly toMs: number;
}

/** Samples that follow one another, by their numbers since the Unix epoch; both ends are included. */
type SampleSpan = readonly [first: number, last: number];

/** When each device was heard: since its installation at every interval, but for gaps. */
export class DeviceContact {
  readonly #options: SimulatorOptions;
  readonly #clock: Clock;
  readonly #installedAtMs: number;
  readonly #leftAtMs = new Map<string, number>();
  readonly #gaps = new Map<string, readonly Gap[]>();

  constructor(options: SimulatorOptions, clock: Clock, calendar: ZonedCalendar) {
    this.#options = options;
    this.#clock = clock;
    this.#installedAtMs = calendar.instantAt(Date.UTC(INSTALLED_YEAR, 0));
  }

  /** Ends a device's samples at an instant, or lets them go on. */
  setOffline({ deviceId }: FleetDevice, sinceMs: number | undefined): void {
    this.#leftAtMs.set(deviceId, sinceMs ?? Infinity);
  }

  /** Leaves out a device's samples from an instant up to another; earlier gaps stay. */
  addGap({ deviceId }: FleetDevice, gap: Gap): void {
    this.#gaps.set(deviceId, [...(this.#gaps.get(deviceId) ?? []), gap]);
  }

  isOnline(device: FleetDevice): boolean {
    const nowMs = this.#clock.nowMs();
    return nowMs < this.#left(device) && this.#gapAt(device, nowMs) === undefined;
  }

  /** Until when a device has been heard: now, or when it left. */
  heardAtMs(device: FleetDevice): number {
    const heardAtMs = Math.min(this.#clock.nowMs(), this.#left(device));
    return this.#gapAt(device, heardAtMs)?.fromMs ?? heardAtMs;
  }

  /** The newest instant at which a device was sampled. */
  lastSampleAtMs(device: FleetDevice): number {
    const { sampleIntervalMs } = this.#options;
    let sample = Math.floor(this.heardAtMs(device) / sampleIntervalMs);
    // One gap may end where another begins.
    for (;;) {
      const gap = this.#gapAt(device, sample * sampleIntervalMs);
      if (gap === undefined) return sample * sampleIntervalMs;
      sample = Math.ceil(gap.fromMs / sampleIntervalMs) - 1;
    }
  }

  /**
   * Finds the samples of a device from one instant to another, both included, that the service still
   * has. Spans and not a list, because a client may ask for years of seconds.
   */
  samplesWithin(device: FleetDevice, fromMs: number, toMs: number): readonly SampleSpan[] {
    const { historyDays = Infinity, sampleIntervalMs } = this.#options;
    const oldestMs = Math.max(this.#installedAtMs, this.#clock.nowMs() - historyDays * DAY_MS);
    // The future has no samples.
    const newestMs = Math.min(this.#clock.nowMs(), this.#left(device));
    const firstFrom = (atMs: number): number => Math.ceil(atMs / sampleIntervalMs);
    const oldest = firstFrom(Math.max(fromMs, oldestMs));
    const newest = Math.floor(Math.min(toMs, newestMs) / sampleIntervalMs);
    const isAny = ([first, last]: SampleSpan): boolean => first <= last;
    let spans = [[oldest, newest] as SampleSpan].filter(isAny);
    for (const gap of this.#gaps.get(device.deviceId) ?? [])
      spans = spans.flatMap(([first, last]) => {
        const before: SampleSpan = [first, Math.min(last, firstFrom(gap.fromMs) - 1)];
        const after: SampleSpan = [Math.max(first, firstFrom(gap.toMs)), last];
        // At once: each gap would double what is empty as well.
        return [before, after].filter(isAny);
      });
    return spans;
  }

  #left({ deviceId }: FleetDevice): number {
    return this.#leftAtMs.get(deviceId) ?? Infinity;
  }

  #gapAt({ deviceId }: FleetDevice, atMs: number): Gap | undefined {
    return this.#gaps.get(deviceId)?.find(({ fromMs, toMs }) => fromMs <= atMs && atMs < toMs);
  }
}

export function countSamples(spans: readonly SampleSpan[]): number {
  return spans.reduce((sum, [first, last]) => sum + last - first + 1, 0);
}

/** Lists the numbers of the samples from one position in the spans up to, not including, another. */
export function samplesBetween(
  spans: readonly SampleSpan[],
  fromPosition: number,
  toPosition: number,
): readonly number[] {
  let passed = 0;
  return spans.flatMap(([first, last]) => {
    const from = Math.max(0, fromPosition - passed);
    const to = Math.min(last - first + 1, toPosition - passed);
    passed += last - first + 1;
    return Array.from({ length: Math.max(0, to - from) }, (_, index) => first + from + index);
  });
}
