import { isBudgetUsedUp } from '../client/exchange/request-bucket.ts';
import { backOffMs } from '../client/exchange/retry.ts';
import type { Clock } from '../base/clock.ts';
import { ServiceError } from '../base/errors.ts';
import { endMs, NO_WAIT, type NotBefore, waitFor, wasSetBack } from '../base/not-before.ts';
import type { Lifetime } from './collector.ts';

/** How long a doubtful value counts as fresh at first; the time doubles whenever the value is repeated. */
const DOUBTFUL_TTL_MS = 60_000;

/** The immutable result of one fetch; its age counts from the request. */
export interface Snapshot<T> {
  readonly value: T;
  readonly fetchedAtMs: number;
}

/** Where the values of one cache come from. */
export interface SnapshotSource<T> {
  /** @param previous - the value fetched before. */
  readonly fetchValue: (previous: T | undefined) => Promise<T>;
  /** Called after every fetch, whether it succeeded or not. */
  readonly changed: () => void;
}

export interface SnapshotCacheOptions<T> {
  readonly lifetime: (value: T) => Lifetime;
  /** When a value ends, whatever its lifetime. */
  readonly endsAtMs?: ((value: T) => number) | undefined;
  /** When a value fetched at that time is due again at the latest, whatever its lifetime. */
  readonly dueAtMs?: ((value: T, fetchedAtMs: number) => number) | undefined;
  /** Whether a value is to be fetched again soon, whatever its lifetime. */
  readonly isDoubtful?: ((value: T) => boolean) | undefined;
  /** What is wrong with a value that is kept all the same. */
  readonly problemOf?: ((value: T) => ServiceError | undefined) | undefined;
  readonly clock: Clock;
  readonly random: () => number;
  /** Numbers the fetches of all caches. */
  readonly nextTurn: () => number;
}

/** Fetches on request and only when due, backs off after failures, and withdraws old values. */
export class SnapshotCache<T> {
  readonly #source: SnapshotSource<T>;
  readonly #options: SnapshotCacheOptions<T>;
  #running: Promise<void> | undefined;
  #snapshot: Snapshot<T> | undefined;
  /** Of the snapshot, as long as its age is known. */
  #servedUntilMs = -Infinity;
  #nextFetch: NotBefore = NO_WAIT;
  #turn = -Infinity;
  #failures = 0;
  #doubts = 0;
  #lastError: unknown;
  #isFetching = false;

  /** @param options - which many caches may have in common. */
  constructor(source: SnapshotSource<T>, options: SnapshotCacheOptions<T>) {
    this.#source = source;
    this.#options = options;
  }

  /**
   * Takes over what another cache of the same value holds.
   *
   * @param isRetrying - whether to retry at once what failed there.
   */
  adopt(previous: SnapshotCache<T>, isRetrying: boolean): void {
    if (previous.#snapshot !== undefined) this.#keep(previous.#snapshot);
    this.#lastError = previous.#lastError;
    this.#turn = previous.#turn;
    const hasFailed = previous.#lastError !== undefined;
    if (hasFailed && isRetrying) return;
    this.#failures = previous.#failures;
    this.#doubts = previous.#doubts;
    const { endsAtMs, setAtMs } = previous.#nextFetch;
    const dueAtMs =
      this.#snapshot === undefined || hasFailed ? Infinity : this.#dueAtMs(this.#snapshot);
    this.#nextFetch = { endsAtMs: Math.min(endsAtMs, dueAtMs), setAtMs };
  }

  /** Takes up a value that was fetched at an earlier time, by another run of the program. */
  restore(snapshot: Snapshot<T>): void {
    this.#keep(snapshot);
    this.#doubts = this.#options.isDoubtful?.(snapshot.value) === true ? 1 : 0;
    this.#nextFetch = { endsAtMs: this.#dueAtMs(snapshot), setAtMs: snapshot.fetchedAtMs };
  }

  /** Joins or starts a fetch when one is due. Never rejects: {@link lastError} says how it went. */
  async refreshIfDue(): Promise<void> {
    if (!this.isDue()) return;
    await (this.#running ??= this.#fetch().finally(() => (this.#running = undefined)));
  }

  isDue(): boolean {
    return this.isDueAt(this.#options.clock.nowMs());
  }

  /** Whether a fetch was due at a time already. */
  isDueAt(atMs: number): boolean {
    return atMs >= this.nextFetchAtMs;
  }

  /** Whether a fetch is running, which a refresh would join. */
  get isFetching(): boolean {
    return this.#isFetching;
  }

  /** When the next fetch is due: at once after the clock was set back, which makes the planned time wrong. */
  get nextFetchAtMs(): number {
    return endMs(this.#nextFetch, this.#options.clock.nowMs());
  }

  /** The number of the last fetch that sent anything. */
  get turn(): number {
    return this.#turn;
  }

  /** Whether any fetch has ended. */
  get isAnswered(): boolean {
    return this.#snapshot !== undefined || this.#lastError !== undefined;
  }

  /** Why the last fetch failed, or what is wrong with its value; absent when all is well or there was none yet. */
  get lastError(): unknown {
    return this.#lastError;
  }

  /** Returns the last good value, however old: for deciding what to fetch, not for serving. */
  latest(): Snapshot<T> | undefined {
    return this.#snapshot;
  }

  /** Returns the last good value until it is withdrawn. */
  servable(): Snapshot<T> | undefined {
    return this.#options.clock.nowMs() < this.withdrawnAtMs ? this.#snapshot : undefined;
  }

  /** When the servable value has to be withdrawn. */
  get withdrawnAtMs(): number {
    if (this.#snapshot === undefined) return Number.NEGATIVE_INFINITY;
    // After the clock was set back, the age of the value is unknown.
    return wasSetBack(this.#snapshot.fetchedAtMs, this.#options.clock.nowMs())
      ? Number.NEGATIVE_INFINITY
      : this.#servedUntilMs;
  }

  #keep(snapshot: Snapshot<T>): void {
    const { lifetime, endsAtMs } = this.#options;
    const { fetchedAtMs, value } = snapshot;
    this.#snapshot = snapshot;
    this.#servedUntilMs = Math.min(
      fetchedAtMs + lifetime(value).servedForMs,
      endsAtMs?.(value) ?? Infinity,
    );
  }

  async #fetch(): Promise<void> {
    const { clock, isDoubtful, problemOf, random, nextTurn } = this.#options;
    const fetchedAtMs = clock.nowMs();
    const lastTurn = this.#turn;
    this.#turn = nextTurn();
    this.#isFetching = true;
    try {
      const value = await this.#source.fetchValue(this.#snapshot?.value);
      const snapshot = { value, fetchedAtMs };
      this.#keep(snapshot);
      this.#doubts = isDoubtful?.(value) === true ? this.#doubts + 1 : 0;
      this.#nextFetch = { endsAtMs: this.#dueAtMs(snapshot), setAtMs: clock.nowMs() };
      this.#failures = 0;
      this.#lastError = problemOf?.(value);
    } catch (error) {
      this.#failures += 1;
      this.#lastError = error;
      const asked = error instanceof ServiceError ? error.retryAfterMs : undefined;
      const pauseMs = asked ?? backOffMs(this.#failures, random);
      this.#nextFetch = waitFor(pauseMs, clock.nowMs());
      if (isBudgetUsedUp(error)) this.#turn = lastTurn;
    }
    this.#isFetching = false;
    this.#source.changed();
  }

  #dueAtMs({ fetchedAtMs, value }: Snapshot<T>): number {
    const { endsAtMs, dueAtMs } = this.#options;
    const plannedAtMs = dueAtMs?.(value, fetchedAtMs) ?? Number.POSITIVE_INFINITY;
    const overAtMs = endsAtMs?.(value) ?? Number.POSITIVE_INFINITY;
    return Math.min(fetchedAtMs + this.#ttlMs(value), plannedAtMs, overAtMs);
  }

  #ttlMs(value: T): number {
    const { ttlMs } = this.#options.lifetime(value);
    return this.#doubts === 0 ? ttlMs : Math.min(ttlMs, DOUBTFUL_TTL_MS * 2 ** (this.#doubts - 1));
  }
}
