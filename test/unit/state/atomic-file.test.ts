import fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { AtomicFile, makeDirectory } from '../../../src/state/atomic-file.ts';
import { temporaryDirectory } from '../../support/prometheus.ts';

function createFile() {
  const directory = temporaryDirectory();
  const path = join(directory, 'kept.json');
  return { directory, path, file: new AtomicFile(path) };
}

function modeOf(path: string): string {
  return (fs.statSync(path).mode & 0o777).toString(8);
}

describe('an atomic file', () => {
  test.each(['', '.new'])(
    'is its owner’s only, and new with each write, over kept.json%s',
    async (suffix) => {
      const { directory, file, path } = createFile();
      fs.writeFileSync(`${path}${suffix}`, 'left by a killed program');
      fs.chmodSync(`${path}${suffix}`, 0o666);
      const { ino: oldInode } = fs.statSync(`${path}${suffix}`);
      await file.write('whole');
      expect(await file.read()).toBe('whole');
      expect(modeOf(path)).toBe('600');
      if (suffix === '') expect(fs.statSync(path).ino).not.toBe(oldInode);
      expect(fs.readdirSync(directory)).toEqual(['kept.json']);
    },
  );

  test('keeps the old text when the new one cannot be written', async () => {
    const { file, path } = createFile();
    await file.write('old');
    fs.mkdirSync(`${path}.new`);
    await expect(file.write('new')).rejects.toThrow();
    expect(await file.read()).toBe('old');
    fs.rmdirSync(`${path}.new`);
    await file.write('newer');
    expect(await file.read()).toBe('newer');
  });

  test('rejects with the system’s error', async () => {
    const { file, path } = createFile();
    await expect(file.setAside()).rejects.toMatchObject({ code: 'ENOENT' });
    fs.mkdirSync(path);
    await expect(file.read()).rejects.toThrow('not a regular file');
    const lost = new AtomicFile(join(temporaryDirectory(), 'gone', 'kept.json'));
    await expect(lost.write('text')).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('is set aside over what was set aside before', async () => {
    const { file, path } = createFile();
    for (const text of ['first', 'second']) {
      await file.write(text);
      expect(await file.setAside()).toBe(`${path}.unusable`);
    }
    expect(await file.read()).toBeUndefined();
    expect(fs.readFileSync(`${path}.unusable`, 'utf8')).toBe('second');
    expect(modeOf(`${path}.unusable`)).toBe('600');
  });

  test('holds one whole text when many are written at once, the last', async () => {
    const { file } = createFile();
    const texts = Array.from({ length: 20 }, (_, index) => `${index} `.repeat(1000 * (index + 1)));
    await Promise.all(texts.map((text) => file.write(text)));
    expect(await file.read()).toBe(texts.at(-1));
  });
});

test.runIf(process.platform === 'linux')('a directory is not made where none can be', async () => {
  // Node.js itself would try for ever.
  await expect(makeDirectory('/proc/none/below')).rejects.toMatchObject({ code: 'ENOENT' });
});
