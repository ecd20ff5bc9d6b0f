import type { Logger } from '../base/log.ts';
import type { Runtime } from '../base/clock.ts';
import { connect, type Connection } from '../client/client.ts';
import { RequestPace } from '../client/exchange/pace.ts';
import { accountOf, credentialTexts } from '../client/session/credentials.ts';
import { openSessionFile } from '../client/session/session-file.ts';
import { Collection } from '../collectors/collection.ts';
import { DayCurves, type DayOf } from '../collectors/day-curves.ts';
import { EnergyCounts } from '../collectors/energy-counts.ts';
import { createRefreshes, type Refreshes } from '../metrics/scrape.ts';
import type { AccountView, SelfMetrics } from '../metrics/self.ts';
import type { Tariff } from '../model/tariff.ts';
import type { StateDirectory } from '../state/state-directory.ts';
import type { InstanceOptions } from './options.ts';

/** The account under one configuration: its connection, and what is collected over it. */
export interface Account extends AccountView {
  readonly options: InstanceOptions;
  /** Identifies everything that the account was made of; it holds secrets. */
  readonly key: string;
  readonly connection: Connection;
  readonly collection: Collection;
  /** The running uses of the connection; it can be closed once they have ended. */
  readonly refreshes: Refreshes;
}

/** What every account is made with, independent of the configuration. */
export interface AccountParts {
  readonly runtime: Runtime;
  readonly log: Logger;
  readonly self: SelfMetrics;
  readonly state: AccountState;
}

/**
 * Creates the account of a configuration. It sends no request to the service yet.
 *
 * @param previous - the account before a reload. It is returned if none of its options has changed. Otherwise the new
 * one takes over the session if the credentials are the same, and what was learnt of devices if the source is the same.
 * @returns the account, and whether the session was kept; a new one begins where credentials changed.
 */
export async function createAccount(
  options: InstanceOptions,
  tariff: Tariff | undefined,
  { runtime, log, self, state }: AccountParts,
  previous: Account | undefined,
): Promise<{ readonly account: Account; readonly session: 'kept' | 'new' }> {
  const key = keyOf(options, tariff);
  if (previous?.key === key) return { account: previous, session: 'kept' };
  const { stationIds, timeZone, collect, cache: lifetimes, station } = options;
  const { clock, random, newNonce } = runtime;
  const { sessionFile, energyCounts, dayCurves, pace } = state;

  const isKept = previous !== undefined && isSameSession(options, previous.options);
  const session = isKept ? previous.connection.session : undefined;
  // Two sessions never write the same file.
  if (!isKept) await previous?.connection.session.end();
  const storage =
    isKept || sessionFile === undefined
      ? undefined
      : await openSessionFile(sessionFile, options, newNonce, log);
  const source = sourceOf(options);
  const same = previous && sourceOf(previous.options) === source ? previous : undefined;
  const memories = same?.connection.memories;
  const connection = connect(options, runtime, self, log, { session, storage, pace, memories });

  const refreshes = createRefreshes(clock, log);
  const collection = new Collection({
    api: connection.api,
    clock,
    random,
    log,
    stationIds,
    timeZone,
    lifetimes,
    pace,
    collect: { ...collect, independent: [], ...station, tariff, energyCounts, dayCurves },
    track: (run) => refreshes.run(run),
  });
  const account: Account = {
    options,
    key,
    connection,
    collection,
    refreshes,
    sessionStatus: () => connection.session.status(),
    unreadStations: () => collection.unreadStations,
    isSimulated: () => connection.isSimulated(),
  };
  return { account, session: isKept ? 'kept' : 'new' };
}

/** The state of the account that is kept over reloads. */
export interface AccountState {
  /** The file that the session is saved in; absent: it is kept in memory only. */
  readonly sessionFile: StateDirectory['files']['session'] | undefined;
  readonly energyCounts: EnergyCounts;
  /** Today's curve of each station, in memory only. */
  readonly dayCurves: DayCurves;
  /** The pace of requests: requests that were sent before a reload count after it, too. */
  readonly pace: RequestPace;
}

/**
 * Opens the state of the account.
 *
 * @param directory - absent: everything is kept in memory only.
 * @param dayAt - the days of which curves are kept, where they are not those of the calendar.
 */
export async function openState(
  { clock }: Runtime,
  log: Logger,
  directory: Pick<StateDirectory, 'files'> | undefined,
  dayAt: DayOf | undefined,
): Promise<AccountState> {
  const files = directory?.files;
  return {
    sessionFile: files?.session,
    energyCounts: await EnergyCounts.open({ file: files?.energyCounters, clock, log }),
    dayCurves: new DayCurves(dayAt),
    pace: new RequestPace(clock),
  };
}

/** Writes unwritten changes at once. */
export async function closeState({ energyCounts }: AccountState): Promise<void> {
  await energyCounts.close();
}

/** Whether both configurations can use the same session. */
function isSameSession(a: InstanceOptions, b: InstanceOptions): boolean {
  return JSON.stringify(credentialTexts(a)) === JSON.stringify(credentialTexts(b));
}

/** Identifies everything that an account is made of. The text holds secrets and must never be shown. */
function keyOf(options: InstanceOptions, tariff: Tariff | undefined): string {
  const { stationIds, baseUrl, paths, timeZone, dialect, request } = options;
  const { collect, cache, station } = options;
  const connection = [credentialTexts(options), baseUrl, paths, timeZone, dialect, request];
  return JSON.stringify([stationIds, connection, collect, cache, station, tariff]);
}

/**
 * Identifies the source of the collected values: the owner of the stations, and how they are read. Without an account,
 * only the tokens identify the owner. The text may hold secrets and must never be shown.
 */
function sourceOf(options: InstanceOptions): string {
  const { baseUrl, authUrl, timeZone, dialect, collect } = options;
  const owner = accountOf(options) ?? credentialTexts(options);
  return JSON.stringify([baseUrl, authUrl, owner, timeZone, dialect, collect.fields]);
}
