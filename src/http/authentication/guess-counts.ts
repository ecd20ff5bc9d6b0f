import type { Clock } from '../../base/clock.ts';
import { RecentMap } from '../../base/recent-map.ts';

/** Wrong guesses count half after this time. */
const HALF_LIFE_MS = 10 * 60_000;
/** As many as one thread can refuse within the half-life, at a usual cost of ten a second. */
export const MOST_NETWORKS = 8192;

/** Where a guess comes from. */
export interface Origin {
  /** What counts as one address: see client.ts. */
  readonly network: string;
  readonly connection: object;
}

interface Count {
  readonly guesses: number;
  readonly atMs: number;
}

/**
 * Counts the wrong guesses of networks, which fade. Of connections, it also counts the log-ins that were turned
 * away: many clients behind one address may be turned away more often than one of their guesses is compared.
 */
export class GuessCounts {
  readonly #clock: Clock;
  /** The network that guessed last comes last. */
  readonly #byNetwork = new RecentMap<string, Count>(MOST_NETWORKS);
  readonly #byConnection = new WeakMap<object, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts a wrong guess. The network whose last guess is the oldest is forgotten when there are too many. */
  add({ network, connection }: Origin): void {
    const guesses = this.ofNetwork(network) + 1;
    this.#byNetwork.set(network, { guesses, atMs: this.#clock.nowMs() });
    this.addTurnedAway(connection);
  }

  /** Counts a log-in that was not compared. */
  addTurnedAway(connection: object): void {
    this.#byConnection.set(connection, this.ofConnection(connection) + 1);
  }

  /** Returns the wrong guesses of a network; older ones count less. */
  ofNetwork(network: string): number {
    const count = this.#byNetwork.peek(network);
    if (count === undefined) return 0;
    const nowMs = this.#clock.nowMs();
    // An earlier time means that the clock was set back: from now on, the count fades by the new time.
    if (nowMs < count.atMs) this.#byNetwork.set(network, { ...count, atMs: nowMs });
    return count.guesses * 0.5 ** (Math.max(0, nowMs - count.atMs) / HALF_LIFE_MS);
  }

  /** Returns how many log-ins of a connection were refused or turned away. */
  ofConnection(connection: object): number {
    return this.#byConnection.get(connection) ?? 0;
  }
}
