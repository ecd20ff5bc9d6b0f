import type { Clock } from '../base/clock.ts';
import type { RequestPace } from '../client/exchange/pace.ts';
import { devicesCollector, stationsCollector } from './inventory.ts';
import { readingsCollector } from './readings.ts';
import type { Target } from './target.ts';

export interface QueueOptions {
  readonly pace: Pick<RequestPace, 'start' | 'waitMs'>;
  readonly clock: Clock;
  /** Runs what nobody waits for. */
  readonly track: (run: () => Promise<void>) => Promise<void>;
  /** Called when a target was fetched; may ask for more. */
  readonly fetched: (target: Target) => Promise<void> | void;
  /** Called when something that is due gets no token. */
  readonly lacking: () => void;
}

/** What is no reading counts as waiting since so much later; it comes before it is withdrawn, also where tokens are few. */
const GIVES_WAY_MS = 5 * 60_000;
/** The collectors of lists before which nothing else can be asked for. */
const LISTS: ReadonlySet<string> = new Set([stationsCollector.name, devicesCollector.name]);
/** Earlier than any instant, and a number that can be compared by subtraction. */
const NEVER_ASKED_MS = Number.MIN_SAFE_INTEGER;
/** Tokens that come faster are given out together. */
const LEAST_WAIT_MS = 200;

/**
 * Asks for what is due. Where requests are limited, each fetch needs a token, and what has waited longest gets the next
 * one. What gets none stays due: nobody waits for it, the last good values are shown, and it is asked for when there is
 * a token.
 */
export class Queue {
  readonly #options: QueueOptions;
  /** What is to be asked for, and since when. */
  readonly #waiting = new Map<Target, number>();
  /** The fetches under way. */
  readonly #running = new Map<Target, Promise<void>>();
  readonly #stopped = new AbortController();
  #isAsleep = false;

  constructor(options: QueueOptions) {
    this.#options = options;
  }

  /** Starts what is due of these targets, or joins it; resolves when what could be started is answered. */
  async ask(targets: readonly Target[]): Promise<void> {
    const nowMs = this.#options.clock.nowMs();
    for (const target of targets)
      if (nowMs >= target.nextFetchAtMs && !this.isRunning(target) && !this.#waiting.has(target))
        this.#waiting.set(target, nowMs);
    void this.#start();
    await Promise.all(targets.flatMap((target) => this.#running.get(target) ?? []));
  }

  isRunning(target: Target): boolean {
    return this.#running.has(target);
  }

  /** Asks for nothing any more that waits for a token. */
  stop(): void {
    this.#stopped.abort();
    this.#waiting.clear();
  }

  /** Starts what may start now, and returns it. */
  #start(): readonly Promise<void>[] {
    const { pace } = this.#options;
    const started: Promise<void>[] = [];
    const waiting = Array.from(this.#waiting, ([target, sinceMs]) => ({
      target,
      placeMs: placeOf(target, sinceMs),
    }));
    for (const { target } of waiting.sort((one, other) => one.placeMs - other.placeMs)) {
      const sendsNothing = target.collector.sendsNothing === true;
      const fetch = sendsNothing ? target.fetch() : pace.start(() => target.fetch());
      if (fetch === undefined) {
        this.#waitForToken();
        break;
      }
      this.#waiting.delete(target);
      const ended = this.#end(target, fetch);
      this.#running.set(target, ended);
      started.push(ended);
    }
    return started;
  }

  async #end(target: Target, fetch: Promise<void>): Promise<void> {
    await fetch;
    this.#running.delete(target);
    await this.#options.fetched(target);
  }

  #waitForToken(): void {
    const { pace, clock, track, lacking } = this.#options;
    lacking();
    if (this.#isAsleep) return;
    this.#isAsleep = true;
    const { signal } = this.#stopped;
    void clock.sleep(Math.max(LEAST_WAIT_MS, pace.waitMs), signal).then(() => {
      this.#isAsleep = false;
      if (!signal.aborted)
        void track(async () => {
          await Promise.all(this.#start());
        });
    });
  }
}

/** Returns since when a target counts as waiting, by our clock; the earliest is next. */
function placeOf(
  { collector: { name, sendsNothing }, askedAtMs, isAnswered }: Target,
  sinceMs: number,
): number {
  if (sendsNothing === true) return NEVER_ASKED_MS;
  // Since its last question, so that each has its turn where all are always due.
  if (name === readingsCollector.name) return Math.max(askedAtMs, NEVER_ASKED_MS);
  // Without a list there are no readings; those of lists that have come are before it.
  if (LISTS.has(name) && !isAnswered) return Math.max(askedAtMs, NEVER_ASKED_MS + 1);
  return sinceMs + GIVES_WAY_MS;
}
