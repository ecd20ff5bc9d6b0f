import { rename, rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';

/** What holds a directory, until it is let go or the program ends, however it ends. */
export interface DirectoryLock {
  release(): Promise<void>;
}

/**
 * Locks by listening on a socket in the file system: the system lets go of it with the program, which
 * no file with a process id in it can say of itself, least of all in containers, where every program is
 * number 1.
 *
 * @param nonce - a name of this attempt's own, for what has to be moved out of the way.
 * @returns nothing when another program holds the lock. Rejects with the system's error.
 */
export async function lockBySocket(
  path: string,
  nonce: string,
): Promise<DirectoryLock | undefined> {
  const first = await listening(path);
  if (first !== undefined) return lockOf(first);
  if (await isAlive(path)) return undefined;
  // Left behind by a program that was killed. Another one may clear it away at this very moment: what
  // was moved is looked at once more before it is thrown away.
  const moved = `${path}.${nonce}`;
  await rename(path, moved).catch(ignoreMissing);
  if (await isAlive(moved)) {
    await rename(moved, path);
    return undefined;
  }
  await rm(moved, { force: true });
  const second = await listening(path);
  return second === undefined ? undefined : lockOf(second);
}

function lockOf(server: Server): DirectoryLock {
  return { release: () => new Promise((resolve) => server.close(() => resolve())) };
}

/** A server on that path; absent when there is one already, or was. */
function listening(path: string): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    // Whoever calls is told that somebody is there, and nothing else.
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(undefined);
      else reject(error);
    });
    // It must not keep a program alive that has nothing else to do.
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
