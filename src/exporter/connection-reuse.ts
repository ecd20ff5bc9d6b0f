import type { StateFile } from '../base/kept-file.ts';
import type { Logger } from '../base/log.ts';
import type { Runtime } from '../base/clock.ts';
import type { ClientObserver } from '../client/exchange/transport.ts';
import type { AccountContext, AccountOptions } from './options.ts';
import { connect, type Connection } from '../client/client.ts';
import type { RequestBucket } from '../client/exchange/request-bucket.ts';
import { accountOf, credentialTexts } from '../client/session/credentials.ts';
import { openSessionFile } from '../client/session/session-file.ts';
import type { SessionStorage } from '../client/session/session.ts';

/** The account before a reload. */
interface Previous {
  readonly options: AccountOptions;
  readonly connection: Connection;
}

/** What a connection depends on beside its options. */
interface ConnectionParts {
  readonly runtime: Runtime;
  readonly log: Logger;
  readonly observer: ClientObserver;
  /** Absent: the session is kept in memory only. */
  readonly sessionFile: StateFile | undefined;
  readonly bucket: RequestBucket;
}

/**
 * Returns the connection for a configuration: the previous one when no option of the connection changed,
 * else a new one, which takes over the session when the credentials are the same.
 */
export async function connectionFor(
  options: AccountOptions,
  { runtime, log, observer, sessionFile: file, bucket }: ConnectionParts,
  previous: Previous | undefined,
): Promise<Connection> {
  if (previous !== undefined && isSameConnection(options, previous.options))
    return previous.connection;
  const store = file && (await openSessionFile(file, options, runtime.newNonce, log));
  const goesOn = previous !== undefined && isSameSession(options, previous.options);
  // The session in memory is newer than the file when the file could not be written.
  const handedOver = await previous?.connection.handOver();
  const storage: SessionStorage = {
    saved: goesOn ? handedOver : store?.saved,
    save: (state) => store?.save(state) ?? Promise.resolve(),
  };
  return connect(options, runtime, observer, log, { storage, bucket });
}

/**
 * Finds for each account the one before a reload that it goes on from: that of the same name, else one with
 * the same session, because an account may be renamed.
 */
export function previousOf<Before extends Previous>(
  accounts: readonly AccountOptions[],
  before: readonly Before[],
): ReadonlyMap<AccountOptions, Before> {
  const left = new Set(before);
  const found = new Map<AccountOptions, Before>();
  const pair = (isSame: (a: AccountOptions, b: AccountOptions) => boolean): void => {
    for (const account of accounts) {
      const same = found.has(account)
        ? undefined
        : [...left].find(({ options }) => isSame(account, options));
      if (same === undefined) continue;
      left.delete(same);
      found.set(account, same);
    }
  };
  pair((a, b) => a.accountName === b.accountName);
  pair(isSameSession);
  return found;
}

/** Whether an account can go on with the connection of another configuration. Its files have its name. */
function isSameConnection(a: AccountOptions, b: AccountOptions): boolean {
  return a.accountName === b.accountName && connectionKey(a) === connectionKey(b);
}

/** Whether both configurations can use the same session. */
export function isSameSession(a: AccountOptions, b: AccountOptions): boolean {
  return JSON.stringify(credentialTexts(a)) === JSON.stringify(credentialTexts(b));
}

/** Whether the values that one configuration collected hold for the other, too. */
export function isSameSource(a: AccountOptions, b: AccountOptions): boolean {
  return sourceKey(a) === sourceKey(b);
}

/** Identifies all options of an account. The text holds secrets and must never be shown. */
export function accountKey(options: AccountOptions, context: AccountContext): string {
  const { accountName, stationIds } = options;
  return JSON.stringify([accountName, connectionKey(options), stationIds, context]);
}

/**
 * Identifies the owner of the stations; without an account, only the tokens tell who that is. The text may hold secrets
 * and must never be shown.
 */
export function sourceKey(options: AccountOptions): string {
  const { baseUrl, authUrl, timeZone, dialect } = options;
  const owner = accountOf(options) ?? credentialTexts(options);
  return JSON.stringify([baseUrl, authUrl, owner, timeZone, dialect]);
}

/** Identifies a connection by all of its options. The text holds secrets and must never be shown. */
function connectionKey(options: AccountOptions): string {
  const { baseUrl, paths, timeZone, dialect, request } = options;
  return JSON.stringify([credentialTexts(options), baseUrl, paths, timeZone, dialect, request]);
}
