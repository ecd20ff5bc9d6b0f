import type { Clock } from '../base/clock.ts';
import type { RequestPace } from '../client/exchange/pace.ts';
import { devicesCollector, stationsCollector } from './inventory.ts';
import { readingsCollector } from './readings.ts';
import type { Target } from './target.ts';

export interface QueueOptions {
  readonly pace: Pick<RequestPace, 'start' | 'waitMs'>;
  readonly clock: Clock;
  /** Runs work in the background. */
  readonly track: (run: () => Promise<void>) => Promise<void>;
  /** Called when a target was fetched; may ask for more. */
  readonly fetched: (target: Target) => Promise<void> | void;
  /** Called when a target that is due gets no token. */
  readonly lacking: () => void;
}

/** Targets other than readings count as waiting this much less long, but still come before they are withdrawn. */
const GIVES_WAY_MS = 5 * 60_000;
/** The collectors of lists before which nothing else can be asked for. */
const LISTS: ReadonlySet<string> = new Set([stationsCollector.name, devicesCollector.name]);
/** Earlier than any instant, and finite, because times are compared by subtraction. */
const NEVER_ASKED_MS = Number.MIN_SAFE_INTEGER;
/** Tokens that come faster than this are given out together. */
const LEAST_WAIT_MS = 200;

/**
 * Fetches the targets that are due. Where requests are limited, each fetch needs a token, and the target that has
 * waited longest gets the next one. A target without a token stays due: no caller waits for it, and its last good
 * values are shown.
 */
export class Queue {
  readonly #options: QueueOptions;
  /** The targets to be fetched, and since when they wait. */
  readonly #waiting = new Map<Target, number>();
  /** The fetches under way. */
  readonly #running = new Map<Target, Promise<void>>();
  readonly #stopped = new AbortController();
  #isAsleep = false;

  constructor(options: QueueOptions) {
    this.#options = options;
  }

  /** Starts fetches of these targets where due, or joins running ones; resolves when the started ones have ended. */
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

  /** Drops the targets that wait for a token. */
  stop(): void {
    this.#stopped.abort();
    this.#waiting.clear();
  }

  /** Starts the fetches that may start now, and returns them. */
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
  // Readings wait since their last fetch, so that each device has its turn where all are always due.
  if (name === readingsCollector.name) return Math.max(askedAtMs, NEVER_ASKED_MS);
  // Without a list there are no readings. Readings of known devices come first.
  if (LISTS.has(name) && !isAnswered) return Math.max(askedAtMs, NEVER_ASKED_MS + 1);
  return sinceMs + GIVES_WAY_MS;
}
