import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { AtomicFile } from '../../src/state/atomic-file.ts';
import { temporaryDirectory } from '../support/prometheus.ts';

function createFile() {
  const directory = temporaryDirectory();
  const path = join(directory, 'kept.json');
  return { directory, path, file: new AtomicFile(path) };
}

function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}

describe('an atomic file', () => {
  test('is absent until it is written', async () => {
    const { file } = createFile();
    expect(await file.read()).toBeUndefined();
  });

  test('reads what was written last, and leaves nothing beside it', async () => {
    const { directory, file } = createFile();
    await file.write('a long first text\n');
    await file.write('short\n');
    expect(await file.read()).toBe('short\n');
    expect(readdirSync(directory)).toEqual(['kept.json']);
  });

  test('is readable by its owner only, whatever the permissions of the file before', async () => {
    const { file, path } = createFile();
    writeFileSync(path, 'old');
    chmodSync(path, 0o644);
    await file.write('new');
    expect(modeOf(path)).toBe('600');
  });

  test('replaces what a killed program left behind, whatever its permissions', async () => {
    const { directory, file, path } = createFile();
    writeFileSync(`${path}.new`, 'half of a te');
    chmodSync(`${path}.new`, 0o666);
    expect(await file.read()).toBeUndefined();
    await file.write('whole');
    expect(await file.read()).toBe('whole');
    expect(modeOf(path)).toBe('600');
    expect(readdirSync(directory)).toEqual(['kept.json']);
  });

  test('is a new file with each write: an open old one keeps the old text', async () => {
    const { file, path } = createFile();
    await file.write('old');
    const { ino: oldInode } = statSync(path);
    await file.write('new');
    expect(statSync(path).ino).not.toBe(oldInode);
  });

  test('keeps the old text when the new one cannot be written', async () => {
    const { file, path } = createFile();
    await file.write('old');
    mkdirSync(`${path}.new`);
    await expect(file.write('new')).rejects.toThrow();
    expect(await file.read()).toBe('old');
  });

  test('rejects with the system’s error where it cannot be read', async () => {
    const { file, path } = createFile();
    mkdirSync(path);
    await expect(file.read()).rejects.toThrow('not a regular file');
  });

  test('rejects with the system’s error when the directory is gone', async () => {
    const file = new AtomicFile(join(temporaryDirectory(), 'gone', 'kept.json'));
    await expect(file.write('text')).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('is set aside over what was set aside before', async () => {
    const { file, path } = createFile();
    for (const text of ['first', 'second']) {
      await file.write(text);
      expect(await file.setAside()).toBe(`${path}.unusable`);
    }
    expect(await file.read()).toBeUndefined();
    expect(readFileSync(`${path}.unusable`, 'utf8')).toBe('second');
    expect(modeOf(`${path}.unusable`)).toBe('600');
  });

  test('cannot be set aside when there is none', async () => {
    const { file } = createFile();
    await expect(file.setAside()).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('holds one whole text when many are written at once', async () => {
    const { file } = createFile();
    const texts = Array.from({ length: 20 }, (_, index) => `${index} `.repeat(1000 * (index + 1)));
    await Promise.all(texts.map((text) => file.write(text)));
    expect(await file.read()).toBe(texts.at(-1));
  });
});
