import { type Client, networkOf } from './client.ts';
import type { GuessCounts, Origin } from './guess-counts.ts';

/** At a cost of 12, the last of them waits about ten seconds, which is as long as Prometheus does. */
export const MOST_WAITING = 32;
/** An address from which somebody was let in goes first until so many guesses of it were refused lately. */
export const HEAD_START_GUESSES = 64;

/** What became of a log-in. One that is turned away is not compared: too many wait who are placed better. */
export type Outcome = 'accepted' | 'refused' | 'turned away' | 'stopped';

export interface ComparisonQueueOptions {
  readonly guesses: GuessCounts;
  /** Whether somebody was let in from this network before. */
  readonly wasLetIn: (network: string) => boolean;
}

interface Comparison {
  readonly login: string;
  readonly origin: Origin;
  readonly isAccepted: () => Promise<boolean>;
  readonly outcome: Promise<Outcome>;
  readonly end: (outcome: Outcome | Promise<Outcome>) => void;
}

/**
 * Compares one password after the other. It puts the client first whose guess is least likely to be one of many,
 * so that whoever guesses waits behind everybody else. Equal log-ins share one comparison.
 */
export class ComparisonQueue {
  readonly #options: ComparisonQueueOptions;
  /** In the order in which they came. */
  readonly #waiting = new Map<string, Comparison>();
  #current: Comparison | undefined;
  #isStopped = false;

  constructor(options: ComparisonQueueOptions) {
    this.#options = options;
  }

  /** Whether no comparison waits for its turn. */
  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  /**
   * Resolves to the outcome of a log-in, which `login` identifies; rejects when it could not be compared.
   *
   * @param isAccepted - compares; called when it is the turn of this log-in.
   */
  compare(
    login: string,
    { address, connection }: Client,
    isAccepted: () => Promise<boolean>,
  ): Promise<Outcome> {
    if (this.#isStopped) return Promise.resolve('stopped');
    if (this.#current?.login === login) return this.#current.outcome;
    const origin = { network: networkOf(address), connection };
    const same = this.#waiting.get(login);
    if (same !== undefined) {
      // The same log-in from two clients has the better place of the two.
      const [first = same] = this.#inOrder([same, { ...same, origin }]);
      this.#waiting.set(login, first);
      return same.outcome;
    }
    const newcomer = { login, origin, isAccepted, ...pendingOutcome() };
    this.#waiting.set(login, newcomer);
    if (this.#current === undefined) this.#compareNext();
    if (this.#waiting.size > MOST_WAITING) this.#turnAwayLast();
    return newcomer.outcome;
  }

  /** Ends what waits, and what comes from now on; a comparison that has begun goes on. */
  stop(): void {
    this.#isStopped = true;
    for (const { end } of this.#waiting.values()) end('stopped');
    this.#waiting.clear();
  }

  #compareNext(): void {
    const [next] = this.#inOrder();
    this.#current = next;
    if (next === undefined) return;
    this.#waiting.delete(next.login);
    const outcome = next.isAccepted().then((isAccepted) => {
      if (isAccepted) return 'accepted';
      this.#options.guesses.add(next.origin);
      return 'refused';
    });
    next.end(outcome);
    const goOn = (): void => this.#compareNext();
    outcome.then(goOn, goOn);
  }

  #turnAwayLast(): void {
    const last = this.#inOrder().at(-1);
    if (last === undefined) return;
    this.#waiting.delete(last.login);
    this.#options.guesses.addTurnedAway(last.origin.connection);
    last.end('turned away');
  }

  /**
   * Sorts comparisons: first by the refused guesses of the address and its comparisons that wait, then by what was
   * refused or turned away on the connection, which tells clients behind one proxy apart. The sort leaves equal ones
   * in the order in which they came.
   */
  #inOrder(comparisons: readonly Comparison[] = [...this.#waiting.values()]): Comparison[] {
    const { guesses, wasLetIn } = this.#options;
    const waitingOf = new Map<string, number>();
    for (const { origin } of this.#waiting.values())
      waitingOf.set(origin.network, (waitingOf.get(origin.network) ?? 0) + 1);
    const placed = comparisons.map((comparison) => {
      const { network, connection } = comparison.origin;
      const headStart = wasLetIn(network) ? HEAD_START_GUESSES : 0;
      const ofNetwork = guesses.ofNetwork(network) + (waitingOf.get(network) ?? 0) - headStart;
      return { comparison, ofNetwork, ofConnection: guesses.ofConnection(connection) };
    });
    return placed
      .sort((a, b) => a.ofNetwork - b.ofNetwork || a.ofConnection - b.ofConnection)
      .map(({ comparison }) => comparison);
  }
}

function pendingOutcome(): Pick<Comparison, 'outcome' | 'end'> {
  let end!: Comparison['end'];
  const outcome = new Promise<Outcome>((resolve) => {
    end = resolve;
  });
  return { outcome, end };
}
