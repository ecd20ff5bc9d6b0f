import { z } from 'zod';
import type { Clock } from '../base/clock.ts';
import { isPlausibleTime } from '../base/instant.ts';
import {
  type KeptFile,
  keptFile,
  type SpacedWrites,
  spacedWrites,
  type StateFile,
} from '../base/kept-file.ts';
import type { Logger } from '../base/log.ts';
import type { EnergyCount } from '../model/energy-counter.ts';
import { byQuantity, ENERGY_QUANTITIES } from '../model/energy.ts';
import { BATTERY_SIGNS } from '../model/readings.ts';

const DAY_MS = 86_400_000;
/** A device whose last point is so old is forgotten, so that the file does not grow forever. */
const FORGOTTEN_AFTER_MS = 365 * DAY_MS;

const instant = z.number().refine(isPlausibleTime);
const amount = z.number().min(0);
const byFlow = z.partialRecord(z.enum(ENERGY_QUANTITIES), amount);
const byFlowSince = z.partialRecord(z.enum(ENERGY_QUANTITIES), z.number());
const midnight = z.object({ lastAtMs: instant, energies: byFlowSince, knownMs: byFlowSince });
const countSchema = z
  .object({
    lastAtMs: instant,
    lastFlows: byFlow,
    energies: byFlow,
    gapMs: amount,
    intervalsMs: z.array(amount),
    knownMs: byFlow.default({}),
    midnight: midnight.optional(),
    /** The counts at several midnights, which an older version kept. */
    marks: z.array(midnight).optional(),
    battery: z.enum(BATTERY_SIGNS).optional(),
  })
  .transform(({ marks = [], ...count }) => {
    const [newest] = marks.toSorted((one, other) => other.lastAtMs - one.lastAtMs);
    return { ...count, midnight: count.midnight ?? newest };
  });
const fileSchema = z.object({
  /** Grows when an older program can no longer read the file of a newer one; extra fields of 1 are not needed. */
  version: z.literal([1, 2]),
  devices: z
    .array(z.object({ deviceId: z.string().min(1), count: countSchema }))
    .transform((all) => new Map(all.map(({ deviceId, count }) => [deviceId, count] as const))),
});

const TEXTS = {
  foreign: 'not counters of this version',
  setAside: 'the energy counters cannot be used, were set aside and begin at 0',
  failing: 'the energy counters cannot be kept in --state.dir: a restart will set them back',
  again: 'the energy counters are kept in --state.dir again',
};

export interface EnergyCountsOptions {
  /** Absent: the counts are kept in memory only. */
  readonly file?: StateFile | undefined;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Keeps the counted energy of every device, over reloads and, with a file, over restarts. A count is shown only
 * once it is in the file, unless the file cannot be written: Prometheus would take a counter that fell back after
 * a crash for a reset, and its energy would count twice. No caller waits for the file.
 */
export class EnergyCounts {
  readonly #log: Logger;
  readonly #file: KeptFile | undefined;
  readonly #writes: SpacedWrites | undefined;
  readonly #devices = new Map<string, EnergyCount>();
  /** The counts as they were last written; without a file, all of them. */
  #shown: ReadonlyMap<string, EnergyCount> = this.#devices;
  /**
   * Without a file: what had been counted when this program began to count, of which a restart would forget how much has
   * been shown. So what is shown begins at 0: a counter that fell back to the energy of the morning would be taken for
   * one that counted the morning again.
   */
  readonly #begun = new Map<string, Pick<EnergyCount, 'energies' | 'gapMs'>>();
  #isChanged = false;
  /** A wrong clock affects the points of all devices, so only one device is named. */
  #isWarned = false;

  private constructor({ file, clock, log }: EnergyCountsOptions) {
    this.#log = log;
    this.#file = file && keptFile(file, TEXTS, log);
    this.#writes = this.#file && spacedWrites(clock, () => this.#writeIfChanged());
  }

  /** Reads the file, and sets it aside when it cannot be used. */
  static async open(options: EnergyCountsOptions): Promise<EnergyCounts> {
    const counts = new EnergyCounts(options);
    if (counts.#file === undefined) return counts;
    const { devices } = (await counts.#file.read(fileSchema)) ?? {};
    const sinceMs = options.clock.nowMs() - FORGOTTEN_AFTER_MS;
    for (const [deviceId, count] of devices ?? [])
      if (count.lastAtMs > sinceMs) counts.#devices.set(deviceId, count);
    counts.#shown = new Map(counts.#devices);
    return counts;
  }

  /** Returns what has been counted of a device; absent while nothing has. */
  get(deviceId: string): EnergyCount | undefined {
    return this.#devices.get(deviceId);
  }

  /** Returns what may be shown of a device; absent while nothing may. */
  shown(deviceId: string): Pick<EnergyCount, 'energies' | 'gapMs'> | undefined {
    const [count, begun] = [this.#shown.get(deviceId), this.#begun.get(deviceId)];
    if (count === undefined || begun === undefined) return count;
    return {
      energies: byQuantity((name) => {
        const { [name]: energyKwh } = count.energies;
        return energyKwh === undefined ? undefined : energyKwh - (begun.energies[name] ?? 0);
      }),
      gapMs: count.gapMs - begun.gapMs,
    };
  }

  /** Returns when, after an instant, more of a device may be shown; Infinity where all of it is. */
  showsMoreAtMs(deviceId: string, nowMs: number): number {
    if (this.#shown.get(deviceId) === this.get(deviceId)) return Infinity;
    return nowMs + Math.max(1, this.#writes?.leftMs() ?? 0);
  }

  /**
   * Keeps the count of a device and has it written, where it has more than the one before.
   *
   * @param before - the count that this one continues; if another has taken its place meanwhile, nothing is kept.
   */
  keep(deviceId: string, count: EnergyCount, before: EnergyCount | undefined): void {
    const isSame = before?.lastAtMs === count.lastAtMs && before.battery === count.battery;
    if (!isSame && this.get(deviceId) === before) {
      this.#devices.set(deviceId, count);
      if (this.#file === undefined && before === undefined)
        this.#begun.set(deviceId, { energies: count.energies, gapMs: count.gapMs });
      this.#isChanged = true;
      if (before !== undefined && before.lastAtMs > count.lastAtMs) this.#warnOf(deviceId, before);
    }
    // Changes that could not be written before are written as well.
    if (this.#isChanged) this.#writes?.soon();
  }

  #warnOf(deviceId: string, ahead: EnergyCount): void {
    if (this.#isWarned) return;
    this.#isWarned = true;
    const lastAt = new Date(ahead.lastAtMs).toISOString();
    this.#log.warn(
      { deviceId, lastAt },
      "energy was counted up to a time that lies ahead of the service's clock: the count goes on from the newest reading, after a gap",
    );
  }

  /** Writes unwritten changes at once. */
  async close(): Promise<void> {
    await this.#writes?.close();
  }

  async #writeIfChanged(): Promise<void> {
    if (this.#file === undefined || !this.#isChanged) return;
    this.#isChanged = false;
    // A copy, because counts grow during the write, and only the counts in the file may be shown.
    const shown = new Map(this.#devices);
    // Failed and later changes are still to be written.
    const text = `${JSON.stringify({ version: 2, devices: [...entriesOf(shown)] })}\n`;
    if (!(await this.#file.write(text))) this.#isChanged = true;
    this.#shown = shown;
  }
}

function* entriesOf(devices: ReadonlyMap<string, EnergyCount>): Generator<object> {
  for (const [deviceId, count] of devices) yield { deviceId, count };
}
