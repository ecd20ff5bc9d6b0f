import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

const MIB = 1024 * 1024;
/** Far more than any file that people write. */
const MAX_BYTES = MIB;

/** Why a file is not used although the system would let us; the message says it for people. */
export class FileRefusedError extends Error {
  override readonly name = 'FileRefusedError';
}

/**
 * Reads a text file, of at most 1 MiB unless `maxBytes` says otherwise. A FIFO or a device in its place is refused: it could block the program
 * for ever, or never end.
 *
 * @throws FileRefusedError when it is not a regular file, or too large; else the system's error.
 */
export function readTextFile(path: string, maxBytes = MAX_BYTES): string {
  // Without this flag, opening a FIFO waits until another program writes into it.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!fstatSync(file).isFile()) throw new FileRefusedError('not a regular file');
    return contentOf(file, maxBytes).toString('utf8');
  } finally {
    closeSync(file);
  }
}

/** Reads to the end of the file and not by its size, which may be 0 for a file that the system makes. */
function contentOf(file: number, maxBytes: number): Buffer {
  const chunks: Buffer[] = [];
  let totalBytes = 0;
  for (;;) {
    const chunk = Buffer.allocUnsafe(64 * 1024);
    const bytes = readSync(file, chunk);
    if (bytes === 0) return Buffer.concat(chunks);
    totalBytes += bytes;
    if (totalBytes > maxBytes) throw new FileRefusedError(`larger than ${maxBytes / MIB} MiB`);
    chunks.push(chunk.subarray(0, bytes));
  }
}
