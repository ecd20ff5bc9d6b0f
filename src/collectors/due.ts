import type { Clock } from '../base/clock.ts';
import { turn } from '../base/turns.ts';
import type { RequestBucket } from '../client/exchange/request-bucket.ts';
import type { AnyRun, AnyTarget } from './run.ts';

/** Who asks: a station, or the account. */
export interface Asking {
  /** Returns what was due at a time and still is, with what is being fetched. */
  due(atMs: number): Iterable<AnyTarget>;
  /** Called when what was asked of a run is answered; may ask on. */
  answered(run: AnyRun): Promise<void> | undefined;
}

export interface DueOptions {
  readonly bucket: Pick<RequestBucket, 'start' | 'waitMs' | 'perSecond'>;
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

interface Due {
  readonly asking: Asking;
  readonly target: AnyTarget;
}

/**
 * Asks for what is due. Where requests are limited, each fetch needs a token: readings get them before everything else,
 * and first what was not asked about for the longest time. What gets none stays due: nobody waits for it, the last good
 * values are shown, and it is asked for when there is a token.
 */
export class DueQueue {
  readonly #options: DueOptions;
  /** Who was scraped and lacks tokens, and when that was. */
  readonly #wanting = new Map<Asking, number>();
  readonly #stopped = new AbortController();
  #isWaiting = false;
  #readingsInARow = 0;

  constructor(options: DueOptions) {
    this.#options = options;
  }

  /** Starts what is due of these, or joins it; resolves when what could be started is answered. */
  async ask(asked: Iterable<Asking>): Promise<void> {
    const nowMs = this.#options.clock.nowMs();
    const asking = new Set(asked);
    for (const one of asking) this.#wanting.set(one, nowMs);
    const rounds = await this.#start(asking);
    await Promise.all(rounds.flatMap((round) => (asking.has(round.asking) ? round.end : [])));
  }

  /** Asks for nothing any more that waits for a token. */
  stop(): void {
    this.#stopped.abort();
    this.#wanting.clear();
  }

  /** Starts what may start now of whoever wants anything; returns when what is answered of whom. */
  async #start(
    asked: ReadonlySet<Asking>,
  ): Promise<readonly { readonly asking: Asking; readonly end: Promise<void> }[]> {
    const { bucket, clock } = this.#options;
    const startedAtMs = clock.nowMs();
    /** The fetches of a run that were started together, or were running already; each says whether it was started. */
    const rounds = new Map<AnyRun, { asking: Asking; fetches: Promise<boolean>[] }>();
    for (const { asking, target } of this.#inOrder(this.#due(asked))) {
      const { isFetching, run } = target;
      const fetch = isFetching ? target.refresh() : bucket.start(() => target.refresh());
      if (fetch === undefined) {
        this.#waitForToken();
        break;
      }
      if (!isFetching) this.#readingsInARow = isReading(run) ? this.#readingsInARow + 1 : 0;
      const round = rounds.get(run) ?? { asking, fetches: [] };
      rounds.set(run, round);
      round.fetches.push(fetch);
      if (turn.isOver()) await turn.next();
    }
    return Array.from(rounds, ([run, { asking, fetches }]) => {
      const end = async (): Promise<void> => {
        const wereStarted = await Promise.all(fetches);
        run.ended(startedAtMs, wereStarted.includes(true));
        await asking.answered(run);
      };
      return { asking, end: end() };
    });
  }

  get #isLimited(): boolean {
    return this.#options.bucket.perSecond < Infinity;
  }

  /** Returns what is due of everybody who wants anything, and what is being fetched for those who ask now. */
  #due(asked: ReadonlySet<Asking>): readonly Due[] {
    const all: Due[] = [];
    for (const [asking, atMs] of this.#wanting) {
      let isAnyDue = false;
      for (const target of asking.due(atMs)) {
        if (target.isFetching && !asked.has(asking)) continue;
        isAnyDue ||= !target.isFetching;
        all.push({ asking, target });
      }
      if (!isAnyDue || !this.#isLimited) this.#wanting.delete(asking);
    }
    return all;
  }

  /** What is being fetched needs no token. */
  *#inOrder(due: readonly Due[]): Generator<Due> {
    if (!this.#isLimited) return yield* due;
    yield* due.filter(({ target }) => target.isFetching);
    const waiting = due.filter(({ target }) => !target.isFetching).sort(byTurn);
    const readings = waiting.filter(({ target }) => isReading(target.run));
    const others = waiting.filter(({ target }) => !isReading(target.run));
    for (let next = 0, nextOther = 0; next < readings.length || nextOther < others.length;) {
      const [reading, other] = [readings[next], others[nextOther]];
      const isOther =
        this.#readingsInARow >= READINGS_IN_A_ROW && reading?.target.turn !== -Infinity;
      const one = isOther ? (other ?? reading) : (reading ?? other);
      if (one === reading) next += 1;
      else nextOther += 1;
      if (one !== undefined) yield one;
    }
  }

  #waitForToken(): void {
    const { bucket, clock, track, lacking } = this.#options;
    lacking();
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    const { signal } = this.#stopped;
    const goOn = async (): Promise<void> => {
      await Promise.all((await this.#start(new Set())).map(({ end }) => end));
    };
    void clock.sleep(Math.max(LEAST_WAIT_MS, bucket.waitMs), signal).then(() => {
      this.#isWaiting = false;
      if (!signal.aborted) void track(goOn);
    });
  }
}

/** Whether it brings readings: a station that was never read begins with its list. */
function isReading(run: AnyRun): boolean {
  return run.name === READINGS || isFirstList(run);
}

/** Whether a run asks for a list before which nothing else can be asked for. */
function isFirstList(run: AnyRun): boolean {
  if (!LISTS.has(run.name) || run.outcome() !== undefined) return false;
  return [...run.targets].every(({ snapshot }) => snapshot === undefined);
}

/** Compares when two were last asked about. What never was comes first, a list after the readings of lists before. */
function byTurn({ target: one }: Due, { target: other }: Due): number {
  if (one.turn !== other.turn) return one.turn - other.turn;
  return Number(isFirstList(one.run)) - Number(isFirstList(other.run));
}
