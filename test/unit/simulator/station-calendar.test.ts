import { describe, expect, test } from 'vitest';
import {
  createPhysicalTime,
  StationCalendar,
} from '../../../src/simulator/physics/station-calendar.ts';

describe('the station calendar', () => {
  test.each([
    {
      zone: 'Asia/Manila',
      at: '2026-02-28T16:00:00Z',
      start: '2026-02-28T16:00:00Z',
      end: '2026-03-31T16:00:00Z',
    },
    {
      zone: 'Asia/Manila',
      at: '2026-02-28T15:59:59Z',
      start: '2026-01-31T16:00:00Z',
      end: '2026-02-28T16:00:00Z',
    },
    {
      zone: 'Europe/Berlin',
      at: '2026-03-29T12:00:00Z',
      start: '2026-02-28T23:00:00Z',
      end: '2026-03-31T22:00:00Z',
    },
    {
      zone: 'America/New_York',
      at: '2026-11-15T00:00:00Z',
      start: '2026-11-01T04:00:00Z',
      end: '2026-12-01T05:00:00Z',
    },
    {
      zone: 'Asia/Kolkata',
      at: '2026-12-31T19:00:00Z',
      start: '2026-12-31T18:30:00Z',
      end: '2027-01-31T18:30:00Z',
    },
    {
      zone: 'UTC',
      at: '2026-01-01T00:00:00Z',
      start: '2026-01-01T00:00:00Z',
      end: '2026-02-01T00:00:00Z',
    },
  ])('$zone: $at lies in the month from $start to $end', ({ zone, at, start, end }) => {
    const calendar = new StationCalendar(zone);
    const month = calendar.monthAt(Date.parse(at));
    expect(month).toMatchObject({ startMs: Date.parse(start), endMs: Date.parse(end) });
    expect(calendar.monthOf(month.year, month.month)).toEqual(month);
  });

  test.each([
    { zone: 'Asia/Manila', at: '2026-03-05T15:59:59Z', midnight: '2026-03-04T16:00:00Z' },
    { zone: 'Asia/Manila', at: '2026-03-05T16:00:00Z', midnight: '2026-03-05T16:00:00Z' },
    // Summer time begins at two in the morning of this day, which has 23 hours.
    { zone: 'Europe/Berlin', at: '2026-03-29T21:59:59Z', midnight: '2026-03-28T23:00:00Z' },
    { zone: 'Europe/Berlin', at: '2026-03-29T22:00:00Z', midnight: '2026-03-29T22:00:00Z' },
    // And here it ends: 25 hours.
    { zone: 'Europe/Berlin', at: '2026-10-25T22:59:59Z', midnight: '2026-10-24T22:00:00Z' },
  ])('$zone: the day of $at began at $midnight', ({ zone, at, midnight }) => {
    const calendar = new StationCalendar(zone);
    expect(calendar.dayStartMs(Date.parse(at))).toBe(Date.parse(midnight));
    expect(calendar.dayStartMs(Date.parse(midnight))).toBe(Date.parse(midnight));
    expect(calendar.hourAt(Date.parse(midnight))).toBe(0);
  });

  test('tells the local hour, and refuses an unknown zone', () => {
    expect(new StationCalendar('Asia/Kolkata').hourAt(Date.parse('2026-03-05T20:45:00Z'))).toBe(
      2.25,
    );
    expect(() => new StationCalendar('Mars/Olympus')).toThrow(RangeError);
  });
});

test.each([
  {
    speed: 1,
    startAtHour: undefined,
    clock: '2026-06-21T15:00:05Z',
    physical: '2026-06-21T15:00:05Z',
  },
  {
    speed: 60,
    startAtHour: undefined,
    clock: '2026-06-21T15:00:01Z',
    physical: '2026-06-21T15:01:00Z',
  },
  {
    speed: 60,
    startAtHour: undefined,
    clock: '2026-06-21T14:59:59Z',
    physical: '2026-06-21T14:59:00Z',
  },
  {
    speed: 1,
    startAtHour: 8.5,
    clock: '2026-06-21T15:00:00Z',
    physical: '2026-06-21T08:30:00+08:00',
  },
])(
  'at speed $speed from hour $startAtHour the sun stands at $physical at $clock',
  ({ clock, physical, ...options }) => {
    const calendar = new StationCalendar('Asia/Manila');
    // 23:00 in Manila
    const physicalMs = createPhysicalTime(options, calendar, Date.parse('2026-06-21T15:00:00Z'));
    expect(physicalMs(Date.parse(clock))).toBe(Date.parse(physical));
  },
);
