import { describe, expect, test } from 'vitest';
import { jsonOrNothing, KeptFile, type StateFile } from '../../src/base/kept-file.ts';
import { SilentLog } from '../support/silent-log.ts';

const TEXTS = {
  foreign: 'not a number',
  setAside: 'the number begins at 0',
  failing: 'a restart loses the number',
  again: 'the number is kept again',
};

class Refused extends Error {
  readonly code = 'EACCES';
}

function keep(changes: Partial<StateFile>) {
  const log = new SilentLog();
  const file = new KeptFile(
    {
      read: () => Promise.resolve('7'),
      write: () => Promise.resolve(),
      setAside: () => Promise.resolve('/state/number.json.unusable'),
      ...changes,
    },
    TEXTS,
    log,
  );
  const said = () =>
    log.lines.map(({ level, fields, message }) => `${level}: ${message} ${JSON.stringify(fields)}`);
  return { file, said };
}

const decode = (text: string): number | undefined => {
  const value = jsonOrNothing(text);
  return typeof value === 'number' ? value : undefined;
};

describe('a file in the state directory', () => {
  test.each<{ what: string; changes: Partial<StateFile>; value?: number; said: string[] }>([
    { what: 'that is whole', changes: {}, value: 7, said: [] },
    { what: 'that is missing', changes: { read: () => Promise.resolve(undefined) }, said: [] },
    {
      what: 'of another version',
      changes: { read: () => Promise.resolve('{}') },
      said: [
        'warn: the number begins at 0 {"reason":"not a number","place":"/state/number.json.unusable"}',
      ],
    },
    {
      what: 'that is damaged and cannot be moved',
      changes: {
        read: () => Promise.resolve('7,'),
        setAside: () => Promise.reject(new Refused()),
      },
      said: ['warn: the number begins at 0 {"reason":"not a number","place":"nowhere (EACCES)"}'],
    },
    {
      what: 'that cannot be read',
      changes: { read: () => Promise.reject(new Refused()) },
      said: [
        'warn: the number begins at 0 {"reason":"EACCES","place":"/state/number.json.unusable"}',
      ],
    },
  ])('$what gives $value', async ({ changes, value, said: expected }) => {
    const { file, said } = keep(changes);
    expect(await file.read(decode)).toBe(value);
    expect(said()).toEqual(expected);
  });

  test('that cannot be written says so once, and when it can be again', async () => {
    let isFull = true;
    const write = () => (isFull ? Promise.reject(new Refused()) : Promise.resolve());
    const { file, said } = keep({ write });
    expect([await file.write('1'), await file.write('2')]).toEqual([false, false]);
    isFull = false;
    expect([await file.write('3'), await file.write('4')]).toEqual([true, true]);
    expect(said()).toEqual([
      'warn: a restart loses the number {"reason":"EACCES"}',
      'info: the number is kept again {}',
    ]);
  });
});
