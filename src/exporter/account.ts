import { type Logger, withFields } from '../base/log.ts';
import type { Runtime } from '../base/clock.ts';
import { connect, type Connection } from '../client/client.ts';
import { RequestBucket } from '../client/exchange/request-bucket.ts';
import { accountOf, credentialTexts } from '../client/session/credentials.ts';
import { openSessionFile } from '../client/session/session-file.ts';
import type { SessionStorage } from '../client/session/session.ts';
import { Collection } from '../collectors/collection.ts';
import { createDayCurves, type DayCurves, type DayOf } from '../collectors/day-curves.ts';
import { EnergyCounts } from '../collectors/energy-counts.ts';
import { KeptInventory } from '../collectors/kept-inventory.ts';
import { ACCOUNT_LABEL } from '../metrics/definitions.ts';
import { createRefreshes, type Refreshes } from '../metrics/scrape.ts';
import type { AccountView } from '../metrics/self.ts';
import type { SelfMetrics } from '../metrics/self.ts';
import type { Tariff } from '../model/tariff.ts';
import type { StateDirectory } from '../state/state-directory.ts';
import { type AccountOptions, accountsOf, type InstanceOptions } from './options.ts';

/** An account that is open: everything that could touch another one, so that none does. */
export interface Account extends AccountView {
  readonly options: AccountOptions;
  /** Identifies all that it was made of; it holds secrets. */
  readonly key: string;
  readonly state: AccountState;
  readonly dayCurves: DayCurves;
  readonly connection: Connection;
  readonly collection: Collection;
  /** What uses the connection, which can be closed when nothing of it is running any more. */
  readonly refreshes: Refreshes;
}

/** What all accounts are made with, whatever the configuration. */
export interface AccountParts {
  readonly runtime: Runtime;
  readonly log: Logger;
  readonly self: SelfMetrics;
  /** Absent: everything is kept in memory only. */
  readonly directory: Pick<StateDirectory, 'ofAccount'> | undefined;
  /** The days of which curves are kept, where they are not those of the calendar. */
  readonly dayAt: DayOf | undefined;
  /** The accounts in use, and those that a reload has replaced or removed while their requests had not ended. */
  readonly open: ReadonlySet<Account>;
}

/** What all accounts of a configuration have in common. */
interface AccountContext extends Pick<InstanceOptions, 'collect' | 'cache' | 'station'> {
  readonly tariff: Tariff | undefined;
  /** Whether the pages are of several accounts, and so have labels that tell them apart. */
  readonly areSeveral: boolean;
}

/**
 * Creates the accounts of a configuration. They send no request to the service yet.
 *
 * @param before - the accounts before a reload. One stays where no option of it has changed; else the new one goes on
 * with its session, and with what was collected and learnt, as far as both are about the same.
 * @returns the accounts, and whether every session goes on: a new one begins where credentials changed, and with an
 * account that was added.
 */
export async function createAccounts(
  options: InstanceOptions,
  tariff: Tariff | undefined,
  parts: AccountParts,
  before: readonly Account[],
): Promise<{ readonly accounts: readonly Account[]; readonly session: 'kept' | 'new' }> {
  const { collect, cache, station } = options;
  const listed = accountsOf(options);
  const context = { collect, cache, station, tariff, areSeveral: listed.length > 1 };
  const names = new Set(listed.map(({ accountName }) => accountName));
  /** Finds the account of the same name, else one that was renamed, which has the same session. */
  const previousOf = (account: AccountOptions): Account | undefined =>
    before.find(({ options }) => options.accountName === account.accountName) ??
    before.find(
      ({ options }) => !names.has(options.accountName) && isSameSession(options, account),
    );
  const pairs = listed.map((account) => ({ account, previous: previousOf(account) }));
  const isKept = pairs.every(
    ({ account, previous }) => previous !== undefined && isSameSession(account, previous.options),
  );
  const accounts = await Promise.all(
    pairs.map(({ account, previous }) => createAccount(account, context, parts, previous)),
  );
  return { accounts, session: isKept ? 'kept' : 'new' };
}

async function createAccount(
  options: AccountOptions,
  context: AccountContext,
  parts: AccountParts,
  previous: Account | undefined,
): Promise<Account> {
  const key = keyOf(options, context);
  if (previous?.key === key) return previous;
  const { accountName: name, stationIds, timeZone } = options;
  const { collect, cache: lifetimes, tariff, areSeveral } = context;
  const { runtime, open } = parts;
  const { clock, random, newNonce } = runtime;
  const log = name === undefined ? parts.log : withFields(parts.log, { account: name });
  const opened = [...open].find((one) => one.options.accountName === name);
  const state = opened?.state ?? (await openState(name, parts, log));
  const { sessionFile, counts, energyCounts, dayCurves, inventory, bucket } = state;

  const file = sessionFile && (await openSessionFile(sessionFile, options, newNonce, log));
  const handedOver = await previous?.connection.handOver();
  const storage: SessionStorage = {
    // The session in memory is newer than the file when the file could not be written.
    saved: previous && isSameSession(options, previous.options) ? handedOver : file?.saved,
    save: async (session) => file?.save(session),
  };
  const source = sourceOf(options);
  const same = previous && sourceOf(previous.options) === source ? previous : undefined;
  const memories = same?.connection.memories;
  const connection = connect(options, runtime, counts, log, { storage, bucket, memories });

  const account = areSeveral ? name : undefined;
  const labels = account === undefined ? {} : { [ACCOUNT_LABEL]: account };
  const refreshes = createRefreshes(clock, log);
  const collection = new Collection({
    apiOf: connection.apiOf,
    ...{ labels, clock, random, log, stationIds, timeZone, lifetimes, bucket },
    collect: { ...collect, independent: [], ...context.station, tariff, energyCounts, dayCurves },
    changed: () => inventory.keep(),
    track: (run) => refreshes.run(run),
  });
  if (same !== undefined) collection.goOnFrom(same.collection);
  await inventory.follow(source, collection, same === undefined);
  // A new connection does not know whose values were taken over.
  const wasSimulated = same?.isSimulated() ?? false;
  return {
    ...{ options, key, state, account, labels, counts, dayCurves },
    ...{ connection, collection, refreshes },
    sessionStatus: connection.sessionStatus,
    unreadStations: () => collection.unreadStations,
    remainingRequests: () => bucket.left,
    isSimulated: () => wasSimulated || connection.isSimulated(),
  };
}

/** What is kept of an account over reloads, for as long as one of its name is open. */
export type AccountState = Awaited<ReturnType<typeof openState>>;

/** Opens the state of an account: in the state directory, where there is one, unless it says otherwise. */
async function openState(
  name: string | undefined,
  { runtime, self, directory, dayAt }: AccountParts,
  log: Logger,
) {
  const { clock, newNonce: newSalt } = runtime;
  const files = directory?.ofAccount(name);
  return {
    /** The file that the session is saved in; absent: it is kept in memory only. */
    sessionFile: files?.session,
    /** Its requests and the renewals of its token, in memory only. */
    counts: self.countsOf(name),
    /** What has been counted of every device. */
    energyCounts: await EnergyCounts.open({ file: files?.energyCounters, clock, log }),
    /** Today's curve of each station, in memory only. */
    dayCurves: createDayCurves(dayAt),
    /** The stations and devices. */
    inventory: new KeptInventory({ file: files?.inventory, newSalt, clock, log }),
    /** Counts the requests of the day. */
    bucket: await RequestBucket.open(clock, log, files?.requestCount),
  };
}

/** Writes at once what is not written yet. */
export async function closeState({ energyCounts, inventory, bucket }: AccountState): Promise<void> {
  await energyCounts.close();
  await inventory.close();
  await bucket.close();
}

/** Whether both configurations can use the same session. */
function isSameSession(a: AccountOptions, b: AccountOptions): boolean {
  return JSON.stringify(credentialTexts(a)) === JSON.stringify(credentialTexts(b));
}

/** Identifies all that an account is made of. The text holds secrets and must never be shown. */
function keyOf(options: AccountOptions, context: AccountContext): string {
  const { accountName, stationIds, baseUrl, paths, timeZone, dialect, request } = options;
  const connection = [credentialTexts(options), baseUrl, paths, timeZone, dialect, request];
  return JSON.stringify([accountName, stationIds, connection, context]);
}

/**
 * Identifies what the collected values are about: the owner of the stations, and how they are read. Without an account,
 * only the tokens tell who that is. The text may hold secrets and must never be shown; the kept inventory has its digest.
 */
function sourceOf(options: AccountOptions): string {
  const { baseUrl, authUrl, timeZone, dialect } = options;
  const owner = accountOf(options) ?? credentialTexts(options);
  return JSON.stringify([baseUrl, authUrl, owner, timeZone, dialect]);
}
