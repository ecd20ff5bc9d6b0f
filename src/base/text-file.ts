import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';

const MIB = 1024 * 1024;
/** Far more than any file that people write. */
const MAX_BYTES = MIB;

/** Why a file is not used although the system would let us; the message says it for people. */
export class FileRefusedError extends Error {
  override readonly name = 'FileRefusedError';
}

/**
 * Reads a text file, of at most 1 MiB unless `maxBytes` says otherwise. A FIFO or a device in its place is refused: it
 * could block the program for ever, or never end.
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
