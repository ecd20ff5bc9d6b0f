import { open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Nobody but the owner reads or writes it. */
const MODE = 0o600;

/**
 * A small text file that is replaced as a whole: whenever the program or the machine stops, it holds
 * the old text or the new one.
 */
export class AtomicFile {
  readonly #path: string;
  #writing: Promise<void> = Promise.resolve();

  constructor(path: string) {
    this.#path = path;
  }

  /** The text; absent when there is no such file. Rejects with the system's error. */
  async read(): Promise<string | undefined> {
    try {
      return await readFile(this.#path, 'utf8');
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
      throw error;
    }
  }

  /** Replaces the text; once this resolves, it is on the disk. Rejects with the system's error. */
  write(text: string): Promise<void> {
    const written = this.#writing.then(() => this.#replace(text));
    // Whoever writes next waits, and hears of its own failure only.
    this.#writing = written.catch(() => undefined);
    return written;
  }

  async #replace(text: string): Promise<void> {
    const temporary = `${this.#path}.new`;
    // What a program that was killed left behind may have other rights.
    await rm(temporary, { force: true });
    await written(temporary, text);
    await rename(temporary, this.#path);
    // The name is in the directory: without this, a power cut could bring the old file back.
    await synced(dirname(this.#path));
  }

  /** Moves the file out of the way, over what was there before; resolves to where it is now. */
  async setAside(): Promise<string> {
    const place = `${this.#path}.unusable`;
    await rename(this.#path, place);
    return place;
  }
}

async function written(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', MODE);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function synced(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
