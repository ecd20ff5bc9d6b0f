import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { namedTimeZone, timeZoneOf, ZonedCalendar } from '../../src/base/time-zone.ts';
import { canonicalTimeZone, isTimeZone } from '../../src/base/time-zone-name.ts';

describe('the zone of a station', () => {
  const all = { configured: 'Europe/Kyiv', station: 'Asia/Kathmandu', device: 'America/New_York' };

  test.each([
    { who: 'the user', sources: all, zone: 'Europe/Kyiv' },
    { who: 'its record', sources: { ...all, configured: undefined }, zone: 'Asia/Kathmandu' },
    { who: 'a device record', sources: { device: 'America/New_York' }, zone: 'America/New_York' },
  ])('is named by $who', ({ sources, zone }) => {
    expect(namedTimeZone(sources)).toBe(zone);
    expect(timeZoneOf(sources)).toBe(zone);
  });

  test('is that of the interface when nobody names one', () => {
    expect(namedTimeZone({})).toBeUndefined();
    expect(timeZoneOf({})).toBe('Asia/Manila');
  });
});

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
    { zone: 'Asia/Manila', at: '2026-08-24T08:00:00Z', iso: '2026-08-24T16:00:00+08:00' },
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
    expect(calendar.day(Date.parse(at)).slice(0, 7)).toBe(month);
  });

  test.each([
    // The clocks change within the month: an hour is missing, or there is one too many.
    {
      zone: 'Europe/Kyiv',
      at: '2026-03-15T12:00:00Z',
      starts: '2026-03-01T00:00:00+02:00',
      ends: '2026-04-01T00:00:00+03:00',
    },
    {
      zone: 'America/New_York',
      at: '2026-11-30T12:00:00Z',
      starts: '2026-11-01T00:00:00-04:00',
      ends: '2026-12-01T00:00:00-05:00',
    },
    // The clocks change on the first or the last day.
    {
      zone: 'Europe/Berlin',
      at: '2024-03-31T12:00:00Z',
      starts: '2024-03-01T00:00:00+01:00',
      ends: '2024-04-01T00:00:00+02:00',
    },
    {
      zone: 'America/New_York',
      at: '2026-11-01T12:00:00Z',
      starts: '2026-11-01T00:00:00-04:00',
      ends: '2026-12-01T00:00:00-05:00',
    },
    {
      zone: 'America/New_York',
      at: '2026-10-31T12:00:00Z',
      starts: '2026-10-01T00:00:00-04:00',
      ends: '2026-11-01T00:00:00-04:00',
    },
    // The month begins at 01:00, because midnight is skipped.
    {
      zone: 'America/Asuncion',
      at: '2017-10-15T12:00:00Z',
      starts: '2017-10-01T01:00:00-03:00',
      ends: '2017-11-01T00:00:00-03:00',
    },
    {
      zone: 'America/Asuncion',
      at: '2017-09-15T12:00:00Z',
      starts: '2017-09-01T00:00:00-04:00',
      ends: '2017-10-01T00:00:00-04:00',
    },
    // The first hour of the month comes twice.
    {
      zone: 'America/Havana',
      at: '2026-10-31T12:00:00Z',
      starts: '2026-10-01T00:00:00-04:00',
      ends: '2026-11-01T00:00:00-04:00',
    },
    {
      zone: 'America/Havana',
      at: '2026-11-01T05:30:00Z',
      starts: '2026-11-01T00:00:00-04:00',
      ends: '2026-12-01T00:00:00-05:00',
    },
    // Offsets of half and quarter hours, and the greatest.
    {
      zone: 'Asia/Kathmandu',
      at: '2026-08-24T08:00:00Z',
      starts: '2026-08-01T00:00:00+05:45',
      ends: '2026-09-01T00:00:00+05:45',
    },
    {
      zone: 'Pacific/Kiritimati',
      at: '2026-12-31T10:00:00Z',
      starts: '2027-01-01T00:00:00+14:00',
      ends: '2027-02-01T00:00:00+14:00',
    },
    {
      zone: 'Pacific/Niue',
      at: '2027-01-01T10:59:59Z',
      starts: '2026-12-01T00:00:00-11:00',
      ends: '2027-01-01T00:00:00-11:00',
    },
    {
      zone: 'UTC',
      at: '2028-02-29T23:59:59Z',
      starts: '2028-02-01T00:00:00Z',
      ends: '2028-03-01T00:00:00Z',
    },
  ])('$zone: the month of $at goes from $starts to $ends', ({ zone, at, starts, ends }) => {
    expect(new ZonedCalendar(zone).monthPeriod(Date.parse(at))).toEqual({
      startsAtMs: Date.parse(starts),
      endsAtMs: Date.parse(ends),
    });
  });

  test.each([
    // 23 hours and 25 hours.
    {
      zone: 'Europe/Kyiv',
      at: '2026-03-29T12:00:00Z',
      starts: '2026-03-29T00:00:00+02:00',
      ends: '2026-03-30T00:00:00+03:00',
    },
    {
      zone: 'Europe/Kyiv',
      at: '2026-10-25T12:00:00Z',
      starts: '2026-10-25T00:00:00+03:00',
      ends: '2026-10-26T00:00:00+02:00',
    },
    // Midnight is skipped: the day begins at 01:00.
    {
      zone: 'Africa/Cairo',
      at: '2026-04-24T12:00:00Z',
      starts: '2026-04-24T01:00:00+03:00',
      ends: '2026-04-25T00:00:00+03:00',
    },
    // Midnight would come, but the clocks are put back to 23:00: the day before has 25 hours.
    {
      zone: 'Africa/Cairo',
      at: '2026-10-29T12:00:00Z',
      starts: '2026-10-29T00:00:00+03:00',
      ends: '2026-10-30T00:00:00+02:00',
    },
    // Samoa went without this day altogether.
    {
      zone: 'Pacific/Apia',
      at: '2011-12-29T20:00:00Z',
      starts: '2011-12-29T00:00:00-10:00',
      ends: '2011-12-31T00:00:00+14:00',
    },
  ])('$zone: the day of $at goes from $starts to $ends', ({ zone, at, starts, ends }) => {
    expect(new ZonedCalendar(zone).dayPeriod(Date.parse(at))).toEqual({
      startsAtMs: Date.parse(starts),
      endsAtMs: Date.parse(ends),
    });
  });

  test('bounds the month and the day of any instant in any zone', () => {
    const zones = Intl.supportedValuesOf('timeZone').map((zone) => new ZonedCalendar(zone));
    const instantMs = fc.integer({
      min: Date.parse('2020-01-01T00:00:00Z'),
      max: Date.parse('2037-01-01T00:00:00Z'),
    });
    fc.assert(
      fc.property(fc.constantFrom(...zones), instantMs, (calendar, atMs) => {
        const month = calendar.monthPeriod(atMs);
        expect(calendar.month(month.startsAtMs)).toBe(calendar.month(atMs));
        expect(calendar.month(month.startsAtMs - 1)).not.toBe(calendar.month(atMs));
        expect(calendar.month(month.endsAtMs - 1)).toBe(calendar.month(atMs));
        expect(calendar.month(month.endsAtMs)).not.toBe(calendar.month(atMs));
        const day = calendar.dayPeriod(atMs);
        const dateAt = (instant: number) => calendar.isoWithOffset(instant).slice(0, 10);
        for (const withinMs of [day.startsAtMs, atMs, day.endsAtMs - 1])
          expect(dateAt(withinMs)).toBe(dateAt(atMs));
        for (const besideMs of [day.startsAtMs - 1, day.endsAtMs])
          expect(dateAt(besideMs)).not.toBe(dateAt(atMs));
      }),
    );
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

  test('rejects an unknown zone', () => {
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

describe('the name of a time zone', () => {
  test.each([
    { name: 'Asia/Manila', canonical: 'Asia/Manila' },
    { name: 'asia/manila', canonical: 'Asia/Manila' },
    { name: 'aSia/mAnila', canonical: 'Asia/Manila' },
    { name: 'AMERICA/PORT-AU-PRINCE', canonical: 'America/Port-au-Prince' },
    { name: 'utc', canonical: 'UTC' },
    // Versions of Node.js differ in which of two names they prefer; the label of a station must not change.
    { name: 'Europe/Kyiv', canonical: 'Europe/Kyiv' },
    { name: 'Europe/Kiev', canonical: 'Europe/Kiev' },
    { name: 'Asia/Kolkata', canonical: 'Asia/Kolkata' },
    { name: 'Asia/Calcutta', canonical: 'Asia/Calcutta' },
    { name: 'US/Pacific', canonical: 'US/Pacific' },
    { name: 'mars/olympus', canonical: undefined },
    { name: '+08:00', canonical: undefined },
    { name: '', canonical: undefined },
  ])('$name is $canonical', ({ name, canonical }) => {
    expect(canonicalTimeZone(name)).toBe(canonical);
    expect(canonicalTimeZone(name)).toBe(canonical);
  });
});
