import { describe, expect, test } from 'vitest';
import { estimateText, outcomeText } from '../../../src/commands/history/texts.ts';
import type { MonthPart } from '../../../src/history/months.ts';
import { DAY_MS, MINUTE_MS } from '../../support/durations.ts';

const DAYS = 30;

function partOf(month: string, ...deviceIds: readonly string[]): MonthPart {
  const fromMs = Date.parse(`${month}-01`);
  const toMs = fromMs + DAYS * DAY_MS;
  return {
    station: { stationId: 'house', timeZone: 'UTC' },
    devices: deviceIds.map((deviceId) => ({ deviceId })),
    ...{ isOneDevice: false, month, fromMs, toMs, settledToMs: toMs, isWhole: true },
  };
}

function writtenOf(month: string) {
  const keep = () => Promise.resolve();
  const part = partOf(month);
  return { part, place: `solar-house-${month}.om`, samples: 1_234_567, bytes: 187_654_321, keep };
}

describe('the end of a run', () => {
  const kept = [writtenOf('2026-07'), writtenOf('2026-08')];
  const doubted = [writtenOf('2026-09')];

  test('says what was written, now and before, and what the next run asks for again', () => {
    const ended = { kept, doubted, error: undefined };
    expect(outcomeText(ended, { complete: 3, intoFiles: true })).toBe(
      `2 files written: 2,469,134 samples, 375.3 MB; 3 files complete before
  solar-house-2026-07.om
  solar-house-2026-08.om
not complete, because the service answered without readings, or with too many; the next run asks again:
  solar-house-2026-09.om.partial
`,
    );
  });

  test('says up to where all is complete, when it ended early', () => {
    const ended = { kept, doubted: [], error: new Error('stopped') };
    expect(outcomeText(ended, { complete: 0, intoFiles: false })).toBe(
      `2 months written: 2,469,134 samples, 375.3 MB
the last that is complete: 2026-08 of house, to 2026-08-31T00:00:00.000Z
`,
    );
  });
});

describe('an estimate', () => {
  const OPTIONS = { intervalMs: MINUTE_MS, complete: 0, perSecond: 1, format: 'json' } as const;

  /** The number in a row of an estimate. */
  function numberOf(
    what: string,
    parts: readonly MonthPart[],
    more: Partial<typeof OPTIONS> | object = {},
  ) {
    const text = estimateText(parts, { ...OPTIONS, ...more });
    const [, digits = ''] = new RegExp(`^  ${what} +([\\d,]+)`, 'm').exec(text) ?? [];
    return Number(digits.replaceAll(',', ''));
  }

  test('counts a reading every five minutes, and their pages', () => {
    // 8,640 readings and those of 75 minutes before are five pages; four requests learn how the device
    // speaks; two ask for days, one for months, one for years. Days include those of the month before.
    for (const month of ['2026-09', '2026-01']) {
      expect(numberOf('requests', [partOf(month, 'one')])).toBe(5 + 4 + 4);
      expect(numberOf('readings', [partOf(month, 'one')])).toBe(DAYS * 288);
    }
  });

  test('counts what several months have in common once', () => {
    const plan = [partOf('2026-09', 'one', 'two'), partOf('2026-10', 'one', 'two')];
    expect(numberOf('readings', plan)).toBe(4 * DAYS * 288);
    // Of the days, those of August, September and October.
    expect(numberOf('requests', plan)).toBe(4 * 5 + 2 * 4 + 5);
  });

  test('has a sample of each series at each step, but as CSV of each device at each reading', () => {
    const plan = [partOf('2026-09', 'one')];
    const coarse = numberOf('samples', plan, { intervalMs: 4 * MINUTE_MS });
    expect(numberOf('samples', plan)).toBe(4 * coarse);
    expect(numberOf('samples', plan, { format: 'csv' })).toBe(28 * DAYS * 288);
  });

  test('says what it would be, what is complete, and how long it would take', () => {
    const text = estimateText([partOf('2026-09', 'one', 'two')], {
      ...OPTIONS,
      complete: 1,
      perSecond: 0.5,
    });
    expect(text).toContain(
      '2 devices of 1 station, 1 month or part of one; 1 part complete before',
    );
    expect(text).toContain('22, which take 44s at 0.5 a second');
    for (const what of ['requests', 'readings', 'samples', 'bytes'])
      expect(numberOf(what, [])).toBe(0);
  });
});
