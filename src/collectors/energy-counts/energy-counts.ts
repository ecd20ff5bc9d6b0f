import type { Clock } from '../../base/clock.ts';
import { oneAtATime } from '../../base/concurrency.ts';
import { KeptFile, type StateFile } from '../../base/kept-file.ts';
import type { Logger } from '../../base/log.ts';
import type { EnergyCount } from '../../model/energy-counter.ts';
import { decodeCounts, encodeCounts, type KeptCount } from './counts-file.ts';
import { FirstQuestions } from './first-questions.ts';

const DAY_MS = 86_400_000;
/** After so many days on which nobody asked for a device, its count is dropped. */
const UNSEEN_DAYS = 30;
/** How far apart writes are, by the number of devices: what is written in a second stays the same. */
const SPACING_PER_DEVICE_MS = 10;
const LONGEST_SPACING_MS = 10_000;

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
 * returned is in the file, unless that cannot be written: a counter that fell back after a crash would be
 * taken for one that began again at 0, and its energy would count twice.
 */
export class EnergyCounts {
  readonly firstQuestions = new FirstQuestions();
  readonly #clock: Clock;
  readonly #file: KeptFile | undefined;
  readonly #devices = new Map<string, KeptCount>();
  readonly #closing = new AbortController();
  readonly #write: () => Promise<void>;
  /** The devices that were asked for since {@link #lookedAtMs}. */
  #seen = new Set<string>();
  #lookedAtMs: number;
  #writtenAtMs = -Infinity;
  #isChanged = false;

  private constructor({ file, clock, log }: EnergyCountsOptions) {
    this.#clock = clock;
    this.#file = file && new KeptFile(file, TEXTS, log);
    this.#lookedAtMs = clock.nowMs();
    this.#write = oneAtATime(() => this.#writeIfChanged());
  }

  /** Reads the file, and sets it aside when it cannot be used. */
  static async open(options: EnergyCountsOptions): Promise<EnergyCounts> {
    const counts = new EnergyCounts(options);
    const kept = await counts.#file?.read(decodeCounts);
    if (kept === undefined) return counts;
    counts.#lookedAtMs = Math.min(kept.lookedAtMs, counts.#lookedAtMs);
    for (const [deviceId, count] of kept.devices) counts.#devices.set(deviceId, count);
    return counts;
  }

  /** Returns what has been counted of a device; absent while nothing has. */
  get(deviceId: string): EnergyCount | undefined {
    this.#seen.add(deviceId);
    this.#forgetUnseen();
    return this.#devices.get(deviceId)?.count;
  }

  /**
   * Keeps the count of a device, unless a later one is known. Resolves, once it is in the file, to the one that
   * is kept. Never rejects.
   */
  async keep(deviceId: string, count: EnergyCount): Promise<EnergyCount> {
    const known = this.#devices.get(deviceId)?.count;
    if (known === undefined || known.lastAtMs < count.lastAtMs) {
      this.#devices.set(deviceId, { count, unseenDays: 0 });
      this.#isChanged = true;
    }
    await this.#write();
    return this.#devices.get(deviceId)?.count ?? count;
  }

  /** Writes at once what is not written yet. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#write();
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
    await this.#spaced();
    this.#isChanged = false;
    const kept = { devices: this.#devices, lookedAtMs: this.#lookedAtMs };
    const isWritten = await this.#file.write(await encodeCounts(kept));
    // What has changed meanwhile is still to be written.
    if (!isWritten) this.#isChanged = true;
    this.#writtenAtMs = this.#clock.nowMs();
  }

  /** Waits until so many devices may have their counts written again, so that they share a write. */
  async #spaced(): Promise<void> {
    const clock = this.#clock;
    const { signal } = this.#closing;
    const spacingMs = Math.min(LONGEST_SPACING_MS, SPACING_PER_DEVICE_MS * this.#devices.size);
    const passedMs = clock.nowMs() - this.#writtenAtMs;
    if (!signal.aborted && passedMs >= 0 && passedMs < spacingMs)
      await clock.sleep(spacingMs - passedMs, signal);
  }
}
