import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Makes a directory and those above it, where they are missing. Rejects with the system's error.
 *
 * What Node.js offers for this never ends where the system says of every attempt that the directory above is
 * missing, as it does below `/proc`.
 *
 * @param mode - of directories that are made.
 */
export async function makeDirectory(path: string, mode = 0o777): Promise<void> {
  try {
    await makeOne(path, mode);
  } catch (error) {
    const above = dirname(path);
    if (!isCode(error, 'ENOENT') || above === path) throw error;
    await makeDirectory(above, mode);
    await makeOne(path, mode);
  }
}

/** Makes one directory; what is there already is looked at by whoever uses it. */
async function makeOne(path: string, mode: number): Promise<void> {
  try {
    await mkdir(path, { mode });
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error;
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
