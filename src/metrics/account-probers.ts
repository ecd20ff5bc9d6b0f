import type { Collection } from '../collectors/collection.ts';
import type { Station } from '../model/station.ts';
import type { Prober } from './probe.ts';
import type { Page } from './render.ts';

/** The prober of one account. */
export interface AccountProber {
  /** Its name, where it has one. */
  readonly account: string | undefined;
  readonly prober: Pick<Prober, 'stations' | 'probe'>;
  readonly collection: Pick<Collection, 'isDiscovered' | 'station'>;
}

/** A station that can be probed. */
export interface ProbeTarget {
  readonly station: Station;
  /** The name of its account, where there are several. */
  readonly account: string | undefined;
}

/** Why there is no page of a station. */
export type ProbeRefusal =
  'unknown station' | 'unknown account' | 'several accounts' | 'unknown yet';

/** Answers for one station of any of the accounts; what one account does delays no other. */
export class AccountProbers {
  readonly #accounts: readonly AccountProber[];
  #listed: {
    readonly parts: readonly (readonly Station[] | undefined)[];
    readonly targets: readonly ProbeTarget[];
  } = { parts: [], targets: [] };

  constructor(accounts: readonly AccountProber[]) {
    this.#accounts = accounts;
  }

  /**
   * Returns the stations of the accounts whose stations are known, the same list until something changes;
   * absent while none is known. Waits at most `waitMs`.
   */
  async stations(waitMs: number): Promise<readonly ProbeTarget[] | undefined> {
    const parts = await Promise.all(this.#accounts.map(({ prober }) => prober.stations(waitMs)));
    if (parts.every((part) => part === undefined)) return undefined;
    if (parts.some((part, index) => part !== this.#listed.parts[index])) {
      const targets = parts.flatMap((stations = [], index) =>
        stations.map((station) => ({ station, account: this.#shownName(index) })),
      );
      this.#listed = { parts, targets };
    }
    return this.#listed.targets;
  }

  /**
   * Returns the page of one station alone, or why there is none.
   *
   * @param account - the name of its account; it may be left out where no other account has such a station.
   */
  async probe(
    stationId: string,
    account: string | undefined,
    waitMs: number,
  ): Promise<Page | ProbeRefusal> {
    const candidates = this.#accounts.filter(
      (one) => account === undefined || one.account === account,
    );
    if (candidates.length === 0) return 'unknown account';
    const [only, another] = await ownersOf(candidates, stationId, waitMs);
    if (only === undefined) return missingIn(candidates);
    if (another !== undefined) return 'several accounts';
    return (await only.prober.probe(stationId, waitMs)) ?? missingIn([only]);
  }

  #shownName(index: number): string | undefined {
    return this.#accounts.length > 1 ? this.#accounts[index]?.account : undefined;
  }
}

/** Finds the accounts that have a station; only where none is known to, the service is asked for more. */
async function ownersOf(
  candidates: readonly AccountProber[],
  stationId: string,
  waitMs: number,
): Promise<readonly AccountProber[]> {
  // A single account looks for the station by itself.
  if (candidates.length === 1) return candidates;
  const owners = (): readonly AccountProber[] =>
    candidates.filter(({ collection }) => collection.station(stationId) !== undefined);
  const known = owners();
  if (known.length > 0) return known;
  await Promise.all(candidates.map(({ prober }) => prober.stations(waitMs)));
  return owners();
}

function missingIn(accounts: readonly AccountProber[]): ProbeRefusal {
  return accounts.every(({ collection }) => collection.isDiscovered)
    ? 'unknown station'
    : 'unknown yet';
}
