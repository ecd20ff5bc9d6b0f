import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FALLBACK_TIME_ZONE, isTimeZone, ZonedCalendar } from '../../src/client/time-zone.ts';

describe('a zoned calendar', () => {
  test.each([
    // Spring: 03:00 becomes 04:00 in Kyiv, 02:00 becomes 03:00 in New York.
    { zone: 'Europe/Kyiv', at: '2026-03-29T00:59:59Z', iso: '2026-03-29T02:59:59+02:00' },
    { zone: 'Europe/Kyiv', at: '2026-03-29T01:00:00Z', iso: '2026-03-29T04:00:00+03:00' },
    { zone: 'America/New_York', at: '2026-03-08T06:59:59Z', iso: '2026-03-08T01:59:59-05:00' },
    { zone: 'America/New_York', at: '2026-03-08T07:00:00Z', iso: '2026-03-08T03:00:00-04:00' },
    // Autumn: an hour of local time comes twice.
    { zone: 'Europe/Kyiv', at: '2026-10-25T00:30:00Z', iso: '2026-10-25T03:30:00+03:00' },
    { zone: 'Europe/Kyiv', at: '2026-10-25T01:30:00Z', iso: '2026-10-25T03:30:00+02:00' },
    { zone: 'America/New_York', at: '2026-11-01T05:30:00Z', iso: '2026-11-01T01:30:00-04:00' },
    { zone: 'America/New_York', at: '2026-11-01T06:30:00Z', iso: '2026-11-01T01:30:00-05:00' },
    // Offsets of half and quarter hours; Lord Howe moves its clocks by 30 minutes.
    { zone: 'Asia/Kolkata', at: '2026-08-24T08:00:00Z', iso: '2026-08-24T13:30:00+05:30' },
    { zone: 'Asia/Kathmandu', at: '2026-08-24T08:00:00Z', iso: '2026-08-24T13:45:00+05:45' },
    { zone: 'Australia/Lord_Howe', at: '2026-04-04T14:59:59Z', iso: '2026-04-05T01:59:59+11:00' },
    { zone: 'Australia/Lord_Howe', at: '2026-04-04T15:00:00Z', iso: '2026-04-05T01:30:00+10:30' },
    { zone: 'Australia/Lord_Howe', at: '2026-10-03T15:30:00Z', iso: '2026-10-04T02:30:00+11:00' },
    { zone: 'America/St_Johns', at: '2026-01-15T12:00:00Z', iso: '2026-01-15T08:30:00-03:30' },
    { zone: 'America/St_Johns', at: '2026-07-15T12:00:00Z', iso: '2026-07-15T09:30:00-02:30' },
    { zone: FALLBACK_TIME_ZONE, at: '2026-08-24T08:00:00Z', iso: '2026-08-24T16:00:00+08:00' },
    { zone: 'UTC', at: '2026-08-24T08:00:00Z', iso: '2026-08-24T08:00:00+00:00' },
    { zone: 'Europe/London', at: '2026-01-24T08:00:00Z', iso: '2026-01-24T08:00:00+00:00' },
  ])('$zone: $at is $iso', ({ zone, at, iso }) => {
    expect(new ZonedCalendar(zone).isoWithOffset(Date.parse(at))).toBe(iso);
  });

  test.each([
    { zone: 'Pacific/Auckland', at: '2026-12-31T10:59:59Z', year: '2026', month: '2026-12' },
    { zone: 'Pacific/Auckland', at: '2026-12-31T11:00:00Z', year: '2027', month: '2027-01' },
    { zone: 'Pacific/Honolulu', at: '2026-12-31T11:00:00Z', year: '2026', month: '2026-12' },
    { zone: 'Pacific/Honolulu', at: '2027-01-01T09:59:59Z', year: '2026', month: '2026-12' },
    { zone: 'Pacific/Honolulu', at: '2027-01-01T10:00:00Z', year: '2027', month: '2027-01' },
    { zone: 'Europe/Kyiv', at: '2026-02-28T22:00:00Z', year: '2026', month: '2026-03' },
  ])('$zone: $at lies in $month', ({ zone, at, year, month }) => {
    const calendar = new ZonedCalendar(zone);
    expect(calendar.year(Date.parse(at))).toBe(year);
    expect(calendar.month(Date.parse(at))).toBe(month);
  });

  test('writes an instant of any zone as text that reads back as the same whole second', () => {
    const zones = Intl.supportedValuesOf('timeZone').map((zone) => new ZonedCalendar(zone));
    const instantMs = fc.integer({
      min: Date.parse('2000-01-01T00:00:00Z'),
      max: Date.parse('2060-01-01T00:00:00Z'),
    });
    fc.assert(
      fc.property(fc.constantFrom(...zones), instantMs, (calendar, atMs) => {
        const text = calendar.isoWithOffset(atMs);
        expect(text).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/);
        expect(Date.parse(text)).toBe(Math.floor(atMs / 1000) * 1000);
        expect(text.startsWith(calendar.month(atMs))).toBe(true);
      }),
    );
  });

  test('refuses a zone that nobody knows', () => {
    expect(() => new ZonedCalendar('Mars/Olympus')).toThrow(RangeError);
  });
});

describe('isTimeZone', () => {
  test.each(['Asia/Manila', 'Europe/Kyiv', 'America/Argentina/Buenos_Aires', 'UTC'])(
    'knows %s',
    (name) => {
      expect(isTimeZone(name)).toBe(true);
    },
  );

  test.each(['Europe', 'Mars/Olympus', '', '+08:00', '-0330', '8', 'Asia/Manila '])(
    'does not know %j',
    (name) => {
      expect(isTimeZone(name)).toBe(false);
    },
  );
});
