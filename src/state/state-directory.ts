import { chmod, link, readdir, rename, rm, stat } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { ConfigError } from '../base/errors.ts';
import { systemReason, toJsonLine } from '../base/shown.ts';
import { AtomicFile, ignoring, makeDirectory } from './atomic-file.ts';

/** Only the owner may use the directory. */
const MODE = 0o700;
/** The system limits the paths of sockets, and would silently cut off a longer one. */
const LONGEST_PATH_BYTES = 89;
const NONCE_CHARACTERS = 8;
const SESSION = 'session.json';

interface StateFiles {
  readonly session: AtomicFile;
  /** The energy that was counted of each device. */
  readonly energyCounters: AtomicFile;
}

/** The directory in which one program keeps its state over restarts. */
export interface StateDirectory {
  readonly files: StateFiles;
  /** Returns the names of files that only earlier versions used. */
  unused(): Promise<readonly string[]>;
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
  const file = (name: string): AtomicFile => new AtomicFile(join(path, name), () => lock.isHeld());
  return {
    files: {
      session: file(SESSION),
      energyCounters: file('energy-counters.json'),
    },
    unused: async () => (await readdir(path)).filter((name) => UNUSED.test(name)),
    close: () => lock.release(),
  };
}

/** Returns the session file in a directory that another program holds; only that program writes it. */
export function sessionFileIn(path: string): Pick<AtomicFile, 'read'> {
  return new AtomicFile(join(path, SESSION), () => Promise.resolve(false));
}

async function lockedDirectory(path: string, nonce: string): Promise<DirectoryLock | undefined> {
  await makeDirectory(path, MODE);
  await keepOthersOut(path);
  const lockPath = join(path, 'lock');
  const lock = await lockBySocket(lockPath, nonce.slice(0, NONCE_CHARACTERS));
  if (lock === undefined) return undefined;
  // The lock belongs to this program's user, and the owner of the directory could read everything in it.
  if ((await stat(lockPath)).uid === (await stat(path)).uid) return lock;
  await lock.release();
  throw unusable(path, 'belongs to another user', 'a directory that the exporter made or owns');
}

/**
 * The names of files of this program, including temporary ones, files that were set aside, and files of earlier
 * versions.
 */
const OURS =
  /^(?:(?:session|energy-counters|inventory|request-count)(?:\.[\w-]+)?\.json|let-in\.json|lock|history\.)/;

/** The names of files of earlier versions: lists and profiles, requests of the day, and files of named accounts. */
const UNUSED = /^(?:(?:inventory|request-count).*|\w[\w-]*\.[\w-]+)\.json$/;

/** Closes a directory to other users. An existing one may be open to them, and it will hold tokens. */
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

/** A lock on a directory. It ends when it is released, or when the program ends for any reason. */
export interface DirectoryLock {
  /** Whether the lock file is still in place: the directory may have been deleted, and made again. */
  isHeld(): Promise<boolean>;
  release(): Promise<void>;
}

/**
 * Locks a directory by listening on a socket in the file system. The system closes the socket when the program
 * ends. A file with a process id would remain, and in containers every program has the process id 1.
 *
 * Closing a socket also removes the name under which it was made, even if another program has made a file with that
 * name since. So the socket is made under a unique name, and the lock is a second name for it, which only
 * {@link DirectoryLock.release} removes.
 *
 * @param nonce - unique to this attempt, for the unique name.
 * @returns undefined when another program holds the lock. Rejects with the system's error.
 */
export async function lockBySocket(
  path: string,
  nonce: string,
): Promise<DirectoryLock | undefined> {
  const own = `${path}.${nonce}`;
  if (await isAlive(path)) return undefined;
  // A killed program left the socket behind. Another program may replace it at this very moment, so the
  // moved one is checked once more before it is deleted.
  await rename(path, own).catch(ignoring('ENOENT'));
  if (await isAlive(own)) {
    await renameToFree(own, path);
    return undefined;
  }
  await rm(own, { force: true });
  const server = await listening(own);
  const close = (): Promise<void> => new Promise((resolve) => server.close(() => resolve()));
  const ours = await socketAt(own);
  const isPlaced = await renameToFree(own, path).catch(async (error: unknown) => {
    await close();
    throw error;
  });
  if (!isPlaced) {
    await close();
    return undefined;
  }
  const isHeld = async (): Promise<boolean> =>
    ours !== undefined && (await socketAt(path)) === ours;
  return {
    isHeld,
    async release() {
      // While the socket still listens, no other program takes it for one that was left behind.
      if (await isHeld()) await rm(path);
      await close();
    },
  };
}

/** The errors of a file system without sockets, such as that of a memory stick or of another machine. */
const NO_SOCKETS = new Set(['EPERM', 'EOPNOTSUPP', 'ENOTSUP', 'EINVAL', 'ENOSYS']);
const NO_LOCK: DirectoryLock = {
  isHeld: () => Promise.resolve(true),
  release: () => Promise.resolve(),
};

/** Locks a directory as {@link lockBySocket} does; where locks are impossible, every program may use the directory. */
export async function lockWherePossible(
  path: string,
  nonce: string,
): Promise<DirectoryLock | undefined> {
  if (Buffer.byteLength(path) > LONGEST_PATH_BYTES) return NO_LOCK;
  try {
    return await lockBySocket(path, nonce.slice(0, NONCE_CHARACTERS));
  } catch (error) {
    if (NO_SOCKETS.has(systemReason(error))) return NO_LOCK;
    throw error;
  }
}

/** Renames a file unless the new name exists; resolves to whether it was renamed. */
async function renameToFree(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    ignoring('EEXIST')(error);
    return false;
  } finally {
    await rm(from, { force: true });
  }
}

/** Returns a text that identifies the file at a path while its socket is open. */
async function socketAt(path: string): Promise<string | undefined> {
  const found = await stat(path).catch(() => undefined);
  return found && `${found.dev} ${found.ino}`;
}

function listening(path: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    // Connections serve only to show that the lock is held.
    const server = createServer((socket) => socket.destroy());
    server.once('error', reject);
    // The lock must not keep the program running when it has nothing else to do.
    server.listen(path, () => resolve(server.unref()));
  });
}

function isAlive(path: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    // After an error, the socket is closed.
    socket.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EAGAIN') resolve(true);
      else if (error.code === 'ECONNREFUSED' || error.code === 'ENOENT') resolve(false);
      else reject(error);
    });
  });
}
