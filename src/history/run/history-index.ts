import { z } from 'zod';
import type { AtomicFile } from '../../state/atomic-file.ts';
import { type FileSettings, fileSettingsSchema } from './file-settings.ts';
import { encodePart, type WrittenPart, writtenPartSchema } from './written-parts.ts';

/** Grows when an older program could no longer read what a newer one writes. */
const VERSION = 1;

const schema = z.object({
  version: z.literal(VERSION),
  settings: fileSettingsSchema,
  files: z.array(writtenPartSchema.extend({ name: z.string(), bytes: z.number().int().min(0) })),
});

/** A file of the directory that is complete. */
export interface WrittenFile extends WrittenPart {
  readonly name: string;
  readonly bytes: number;
}

/** What a directory holds, and by which settings all of it was made. */
export interface HistoryIndex {
  readonly settings: FileSettings;
  readonly files: readonly WrittenFile[];
}

/** Reads the index; undefined when there is none, `unreadable` when it is not ours. Rejects with the system's error. */
export async function readIndex(
  file: AtomicFile,
): Promise<HistoryIndex | 'unreadable' | undefined> {
  const text = await file.read();
  if (text === undefined) return undefined;
  try {
    return schema.parse(JSON.parse(text)) as HistoryIndex;
  } catch {
    return 'unreadable';
  }
}

/** Replaces the index; a file is a line of it, and they are sorted, so that the same files have the same index. */
export async function writeIndex(
  file: AtomicFile,
  { settings, files }: HistoryIndex,
): Promise<void> {
  const sorted = files.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const lines = sorted.map((written) => JSON.stringify(encodePart(written)));
  await file.write(
    `{"version":${VERSION},"settings":${JSON.stringify(settings)},"files":[\n${lines.join(',\n')}\n]}\n`,
  );
}
