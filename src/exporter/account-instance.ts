import { DropLog } from '../base/drop-log.ts';
import type { Connection } from '../client/client.ts';
import { Collection } from '../collectors/collection.ts';
import type { DayCurves } from '../collectors/day-curves.ts';
import type { Tariff } from '../model/tariff.ts';
import type { AccountView } from '../metrics/account-view.ts';
import { ACCOUNT_LABEL } from '../metrics/definitions.ts';
import { RefreshTracker } from '../metrics/refresh-tracker.ts';
import { logOf } from './account-states.ts';
import { connectionFor, isSameSource, sourceKey } from './connection-reuse.ts';
import type { AccountOptions, InstanceOptions, SharedParts } from './options.ts';

/** The parts of the exporter that each account has for itself, so that none touches another. */
export interface AccountInstance extends AccountView {
  readonly options: AccountOptions;
  readonly connection: Connection;
  readonly collection: Collection;
  readonly dayCurves: DayCurves;
  /** The refreshes that use the connection, which is closed when none of them is running any more. */
  readonly refreshes: RefreshTracker;
}

/** What all accounts of a configuration have in common. */
export interface AccountContext {
  readonly shared: Pick<SharedParts, 'runtime' | 'log' | 'self' | 'states'>;
  readonly instance: Pick<InstanceOptions, 'collect' | 'cache'>;
  readonly tariff: Tariff | undefined;
  /** Whether the pages are of several accounts, and so have labels that tell them apart. */
  readonly areSeveral: boolean;
}

/**
 * Creates the parts of an account. It sends no request to the service yet.
 *
 * @param previous - the same account before a reload. The new one takes over its connection, its session and
 * its collected values where both configurations are about the same account of the service.
 */
export async function createAccount(
  options: AccountOptions,
  { shared, instance, tariff, areSeveral }: AccountContext,
  previous: AccountInstance | undefined,
): Promise<AccountInstance> {
  const { accountName: name, stationIds, timeZone } = options;
  const { runtime, self, states } = shared;
  const { clock, random } = runtime;
  const log = logOf(shared.log, name);
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
    labels,
    clock,
    random,
    log,
    drops: new DropLog(log, (reason, count) => counts.dropped(reason, count)),
    stationIds,
    timeZone,
    collect: { ...instance.collect, tariff, energyCounts, dayCurves },
    lifetimes: instance.cache,
    bucket,
    changed: () => inventory.keep(),
    track: (run) => refreshes.track(run),
  });
  const source =
    previous !== undefined && isSameSource(options, previous.options) ? previous : undefined;
  if (source !== undefined) collection.adopt(source.collection, !isKept);
  const { api } = connection;
  await inventory.follow(sourceKey(options), { collection, api }, source === undefined);
  // A new connection does not know whose values were taken over.
  const wasSimulated = source?.isSimulated() ?? false;
  return {
    options,
    account,
    labels,
    counts,
    connection,
    collection,
    dayCurves,
    sessionStatus: connection.sessionStatus,
    unreadStations: () => collection.unreadStations,
    remainingRequests: () => bucket.left,
    isSimulated: () => wasSimulated || connection.isSimulated(),
    refreshes,
  };
}
