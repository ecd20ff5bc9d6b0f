import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncDirectory } from '../../state/atomic-file.ts';
import type { MonthPart } from '../collect-month.ts';
import { FILE_FORMATS, type FileFormat } from '../formats.ts';

/** What the name of a file ends with until it is complete. */
export const INCOMPLETE = '.partial';

/** Names the file of a month, or of a part of it. */
export function monthFileName(
  { station, month, isWhole }: Pick<MonthPart, 'station' | 'month' | 'isWhole'>,
  format: FileFormat,
): string {
  // Ids are the service's: whatever they hold, they lead to no other directory.
  const id = encodeURIComponent(station.stationId);
  return `solar-${id}-${month}${isWhole ? '' : '-part'}.${FILE_FORMATS[format].extension}`;
}

/** Whether a name is that of a file that an ended run left incomplete. */
export function isIncomplete(name: string): boolean {
  return /^solar-.+-\d{4}-\d\d(?:-part)?\.(?:om|csv|jsonl)\.partial$/.test(name);
}

/**
 * Writes a file as a whole: under its name is all of it or what was there before, whenever the program or the
 * machine stops. Resolves to its length in bytes. Rejects with the system's error.
 */
export async function writeMonthFile(path: string, chunks: Iterable<string>): Promise<number> {
  const incomplete = `${path}${INCOMPLETE}`;
  try {
    const bytes = await writeAll(incomplete, chunks);
    await rename(incomplete, path);
    await syncDirectory(dirname(path));
    return bytes;
  } catch (error) {
    // A disk that is full gets its place back.
    await rm(incomplete, { force: true });
    throw error;
  }
}

async function writeAll(path: string, chunks: Iterable<string>): Promise<number> {
  const file = await open(path, 'w');
  let bytes = 0;
  try {
    for (const chunk of chunks) {
      const encoded = Buffer.from(chunk);
      await file.writeFile(encoded);
      bytes += encoded.length;
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return bytes;
}
