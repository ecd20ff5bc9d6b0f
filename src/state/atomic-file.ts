import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { FileRefusedError, readTextFile } from '../base/text-file.ts';

/** Only the owner may read and write the file. */
const MODE = 0o600;
/** More than the state of the most devices that an account may have. */
const MAX_BYTES = 128 * 1024 * 1024;

/**
 * A small text file that is replaced as a whole: whenever the program or the machine stops, it holds either the old
 * text or the new one.
 */
export class AtomicFile {
  readonly #path: string;
  readonly #isOurs: () => Promise<boolean>;
  readonly #temporary: string;
  #writing: Promise<void> = Promise.resolve();

  /** @param isOurs - whether the directory still belongs to this program; called before each write. */
  constructor(path: string, isOurs = (): Promise<boolean> => Promise.resolve(true)) {
    this.#path = path;
    this.#isOurs = isOurs;
    this.#temporary = `${path}.new`;
  }

  /** Resolves to the text; undefined when there is no such file. Rejects with what {@link readTextFile} throws. */
  read(): Promise<string | undefined> {
    return Promise.resolve()
      .then(() => readTextFile(this.#path, MAX_BYTES))
      .catch(ignoring('ENOENT'));
  }

  /** Replaces the text; once this resolves, it is on the disk. Rejects with the system's error. */
  write(text: string): Promise<void> {
    const written = this.#writing.then(() => this.#replace(text));
    // The next write waits for this one, and must not fail because this one failed.
    this.#writing = written.catch(() => undefined);
    return written;
  }

  async #replace(text: string): Promise<void> {
    if (!(await this.#isOurs()))
      throw new FileRefusedError('the directory was deleted or made anew');
    // A file that a killed program left behind may have other permissions.
    await rm(this.#temporary, { force: true });
    const file = await open(this.#temporary, 'wx', MODE);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(this.#temporary, this.#path);
    await syncDirectory(dirname(this.#path));
  }

  /** Moves the file aside, and replaces one that was moved before; resolves to its new path. */
  async setAside(): Promise<string> {
    const place = `${this.#path}.unusable`;
    await rename(this.#path, place);
    return place;
  }
}

/**
 * Makes the names in a directory survive a power cut: without this, a renamed file could have its old name again.
 * Rejects with the system's error.
 */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

/**
 * Makes a directory and those above it, where they are missing. Rejects with the system's error.
 *
 * Node.js's own recursive `mkdir` never ends where the system reports at every attempt that the directory above is
 * missing, as it does below `/proc`.
 *
 * @param mode - the mode of directories that are made.
 */
export async function makeDirectory(path: string, mode = 0o777): Promise<void> {
  // Callers check whether an existing path is a directory.
  const makeOne = (): Promise<unknown> => mkdir(path, { mode }).catch(ignoring('EEXIST'));
  const above = dirname(path);
  try {
    await makeOne();
  } catch (error) {
    if (above === path) throw error;
    ignoring('ENOENT')(error);
    await makeDirectory(above, mode);
    await makeOne();
  }
}

/** Returns a handler that lets one error of the system pass and throws every other one. */
export function ignoring(code: string): (error: unknown) => undefined {
  return (error) => {
    if (error instanceof Error && 'code' in error && error.code === code) return undefined;
    throw error;
  };
}
