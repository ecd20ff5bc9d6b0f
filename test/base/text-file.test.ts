import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FileRefusedError, readTextFile } from '../../src/base/text-file.ts';
import { temporaryDirectory } from '../support/prometheus.ts';

const MAX_BYTES = 1024 * 1024;

function fileOf(text: string): string {
  const path = join(temporaryDirectory(), 'file');
  writeFileSync(path, text);
  return path;
}

describe('reading a text file', () => {
  test.each([
    ['an empty one', ''],
    ['a text beyond ASCII', 'Süd-West ☀\n'],
    ['one of exactly 1 MiB', 'x'.repeat(MAX_BYTES)],
  ])('gives the text of %s', (_, text) => {
    expect(readTextFile(fileOf(text))).toBe(text);
  });

  test('keeps a character whole that lies across two chunks', () => {
    const text = 'x'.repeat(64 * 1024 - 1) + '☀';
    expect(readTextFile(fileOf(text))).toBe(text);
  });

  test('gives the text of a file that the system makes, whose size is 0', () => {
    expect(readTextFile('/proc/self/comm')).not.toBe('');
  });

  test.each([
    ['a device that never ends', () => '/dev/zero', 'not a regular file'],
    ['a directory', temporaryDirectory, 'not a regular file'],
    ['a byte too much', () => fileOf('x'.repeat(MAX_BYTES + 1)), 'larger than 1 MiB'],
  ])('refuses %s', (_, path, reason) => {
    const refused = path();
    expect(() => readTextFile(refused)).toThrow(new FileRefusedError(reason));
  });

  test("passes on the system's error", () => {
    expect(() => readTextFile(join(temporaryDirectory(), 'none'))).toThrow(
      expect.objectContaining({ code: 'ENOENT' }),
    );
  });
});
