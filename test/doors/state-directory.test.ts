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
  test('is made with its parents; it and each file in it are for its owner only', async () => {
    const path = join(newPath(), 'below');
    const { letIn, ofAccount } = await opened(path);
    expect(modeOf(path)).toBe('700');
    const roof = ofAccount('roof');
    const files = { 'let-in': letIn, ...ofAccount() };
    const named = { session: roof.session, energyCounters: roof.energyCounters };
    for (const file of Object.values(files)) expect(await file.read()).toBeUndefined();
    for (const [name, file] of Object.entries(files)) await file.write(name);
    for (const file of Object.values(named)) await file.write('of the roof');
    for (const [name, file] of Object.entries(files)) expect(await file.read()).toBe(name);
    const names = ['session', 'energy-counters', 'request-count', 'let-in', 'session.roof'];
    for (const name of names) expect(modeOf(join(path, `${name}.json`))).toBe('600');
  });

  test.each([
    [0o755, []],
    [0o701, []],
    [0o777, ['session.json', 'session.json.new', 'let-in.json', 'energy-counters.An-nex_2.json']],
    [0o770, ['session.roof.json.unusable', 'request-count.json', 'history.x', 'lock']],
  ])('that is open to others (%o) and holds %j is closed to them', async (mode, files) => {
    const path = openToOthers(mode, ...files);
    await opened(path);
    expect(modeOf(path)).toBe('700');
  });

  test('that is closed to others keeps its rights', async () => {
    const path = openToOthers(0o2700);
    await opened(path);
    expect(modeOf(path)).toBe('2700');
  });

  test('belongs to one at a time, and is found again with what it held', async () => {
    const path = newPath();
    const first = await openStateDirectory(path, newNonce);
    await first.ofAccount().session.write('kept');
    expect(await openUnlessInUse(path, newNonce)).toBeUndefined();
    await expect(openStateDirectory(path, newNonce)).rejects.toThrow(
      `--state.dir: "${path}" is in use by another solar-exporter; accepted: a directory of its own for each of them`,
    );
    await first.close();
    expect(readdirSync(path)).toEqual(['session.json']);
    expect(await (await opened(path)).ofAccount().session.read()).toBe('kept');
  });

  test('that was deleted and taken by another program is not written to', async () => {
    const path = newPath();
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

  test('may have a path of 89 bytes', async () => {
    const parent = temporaryDirectory();
    const path = join(parent, 'd'.repeat(89 - parent.length - 1));
    await opened(path);
    expect(readdirSync(path)).toEqual(['lock']);
  });

  const notDirectory =
    'is not a directory; accepted: a directory, which is made where it is missing';
  const unusable =
    'cannot be used (EACCES); accepted: a directory of this machine that the exporter may make or owns';

  test.each<[string, () => string, string]>([
    [
      'too long for the address of a socket, in bytes',
      () => {
        const parent = temporaryDirectory();
        return join(parent, `${'d'.repeat(89 - parent.length - 2)}ü`);
      },
      'is too long; accepted: a path of at most 89 bytes',
    ],
    [
      'a file',
      () => {
        const path = newPath();
        writeFileSync(path, 'precious');
        return path;
      },
      notDirectory,
    ],
    [
      'inside a file',
      () => {
        const path = newPath();
        writeFileSync(path, 'precious');
        return join(path, 'state');
      },
      notDirectory,
    ],
    [
      'open to others with files of others',
      () => openToOthers(0o755, 'precious'),
      'is open to others and holds other files; accepted: a directory of its own, such as a new one inside',
    ],
    ['not to be made', () => join(readOnlyDirectory(), 'state'), unusable],
    ['not to be written to', readOnlyDirectory, unusable],
  ])('that is %s is refused', async (_, makePath, sentence) => {
    const path = makePath();
    const before = existsSync(path) ? modeOf(path) : 'none';
    const opening = () => openStateDirectory(path, newNonce).catch((error: unknown) => error);
    // Root may make and open everything.
    const error = await (sentence === unusable ? withoutPrivileges(opening) : opening());
    expect(error).toMatchObject({
      code: 'CONFIG_INVALID',
      problems: [`--state.dir: "${path}" ${sentence}`],
    });
    expect(existsSync(path) ? modeOf(path) : 'none').toBe(before);
  });

  test.skipIf(!isRoot)('that is another user’s is refused, open to others or not', async () => {
    const open = openToOthers(0o755);
    chmodSync(dirname(open), 0o755);
    await withoutPrivileges(() =>
      expect(openStateDirectory(open, newNonce)).rejects.toThrow(
        `--state.dir: "${open}" is open to others and is not the exporter's to close; accepted: a directory that it made or owns, such as a new one inside`,
      ),
    );
    const closed = readOnlyDirectory();
    await expect(openStateDirectory(closed, newNonce)).rejects.toThrow(
      `--state.dir: "${closed}" belongs to another user; accepted: a directory that the exporter made or owns`,
    );
    expect(readdirSync(closed)).toEqual([]);
  });
});
