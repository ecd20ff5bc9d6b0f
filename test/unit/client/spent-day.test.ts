import { describe, expect, test } from 'vitest';
import { dayAt, newDay, nextDayAtMs } from '../../../src/client/exchange/spent-day.ts';

const at = (text: string) => Date.parse(text);
const SPENT = { startsAtMs: at('2026-08-24T00:00Z'), spent: 400 };

describe('the requests of a day', () => {
  test('begin at midnight, UTC, and end at the next', () => {
    expect(newDay(at('2026-08-24T23:59:59.999Z'))).toEqual({ ...SPENT, spent: 0 });
    expect(nextDayAtMs(at('2026-08-24T00:00Z'))).toBe(at('2026-08-25T00:00Z'));
    expect(nextDayAtMs(at('2026-08-24T23:59:59.999Z'))).toBe(at('2026-08-25T00:00Z'));
  });

  test('count until midnight', () => {
    expect(dayAt(SPENT, at('2026-08-24T23:59:59.999Z'))).toBe(SPENT);
    expect(dayAt(SPENT, at('2026-08-25T00:00Z')).spent).toBe(0);
    expect(dayAt(SPENT, at('2031-01-01T00:00Z')).spent).toBe(0);
  });

  test('are not given away by a clock that is set back, by minutes or by years', () => {
    for (const back of ['2026-08-23T23:59Z', '2026-08-20T10:00Z', '1970-01-01T00:00Z'])
      expect(dayAt(SPENT, at(back)).spent).toBe(400);
  });

  test('hold again when the clock is put right', () => {
    const atBoot = dayAt(SPENT, at('1970-01-01T00:00:10Z'));
    expect(dayAt(atBoot, at('2026-08-24T12:00Z'))).toEqual(SPENT);
    expect(dayAt(atBoot, at('2026-08-25T12:00Z')).spent).toBe(0);
  });

  test('end at the next midnight of a clock that stays back', () => {
    const back = dayAt(SPENT, at('2026-03-01T23:00Z'));
    expect(dayAt(back, at('2026-03-01T23:59Z'))).toBe(back);
    expect(dayAt(back, at('2026-03-02T00:00Z'))).toEqual(newDay(at('2026-03-02T00:00Z')));
  });

  test('are not given away by a clock that is set back again and again', () => {
    let day = dayAt(SPENT, at('2026-08-20T10:00Z'));
    day = dayAt(day, at('2026-08-10T10:00Z'));
    expect(day.spent).toBe(400);
    expect(dayAt(day, at('2026-08-10T23:00Z')).spent).toBe(400);
  });
});
