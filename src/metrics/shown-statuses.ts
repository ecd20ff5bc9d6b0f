import type { Shown } from '../collectors/target.ts';
import type { StationStatus } from '../collectors/station-collection.ts';
import { accountOf, accountsWithStations, statusSamples } from './definitions.ts';

/** Shows how stations are doing: the same object for the same status. */
export class ShownStatuses {
  readonly #shown = new WeakMap<StationStatus, Shown>();

  *of(statuses: readonly StationStatus[]): Generator<Shown> {
    const accounts = accountsWithStations(statuses);
    for (const status of statuses) {
      // What is shown of an account depends on its stations as well.
      const isOfAccount = status.stationId === undefined;
      const known = isOfAccount ? undefined : this.#shown.get(status);
      const shown = known ?? {
        untilMs: Number.POSITIVE_INFINITY,
        samples: () => statusSamples(status, accounts.has(accountOf(status))),
      };
      this.#shown.set(status, shown);
      yield shown;
    }
  }
}
