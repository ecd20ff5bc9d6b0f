import { describe, expect, test } from 'vitest';
import { estimateRun } from '../../../src/history/run/estimate.ts';
import type { PlannedPart } from '../../../src/history/run/run-history.ts';
import { MINUTE_MS } from '../../support/durations.ts';

const DAYS = 30;

function planned(month: string, devices: readonly string[]): PlannedPart {
  const fromMs = Date.parse(`${month}-01`);
  const station = { stationId: 'house' };
  const toMs = fromMs + DAYS * 24 * 60 * MINUTE_MS;
  return {
    part: { station, month, fromMs, toMs, isWhole: true },
    devices: devices.map((deviceId) => ({ deviceId })),
  };
}

describe('an estimate', () => {
  test('counts a reading every five minutes, and their pages', () => {
    // 8,640 readings and those of 75 minutes before are five pages; four requests learn how the device
    // speaks; two ask for days, one for months, one for years. Days include those of the month before.
    const expected = { readings: DAYS * 288, requests: 5 + 4 + 4 };
    for (const month of ['2026-09', '2026-01'])
      expect(estimateRun([planned(month, ['one'])], MINUTE_MS, 'json')).toMatchObject(expected);
  });

  test('counts what several months have in common once', () => {
    const plan = [planned('2026-09', ['one', 'two']), planned('2026-10', ['one', 'two'])];
    const { requests, readings } = estimateRun(plan, MINUTE_MS, 'openmetrics');
    expect(readings).toBe(4 * DAYS * 288);
    // Of the days, those of August, September and October.
    expect(requests).toBe(4 * 5 + 2 * 4 + 5);
  });

  test('has a sample of each series at each step, but as CSV at each reading', () => {
    const plan = [planned('2026-09', ['one'])];
    const coarse = estimateRun(plan, 4 * MINUTE_MS, 'openmetrics').samples;
    expect(estimateRun(plan, MINUTE_MS, 'openmetrics').samples).toBe(4 * coarse);
    expect(estimateRun(plan, MINUTE_MS, 'csv').samples).toBe(
      estimateRun(plan, 5 * MINUTE_MS, 'json').samples,
    );
  });

  test('of nothing is nothing', () => {
    const nothing = { requests: 0, readings: 0, samples: 0, bytes: 0 };
    expect(estimateRun([], MINUTE_MS, 'push')).toEqual(nothing);
  });
});
