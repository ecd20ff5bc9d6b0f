import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ConfigError } from '../../../src/base/errors.ts';
import {
  openStateDirectory,
  openUnlessInUse,
  type StateDirectory,
} from '../../../src/state/state-directory.ts';
import { temporaryDirectory } from '../../support/prometheus.ts';
import { isRoot, readOnlyDirectory, withoutPrivileges } from './unprivileged.ts';

let nonces = 0;
const newNonce = (): string => `nonce${(nonces += 1)}`;

/** Opens a state directory until the end of the test. */
async function opened(path: string): Promise<StateDirectory> {
  const state = await openStateDirectory(path, newNonce);
  onTestFinished(() => state.close());
  return state;
}

/** Returns the message for a directory that cannot be opened. */
async function refusal(path: string): Promise<readonly string[]> {
  const error: unknown = await openStateDirectory(path, newNonce).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof ConfigError) return error.problems;
  throw new Error('not refused as a configuration', { cause: error });
}

function modeOf(path: string): string {
  return (statSync(path).mode & 0o7777).toString(8);
}

describe('a state directory', () => {
  test('is created if it is missing, with its parents, for its owner only', async () => {
    const parent = join(temporaryDirectory(), 'parent');
    await opened(join(parent, 'state'));
    expect(modeOf(join(parent, 'state'))).toBe('700');
    expect(existsSync(join(parent, 'state', 'session.json'))).toBe(false);
  });

  test('holds the session in a file for its owner only', async () => {
    const path = join(temporaryDirectory(), 'state');
    const { session } = (await opened(path)).ofAccount();
    await session.write('kept');
    expect(await session.read()).toBe('kept');
    expect(modeOf(join(path, 'session.json'))).toBe('600');
  });

  test('holds from where clients were let in, in a file of its own', async () => {
    const path = join(temporaryDirectory(), 'state');
    const directory = await opened(path);
    const { letIn } = directory;
    const { session } = directory.ofAccount();
    await letIn.write('kept');
    expect([await letIn.read(), await session.read()]).toEqual(['kept', undefined]);
    expect(modeOf(join(path, 'let-in.json'))).toBe('600');
  });

  test('that was deleted and taken by another program is not written to', async () => {
    const path = join(temporaryDirectory(), 'state');
    const first = await opened(path);
    rmSync(path, { recursive: true });
    await expect(first.ofAccount().session.write('first')).rejects.toThrow('deleted or made anew');
    const second = await opened(path);
    await second.ofAccount().session.write('second');
    await expect(first.ofAccount().session.write('first')).rejects.toThrow('deleted or made anew');
    await first.close();
    expect(await second.ofAccount().session.read()).toBe('second');
    expect(await openUnlessInUse(path, newNonce)).toBeUndefined();
  });

  test.each([0o755, 0o770, 0o701, 0o777])(
    'that is open to others (%o) is closed to them',
    async (mode) => {
      const path = join(temporaryDirectory(), 'state');
      mkdirSync(path);
      chmodSync(path, mode);
      await opened(path);
      expect(modeOf(path)).toBe('700');
    },
  );

  test('that is open to others and holds only what an exporter left behind is closed to them', async () => {
    const path = join(temporaryDirectory(), 'state');
    mkdirSync(path);
    const names = [
      ...['session.json', 'session.json.new', 'session.json.unusable', 'let-in.json'],
      ...['session.roof.json', 'session.roof.json.new', 'energy-counters.An-nex_2.json'],
    ];
    for (const name of names) writeFileSync(join(path, name), '');
    chmodSync(path, 0o755);
    await opened(path);
    expect(modeOf(path)).toBe('700');
  });

  test('that is closed to others keeps its rights', async () => {
    const path = join(temporaryDirectory(), 'state');
    mkdirSync(path, { mode: 0o700 });
    chmodSync(path, 0o2700);
    await opened(path);
    expect(modeOf(path)).toBe('2700');
  });

  test('is found again with what it held', async () => {
    const path = join(temporaryDirectory(), 'state');
    const first = await openStateDirectory(path, newNonce);
    await first.ofAccount().session.write('kept');
    await first.close();
    expect(readdirSync(path)).toEqual(['session.json']);
    expect(await (await opened(path)).ofAccount().session.read()).toBe('kept');
  });

  test('belongs to one at a time', async () => {
    const path = join(temporaryDirectory(), 'state');
    const first = await opened(path);
    expect(await openUnlessInUse(path, newNonce)).toBeUndefined();
    expect(await refusal(path)).toEqual([
      `--state.dir: "${path}" is in use by another solar-exporter; accepted: a directory of its own for each of them`,
    ]);
    await first.close();
    expect(await opened(path)).toBeDefined();
  });

  test('may have a path of 89 bytes', async () => {
    const parent = temporaryDirectory();
    const path = join(parent, 'd'.repeat(89 - parent.length - 1));
    await opened(path);
    expect(readdirSync(path)).toEqual(['lock']);
  });
});

describe('a state directory is refused', () => {
  test('when its path is longer than the address of a socket may be', async () => {
    const parent = temporaryDirectory();
    // 89 letters, and one of them takes two bytes.
    const path = join(parent, `${'d'.repeat(89 - parent.length - 2)}ü`);
    expect(await refusal(path)).toEqual([
      `--state.dir: "${path}" is too long; accepted: a path of at most 89 bytes`,
    ]);
    expect(existsSync(path)).toBe(false);
  });

  test('when it is a file', async () => {
    const path = join(temporaryDirectory(), 'state');
    writeFileSync(path, 'precious');
    expect(await refusal(path)).toEqual([
      `--state.dir: "${path}" is not a directory; accepted: a directory, which is made where it is missing`,
    ]);
  });

  test('when it would be inside a file', async () => {
    const file = join(temporaryDirectory(), 'file');
    writeFileSync(file, 'precious');
    expect(await refusal(join(file, 'state'))).toEqual([
      `--state.dir: "${join(file, 'state')}" is not a directory; accepted: a directory, which is made where it is missing`,
    ]);
  });

  test('when it is open to others and holds files of others', async () => {
    const path = join(temporaryDirectory(), 'state');
    mkdirSync(path);
    chmodSync(path, 0o755);
    writeFileSync(join(path, 'precious'), '');
    expect(await refusal(path)).toEqual([
      `--state.dir: "${path}" is open to others and holds other files; accepted: a directory of its own, such as a new one inside`,
    ]);
    expect(modeOf(path)).toBe('755');
  });

  test.skipIf(!isRoot)('when it is open to others and somebody else’s', async () => {
    const path = join(temporaryDirectory(), 'state');
    mkdirSync(path);
    chmodSync(path, 0o755);
    chmodSync(dirname(path), 0o755);
    expect(await withoutPrivileges(() => refusal(path))).toEqual([
      `--state.dir: "${path}" is open to others and is not the exporter's to close; accepted: a directory that it made or owns, such as a new one inside`,
    ]);
  });

  test.skipIf(!isRoot)('when it is closed to others but who owns it', async () => {
    const path = readOnlyDirectory();
    expect(await refusal(path)).toEqual([
      `--state.dir: "${path}" belongs to another user; accepted: a directory that the exporter made or owns`,
    ]);
    expect(readdirSync(path)).toEqual([]);
  });

  test('when it may not be made', async () => {
    const path = join(readOnlyDirectory(), 'state');
    expect(await withoutPrivileges(() => refusal(path))).toEqual([
      `--state.dir: "${path}" cannot be used (EACCES); accepted: a directory of this machine that the exporter may make or owns`,
    ]);
  });

  test('when it may not be written to', async () => {
    const path = readOnlyDirectory();
    expect(await withoutPrivileges(() => refusal(path))).toEqual([
      `--state.dir: "${path}" cannot be used (EACCES); accepted: a directory of this machine that the exporter may make or owns`,
    ]);
  });
});
