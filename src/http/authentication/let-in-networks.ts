import { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/log.ts';
import { RecentMap } from '../../base/recent-map.ts';
import { systemReason } from '../../base/shown.ts';

const DAY_MS = 24 * 3_600_000;
/** Far more than the places from which an exporter is asked. */
const MOST_NETWORKS = 64;
/** Whoever was not let in for so long is a stranger again. */
const FORGOTTEN_AFTER_MS = 30 * DAY_MS;
/** Often enough for the time above, and seldom enough for any disk. */
const RENEWED_AFTER_MS = DAY_MS;
const LONGEST_NETWORK = 64;

/** A file that outlives the program, and is replaced as a whole. */
export interface NetworkFile {
  /** Resolves to the text; absent when there is none yet. Rejects when it cannot be read. */
  read(): Promise<string | undefined>;
  /** Replaces the text. */
  write(text: string): Promise<void>;
}

export interface LetInNetworksOptions {
  /** Absent: a restart forgets all. */
  readonly file?: NetworkFile | undefined;
  readonly clock: Clock;
  readonly log: Logger;
}

const fileSchema = z.object({
  version: z.literal(1),
  networks: z.array(
    z.object({ network: z.string().min(1).max(LONGEST_NETWORK), letInAtMs: z.number().min(0) }),
  ),
});

/**
 * Remembers from where somebody was let in lately, also over restarts. It keeps nothing that follows from a
 * password: a digest that is fast to compute would undo what bcrypt is for.
 */
export class LetInNetworks {
  readonly #file: NetworkFile | undefined;
  readonly #clock: Clock;
  readonly #log: Logger;
  /** When somebody was let in, to the day; the latest comes last. */
  readonly #letInAtMs = new RecentMap<string, number>(MOST_NETWORKS);
  #writing: Promise<void> | undefined;
  #isChanged = false;
  #isFailing = false;

  private constructor({ file, clock, log }: LetInNetworksOptions) {
    this.#file = file;
    this.#clock = clock;
    this.#log = log;
  }

  /** Reads the file. One that cannot be used is ignored, and replaced when somebody is let in. */
  static async open(options: LetInNetworksOptions): Promise<LetInNetworks> {
    const networks = new LetInNetworks(options);
    const nowMs = options.clock.nowMs();
    // A time in the future was written before the clock was set back.
    for (const { network, letInAtMs } of await readNetworks(options))
      networks.#letInAtMs.set(network, Math.min(letInAtMs, nowMs));
    return networks;
  }

  /** Whether somebody was let in from this network lately. */
  has(network: string): boolean {
    const letInAtMs = this.#letInAtMs.peek(network);
    return letInAtMs !== undefined && this.#clock.nowMs() - letInAtMs < FORGOTTEN_AFTER_MS;
  }

  /** Notes that somebody was let in; writes the file when that is new. */
  add(network: string): void {
    const letInAtMs = this.#letInAtMs.peek(network);
    const nowMs = this.#clock.nowMs();
    // The difference is negative after the clock was set back, and the later time must not stay.
    if (letInAtMs !== undefined && Math.abs(nowMs - letInAtMs) < RENEWED_AFTER_MS) return;
    this.#letInAtMs.set(network, nowMs);
    this.#isChanged = true;
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined;
    });
  }

  /** Resolves when everything is written. */
  async close(): Promise<void> {
    await this.#writing;
  }

  /** Writes until what was written is what there is; what changes meanwhile is written together. */
  async #write(): Promise<void> {
    while (this.#isChanged) {
      this.#isChanged = false;
      const networks = Array.from(this.#letInAtMs.entries(), ([network, letInAtMs]) => ({
        network,
        letInAtMs,
      }));
      try {
        await this.#file?.write(`${JSON.stringify({ version: 1, networks })}\n`);
        this.#isFailing = false;
      } catch (error) {
        if (!this.#isFailing)
          this.#log.warn(
            { reason: systemReason(error) },
            'who was let in cannot be kept in --state.dir: a restart will forget it',
          );
        this.#isFailing = true;
      }
    }
  }
}

async function readNetworks({ file, log }: LetInNetworksOptions) {
  try {
    const text = await file?.read();
    return text === undefined ? [] : fileSchema.parse(JSON.parse(text)).networks;
  } catch (error) {
    const isOfSystem = !(error instanceof SyntaxError || error instanceof z.ZodError);
    const reason = isOfSystem ? systemReason(error) : 'not a list of networks of this version';
    log.warn({ reason }, 'the list of who was let in before cannot be used and begins anew');
    return [];
  }
}
