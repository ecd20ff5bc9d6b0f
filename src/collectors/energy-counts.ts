import { z } from 'zod';
import type { Clock } from '../base/clock.ts';
import { isBelievable } from '../base/instant.ts';
import { jsonInTurns, type KeptFile, keptFile, type StateFile } from '../base/kept-file.ts';
import type { Logger } from '../base/log.ts';
import { type SpacedWrites, spacedWrites } from '../base/spaced-writes.ts';
import type { EnergyCount } from '../model/energy-counter.ts';
import { ENERGY_QUANTITIES } from '../model/energy.ts';

const DAY_MS = 86_400_000;
/** After so many days on which nobody asked for a device, its count is dropped. */
const UNSEEN_DAYS = 30;
/** How long no other device is named whose points were dated ahead: such a clock dates those of all. */
const WARNED_FOR_MS = DAY_MS;

const instant = z.number().refine(isBelievable);
const amount = z.number().min(0);
const byFlow = z.partialRecord(z.enum(ENERGY_QUANTITIES), amount);
const countSchema = z.object({
  lastAtMs: instant,
  lastFlows: byFlow,
  energies: byFlow,
  gapMs: amount,
  intervalsMs: z.array(amount),
});
const fileSchema = z.object({
  /** Grows when an older program could no longer read what a newer one writes. */
  version: z.literal(1),
  /** When the devices that nobody asks for were last looked for, by our clock. */
  lookedAtMs: instant,
  devices: z
    .array(z.object({ deviceId: z.string().min(1), unseenDays: amount, count: countSchema }))
    .transform((all) => new Map(all.map(({ deviceId, ...kept }) => [deviceId, kept] as const))),
});

/** The count of one device. */
interface KeptCount {
  readonly count: EnergyCount;
  /** On how many days in a row nobody asked for it. */
  readonly unseenDays: number;
}

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
 * Keeps the counted energy of every device, over reloads and, with a file, over restarts. A count that is
 * shown is in the file, unless that cannot be written: a counter that fell back after a crash would be
 * taken for one that began again at 0, and its energy would count twice. Nobody waits for the file.
 */
export class EnergyCounts {
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #file: KeptFile | undefined;
  readonly #writes: SpacedWrites | undefined;
  readonly #devices = new Map<string, KeptCount>();
  /** The counts as they were last written; without a file, all of them. */
  #shown: ReadonlyMap<string, KeptCount> = this.#devices;
  #isChanged = false;
  /** The devices that were asked for since {@link #lookedAtMs}. */
  #seen = new Set<string>();
  #lookedAtMs: number;
  #warnedAtMs = -Infinity;

  private constructor({ file, clock, log }: EnergyCountsOptions) {
    this.#clock = clock;
    this.#log = log;
    this.#file = file && keptFile(file, TEXTS, log);
    this.#writes = this.#file && spacedWrites(clock, () => this.#writeIfChanged());
    this.#lookedAtMs = clock.nowMs();
  }

  /** Reads the file, and sets it aside when it cannot be used. */
  static async open(options: EnergyCountsOptions): Promise<EnergyCounts> {
    const counts = new EnergyCounts(options);
    if (counts.#file === undefined) return counts;
    const kept = await counts.#file.read(fileSchema);
    counts.#shown = kept?.devices ?? new Map();
    counts.#lookedAtMs = Math.min(kept?.lookedAtMs ?? Infinity, counts.#lookedAtMs);
    for (const [deviceId, count] of counts.#shown) counts.#devices.set(deviceId, count);
    return counts;
  }

  /** Returns what has been counted of a device; absent while nothing has. */
  get(deviceId: string): EnergyCount | undefined {
    this.#seen.add(deviceId);
    this.#forgetUnseen();
    return this.#devices.get(deviceId)?.count;
  }

  /** Returns what may be shown of a device; absent while nothing may. */
  shown(deviceId: string): EnergyCount | undefined {
    return this.#shown.get(deviceId)?.count;
  }

  /** Returns when, after an instant, more of a device may be shown; Infinity where all of it is. */
  showsMoreAtMs(deviceId: string, nowMs: number): number {
    if (this.shown(deviceId) === this.#devices.get(deviceId)?.count) return Infinity;
    return nowMs + Math.max(1, this.#writes?.leftMs() ?? 0);
  }

  /** Keeps the count of a device, unless a later one is known, and has it written. */
  keep(deviceId: string, count: EnergyCount): void {
    const known = this.#devices.get(deviceId)?.count;
    if (known === undefined || known.lastAtMs < count.lastAtMs) this.#set(deviceId, count);
    if (this.#isChanged) this.#writes?.soon();
  }

  /** Takes the place of a count whose last point was dated ahead, unless another one has taken it already. */
  replace(deviceId: string, ahead: EnergyCount, count: EnergyCount): void {
    if (this.#devices.get(deviceId)?.count !== ahead) return;
    this.#set(deviceId, count);
    this.#writes?.soon();
    const nowMs = this.#clock.nowMs();
    if (Math.abs(nowMs - this.#warnedAtMs) < WARNED_FOR_MS) return;
    this.#warnedAtMs = nowMs;
    const lastAt = new Date(ahead.lastAtMs).toISOString();
    this.#log.warn(
      { deviceId, lastAt },
      "energy was counted up to a time that lies ahead of the service's clock: the count goes on from the newest reading, after a gap",
    );
  }

  #set(deviceId: string, count: EnergyCount): void {
    this.#devices.set(deviceId, { count, unseenDays: 0 });
    this.#isChanged = true;
  }

  /** Writes at once what is not written yet. */
  async close(): Promise<void> {
    await this.#writes?.close();
  }

  /** Once a day, drops the counts that nobody has asked for on many days, on which the program ran. */
  #forgetUnseen(): void {
    const nowMs = this.#clock.nowMs();
    // The difference is negative after the clock was set back.
    if (Math.abs(nowMs - this.#lookedAtMs) < DAY_MS) return;
    for (const [deviceId, { count, unseenDays }] of this.#devices) {
      const days = this.#seen.has(deviceId) ? 0 : unseenDays + 1;
      if (days > UNSEEN_DAYS) this.#devices.delete(deviceId);
      else this.#devices.set(deviceId, { count, unseenDays: days });
    }
    this.#seen = new Set();
    this.#lookedAtMs = nowMs;
    this.#isChanged = true;
  }

  async #writeIfChanged(): Promise<void> {
    if (this.#file === undefined || !this.#isChanged) return;
    this.#isChanged = false;
    // A copy, because counts grow while it is written, and what is in the file is what may be shown.
    const shown = new Map(this.#devices);
    const head = JSON.stringify({ version: 1, lookedAtMs: this.#lookedAtMs }).slice(0, -1);
    const devices = await jsonInTurns(entriesOf(shown));
    // What could not be written, or has changed meanwhile, is still to be written.
    if (!(await this.#file.write(`${head},"devices":${devices}}\n`))) this.#isChanged = true;
    this.#shown = shown;
  }
}

function* entriesOf(devices: ReadonlyMap<string, KeptCount>): Generator<object> {
  for (const [deviceId, kept] of devices) yield { deviceId, ...kept };
}
