import { constants } from 'node:fs';
import { access, open, readdir, rename, rm } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { ConfigError } from '../base/errors.ts';
import { systemReason, toJsonLine } from '../base/shown.ts';
import type { Labels } from '../collectors/metric.ts';
import { AtomicFile, ignoring, makeDirectory, syncDirectory } from '../state/atomic-file.ts';
import { type DirectoryLock, lockWherePossible } from '../state/state-directory.ts';
import { FILE_FORMATS, type FileFormat, inChunks } from './formats.ts';
import { MonthNames, nameOf } from './months.ts';
import { type HistoryTarget, TargetError } from './run-history.ts';

/** Says by which settings the files of a directory were made, so that a person can read it. */
const SETTINGS = 'settings.json';
const LOCK = 'history.lock';
/** What the name of a file ends with until it is complete. */
const PARTIAL = '.partial';
const CHUNK_LENGTH = 64 * 1024;

export interface DirectoryOptions {
  /** As the person typed it. */
  readonly path: string;
  readonly format: FileFormat;
  /** Of every series beside its own. */
  readonly labels: Labels;
  /** What makes the samples of a run what they are. */
  readonly settings: string;
  readonly nonce: string;
  /** Whether nothing is made, locked or changed. */
  readonly isDryRun: boolean;
}

/**
 * Opens a directory with one file for each month of a station, or for a part of it. A file that is there under its name
 * is complete.
 *
 * @throws ConfigError when it cannot be used, another run is using it, or its files were made by other settings.
 */
export async function openDirectory(options: DirectoryOptions): Promise<HistoryTarget> {
  const { path, settings, nonce, isDryRun } = options;
  let lock: DirectoryLock | undefined;
  try {
    if (!isDryRun) {
      await makeDirectory(path);
      await access(path, constants.W_OK);
      lock = await lockWherePossible(join(path, LOCK), nonce);
      if (lock === undefined)
        throw unusable(path, 'is in use by another run', 'the same one later');
    }
    const file = new AtomicFile(join(path, SETTINGS));
    if (((await file.read()) ?? settings) !== settings)
      throw unusable(path, `was filled with other options: see its ${SETTINGS}`, 'those options');
    const names = (await readdir(path).catch(ignoring('ENOENT'))) ?? [];
    if (!isDryRun) {
      await file.write(settings);
      for (const name of names) if (/^solar-.*\.partial$/.test(name)) await rm(join(path, name));
    }
    return directoryOf(options, names, async () => lock?.release());
  } catch (error) {
    await lock?.release();
    if (error instanceof ConfigError) throw error;
    const code = systemReason(error);
    throw code === 'EEXIST' || code === 'ENOTDIR'
      ? unusable(path, 'is not a directory', 'a path where one can be made')
      : unusable(path, `cannot be used (${code})`, 'one of this machine that can be written');
  }
}

function unusable(path: string, fault: string, accepted: string): ConfigError {
  return new ConfigError([
    `--output: ${toJsonLine(path)} ${fault}; accepted: another directory, or ${accepted}`,
  ]);
}

function directoryOf(
  { path, format, labels }: DirectoryOptions,
  found: readonly string[],
  close: () => Promise<void>,
): HistoryTarget {
  const { extension, write, count } = FILE_FORMATS[format];
  const end = `.${extension}`;
  const ofFormat = found.filter((name) => extname(name) === end);
  const names = new MonthNames(ofFormat.map((name) => name.slice(0, -end.length)));
  return {
    has: (part) => names.has(part),
    async write(part, month) {
      const place = nameOf(part) + end;
      const [whole, partial] = [join(path, place), join(path, place + PARTIAL)];
      const orFail = (error: unknown): never => {
        throw writeError(whole, error);
      };
      const bytes = await writeAll(partial, write(month, labels)).catch(orFail);
      const keep = async (): Promise<void> => {
        await rename(partial, whole);
        await syncDirectory(path);
        for (const name of names.add(part)) await rm(join(path, name + end));
      };
      return { part, place, samples: count(month), bytes, keep: () => keep().catch(orFail) };
    },
    finish: () => Promise.resolve(),
    close,
  };
}

/** Resolves to the length of a file in bytes. Rejects with the system's error. */
async function writeAll(path: string, texts: Iterable<string>): Promise<number> {
  let bytes = 0;
  try {
    const file = await open(path, 'w');
    try {
      for (const chunk of inChunks(texts, CHUNK_LENGTH)) {
        await file.writeFile(chunk);
        bytes += Buffer.byteLength(chunk);
      }
      await file.sync();
    } finally {
      await file.close();
    }
  } catch (error) {
    // A disk that is full gets its place back.
    await rm(path, { force: true }).catch(() => undefined);
    throw error;
  }
  return bytes;
}

const GOES_ON = 'then run it again: it goes on';
const REMEDIES: Readonly<Record<string, string>> = {
  ENOSPC: `make room on the disk, ${GOES_ON}`,
  ENOENT: 'the directory was removed meanwhile: run it again',
  ENAMETOOLONG: 'the name is too long for that file system: choose another --output, or --push',
};

/** Says of an error of the system, where a file was written, what helps; other errors stay as they are. */
export function writeError(path: string, error: unknown): unknown {
  const code = systemReason(error);
  if (!(error instanceof Error && 'code' in error)) return error;
  const remedy = REMEDIES[code] ?? `check that it can be written, ${GOES_ON}`;
  return new TargetError('WRITE_FAILED', `${toJsonLine(path)}: ${code}`, remedy, { cause: error });
}
