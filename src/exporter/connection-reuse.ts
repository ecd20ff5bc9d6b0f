import type { InstanceOptions, SharedParts } from './options.ts';
import { connect, type Connection } from '../client/connect.ts';
import { accountOf, credentialTexts } from '../client/session/credentials.ts';
import { SessionFile } from '../client/session/session-file.ts';
import type { SessionStorage } from '../client/session/session-state.ts';

/** The instance before a reload. */
interface Previous {
  readonly options: InstanceOptions;
  readonly connection: Connection;
}

/**
 * Returns the connection for a configuration: the previous one when no option of the connection changed,
 * else a new one, which takes over the session when the credentials are the same.
 */
export async function connectionFor(
  options: InstanceOptions,
  { runtime, log, self, sessionFile: file, spent }: SharedParts,
  previous: Previous | undefined,
): Promise<Connection> {
  if (previous !== undefined && connectionKey(options) === connectionKey(previous.options))
    return previous.connection;
  const credentials = credentialTexts(options);
  const { newNonce: newSalt } = runtime;
  const store =
    file === undefined ? undefined : await SessionFile.open({ file, credentials, newSalt, log });
  const goesOn = previous !== undefined && isSameSession(options, previous.options);
  // The session in memory is newer than the file when the file could not be written.
  const handedOver = await previous?.connection.handOver();
  const storage: SessionStorage = {
    saved: goesOn ? handedOver : store?.saved,
    save: (state) => store?.save(state) ?? Promise.resolve(),
  };
  return connect(options, runtime, self, log, storage, spent);
}

/** Whether both configurations can use the same session. */
export function isSameSession(a: InstanceOptions, b: InstanceOptions): boolean {
  return isEqual(credentialTexts(a), credentialTexts(b));
}

/** Whether the values that one configuration collected hold for the other, too. */
export function isSameSource(a: InstanceOptions, b: InstanceOptions): boolean {
  return isEqual(sourceOf(a), sourceOf(b));
}

/** Whether the two configurations do not differ in anything that a reload can change. */
export function isSameConfiguration(a: InstanceOptions, b: InstanceOptions): boolean {
  const rest = ({
    stationIds,
    collect,
    cache,
    scrapeTimeoutMs,
    web,
    limit,
  }: InstanceOptions): unknown => [
    stationIds,
    collect,
    cache,
    scrapeTimeoutMs,
    web.allowedHosts,
    limit,
  ];
  return connectionKey(a) === connectionKey(b) && isEqual(rest(a), rest(b));
}

/** Identifies the owner of the stations; without an account, only the tokens tell who that is. */
function sourceOf(options: InstanceOptions): unknown {
  const { baseUrl, authUrl, timeZone, dialect } = options;
  const owner = accountOf(options)?.account ?? credentialTexts(options);
  return [baseUrl, authUrl, owner, timeZone, dialect];
}

/** Identifies a connection by all of its options. The text holds secrets and must never be shown. */
function connectionKey(options: InstanceOptions): string {
  const { baseUrl, paths, timeZone, dialect, request } = options;
  return JSON.stringify([credentialTexts(options), baseUrl, paths, timeZone, dialect, request]);
}

function isEqual(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
