import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';

const MIB = 1024 * 1024;
/** Far more than any file that people write by hand. */
const MAX_BYTES = MIB;

/** Says why a file is refused that the system would let us read; the message is for people. */
export class FileRefusedError extends Error {
  override readonly name = 'FileRefusedError';
}

/**
 * Reads a text file of at most 1 MiB, or of `maxBytes`. It refuses a FIFO or a device, which could block the program
 * forever, or never end.
 *
 * @throws FileRefusedError when it is not a regular file, or too large; else the system's error.
 */
export function readTextFile(path: string, maxBytes = MAX_BYTES): string {
  // Without this flag, opening a FIFO waits until another program writes into it.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) throw new FileRefusedError('not a regular file');
    if (stats.size > maxBytes) throw new FileRefusedError(`larger than ${maxBytes / MIB} MiB`);
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}
