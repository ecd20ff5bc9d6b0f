import { describe, expect, test } from 'vitest';
import { DropLog } from '../../src/base/drop-log.ts';
import { firstOf } from '../../src/base/limits.ts';
import { SilentLog } from '../support/silent-log.ts';

const LINE = {
  level: 'warn',
  fields: { list: 'devices', limit: 'devices', dropped: 2 },
  message: 'a list is over its limit: the rest is left out',
};

function createDropLog() {
  const log = new SilentLog();
  const counted: string[] = [];
  const drops = new DropLog(log, (reason, count) => counted.push(`${count} ${reason}`));
  const read = (length: number, list = 'devices') =>
    drops.reading(list, (noteDropped) =>
      firstOf(
        Array.from({ length }, (_, index) => index),
        3,
        'devices',
        noteDropped,
      ),
    );
  return { log, counted, drops, read };
}

describe('a list over its limit', () => {
  test('keeps its first entries, is counted, and is logged once', () => {
    const { log, counted, read } = createDropLog();
    expect(read(5)).toEqual([0, 1, 2]);
    expect(read(4)).toEqual([0, 1, 2]);
    expect(counted).toEqual(['2 devices', '1 devices']);
    expect(log.lines).toEqual([LINE]);
  });

  test('is logged again after it was within its limit', () => {
    const { log, read } = createDropLog();
    for (const length of [5, 3, 5]) read(length);
    expect(log.lines).toEqual([LINE, LINE]);
  });

  test('is logged for each list, but not for more than a hundred', () => {
    const { log, counted, read } = createDropLog();
    for (let station = 0; station < 150; station += 1) read(4, `station ${station}`);
    expect(log.lines).toHaveLength(100);
    expect(counted).toHaveLength(150);
  });

  test('is counted when it is known how many are over', () => {
    const { log, counted, drops } = createDropLog();
    drops.note('devices', 'devices', 2);
    drops.note('stations', 'stations', 0);
    expect(counted).toEqual(['2 devices']);
    expect(log.lines).toEqual([LINE]);
  });
});

test('a list within its limit is whole, and nothing is said', () => {
  const { log, counted, read } = createDropLog();
  expect(read(3)).toEqual([0, 1, 2]);
  expect([log.lines, counted]).toEqual([[], []]);
});
