import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  calendarOf,
  canonicalTimeZone,
  isTimeZone,
  ZonedCalendar,
  zoneNameOf,
} from '../../../src/base/time-zone.ts';

describe('a calendar', () => {
  test.each([
    // Spring: 03:00 becomes 04:00.
    ['Europe/Kyiv', '2026-03-29T01:00:00Z', '2026-03-29T04:00:00+03:00'],
    // Autumn: an hour of local time comes twice.
    ['Europe/Kyiv', '2026-10-25T00:30:00Z', '2026-10-25T03:30:00+03:00'],
    ['Europe/Kyiv', '2026-10-25T01:30:00Z', '2026-10-25T03:30:00+02:00'],
    // Lord Howe moves its clocks by 30 minutes.
    ['Australia/Lord_Howe', '2026-04-04T15:00:00Z', '2026-04-05T01:30:00+10:30'],
    ['Europe/London', '2026-01-24T08:00:00Z', '2026-01-24T08:00:00+00:00'],
    ['-03:30', '2026-07-15T12:00:00Z', '2026-07-15T08:30:00-03:30'],
    ['+05:45', '2026-08-24T18:15:00Z', '2026-08-25T00:00:00+05:45'],
  ])('of %s writes %s as %s', (zone, at, iso) => {
    expect(new ZonedCalendar(zone).isoWithOffset(Date.parse(at))).toBe(iso);
  });

  test.each([
    ['Pacific/Auckland', '2026-12-31T11:00:00Z', '2027-01-01'],
    ['Europe/Kyiv', '2026-02-28T22:00:00Z', '2026-03-01'],
  ])('of %s has %s in the day, the month and the year of %s', (zone, at, date) => {
    const calendar = new ZonedCalendar(zone);
    const atMs = Date.parse(at);
    expect(calendar.day(atMs)).toBe(date);
    expect(calendar.month(atMs)).toBe(date.slice(0, 7));
    expect(calendar.year(atMs)).toBe(date.slice(0, 4));
  });

  test.each([
    ['Europe/Kyiv', '2026-03-29T12:00:00Z', ['2026-03-29', 2, 6, 60]],
    ['Asia/Kathmandu', '2026-08-23T18:14:59Z', ['2026-08-23', 7, 6, 95]],
  ])('of %s has %s in %j: date, month, weekday and quarter hour', (zone, at, expected) => {
    const { date, month, weekday, quarter } = new ZonedCalendar(zone).quarterHour(Date.parse(at));
    expect([date, month, weekday, quarter]).toEqual(expected);
  });

  test.each([
    // The clocks change within the month: an hour is missing.
    ['Europe/Kyiv', '2026-03-15T12:00Z', '2026-03-01T00:00+02:00', '2026-04-01T00:00+03:00'],
    // The clocks change on the last day.
    ['Europe/Berlin', '2024-03-31T12:00Z', '2024-03-01T00:00+01:00', '2024-04-01T00:00+02:00'],
    // The month begins at 01:00, because midnight is skipped.
    ['America/Asuncion', '2017-10-15T12:00Z', '2017-10-01T01:00-03:00', '2017-11-01T00:00-03:00'],
    // The first hour of the month comes twice.
    ['America/Havana', '2026-11-01T05:30Z', '2026-11-01T00:00-04:00', '2026-12-01T00:00-05:00'],
    // The greatest offsets.
    ['Pacific/Kiritimati', '2026-12-31T10:00Z', '2027-01-01T00:00+14:00', '2027-02-01T00:00+14:00'],
    ['Pacific/Niue', '2027-01-01T10:59:59Z', '2026-12-01T00:00-11:00', '2027-01-01T00:00-11:00'],
  ])('of %s has %s in the month from %s to %s', (zone, at, starts, ends) => {
    expect(new ZonedCalendar(zone).monthPeriod(Date.parse(at))).toEqual({
      startsAtMs: Date.parse(starts),
      endsAtMs: Date.parse(ends),
    });
  });

  test.each([
    // 23 hours.
    ['Europe/Kyiv', '2026-03-29T12:00Z', '2026-03-29T00:00+02:00', '2026-03-30T00:00+03:00'],
    // Midnight is skipped; and midnight would come, but the clocks are put back to 23:00.
    ['Africa/Cairo', '2026-04-24T12:00Z', '2026-04-24T01:00+03:00', '2026-04-25T00:00+03:00'],
    ['Africa/Cairo', '2026-10-29T12:00Z', '2026-10-29T00:00+03:00', '2026-10-30T00:00+02:00'],
    // Samoa went without a day altogether.
    ['Pacific/Apia', '2011-12-29T20:00Z', '2011-12-29T00:00-10:00', '2011-12-31T00:00+14:00'],
  ])('of %s has %s in the day from %s to %s', (zone, at, starts, ends) => {
    expect(new ZonedCalendar(zone).dayPeriod(Date.parse(at))).toEqual({
      startsAtMs: Date.parse(starts),
      endsAtMs: Date.parse(ends),
    });
  });

  test('of any zone bounds the year, the month and the day of any instant', () => {
    const zones = Intl.supportedValuesOf('timeZone').map((zone) => new ZonedCalendar(zone));
    const instantMs = fc.integer({
      min: Date.parse('2020-01-01T00:00:00Z'),
      max: Date.parse('2037-01-01T00:00:00Z'),
    });
    fc.assert(
      fc.property(fc.constantFrom(...zones), instantMs, (calendar, atMs) => {
        for (const [period, nameAt] of [
          [calendar.yearPeriod(atMs), (instant: number) => calendar.year(instant)],
          [calendar.monthPeriod(atMs), (instant: number) => calendar.month(instant)],
          [calendar.dayPeriod(atMs), (instant: number) => calendar.day(instant)],
        ] as const) {
          for (const withinMs of [period.startsAtMs, period.endsAtMs - 1])
            expect(nameAt(withinMs)).toBe(nameAt(atMs));
          for (const besideMs of [period.startsAtMs - 1, period.endsAtMs])
            expect(nameAt(besideMs)).not.toBe(nameAt(atMs));
        }
        const text = calendar.isoWithOffset(atMs);
        expect(Date.parse(text)).toBe(Math.floor(atMs / 1000) * 1000);
        expect(text.startsWith(calendar.day(atMs))).toBe(true);
      }),
    );
  });

  test('is built once per zone; those used last are kept', () => {
    const calendar = calendarOf('Asia/Manila');
    const other = calendarOf('Asia/Tokyo');
    expect(calendarOf('aSia/mAnila')).toBe(calendar);
    expect(other).not.toBe(calendar);
    for (const zone of Intl.supportedValuesOf('timeZone')) {
      if (zone !== 'Asia/Tokyo') calendarOf(zone);
      calendarOf('Asia/Manila');
    }
    expect(calendarOf('Asia/Manila')).toBe(calendar);
    expect(calendarOf('Asia/Tokyo')).not.toBe(other);
    expect(() => calendarOf('Mars/Olympus')).toThrow(RangeError);
  });
});

test.each<readonly [name: string, canonical: string | undefined]>([
  ['Asia/Manila', 'Asia/Manila'],
  ['aSia/mAnila', 'Asia/Manila'],
  ['AMERICA/PORT-AU-PRINCE', 'America/Port-au-Prince'],
  ['utc', 'UTC'],
  // Versions of Node.js differ in which of two names they prefer; the label of a station must not change.
  ['Europe/Kyiv', 'Europe/Kyiv'],
  ['Europe/Kiev', 'Europe/Kiev'],
  ['Asia/Kolkata', 'Asia/Kolkata'],
  ['Asia/Calcutta', 'Asia/Calcutta'],
  ['US/Pacific', 'US/Pacific'],
  // Etc counts westward.
  ['Etc/GMT-8', 'Etc/GMT-8'],
  ['+08:00', '+08:00'],
  ['+5:30', '+05:30'],
  ['-0330', '-03:30'],
  ['\u22123', '-03:00'],
  ['8', '+08:00'],
  ['-3.5', '-03:30'],
  ['5.75', '+05:45'],
  ['UTC+8', '+08:00'],
  ['utc +05:45', '+05:45'],
  ['GMT-3', '-03:00'],
  ['GMT+08:00', '+08:00'],
  ['(UTC+08:00) Beijing, Chongqing', '+08:00'],
  ['+14:00:00', '+14:00'],
  ['0', 'UTC'],
  ['-00:00', 'UTC'],
  ['+12:45', '+12:45'],
  ...['mars/olympus', 'Europe', 'Asia/Manila ', '', '+', 'UTC+', '15', '-12.25', '480', '+530'].map(
    (name) => [name, undefined] as const,
  ),
  ...['5.3', '+05:10', '+5:60', '8 h', '08:00 Manila', '1e1', 'Etc/+8', '2026-08-24'].map(
    (name) => [name, undefined] as const,
  ),
])('the name %j is that of the zone %s', (name, canonical) => {
  expect(canonicalTimeZone(name)).toBe(canonical);
  expect(canonicalTimeZone(name)).toBe(canonical);
  expect(isTimeZone(name)).toBe(canonical !== undefined);
});

/** Every offset that a clock can have, by quarter hours. */
const OFFSETS = Array.from({ length: 26 * 4 + 1 }, (_, index) => String(index / 4 - 12));

test('every offset is sent by the name of a zone at most 90 minutes from it', () => {
  for (const hours of OFFSETS) {
    const zone = canonicalTimeZone(hours) ?? '';
    const atMs = Date.parse('2026-01-24T08:00:00Z');
    const minutesOf = (name: string) =>
      (Date.parse(`${calendarOf(name).isoWithOffset(atMs).slice(0, 19)}Z`) - atMs) / 60_000;
    expect(minutesOf(zone), hours).toBe(60 * Number(hours));
    expect(zoneNameOf(zone), hours).toMatch(/^(?:UTC|[A-Z][a-z]+\/[A-Z])/);
    expect(Math.abs(minutesOf(zoneNameOf(zone)) - minutesOf(zone)), hours).toBeLessThanOrEqual(90);
    // Whole hours are exact.
    if (Number.isInteger(Number(hours)))
      expect(minutesOf(zoneNameOf(zone)), hours).toBe(minutesOf(zone));
  }
});
