import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  formatDuration,
  formatInstant,
  formatKwh,
  formatRatio,
  formatWatts,
  isoTime,
} from '../../../src/http/status-page/format.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Whether a number and its unit may part is the browser's business, not that of these tables. */
function plain(text: string): string {
  return text.replaceAll('\u00A0', ' ').replaceAll('\u202F', ' ');
}

describe('watts', () => {
  test.each([
    [0, '0 W'],
    [-0, '0 W'],
    [-0.4, '0 W'],
    [0.5, '1 W'],
    [999.4, '999 W'],
    [1000, '1,000 W'],
    [9999, '9,999 W'],
    [9999.4, '9,999 W'],
    [9999.6, '10.0 kW'],
    [10_000, '10.0 kW'],
    [12_345, '12.3 kW'],
    [99_949, '99.9 kW'],
    [-420, '-420 W'],
    [-9999.6, '-10.0 kW'],
    [-12_345, '-12.3 kW'],
  ])('%d are %s', (watts, text) => {
    expect(plain(formatWatts(watts))).toBe(text);
  });
});

describe('kilowatt-hours', () => {
  test.each([
    [0, '0.0 kWh'],
    [-0, '0.0 kWh'],
    [-0.04, '0.0 kWh'],
    [0.05, '0.1 kWh'],
    [46.94, '46.9 kWh'],
    [999.94, '999.9 kWh'],
    [999.96, '1,000 kWh'],
    [1000, '1,000 kWh'],
    [1_234_567.8, '1,234,568 kWh'],
    [-12.3, '-12.3 kWh'],
    [-1234.5, '-1,234 kWh'],
  ])('%d are %s', (kwh, text) => {
    expect(plain(formatKwh(kwh))).toBe(text);
  });
});

describe('a ratio', () => {
  test.each([
    [0, '0 %'],
    [-0.001, '0 %'],
    [0.004, '0 %'],
    [0.005, '1 %'],
    [0.93, '93 %'],
    [1, '100 %'],
    [12.5, '1,250 %'],
  ])('of %d is %s', (ratio, text) => {
    expect(plain(formatRatio(ratio))).toBe(text);
  });
});

describe('a length of time', () => {
  test.each([
    [-DAY_MS, '0 s'],
    [-1, '0 s'],
    [0, '0 s'],
    [999, '0 s'],
    [59_999, '59 s'],
    [MINUTE_MS, '1 min'],
    [HOUR_MS - 1, '59 min'],
    [HOUR_MS, '1 h'],
    [HOUR_MS + MINUTE_MS, '1 h 1 min'],
    [2 * HOUR_MS - 1, '1 h 59 min'],
    [DAY_MS - 1, '23 h 59 min'],
    [DAY_MS, '1 day'],
    [2 * DAY_MS - 1, '1 day'],
    [2 * DAY_MS, '2 days'],
    [400 * DAY_MS, '400 days'],
  ])('of %d ms is %s', (durationMs, text) => {
    expect(plain(formatDuration(durationMs))).toBe(text);
  });
});

describe('an instant', () => {
  test.each([
    [Date.parse('2026-06-21T12:00:05.678Z'), '2026-06-21T12:00:05.678Z', '2026-06-21 12:00:05 UTC'],
    [0, '1970-01-01T00:00:00.000Z', '1970-01-01 00:00:00 UTC'],
    [NaN, '', ''],
    [Infinity, '', ''],
    [8.64e15 + 1, '', ''],
    [8.64e15, '+275760-09-13T00:00:00.000Z', '+275760-09-13 00:00:00 UTC'],
  ])('%d is %j to machines and %j to people', (atMs, iso, text) => {
    expect(isoTime(atMs)).toBe(iso);
    expect(formatInstant(atMs)).toBe(text);
  });
});

test('no finite number is shown as minus nothing, or as no number', () => {
  fc.assert(
    fc.property(fc.double({ min: -1e300, max: 1e300, noNaN: true }), (value) => {
      for (const format of [formatWatts, formatKwh, formatRatio, formatDuration])
        expect(format(value)).not.toMatch(/^-0(\.0)?\s|NaN|Infinity|undefined/);
    }),
  );
});
