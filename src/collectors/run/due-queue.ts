import { type Clock, nextTurn } from '../../base/clock.ts';
import { Slices } from '../../base/turns.ts';
import type { RequestBucket } from '../../client/exchange/request-bucket.ts';
import type { SnapshotCache } from '../snapshot-cache.ts';

/** What a run asks about. */
export interface DueTarget {
  readonly cache: Pick<SnapshotCache<unknown>, 'turn' | 'isFetching' | 'refreshIfDue'>;
}

/** The run of a collector of which a target is due. */
export interface DueRun {
  readonly name: string;
  /** Whether it asks for a list before which nothing else can be asked for. */
  readonly isFirstList: boolean;
  /** Takes note that fetches have ended which were started together, or were under way already. */
  ended(startedAtMs: number, wereStarted: boolean): void;
}

/** Whose values are asked for: a station, or the account. */
export interface DueSource {
  /** Resolves when all of its devices are followed; absent when they are. */
  readonly following: Promise<void> | undefined;
  /** Returns what was due at a time and still is, with what is being fetched. */
  due(atMs: number): Iterable<readonly [DueRun, DueTarget]>;
  /** Called when what was asked of a run is answered; may ask on. */
  answered(run: DueRun): Promise<void> | undefined;
}

export interface DueQueueOptions {
  /** Absent: any number of requests may be sent. */
  readonly bucket?: Pick<RequestBucket, 'start' | 'waitMs' | 'perSecond'> | undefined;
  /** Runs what nobody waits for. */
  readonly track: (run: () => Promise<void>) => Promise<void>;
  /** Called when something that is due gets no token. */
  readonly lacking: () => void;
  readonly clock: Clock;
}

const READINGS = 'readings';
/** Then a token goes to what is no reading, so that tokens which do not even do for known devices leave nothing out. */
const READINGS_IN_A_ROW = 9;
/** Tokens that come faster are given out together. */
const LEAST_WAIT_MS = 200;
/** A fetch takes so long to start. */
const START_MICROSECONDS = 30;

interface Due {
  readonly source: DueSource;
  readonly run: DueRun;
  readonly target: DueTarget;
}

/** The fetches of a run that were started together, or are under way. */
interface Round extends Pick<Due, 'source' | 'run'> {
  readonly fetches: Promise<void>[];
  wereStarted: boolean;
}

/**
 * Asks for what is due. Where requests are limited, each fetch needs a token: readings get them before everything else,
 * and first what was not asked about for the longest time. What gets none stays due: nobody waits for it, the last good
 * values are shown, and it is asked for when there is a token.
 */
export class DueQueue {
  readonly #options: DueQueueOptions;
  /** Who was scraped and lacks tokens, and when that was. */
  readonly #wanting = new Map<DueSource, number>();
  readonly #stopped = new AbortController();
  #isWaiting = false;
  #readingsInARow = 0;

  constructor(options: DueQueueOptions) {
    this.#options = options;
  }

  /** Whether requests are limited. */
  get isLimited(): boolean {
    const { bucket } = this.#options;
    return bucket !== undefined && bucket.perSecond < Infinity;
  }

  /** Starts what is due of these sources, or joins it; resolves when what could be started is answered. */
  async ask(sources: readonly DueSource[]): Promise<void> {
    const following = sources.flatMap((source) => source.following ?? []);
    if (following.length > 0) await Promise.all(following);
    const nowMs = this.#options.clock.nowMs();
    for (const source of sources) this.#wanting.set(source, nowMs);
    const asked = new Set(sources);
    const answered = await this.#start(asked);
    await Promise.all([...answered].flatMap(([{ source }, end]) => (asked.has(source) ? end : [])));
  }

  /** Asks for nothing any more that waits for a token. */
  stop(): void {
    this.#stopped.abort();
    this.#wanting.clear();
  }

  /** Starts what may start now of whoever wants anything; returns the rounds, and when each is answered. */
  async #start(asked: ReadonlySet<DueSource>): Promise<ReadonlyMap<Round, Promise<void>>> {
    const { bucket, clock } = this.#options;
    const startedAtMs = clock.nowMs();
    const rounds = new Map<DueRun, Round>();
    const slices = new Slices();
    for (const due of this.#inOrder(this.#due(asked))) {
      const { source, run } = due;
      const { cache } = due.target;
      const { isFetching } = cache;
      const ask = (): Promise<void> => cache.refreshIfDue();
      const fetch = isFetching || bucket === undefined ? ask() : bucket.start(ask);
      if (fetch === undefined) {
        this.#waitForToken();
        break;
      }
      const round = rounds.get(run) ?? { source, run, fetches: [], wereStarted: false };
      rounds.set(run, round);
      if (!isFetching) this.#readingsInARow = isReading(due) ? this.#readingsInARow + 1 : 0;
      round.fetches.push(fetch);
      round.wereStarted ||= !isFetching;
      if (slices.isOver(START_MICROSECONDS)) await nextTurn();
    }
    const end = async ({ source, run, fetches, wereStarted }: Round): Promise<void> => {
      await Promise.all(fetches);
      run.ended(startedAtMs, wereStarted);
      await source.answered(run);
    };
    return new Map(Array.from(rounds.values(), (round) => [round, end(round)]));
  }

  /** Returns what is due of everybody who wants anything, and what is being fetched for those who ask now. */
  #due(asked: ReadonlySet<DueSource>): readonly Due[] {
    const all: Due[] = [];
    for (const [source, atMs] of this.#wanting) {
      let isAnyDue = false;
      for (const [run, target] of source.due(atMs)) {
        if (target.cache.isFetching && !asked.has(source)) continue;
        isAnyDue ||= !target.cache.isFetching;
        all.push({ source, run, target });
      }
      if (!isAnyDue || !this.isLimited) this.#wanting.delete(source);
    }
    return all;
  }

  /** What is being fetched needs no token. */
  *#inOrder(due: readonly Due[]): Generator<Due> {
    if (!this.isLimited) return yield* due;
    const [fetching, waiting] = split(due, ({ target }) => target.cache.isFetching);
    yield* fetching;
    const [readings, others] = split(waiting.toSorted(byTurn), isReading);
    for (let next = 0, nextOther = 0; next < readings.length || nextOther < others.length;) {
      const [reading, other] = [readings[next], others[nextOther]];
      const isOther =
        this.#readingsInARow >= READINGS_IN_A_ROW && reading?.target.cache.turn !== -Infinity;
      const one = isOther ? (other ?? reading) : (reading ?? other);
      if (one === reading) next += 1;
      else nextOther += 1;
      if (one !== undefined) yield one;
    }
  }

  #waitForToken(): void {
    const { bucket, clock, track, lacking } = this.#options;
    lacking();
    if (this.#isWaiting || bucket === undefined) return;
    this.#isWaiting = true;
    const { signal } = this.#stopped;
    const goOn = async (): Promise<void> => {
      const rounds = await this.#start(new Set());
      await Promise.all(rounds.values());
    };
    void clock.sleep(Math.max(LEAST_WAIT_MS, bucket.waitMs), signal).then(() => {
      this.#isWaiting = false;
      if (!signal.aborted) void track(goOn);
    });
  }
}

/** Whether it brings readings: a station that was never read begins with its list. */
function isReading({ run }: Due): boolean {
  return run.name === READINGS || run.isFirstList;
}

/** Compares when two were last asked about. What never was comes first, a list after the readings of lists before. */
function byTurn(one: Due, other: Due): number {
  const [turn, otherTurn] = [one.target.cache.turn, other.target.cache.turn];
  if (turn !== otherTurn) return turn - otherTurn;
  return Number(one.run.isFirstList) - Number(other.run.isFirstList);
}

function split<T>(list: readonly T[], isFirst: (entry: T) => boolean): readonly [T[], T[]] {
  return [list.filter(isFirst), list.filter((entry) => !isFirst(entry))];
}
