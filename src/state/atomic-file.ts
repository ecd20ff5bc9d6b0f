import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { FileRefusedError, readTextFile } from '../base/text-file.ts';
import { syncDirectory } from './sync-directory.ts';

/** Only the owner may read and write the file. */
const MODE = 0o600;

/**
 * A small text file that is replaced as a whole: it holds the old text or the new one, whenever the program
 * or the machine stops.
 */
export class AtomicFile {
  readonly #path: string;
  readonly #isOurs: () => Promise<boolean>;
  readonly #maxBytes: number | undefined;
  readonly #temporary: string;
  #writing: Promise<void> = Promise.resolve();

  /**
   * @param isOurs - whether the directory still belongs to this program, which is asked before each write.
   * @param maxBytes - how large a file is still read; as {@link readTextFile} has it when left out.
   * @param temporary - what ends the name of the new text before it replaces the old one: several programs that write
   * the same file need different ones.
   */
  constructor(
    path: string,
    isOurs = (): Promise<boolean> => Promise.resolve(true),
    maxBytes?: number,
    temporary = 'new',
  ) {
    this.#path = path;
    this.#temporary = `${path}.${temporary}`;
    this.#isOurs = isOurs;
    this.#maxBytes = maxBytes;
  }

  /** Resolves to the text; undefined when there is no such file. Rejects with what {@link readTextFile} throws. */
  read(): Promise<string | undefined> {
    return Promise.resolve().then(() => textOf(this.#path, this.#maxBytes));
  }

  /** Replaces the text; once this resolves, it is on the disk. Rejects with the system's error. */
  write(text: string): Promise<void> {
    const written = this.#writing.then(() => this.#replace(text));
    // The next write waits for this one, and must not fail because this one did.
    this.#writing = written.catch(() => undefined);
    return written;
  }

  async #replace(text: string): Promise<void> {
    if (!(await this.#isOurs()))
      throw new FileRefusedError('the directory was deleted or made anew');
    const temporary = this.#temporary;
    // A file that a killed program left behind may have other permissions.
    await rm(temporary, { force: true });
    await written(temporary, text);
    await rename(temporary, this.#path);
    // The directory holds the name: without this, the old file could come back after a power cut.
    await syncDirectory(dirname(this.#path));
  }

  /** Moves the file aside, in place of one moved before; resolves to its new path. */
  async setAside(): Promise<string> {
    const place = `${this.#path}.unusable`;
    await rename(this.#path, place);
    return place;
  }
}

function textOf(path: string, maxBytes: number | undefined): string | undefined {
  try {
    return readTextFile(path, maxBytes);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
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
