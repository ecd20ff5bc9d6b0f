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
import { openStateDirectory, openUnlessInUse } from '../../src/state/state-directory.ts';
import { temporaryDirectory } from '../support/prometheus.ts';
import { isRoot, readOnlyDirectory, withoutPrivileges } from '../support/unprivileged.ts';

let nonces = 0;
const newNonce = (): string => `nonce${(nonces += 1)}`;

/** A path where nothing is yet. */
const newPath = (): string => join(temporaryDirectory(), 'state');

/** A directory that is open to others, with these files. */
function openToOthers(mode: number, ...files: readonly string[]): string {
  const path = newPath();
  mkdirSync(path);
  chmodSync(path, mode);
  for (const file of files) writeFileSync(join(path, file), '');
  return path;
}

/** Opens a state directory until the end of the test. */
async function opened(path: string) {
  const state = await openStateDirectory(path, newNonce);
  onTestFinished(() => state.close());
  return state;
}

function modeOf(path: string): string {
  return (statSync(path).mode & 0o7777).toString(8);
}

describe('a state directory', () => {
  test('is made with its parents, and is for its owner only', async () => {
    const path = join(newPath(), 'below');
    const { files } = await opened(path);
    expect(modeOf(path)).toBe('700');
    for (const file of Object.values(files)) expect(await file.read()).toBeUndefined();
    for (const [name, file] of Object.entries(files)) await file.write(name);
    for (const [name, file] of Object.entries(files)) expect(await file.read()).toBe(name);
    const names = ['session', 'energy-counters'];
    for (const name of names) expect(modeOf(join(path, `${name}.json`))).toBe('600');
  });

  test.each([
    [0o755, '700', []],
    [0o701, '700', []],
    [0o777, '700', ['session.json.new', 'let-in.json', 'energy-counters.An-nex_2.json']],
    [0o770, '700', ['inventory.roof.json.unusable', 'request-count.json', 'history.x', 'lock']],
    [0o2700, '2700', []],
  ])('with the rights %o has %s, and may hold %j', async (mode, expected, files) => {
    const path = openToOthers(mode, ...files);
    await opened(path);
    expect(modeOf(path)).toBe(expected);
  });

  test('belongs to one at a time, and is found again with what it held', async () => {
    const path = newPath();
    const first = await openStateDirectory(path, newNonce);
    await first.files.session.write('kept');
    expect(await openUnlessInUse(path, newNonce)).toBeUndefined();
    await expect(openStateDirectory(path, newNonce)).rejects.toThrow(
      `--state.dir: "${path}" is in use by another solar-exporter; accepted: a directory of its own for each of them`,
    );
    await first.close();
    expect(readdirSync(path)).toEqual(['session.json']);
    expect(await (await opened(path)).files.session.read()).toBe('kept');
  });

  test('that was deleted and taken by another program is not written to', async () => {
    const path = newPath();
    const first = await opened(path);
    const expectRefused = () =>
      expect(first.files.session.write('first')).rejects.toThrow('deleted or made anew');
    rmSync(path, { recursive: true });
    await expectRefused();
    const second = await opened(path);
    await second.files.session.write('second');
    await expectRefused();
    await first.close();
    expect(await second.files.session.read()).toBe('second');
    expect(await openUnlessInUse(path, newNonce)).toBeUndefined();
  });

  /** A path whose last part is filled up to a length. */
  const pathOf = (length: number, end = '') => join(temporaryDirectory(), end).padEnd(length, 'd');

  test('may have a path of 89 bytes', async () => {
    const path = pathOf(89, 'd');
    await opened(path);
    expect(readdirSync(path)).toEqual(['lock']);
  });

  const file = (): string => join(openToOthers(0o700, 'precious'), 'precious');
  test.each<[string, () => string, sentence: string]>([
    ['too long for the address of a socket, in bytes', () => pathOf(89, 'ü'), 'is too long'],
    ['a file', file, 'is not a directory'],
    ['inside a file', () => join(file(), 'state'), 'is not a directory'],
    ['not its own', () => openToOthers(0o755, 'precious'), 'is open to others and holds other'],
    ['not to be made', () => join(readOnlyDirectory(), 'state'), 'cannot be used (EACCES)'],
    ['not to be written to', readOnlyDirectory, 'cannot be used (EACCES)'],
  ])('that is %s is refused', async (_, makePath, sentence) => {
    const path = makePath();
    const before = existsSync(path) ? modeOf(path) : 'none';
    const opening = () => openStateDirectory(path, newNonce).catch((error: unknown) => error);
    // Root may make and open everything.
    const error = await (sentence.includes('EACCES') ? withoutPrivileges(opening) : opening());
    expect(error).toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining(`--state.dir: "${path}" ${sentence}`) as string,
    });
    expect(existsSync(path) ? modeOf(path) : 'none').toBe(before);
  });

  test.skipIf(!isRoot)('that is another user’s is refused, open to others or not', async () => {
    const open = openToOthers(0o755);
    chmodSync(dirname(open), 0o755);
    await withoutPrivileges(() =>
      expect(openStateDirectory(open, newNonce)).rejects.toThrow(
        `--state.dir: "${open}" is open to others and is not the exporter's to close`,
      ),
    );
    const closed = readOnlyDirectory();
    await expect(openStateDirectory(closed, newNonce)).rejects.toThrow(
      `--state.dir: "${closed}" belongs to another user`,
    );
    expect(readdirSync(closed)).toEqual([]);
  });
});
