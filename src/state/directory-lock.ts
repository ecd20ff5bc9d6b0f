import { rename, rm, stat } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';

/** A lock on a directory. It ends when it is released, or when the program ends in whatever way. */
export interface DirectoryLock {
  /** Whether the lock is still where it was made: the directory may have been deleted, and made again. */
  isHeld(): Promise<boolean>;
  release(): Promise<void>;
}

/**
 * Locks a directory by listening on a socket in the file system. The system closes the socket when the program
 * ends. A file with a process id would remain, and in containers every program has the number 1.
 *
 * @param nonce - unique to this attempt, for the name of a socket that has to be moved aside.
 * @returns undefined when another program holds the lock. Rejects with the system's error.
 */
export async function lockBySocket(
  path: string,
  nonce: string,
): Promise<DirectoryLock | undefined> {
  const first = await listening(path);
  if (first !== undefined) return lockOf(first, path);
  if (await isAlive(path)) return undefined;
  // A killed program left the socket behind. Another program may replace it at this very moment, so the
  // moved one is checked once more before it is deleted.
  const moved = `${path}.${nonce}`;
  await rename(path, moved).catch(ignoreMissing);
  if (await isAlive(moved)) {
    await rename(moved, path);
    return undefined;
  }
  await rm(moved, { force: true });
  const second = await listening(path);
  return second === undefined ? undefined : lockOf(second, path);
}

async function lockOf(server: Server, path: string): Promise<DirectoryLock> {
  const ours = await socketAt(path);
  const isHeld = async (): Promise<boolean> =>
    ours !== undefined && (await socketAt(path)) === ours;
  const close = (): Promise<void> => new Promise((resolve) => server.close(() => resolve()));
  return {
    isHeld,
    // Closing deletes the path, whoever has made it again: what is not ours stays open until the program ends.
    release: async () => ((await isHeld()) ? close() : undefined),
  };
}

/** Returns what identifies the file at a path for as long as its socket is open. */
async function socketAt(path: string): Promise<string | undefined> {
  const found = await stat(path).catch(() => undefined);
  return found && `${found.dev} ${found.ino}`;
}

/** Listens on that path; resolves to undefined when there is a socket already, in use or left behind. */
function listening(path: string): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    // A connection only shows that the lock is held.
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(undefined);
      else reject(error);
    });
    // The lock must not keep a program running that has nothing else to do.
    server.listen(path, () => resolve(server.unref()));
  });
}

function isAlive(path: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    const answer = (isThere: boolean) => (): void => {
      socket.destroy();
      resolve(isThere);
    };
    socket.once('connect', answer(true));
    socket.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED' || error.code === 'ENOENT') answer(false)();
      else if (error.code === 'EAGAIN') answer(true)();
      else reject(error);
    });
  });
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}
