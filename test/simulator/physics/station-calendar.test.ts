import { describe, expect, test } from 'vitest';
import { defaultOptions } from '../../../src/simulator/options.ts';
import {
  createPhysicalTime,
  StationCalendar,
} from '../../../src/simulator/physics/station-calendar.ts';
import { TimeZones } from '../../../src/simulator/service/time-zones.ts';

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
  ])('$zone: $at lies in the month from $start to $end', ({ zone, at, start, end }) => {
    const month = new StationCalendar(zone).monthAt(Date.parse(at));
    expect(month.startMs).toBe(Date.parse(start));
    expect(month.endMs).toBe(Date.parse(end));
  });

  test('remembers a month only for the instants in it', () => {
    const calendar = new StationCalendar('Asia/Manila');
    const march = calendar.monthAt(Date.parse('2026-03-05T00:00:00Z'));
    expect(calendar.monthAt(march.endMs - 1)).toBe(march);
    expect(calendar.monthAt(march.endMs)).toMatchObject({ year: 2026, month: 4 });
    expect(calendar.monthAt(march.startMs)).toMatchObject({ year: 2026, month: 3 });
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
    // From the day before, from the day itself and from what is remembered of it.
    calendar.dayStartMs(Date.parse(at) - 86_400_000);
    expect(calendar.dayStartMs(Date.parse(at))).toBe(Date.parse(midnight));
    expect(calendar.dayStartMs(Date.parse(at))).toBe(Date.parse(midnight));
    expect(calendar.dayStartMs(Date.parse(midnight) + 1)).toBe(Date.parse(midnight));
  });

  test('tells the local hour', () => {
    expect(new StationCalendar('Asia/Kolkata').hourAt(Date.parse('2026-03-05T20:45:00Z'))).toBe(
      2.25,
    );
  });

  test('refuses an unknown zone', () => {
    expect(() => new StationCalendar('Mars/Olympus')).toThrow(RangeError);
  });
});

test.each([
  ['Asia/Manila', true],
  ['UTC', true],
  ['Europe', false],
  ['+08:00', false],
  ['', false],
])('the service knows the zone "%s": %s', (name, expected) => {
  const zones = new TimeZones();
  expect(zones.isKnown(name)).toBe(expected);
  expect(zones.isKnown(name)).toBe(expected);
});

test('remembered zone names are bounded and stay right', () => {
  const zones = new TimeZones();
  for (let index = 0; index < 2001; index += 1) zones.isKnown(`Nowhere/${index}`);
  expect(zones.isKnown('Asia/Manila')).toBe(true);
});

describe('physical time', () => {
  const calendar = new StationCalendar('Asia/Manila');
  const createdAtMs = Date.parse('2026-06-21T15:00:00Z'); // 23:00 in Manila

  test('is the clock at speed 1', () => {
    expect(createPhysicalTime(defaultOptions, calendar, createdAtMs)(createdAtMs + 5)).toBe(
      createdAtMs + 5,
    );
  });

  test('runs faster from the creation on, and backwards before it', () => {
    const physicalMs = createPhysicalTime({ ...defaultOptions, speed: 60 }, calendar, createdAtMs);
    expect(physicalMs(createdAtMs)).toBe(createdAtMs);
    expect(physicalMs(createdAtMs + 1000)).toBe(createdAtMs + 60_000);
    expect(physicalMs(createdAtMs - 1000)).toBe(createdAtMs - 60_000);
  });

  test('starts at the hour asked for, on the same local day', () => {
    const physicalMs = createPhysicalTime(
      { ...defaultOptions, startAtHour: 8.5 },
      calendar,
      createdAtMs,
    );
    expect(physicalMs(createdAtMs)).toBe(Date.parse('2026-06-21T08:30:00+08:00'));
  });
});
