import type { AssemblyOptions, LastingParts } from './assembly.ts';
import { connect, type Connection } from './client/connect.ts';
import { accountOf, credentialTexts } from './client/credentials.ts';
import type { SessionKeeper } from './client/saved-session.ts';
import { TokenStore } from './client/token-store.ts';

/** What is at work before a reload. */
interface Previous {
  readonly options: AssemblyOptions;
  readonly connection: Connection;
}

/**
 * The connection that a configuration asks for: the one at work when nothing of it changes, and else a
 * new one, which goes on with the session when the credentials are the same.
 */
export async function connectionFor(
  options: AssemblyOptions,
  { surroundings, log, self, sessionFile: file }: LastingParts,
  previous: Previous | undefined,
): Promise<Connection> {
  if (previous !== undefined && connectionKey(options) === connectionKey(previous.options))
    return previous.connection;
  const credentials = credentialTexts(options);
  const { newNonce: newSalt } = surroundings;
  const store =
    file === undefined ? undefined : await TokenStore.open({ file, credentials, newSalt, log });
  const goesOn = previous !== undefined && isSameSession(options, previous.options);
  // It is newer than what the file holds, where that could not be written.
  const handedOver = await previous?.connection.handOver();
  const keeper: SessionKeeper = {
    saved: goesOn ? handedOver : store?.saved,
    save: (session) => store?.save(session) ?? Promise.resolve(),
  };
  return connect(options, surroundings, self, log, keeper);
}

/** Whether one session serves both. */
export function isSameSession(a: AssemblyOptions, b: AssemblyOptions): boolean {
  return isEqual(credentialTexts(a), credentialTexts(b));
}

/** Whether what was collected by one configuration is true for the other as well. */
export function isSameSource(a: AssemblyOptions, b: AssemblyOptions): boolean {
  return isEqual(sourceOf(a), sourceOf(b));
}

/** Whether there is no difference at all. */
export function isSameAssembly(a: AssemblyOptions, b: AssemblyOptions): boolean {
  const rest = ({ stationIds, collect, cache, scrapeTimeoutMs }: AssemblyOptions): unknown => [
    stationIds,
    collect,
    cache,
    scrapeTimeoutMs,
  ];
  return connectionKey(a) === connectionKey(b) && isEqual(rest(a), rest(b));
}

/** Whose stations they are; without an account only the tokens tell. */
function sourceOf(options: AssemblyOptions): unknown {
  const { baseUrl, authUrl, timeZone, dialect } = options;
  const owner = accountOf(options)?.account ?? credentialTexts(options);
  return [baseUrl, authUrl, owner, timeZone, dialect];
}

/** All that a connection is made of; secrets among it, not to be shown. */
function connectionKey(options: AssemblyOptions): string {
  const { baseUrl, paths, timeZone, dialect, request } = options;
  return JSON.stringify([credentialTexts(options), baseUrl, paths, timeZone, dialect, request]);
}

function isEqual(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
