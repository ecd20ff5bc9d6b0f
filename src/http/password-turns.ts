import { RecentMap } from '../base/recent-map.ts';

/** At a cost of 12, the last of them waits about ten seconds, which is as long as Prometheus does. */
const MOST_WAITING = 32;
const MOST_WAITING_OF_NETWORK = 4;
/** As many as one thread can refuse in a quarter of an hour, at a usual cost of ten a second. */
const MOST_NETWORKS = 8192;

interface Waiting {
  readonly network: string;
  readonly end: (isTurn: boolean) => void;
}

/**
 * Lets one password be compared after the other, first that of the network with the fewest wrong guesses, so that
 * whoever guesses waits behind everybody else. Beyond the numbers that may wait, the last in this order is turned away.
 */
export class PasswordTurns {
  /** In order; equal ones in the order in which they came. */
  #waiting: readonly Waiting[] = [];
  #isTaken = false;
  readonly #guesses = new RecentMap<string, number>(MOST_NETWORKS);

  /** Runs `compare` when it is the turn of a client of this network; resolves to undefined when it is turned away. */
  async take(network: string, compare: () => Promise<boolean>): Promise<boolean | undefined> {
    if (!(await this.#turnOf(network))) return undefined;
    try {
      const isRight = await compare();
      // Whoever is let in has only mistyped before.
      if (isRight) this.#guesses.delete(network);
      else this.#guesses.set(network, this.#guessesOf(network) + 1);
      return isRight;
    } finally {
      this.#giveNext();
    }
  }

  /** Turns away whoever waits; a comparison that has begun goes on. */
  stop(): void {
    for (const one of this.#waiting) this.#end(one, false);
  }

  #turnOf(network: string): Promise<boolean> {
    return new Promise((end) => {
      this.#waiting = [...this.#waiting, { network, end }];
      if (!this.#isTaken) this.#giveNext();
      const ofNetwork = this.#waiting.filter((one) => one.network === network);
      if (ofNetwork.length > MOST_WAITING_OF_NETWORK) this.#end(ofNetwork.at(-1), false);
      if (this.#waiting.length > MOST_WAITING) this.#end(this.#inOrder().at(-1), false);
    });
  }

  #giveNext(): void {
    const [next] = this.#inOrder();
    this.#isTaken = next !== undefined;
    this.#end(next, true);
  }

  #end(ended: Waiting | undefined, isTurn: boolean): void {
    this.#waiting = this.#waiting.filter((one) => one !== ended);
    ended?.end(isTurn);
  }

  #inOrder(): readonly Waiting[] {
    const guesses = ({ network }: Waiting): number => this.#guessesOf(network);
    return this.#waiting.toSorted((a, b) => guesses(a) - guesses(b));
  }

  #guessesOf(network: string): number {
    return this.#guesses.peek(network) ?? 0;
  }
}

/**
 * Returns what counts as one address: an IPv4 address, or the first 64 bits of an IPv6 address, because every
 * computer has that many of its own. An IPv4 address that is mapped into IPv6 counts as what it is.
 */
export function networkOf(address = 'unknown'): string {
  const text = address.replace(/^::ffff:(?=[\d.]+$)/i, '');
  if (!text.includes(':')) return text;
  const [first = [], last = []] = text.split('::').map((part) => part.split(':').filter(Boolean));
  const zeros = Array<string>(8 - first.length - last.length).fill('0');
  return [...first, ...zeros, ...last].slice(0, 4).join(':');
}
