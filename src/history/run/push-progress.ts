import { join } from 'node:path';
import { z } from 'zod';
import { ConfigError } from '../../base/errors.ts';
import { systemReason, toJsonLine } from '../../base/shown.ts';
import { AtomicFile } from '../../state/atomic-file.ts';
import { type DirectoryLock, lockBySocket } from '../../state/state-directory.ts';
import { differences, type SampleSettings, sampleSettingsSchema } from './file-settings.ts';
import { encodePart, type WrittenPart, writtenPartSchema } from './written-parts.ts';

const FILE = 'history.json';
const LOCK = 'history.lock';
const NONCE_CHARACTERS = 8;
/** Grows when an older program could no longer read what a newer one writes. */
const VERSION = 1;

const schema = z.object({
  version: z.literal(VERSION),
  pushes: z.array(
    z.object({
      target: z.string(),
      settings: sampleSettingsSchema,
      acknowledged: z.array(writtenPartSchema),
    }),
  ),
});

type Push = z.output<typeof schema>['pushes'][number];

export interface PushProgressOptions {
  /** The state directory, which exists. */
  readonly stateDir: string;
  /** The address of the database. */
  readonly target: string;
  readonly settings: SampleSettings;
  readonly newNonce: () => string;
}

/**
 * What databases have acknowledged, kept in the state directory beside the session. It has a lock of its own:
 * an exporter that runs holds that of the session.
 */
export class PushProgress {
  readonly #options: PushProgressOptions;
  readonly #file: AtomicFile;
  readonly #lock: DirectoryLock;
  /** Other databases, and other settings. */
  readonly #others: readonly Push[];
  /** What this database has, by these settings. */
  readonly acknowledged: readonly WrittenPart[];

  private constructor(
    options: PushProgressOptions,
    { file, lock, pushes }: { file: AtomicFile; lock: DirectoryLock; pushes: readonly Push[] },
  ) {
    const isOurs = ({ target, settings }: Push): boolean =>
      target === options.target && differences(settings, options.settings).length === 0;
    this.#options = options;
    this.#file = file;
    this.#lock = lock;
    this.#others = pushes.filter((push) => !isOurs(push));
    this.acknowledged = pushes.find(isOurs)?.acknowledged ?? [];
  }

  /** @throws ConfigError when the file cannot be used, or another run is using it. */
  static async open(options: PushProgressOptions): Promise<PushProgress> {
    const { stateDir, newNonce } = options;
    const nonce = newNonce().slice(0, NONCE_CHARACTERS);
    const lock = await lockBySocket(join(stateDir, LOCK), nonce).catch((error: unknown) => {
      throw unusable(stateDir, `cannot be used (${systemReason(error)})`);
    });
    if (lock === undefined) throw unusable(stateDir, 'is in use by another history run');
    try {
      const file = new AtomicFile(join(stateDir, FILE), () => lock.isHeld());
      return new PushProgress(options, { file, lock, pushes: pushesIn(await file.read()) });
    } catch (error) {
      await lock.release();
      throw unusable(stateDir, `has a ${FILE} that cannot be read (${systemReason(error)})`);
    }
  }

  /** Replaces what this database has. */
  async save(acknowledged: readonly WrittenPart[]): Promise<void> {
    const { target, settings } = this.#options;
    const pushes = [...this.#others, { target, settings, acknowledged }].map((push) => ({
      ...push,
      acknowledged: push.acknowledged.map(encodePart),
    }));
    await this.#file.write(`${JSON.stringify({ version: VERSION, pushes })}\n`);
  }

  async close(): Promise<void> {
    await this.#lock.release();
  }
}

function pushesIn(text: string | undefined): readonly Push[] {
  return text === undefined ? [] : schema.parse(JSON.parse(text)).pushes;
}

function unusable(path: string, fault: string): ConfigError {
  return new ConfigError([
    `--state.dir: ${toJsonLine(path)} ${fault}; accepted: another directory, or the same one later`,
  ]);
}
