import type { Clock } from '../base/clock.ts';
import type { RequestPace } from '../client/exchange/pace.ts';
import type { Run, Target } from './run.ts';

export interface DueOptions {
  readonly pace: Pick<RequestPace, 'start' | 'waitMs' | 'perSecond'>;
  /** Runs what nobody waits for. */
  readonly track: (run: () => Promise<void>) => Promise<void>;
  /** Called when something that is due gets no token. */
  readonly lacking: () => void;
  readonly clock: Clock;
}

const READINGS = 'readings';
/** The collectors of lists before which nothing else can be asked for. */
const LISTS: ReadonlySet<string> = new Set(['stations', 'devices']);
/** Then a token goes to what is no reading, so that tokens which do not even do for known devices leave nothing out. */
const READINGS_IN_A_ROW = 9;
/** Tokens that come faster are given out together. */
const LEAST_WAIT_MS = 200;

/**
 * Asks for what is due. Where requests are limited, each fetch needs a token: readings get them before everything else,
 * and first what was not asked about for the longest time. What gets none stays due: nobody waits for it, the last good
 * values are shown, and it is asked for when there is a token.
 */
export class DueQueue {
  readonly #options: DueOptions;
  /** The runs that were asked for and lack tokens, and when that was. */
  readonly #wanted = new Map<Run, number>();
  readonly #stopped = new AbortController();
  #isWaiting = false;
  #turns = 0;
  #readingsInARow = 0;

  constructor(options: DueOptions) {
    this.#options = options;
  }

  /** Starts what is due of these runs, or joins it; resolves when what could be started is answered. */
  async ask(runs: Iterable<Run>): Promise<void> {
    const nowMs = this.#options.clock.nowMs();
    const asked = new Set(runs);
    for (const run of asked) this.#wanted.set(run, nowMs);
    const rounds = this.#start(asked);
    await Promise.all([...rounds].flatMap(([run, end]) => (asked.has(run) ? end : [])));
  }

  /** Asks for nothing any more that waits for a token. */
  stop(): void {
    this.#stopped.abort();
    this.#wanted.clear();
  }

  /** Starts what may start now of all that is wanted; returns when the round of each run ends. */
  #start(asked: ReadonlySet<Run>): ReadonlyMap<Run, Promise<void>> {
    const { pace, clock } = this.#options;
    const startedAtMs = clock.nowMs();
    /** The fetches of a run that were started together, or were running already. */
    const fetches = new Map<Run, Promise<void>[]>();
    for (const target of this.#inOrder(this.#due(asked))) {
      const { isFetching, run } = target;
      const fetch = isFree(target) ? target.refresh() : pace.start(() => target.refresh());
      if (fetch === undefined) {
        this.#waitForToken();
        break;
      }
      if (!isFetching) {
        this.#readingsInARow = isReading(target) ? this.#readingsInARow + 1 : 0;
        target.turn = this.#turns += 1;
      }
      const ofRun = fetches.get(run) ?? [];
      fetches.set(run, ofRun);
      ofRun.push(fetch);
    }
    const rounds = Array.from(fetches, ([run, ofRun]) => {
      const end = Promise.all(ofRun).then(() => run.ended(startedAtMs));
      return [run, end] as const;
    });
    return new Map(rounds);
  }

  get #isLimited(): boolean {
    return this.#options.pace.perSecond < Infinity;
  }

  /** Returns what is due of all that is wanted, and what is being fetched of the runs that are asked for now. */
  #due(asked: ReadonlySet<Run>): readonly Target[] {
    const due: Target[] = [];
    for (const [run, atMs] of this.#wanted) {
      let isAnyWaiting = false;
      for (const target of run.targets) {
        if (!target.isDue(atMs) || (target.isFetching && !asked.has(run))) continue;
        isAnyWaiting ||= !target.isFetching;
        due.push(target);
      }
      if (!isAnyWaiting || !this.#isLimited) this.#wanted.delete(run);
    }
    return due;
  }

  /** What sends nothing comes first, and then as {@link byTurn} says. */
  *#inOrder(due: readonly Target[]): Generator<Target> {
    if (!this.#isLimited) return yield* due;
    yield* due.filter(isFree);
    const waiting = due.filter((target) => !isFree(target)).sort(byTurn);
    const readings = waiting.filter((target) => isReading(target));
    const others = waiting.filter((target) => !isReading(target));
    for (let next = 0, nextOther = 0; next < readings.length || nextOther < others.length;) {
      const [reading, other] = [readings[next], others[nextOther]];
      const isOther = this.#readingsInARow >= READINGS_IN_A_ROW && reading?.turn !== -Infinity;
      const one = isOther ? (other ?? reading) : (reading ?? other);
      if (one === reading) next += 1;
      else nextOther += 1;
      if (one !== undefined) yield one;
    }
  }

  #waitForToken(): void {
    const { pace, clock, track, lacking } = this.#options;
    lacking();
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    const { signal } = this.#stopped;
    const goOn = async (): Promise<void> => {
      await Promise.all(this.#start(new Set()).values());
    };
    void clock.sleep(Math.max(LEAST_WAIT_MS, pace.waitMs), signal).then(() => {
      this.#isWaiting = false;
      if (!signal.aborted) void track(goOn);
    });
  }
}

/** Whether it needs no token: it is being fetched already, or sends nothing. */
function isFree({ isFetching, run }: Target): boolean {
  return isFetching || run.collector.sendsNothing === true;
}

/** Whether it brings readings: a station that was never read begins with its list. */
function isReading(target: Target): boolean {
  return target.run.name === READINGS || isFirstList(target);
}

/** Whether it is a list before which nothing else can be asked for. */
function isFirstList({ run, isAnswered }: Target): boolean {
  return LISTS.has(run.name) && !isAnswered;
}

/** Compares when two were last asked about. What never was comes first, a list after the readings of lists before. */
function byTurn(one: Target, other: Target): number {
  if (one.turn !== other.turn) return one.turn - other.turn;
  return Number(isFirstList(one)) - Number(isFirstList(other));
}
