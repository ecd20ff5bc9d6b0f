import { mkdtempSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeDirectory } from '../../src/state/make-directory.ts';

const temporary = (): string => mkdtempSync(join(tmpdir(), 'make-directory-'));

describe('making a directory', () => {
  test('makes those above it, with the same mode', async () => {
    const path = join(temporary(), 'a', 'b', 'c');
    await makeDirectory(path, 0o700);
    for (const made of [path, join(path, '..'), join(path, '..', '..')])
      expect(statSync(made).mode & 0o777).toBe(0o700);
  });

  test('leaves one that is there as it is', async () => {
    const path = temporary();
    const { ino, mode } = statSync(path);
    await makeDirectory(path);
    expect(statSync(path)).toMatchObject({ ino, mode });
  });

  test('fails below a file', async () => {
    const file = join(temporary(), 'file');
    writeFileSync(file, '');
    await expect(makeDirectory(join(file, 'a'))).rejects.toMatchObject({ code: 'ENOTDIR' });
  });

  // Node.js itself would try for ever.
  test.runIf(process.platform === 'linux')('fails where no directory can be made', async () => {
    await expect(makeDirectory('/proc/nothing')).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(makeDirectory('/proc/nothing/below')).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
