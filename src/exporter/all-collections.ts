import type { Clock } from '../base/clock.ts';
import type { Collection } from '../collectors/collection.ts';
import type { Shown } from '../collectors/target.ts';
import type { StationCollection } from '../collectors/station-collection.ts';
import type { StationStatus } from '../collectors/station-collection.ts';
import type { DayCurve } from '../model/day-curve.ts';
import { leastOf } from '../model/units.ts';
import type { AccountInstance } from './account-instance.ts';

type Account = Pick<AccountInstance, 'account' | 'collection' | 'dayCurves' | 'refreshes'>;

/** The collections of all accounts as one: what a page of everything is made of. */
export class AllCollections {
  readonly #accounts: readonly Account[];
  readonly #clock: Clock;

  constructor(accounts: readonly Account[], clock: Clock) {
    this.#accounts = accounts;
    this.#clock = clock;
  }

  /** Grows with every change of the collected values. */
  get version(): number {
    return this.#accounts.reduce((version, { collection }) => version + collection.version, 0);
  }

  /** When the next fetch is due. */
  get nextFetchAtMs(): number {
    return leastOf(this.#each((collection) => collection.nextFetchAtMs));
  }

  /** Fetches what is due of every account, each for itself. Never rejects. */
  async refresh(): Promise<void> {
    const nowMs = this.#clock.nowMs();
    const due = this.#accounts.filter(({ collection }) => nowMs >= collection.nextFetchAtMs);
    await Promise.all(
      due.map(({ collection, refreshes }) => refreshes.track(() => collection.refresh())),
    );
  }

  /** Returns what may be shown now of each station, account after account. */
  *shownStations(): Generator<Iterable<Shown>> {
    for (const { collection } of this.#accounts) yield* collection.shownStations();
  }

  /** Returns how the accounts and all their stations are doing. */
  status(): readonly StationStatus[] {
    return this.#each((collection) => collection.status()).flat();
  }

  /** Returns the collection of a station of an account; absent while it is not known. */
  station(stationId: string, account: string | undefined): StationCollection | undefined {
    return this.#accounts.find((one) => one.account === account)?.collection.station(stationId);
  }

  /** Returns the curve of a station of an account on the day of an instant, as far as it is known. */
  dayCurve(stationId: string, account: string | undefined, atMs: number): DayCurve | undefined {
    return this.#accounts.find((one) => one.account === account)?.dayCurves.of(stationId, atMs);
  }

  #each<T>(read: (collection: Collection) => T): readonly T[] {
    return this.#accounts.map(({ collection }) => read(collection));
  }
}
