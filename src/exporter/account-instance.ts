import { DropLog } from '../base/limits.ts';
import type { Connection } from '../client/client.ts';
import { Collection } from '../collectors/collection.ts';
import type { DayCurves } from '../collectors/day-curves.ts';
import { ACCOUNT_LABEL } from '../metrics/definitions.ts';
import { RefreshTracker } from '../metrics/scrape.ts';
import type { AccountView } from '../metrics/self.ts';
import { logOf } from './account-states.ts';
import { accountKey, connectionFor, isSameSource, sourceKey } from './connection-reuse.ts';
import type { AccountContext, AccountOptions, SharedParts } from './options.ts';

/** The parts of the exporter that each account has for itself, so that none touches another. */
export interface AccountInstance extends AccountView {
  readonly options: AccountOptions;
  /** Identifies its options; it holds secrets. */
  readonly key: string;
  readonly connection: Connection;
  readonly collection: Collection;
  readonly dayCurves: DayCurves;
  /** The refreshes that use the connection, which is closed when none of them is running any more. */
  readonly refreshes: RefreshTracker;
}

/**
 * Creates the parts of an account. It sends no request to the service yet.
 *
 * @param previous - the same account before a reload. It stays where no option of it has changed; else the new one
 * takes over the connection, or the session, and the collected values, as far as both are about the same account.
 */
export async function createAccount(
  options: AccountOptions,
  context: AccountContext,
  { runtime, log: programLog, self, states }: SharedParts,
  previous: AccountInstance | undefined,
): Promise<AccountInstance> {
  const key = accountKey(options, context);
  if (previous?.key === key) return previous;
  const { accountName: name, stationIds, timeZone } = options;
  const { collect, cache: lifetimes, tariff, areSeveral } = context;
  const { clock, random } = runtime;
  const log = logOf(programLog, name);
  const { sessionFile, energyCounts, dayCurves, inventory, bucket } = await states.of(name);
  const counts = self.countsOf(name);
  const account = areSeveral ? name : undefined;
  const labels = account === undefined ? {} : { [ACCOUNT_LABEL]: account };
  const parts = { runtime, log, observer: counts, sessionFile, bucket };
  const connection = await connectionFor(options, parts, previous);
  const isKept = connection === previous?.connection;
  const refreshes = isKept ? previous.refreshes : new RefreshTracker({ clock, log });
  const collection = new Collection({
    apiOf: connection.apiOf,
    ...{ labels, clock, random, log, stationIds, timeZone, lifetimes, bucket },
    drops: new DropLog(log, (reason, count) => counts.dropped(reason, count)),
    collect: { ...collect, tariff, energyCounts, dayCurves },
    changed: () => inventory.keep(),
    track: (run) => refreshes.track(run),
  });
  const source =
    previous !== undefined && isSameSource(options, previous.options) ? previous : undefined;
  if (source !== undefined) collection.goOnFrom(source.collection);
  const { api } = connection;
  await inventory.follow(sourceKey(options), { collection, api }, source === undefined);
  // A new connection does not know whose values were taken over.
  const wasSimulated = source?.isSimulated() ?? false;
  return {
    ...{ options, key, account, labels, counts, connection, collection, dayCurves, refreshes },
    sessionStatus: connection.sessionStatus,
    unreadStations: () => collection.unreadStations,
    remainingRequests: () => bucket.left,
    isSimulated: () => wasSimulated || connection.isSimulated(),
  };
}
