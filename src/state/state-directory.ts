import { chmod, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError } from '../base/errors.ts';
import { systemReason, toJsonLine } from '../base/shown.ts';
import { AtomicFile } from './atomic-file.ts';
import { type DirectoryLock, lockBySocket } from './directory-lock.ts';
import { makeDirectory } from './make-directory.ts';

/** Only the owner may use the directory. */
const MODE = 0o700;
/** The addresses of sockets are short, and a longer one would be cut off silently. */
const LONGEST_PATH_BYTES = 89;
const NONCE_CHARACTERS = 8;
const SESSION = 'session';
const LET_IN = 'let-in.json';
const ENERGY_COUNTERS = 'energy-counters';
/** Twice as much as the counters of as many devices as an account may have. */
const ENERGY_COUNTERS_BYTES = 32 * 1024 * 1024;
const INVENTORY = 'inventory';
/** The profiles of as many devices as an account may have. */
const INVENTORY_BYTES = 128 * 1024 * 1024;
const REQUEST_COUNT = 'request-count';
const LOCK = 'lock';

/** What is kept of one account. */
export interface AccountFiles {
  readonly session: AtomicFile;
  /** The energy that was counted of each device. */
  readonly energyCounters: AtomicFile;
  /** The stations, their devices, and how each speaks. */
  readonly inventory: AtomicFile;
  /** How many requests were sent today. */
  readonly requestCount: AtomicFile;
}

/** The directory in which one program keeps its state over restarts. */
export interface StateDirectory {
  /** Returns the files of an account, by its name where it has one. */
  readonly ofAccount: (name?: string) => AccountFiles;
  /** From where clients were let in. */
  readonly letIn: AtomicFile;
  /** Releases the directory for the next program. */
  close(): Promise<void>;
}

/**
 * Creates the directory if it is missing, closes it to other users, and locks it.
 *
 * @throws ConfigError when it cannot be used, or another program holds it.
 */
export async function openStateDirectory(
  path: string,
  newNonce: () => string,
): Promise<StateDirectory> {
  const opened = await openUnlessInUse(path, newNonce);
  if (opened !== undefined) return opened;
  throw unusable(
    path,
    'is in use by another solar-exporter',
    'a directory of its own for each of them',
  );
}

/**
 * Opens the directory; resolves to undefined when another program holds it.
 *
 * @throws ConfigError when it cannot be used.
 */
export async function openUnlessInUse(
  path: string,
  newNonce: () => string,
): Promise<StateDirectory | undefined> {
  if (Buffer.byteLength(path) > LONGEST_PATH_BYTES)
    throw unusable(path, 'is too long', `a path of at most ${LONGEST_PATH_BYTES} bytes`);
  const lock = await lockedDirectory(path, newNonce()).catch((error: unknown) => {
    throw error instanceof ConfigError ? error : describe(path, error);
  });
  if (lock === undefined) return undefined;
  const file = (name: string, maxBytes?: number): AtomicFile =>
    new AtomicFile(join(path, name), () => lock.isHeld(), maxBytes);
  return {
    ofAccount: (name) => ({
      session: file(fileName(SESSION, name)),
      energyCounters: file(fileName(ENERGY_COUNTERS, name), ENERGY_COUNTERS_BYTES),
      inventory: file(fileName(INVENTORY, name), INVENTORY_BYTES),
      requestCount: file(fileName(REQUEST_COUNT, name)),
    }),
    letIn: file(LET_IN),
    close: () => lock.release(),
  };
}

/** Returns the session file of an account in a directory that another program holds; it is that program's to write. */
export function sessionFileIn(path: string, account?: string): Pick<AtomicFile, 'read'> {
  return new AtomicFile(join(path, fileName(SESSION, account)), () => Promise.resolve(false));
}

/** Names a file of an account: `session.json`, or `session.NAME.json` of one that has a name. */
function fileName(kind: string, account: string | undefined): string {
  return account === undefined ? `${kind}.json` : `${kind}.${account}.json`;
}

/** Returns the count of requests of an account in a directory that another program holds: both of them write it. */
export function spentFileIn(path: string, account?: string): AtomicFile {
  const isOurs = (): Promise<boolean> => Promise.resolve(true);
  return new AtomicFile(join(path, fileName(REQUEST_COUNT, account)), isOurs, undefined, 'beside');
}

async function lockedDirectory(path: string, nonce: string): Promise<DirectoryLock | undefined> {
  await makeDirectory(path, MODE);
  await keepOthersOut(path);
  const lockPath = join(path, LOCK);
  const lock = await lockBySocket(lockPath, nonce.slice(0, NONCE_CHARACTERS));
  if (lock === undefined) return undefined;
  // The lock belongs to this program's user, and the owner of the directory could read everything in it.
  if ((await stat(lockPath)).uid === (await stat(path)).uid) return lock;
  await lock.release();
  throw unusable(path, 'belongs to another user', 'a directory that the exporter made or owns');
}

/**
 * The files of this program, with what is written before a file is replaced, what was set aside, and what a
 * run of `history` keeps there: see src/history/run/push-progress.ts.
 */
const OURS =
  /^(?:(?:session|energy-counters|inventory|request-count)(?:\.[\w-]+)?\.json|let-in\.json|lock|history\.)/;

/** Closes a directory to other users. One that existed before may be open, and it will hold tokens. */
async function keepOthersOut(path: string): Promise<void> {
  if (((await stat(path)).mode & 0o077) === 0) return;
  // Closing a directory that other programs use would be worse than not starting.
  if (!(await readdir(path)).every((name) => OURS.test(name)))
    throw unusable(
      path,
      'is open to others and holds other files',
      'a directory of its own, such as a new one inside',
    );
  await chmod(path, MODE).catch((error: unknown) => {
    throw unusable(
      path,
      "is open to others and is not the exporter's to close",
      'a directory that it made or owns, such as a new one inside',
      error,
    );
  });
}

function describe(path: string, error: unknown): ConfigError {
  const code = systemReason(error);
  return code === 'EEXIST' || code === 'ENOTDIR'
    ? unusable(path, 'is not a directory', 'a directory, which is made where it is missing', error)
    : unusable(
        path,
        `cannot be used (${code})`,
        'a directory of this machine that the exporter may make or owns',
        error,
      );
}

function unusable(path: string, fault: string, accepted: string, cause?: unknown): ConfigError {
  return new ConfigError([`--state.dir: ${toJsonLine(path)} ${fault}; accepted: ${accepted}`], {
    cause,
  });
}
