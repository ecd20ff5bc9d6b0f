import { constants } from 'node:fs';
import { access, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError, ExporterError } from '../base/errors.ts';
import { systemReason, toJsonLine } from '../base/shown.ts';
import type { Labels } from '../collectors/metric.ts';
import { AtomicFile, makeDirectory, syncDirectory } from '../state/atomic-file.ts';
import { lockWherePossible } from '../state/state-directory.ts';
import { FILE_FORMATS, type FileFormat } from './formats.ts';
import type { Month } from './months.ts';
import type { MonthSeries } from './series.ts';

/** Says by which settings the files of a directory were made, so that a person can read it. */
const SETTINGS = 'settings.json';
const LOCK = 'history.lock';
/** The end of a name until its file is complete. */
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
}

/** A directory with one file for each month of a station. A file that is there under its name is complete. */
export interface HistoryDirectory {
  /** Whether all of a month is there. */
  has(month: Month): boolean;
  /** Writes a month under a name that says that it is not complete, and returns the name of its file. @throws WriteError */
  write(month: Month, series: MonthSeries): Promise<string>;
  /** Gives what was written its name, and removes the files of which it has everything. @throws WriteError */
  keep(month: Month): Promise<void>;
  close(): Promise<void>;
}

/** A file could not be written. */
export class WriteError extends ExporterError {
  override readonly name = 'WriteError';
  readonly code = 'WRITE_FAILED';
  /** What helps. */
  readonly remedy: string;

  constructor(message: string, remedy: string, options?: ErrorOptions) {
    super(message, options);
    this.remedy = remedy;
  }
}

/** @throws ConfigError when it cannot be used, another run is using it, or its files were made by other settings. */
export async function openDirectory(options: DirectoryOptions): Promise<HistoryDirectory> {
  const { path, settings, nonce } = options;
  let lock: Awaited<ReturnType<typeof lockWherePossible>>;
  try {
    await makeDirectory(path);
    await access(path, constants.W_OK);
    lock = await lockWherePossible(join(path, LOCK), nonce);
    if (lock === undefined) throw unusable(path, 'is in use by another run', 'the same one later');
    const file = new AtomicFile(join(path, SETTINGS));
    if (((await file.read()) ?? settings) !== settings)
      throw unusable(path, `was filled with other options: see its ${SETTINGS}`, 'those options');
    await file.write(settings);
    const names = await readdir(path);
    for (const name of names) if (/^solar-.*\.partial$/.test(name)) await rm(join(path, name));
    const held = lock;
    return directoryOf(options, names, () => held.release());
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
): HistoryDirectory {
  const { extension, write } = FILE_FORMATS[format];
  const fileOf = (month: Month): FileName => nameOf(month, extension);
  let files = found.flatMap((name) => parsedName(name, extension) ?? []);
  async function orWriteError<T>(name: string, change: (file: string) => Promise<T>): Promise<T> {
    const file = join(path, name);
    return change(file).catch((error: unknown) => {
      throw writeError(file, error);
    });
  }
  return {
    has: (month) => files.some((file) => covers(file, fileOf(month))),
    async write(month, series) {
      const { name } = fileOf(month);
      await orWriteError(name, (file) => writeAll(file + PARTIAL, write(series, labels)));
      return name;
    },
    async keep(month) {
      const kept = fileOf(month);
      await orWriteError(kept.name, async (file) => {
        await rename(file + PARTIAL, file);
        await syncDirectory(path);
        const covered = files.filter((other) => covers(kept, other));
        for (const { name } of covered) await rm(join(path, name));
        files = [...files.filter((other) => !covered.includes(other)), kept];
      });
    },
    close,
  };
}

/** What the name of a file says of it. */
interface FileName {
  readonly name: string;
  /** The id of a station, with that of a device behind a `+` where the file has that device alone. */
  readonly of: string;
  /** The span of its samples: times of the same length, `20260831T160000Z`. */
  readonly from: string;
  readonly to: string;
}

/** Names the file of a month: `solar-100-20260731T160000Z-20260831T160000Z.om`. */
function nameOf({ station, devices, isOneDevice, fromMs, toMs }: Month, extension: string) {
  // Ids are the service's: whatever they hold, they lead to no other directory.
  const ids = [station.stationId, ...(isOneDevice ? devices.map(({ deviceId }) => deviceId) : [])];
  const of = ids.map((id) => encodeURIComponent(id)).join('+');
  const [from = '', to = ''] = [fromMs, toMs].map((atMs) =>
    new Date(atMs).toISOString().replace(/\.\d+|[-:]/g, ''),
  );
  return { name: `solar-${of}-${from}-${to}.${extension}`, of, from, to };
}

const NAME = /^solar-(.+)-(\d{8}T\d{6}Z)-(\d{8}T\d{6}Z)\.(\w+)$/;

/** Returns undefined for any other file, and for one of another form. */
function parsedName(name: string, extension: string): FileName | undefined {
  const [, of = '', from = '', to = '', found] = NAME.exec(name) ?? [];
  return found === extension ? { name, of, from, to } : undefined;
}

/** Whether a file has everything of another one. */
function covers(one: FileName, other: FileName): boolean {
  const isAbout = other.of === one.of || other.of.startsWith(`${one.of}+`);
  return isAbout && one.from <= other.from && one.to >= other.to;
}

/** Writes short texts into a file. Rejects with the system's error. */
async function writeAll(path: string, texts: Iterable<string>): Promise<void> {
  try {
    const file = await open(path, 'w');
    try {
      let chunk = '';
      for (const text of texts) {
        chunk += text;
        if (chunk.length < CHUNK_LENGTH) continue;
        await file.writeFile(chunk);
        chunk = '';
      }
      await file.writeFile(chunk);
      await file.sync();
    } finally {
      await file.close();
    }
  } catch (error) {
    // A disk that is full gets its place back.
    await rm(path, { force: true }).catch(() => undefined);
    throw error;
  }
}

const GOES_ON = 'then run it again: it goes on';
const REMEDIES: Readonly<Record<string, string>> = {
  ENOSPC: `make room on the disk, ${GOES_ON}`,
  ENOENT: 'the directory was removed meanwhile: run it again',
  ENAMETOOLONG: 'the name is too long for that file system: choose another --output',
};

/** Says of an error of the system, where a file was written, what helps; other errors stay as they are. */
function writeError(path: string, error: unknown): unknown {
  if (!(error instanceof Error && 'code' in error)) return error;
  const code = systemReason(error);
  const remedy = REMEDIES[code] ?? `check that it can be written, ${GOES_ON}`;
  return new WriteError(`${toJsonLine(path)}: ${code}`, remedy, { cause: error });
}
