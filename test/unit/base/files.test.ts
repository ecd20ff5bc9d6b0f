import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { keptFile, type StateFile } from '../../../src/base/kept-file.ts';
import { FileRefusedError, readTextFile } from '../../../src/base/text-file.ts';
import { temporaryDirectory } from '../../support/prometheus.ts';
import { SilentLog } from '../../support/silent-log.ts';

describe('a text file', () => {
  const MAX_BYTES = 1024 * 1024;
  const fileOf = (text: string): string => {
    const path = join(temporaryDirectory(), 'file');
    writeFileSync(path, text);
    return path;
  };

  test.each([
    ['beyond ASCII', 'Süd-West ☀\n'],
    ['of exactly 1 MiB', 'x'.repeat(MAX_BYTES)],
    ['with a character that lies across two chunks', `${'x'.repeat(64 * 1024 - 1)}☀`],
  ])('%s is read whole', (_, text) => {
    expect(readTextFile(fileOf(text))).toBe(text);
  });

  test('that the system makes, whose size is 0, is read whole', () => {
    expect(readTextFile('/proc/self/comm')).not.toBe('');
  });

  test.each([
    ['a device that never ends', () => '/dev/zero', 'not a regular file'],
    ['a directory', temporaryDirectory, 'not a regular file'],
    ['too large', () => fileOf('x'.repeat(MAX_BYTES + 1)), 'larger than 1 MiB'],
  ])('that is %s is refused', (_, pathOf, reason) => {
    const path = pathOf();
    expect(() => readTextFile(path)).toThrow(new FileRefusedError(reason));
  });

  test('that is missing is said to be', () => {
    const path = join(temporaryDirectory(), 'none');
    expect(() => readTextFile(path)).toThrow(expect.objectContaining({ code: 'ENOENT' }) as Error);
  });
});

describe('a file that keeps a number over restarts', () => {
  class Refused extends Error {
    readonly code = 'EACCES';
  }

  function keep(changes: Partial<StateFile>) {
    const log = new SilentLog();
    const file = keptFile(
      {
        read: () => Promise.resolve('7'),
        write: () => Promise.resolve(),
        setAside: () => Promise.resolve('/state/number.json.unusable'),
        ...changes,
      },
      {
        foreign: 'not a number',
        setAside: 'the number begins at 0',
        failing: 'a restart loses the number',
        again: 'the number is kept again',
      },
      log,
    );
    const said = () =>
      log.lines.map(({ level, fields, message }) => [level, message, ...Object.values(fields)]);
    return { file, said };
  }

  const refuse = () => Promise.reject(new Refused());
  const aside = '/state/number.json.unusable';

  const reading = (text?: string) => ({ read: () => Promise.resolve(text) });
  const damaged = { ...reading('7,'), setAside: refuse };

  test.each<[string, Partial<StateFile>, number | undefined, reasons: string[] | undefined]>([
    ['is whole', {}, 7, undefined],
    ['is missing', reading(undefined), undefined, undefined],
    ['is of another kind', reading('{}'), undefined, ['not a number', aside]],
    ['cannot be moved', damaged, undefined, ['not a number', 'nowhere (EACCES)']],
    ['cannot be read', { read: refuse }, undefined, ['EACCES', aside]],
  ])('and %s', async (_, changes, value, reasons) => {
    const { file, said } = keep(changes);
    expect(await file.read(z.number())).toBe(value);
    const begun = ['warn', 'the number begins at 0', ...(reasons ?? [])];
    expect(said()).toEqual(reasons === undefined ? [] : [begun]);
  });
});
