import { constants } from 'node:fs';
import { access, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError } from '../../base/errors.ts';
import { systemReason, toJsonLine } from '../../base/shown.ts';
import { AtomicFile, makeDirectory } from '../../state/atomic-file.ts';
import { type DirectoryLock, lockBySocket } from '../../state/state-directory.ts';
import type { MonthPart } from '../collect-month.ts';
import { FILE_FORMATS } from '../formats.ts';
import { type MonthSeries, sampleCount } from '../month-series.ts';
import { differences, type FileSettings } from './file-settings.ts';
import { readIndex, type WrittenFile, writeIndex } from './history-index.ts';
import type { HistoryTarget, Written } from './history-target.ts';
import { isIncomplete, monthFileName, writeMonthFile } from './month-file.ts';
import { covers, isSameMonth, replaces, writtenPart } from './written-parts.ts';

const INDEX = 'history.json';
const LOCK = 'history.lock';
const NONCE_CHARACTERS = 8;
/** The addresses of sockets are short, and a longer one would be cut off silently. */
const LONGEST_LOCK_PATH_BYTES = 89;

export interface DirectoryOptions {
  /** As the person typed it. */
  readonly path: string;
  readonly settings: FileSettings;
  readonly nowMs: () => number;
  readonly newNonce: () => string;
}

/**
 * A directory with one file for each month of a station, and an index that says which of them are complete. A
 * complete file is not written again; one that an ended run has begun is.
 */
export class HistoryDirectory implements HistoryTarget {
  readonly #options: DirectoryOptions;
  readonly #index: AtomicFile;
  readonly #lock: DirectoryLock | undefined;
  #files: readonly WrittenFile[];

  private constructor(
    options: DirectoryOptions,
    {
      index,
      lock,
      files,
    }: { index: AtomicFile; lock?: DirectoryLock; files: readonly WrittenFile[] },
  ) {
    this.#options = options;
    this.#index = index;
    this.#lock = lock;
    this.#files = files;
  }

  /**
   * Makes the directory if it is missing, and makes sure that files can be written there.
   *
   * @throws ConfigError when it cannot be used, another run is using it, or its files were made otherwise.
   */
  static async open(options: DirectoryOptions): Promise<HistoryDirectory> {
    const { path, newNonce } = options;
    const lock = await lockedDirectory(path, newNonce()).catch((error: unknown) => {
      throw describe(path, error);
    });
    if (lock === undefined)
      throw unusable(path, 'is in use by another run', 'another directory, or the same one later');
    try {
      const index = new AtomicFile(join(path, INDEX), () => lock.isHeld());
      const files = await filesOf(options, index);
      await removeLeftovers(path, files);
      return new HistoryDirectory(options, { index, lock, files });
    } catch (error) {
      await lock.release();
      throw describe(path, error);
    }
  }

  /** Looks at what is there without making, locking or changing anything. @throws ConfigError as {@link open}. */
  static async look(options: DirectoryOptions): Promise<HistoryDirectory> {
    const index = new AtomicFile(join(options.path, INDEX));
    const files = await filesOf(options, index).catch((error: unknown) => {
      throw describe(options.path, error);
    });
    return new HistoryDirectory(options, { index, files });
  }

  missing(part: MonthPart, deviceIds: readonly string[]): MonthPart | undefined {
    const there = this.#files.filter((file) => isSameMonth(file, part));
    if (there.some((file) => covers(file, part, deviceIds))) return undefined;
    const inTheWay = there.find((file) => !replaces(part, deviceIds, file));
    if (inTheWay === undefined) return part;
    const { name, from, to } = inTheWay;
    const span = `${new Date(from).toISOString()} to ${new Date(to).toISOString()}`;
    throw unusable(
      this.#options.path,
      `has ${name} with other devices or times, ${span}`,
      'devices and times that include these, or another directory',
    );
  }

  async write(part: MonthPart, deviceIds: readonly string[], month: MonthSeries): Promise<Written> {
    const { path, settings, nowMs } = this.#options;
    const name = monthFileName(part, settings.format);
    const chunks = FILE_FORMATS[settings.format].write(month, settings.labels);
    const bytes = await writeMonthFile(join(path, name), chunks);
    const replaced = this.#files.filter((file) => isSameMonth(file, part));
    const written = { ...writtenPart(part, deviceIds, nowMs()), name, bytes };
    this.#files = [...this.#files.filter((file) => !replaced.includes(file)), written];
    await writeIndex(this.#index, { settings, files: this.#files });
    for (const file of replaced) if (file.name !== name) await rm(join(path, file.name));
    return { place: name, samples: sampleCount(month), bytes };
  }

  async close(): Promise<void> {
    await this.#lock?.release();
  }
}

async function lockedDirectory(path: string, nonce: string): Promise<DirectoryLock | undefined> {
  await makeDirectory(path);
  await access(path, constants.W_OK);
  const lockPath = join(path, LOCK);
  if (Buffer.byteLength(lockPath) > LONGEST_LOCK_PATH_BYTES) return NO_LOCK;
  try {
    return await lockBySocket(lockPath, nonce.slice(0, NONCE_CHARACTERS));
  } catch (error) {
    if (NO_SOCKETS.has(systemReason(error))) return NO_LOCK;
    throw error;
  }
}

/** What a file system answers that has no sockets: that of a memory stick, or of another machine. */
const NO_SOCKETS = new Set(['EPERM', 'EOPNOTSUPP', 'ENOTSUP', 'EINVAL', 'ENOSYS']);

/** Where no lock can be had: whoever starts two runs there at once writes the same files twice. */
const NO_LOCK: DirectoryLock = {
  isHeld: () => Promise.resolve(true),
  release: () => Promise.resolve(),
};

/** Returns the files that are complete and still there. */
async function filesOf(
  { path, settings }: DirectoryOptions,
  file: AtomicFile,
): Promise<readonly WrittenFile[]> {
  const index = await readIndex(file);
  if (index === undefined) return [];
  if (index === 'unreadable')
    throw unusable(path, `has a ${INDEX} that cannot be read`, 'another directory');
  const others = differences(index.settings, settings);
  if (others.length > 0)
    throw unusable(
      path,
      `has files that were made with another ${others.join(' and ')}`,
      'the same as then, or another directory',
    );
  const files: WrittenFile[] = [];
  for (const written of index.files) {
    const found = await stat(join(path, written.name)).catch(() => undefined);
    if (found?.size === written.bytes) files.push(written);
  }
  return files;
}

/** Removes what ended runs have left: files that are incomplete, and parts of months that are whole. */
async function removeLeftovers(path: string, files: readonly WrittenFile[]): Promise<void> {
  const complete = new Set(files.map(({ name }) => name));
  for (const name of await readdir(path)) {
    const whole = name.replace(/-part\.(\w+)$/, '.$1');
    const isReplaced = name.startsWith('solar-') && whole !== name && complete.has(whole);
    if (isIncomplete(name) || isReplaced) await rm(join(path, name));
  }
}

/** Says of an error of the system what is wrong with the directory; other errors stay as they are. */
function describe(path: string, error: unknown): Error {
  if (error instanceof ConfigError || !(error instanceof Error && 'code' in error))
    return error instanceof Error ? error : new Error(String(error));
  const code = systemReason(error);
  return code === 'EEXIST' || code === 'ENOTDIR'
    ? unusable(path, 'is not a directory', 'a directory, which is made where it is missing')
    : unusable(path, `cannot be used (${code})`, 'a directory of this machine that can be written');
}

function unusable(path: string, fault: string, accepted: string): ConfigError {
  return new ConfigError([`--output: ${toJsonLine(path)} ${fault}; accepted: ${accepted}`]);
}
