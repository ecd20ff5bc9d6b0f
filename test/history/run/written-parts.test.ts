import { describe, expect, test } from 'vitest';
import type { MonthPart } from '../../../src/history/collect-month.ts';
import {
  covers,
  encodePart,
  isSameMonth,
  replaces,
  type WrittenPart,
  writtenPart,
  writtenPartSchema,
} from '../../../src/history/run/written-parts.ts';

const NOW_MS = Date.parse('2026-11-22T12:00:00Z');

function part(from: string, to: string, isWhole = false): MonthPart {
  const [fromMs, toMs] = [Date.parse(from), Date.parse(to)];
  return { station: { stationId: 'house' }, month: from.slice(0, 7), fromMs, toMs, isWhole };
}

const AUGUST = part('2026-08-01', '2026-09-01', true);
const SOME_DAYS = part('2026-08-10', '2026-08-20');
const BOTH = ['one', 'two'];

const written = (of: MonthPart, devices = BOTH, nowMs = NOW_MS): WrittenPart =>
  writtenPart(of, devices, nowMs);

describe('a written part', () => {
  test('is read again as it was written', () => {
    const before = written(AUGUST, ['two', 'one']);
    expect(before.devices).toEqual(['one', 'two']);
    expect(writtenPartSchema.parse(JSON.parse(JSON.stringify(encodePart(before))))).toEqual(before);
    expect(encodePart(before)).toMatchObject({ from: '2026-08-01T00:00:00.000Z' });
  });

  test('is about one month of one station', () => {
    expect(isSameMonth(written(SOME_DAYS), AUGUST)).toBe(true);
    expect(isSameMonth(written(SOME_DAYS), part('2026-09-01', '2026-09-02'))).toBe(false);
    const elsewhere = { ...AUGUST, station: { stationId: 'other' } };
    expect(isSameMonth(written(SOME_DAYS), elsewhere)).toBe(false);
  });

  test.each([
    ['the same', AUGUST, AUGUST, BOTH, true],
    ['a part of it', AUGUST, SOME_DAYS, BOTH, true],
    ['one device of two', AUGUST, AUGUST, ['two'], true],
    ['a device that it lacks', AUGUST, AUGUST, ['one', 'three'], false],
    ['the whole month', SOME_DAYS, AUGUST, BOTH, false],
    ['an earlier beginning', SOME_DAYS, part('2026-08-09', '2026-08-20'), BOTH, false],
    ['a later end', SOME_DAYS, part('2026-08-10', '2026-08-21'), BOTH, false],
    ['the whole month, as a part', { ...AUGUST, isWhole: false }, AUGUST, BOTH, false],
  ])('of which %s is wanted', (_, there, wanted, devices, expected) => {
    expect(covers(written(there), wanted, devices)).toBe(expected);
  });

  test('covers nothing that had not arrived when it was written, but what is long before', () => {
    const untilNow = part('2026-11-01', '2026-11-22T12:00:00Z');
    expect(covers(written(untilNow), untilNow, BOTH)).toBe(false);
    expect(covers(written(untilNow), part('2026-11-01', '2026-11-22T11:00:00Z'), BOTH)).toBe(false);
    expect(covers(written(untilNow), part('2026-11-01', '2026-11-22'), BOTH)).toBe(true);
  });

  test('is replaced only by what has all of it', () => {
    expect(replaces(AUGUST, BOTH, written(SOME_DAYS))).toBe(true);
    expect(replaces(AUGUST, [...BOTH, 'three'], written(AUGUST))).toBe(true);
    expect(replaces(AUGUST, ['one'], written(SOME_DAYS))).toBe(false);
    expect(replaces(SOME_DAYS, BOTH, written(AUGUST))).toBe(false);
    expect(replaces(part('2026-08-15', '2026-08-25'), BOTH, written(SOME_DAYS))).toBe(false);
  });
});
