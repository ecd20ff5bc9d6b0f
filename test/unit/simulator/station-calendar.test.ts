import { expect, test } from 'vitest';
import {
  createPhysicalTime,
  StationCalendar,
} from '../../../src/simulator/physics/station-calendar.ts';

// The days that Berlin's clocks change on have 23 and 25 hours.
test.each([
  ['Asia/Manila', '2026-02-28T16:00:00Z', '2026-02-28T16:00:00Z', '2026-03-31T16:00:00Z'],
  ['Asia/Manila', '2026-02-28T15:59:59Z', '2026-01-31T16:00:00Z', '2026-02-28T16:00:00Z'],
  ['Europe/Berlin', '2026-03-29T12:00:00Z', '2026-02-28T23:00:00Z', '2026-03-31T22:00:00Z'],
  ['America/New_York', '2026-11-15T00:00:00Z', '2026-11-01T04:00:00Z', '2026-12-01T05:00:00Z'],
  ['Asia/Kolkata', '2026-12-31T19:00:00Z', '2026-12-31T18:30:00Z', '2027-01-31T18:30:00Z'],
])('%s: %s lies in the month from %s to %s', (zone, at, start, end) => {
  const calendar = new StationCalendar(zone);
  const month = calendar.monthAt(Date.parse(at));
  expect(month).toMatchObject({ startMs: Date.parse(start), endMs: Date.parse(end) });
  expect(calendar.monthOf(month.year, month.month)).toEqual(month);
  expect(calendar.hourAt(month.startMs)).toBe(0);
  expect(calendar.dayStartMs(month.startMs + 1)).toBe(month.startMs);
  expect(calendar.dayStartMs(month.endMs - 1)).toBeGreaterThan(month.startMs);
});

test('tells the local hour, and refuses an unknown zone', () => {
  const kolkata = new StationCalendar('Asia/Kolkata');
  expect(kolkata.hourAt(Date.parse('2026-03-05T20:45:00.900Z'))).toBeCloseTo(2.25025, 9);
  const newYork = new StationCalendar('America/New_York');
  expect(newYork.hourAt(Date.parse('2026-03-05T20:45:00Z'))).toBe(15.75);
  expect(() => new StationCalendar('Mars/Olympus')).toThrow(RangeError);
});

test.each([
  [1, undefined, '2026-06-21T15:00:05Z', '2026-06-21T15:00:05Z'],
  [60, undefined, '2026-06-21T15:00:01Z', '2026-06-21T15:01:00Z'],
  [60, undefined, '2026-06-21T14:59:59Z', '2026-06-21T14:59:00Z'],
  [1, 8.5, '2026-06-21T15:00:00Z', '2026-06-21T08:30:00+08:00'],
])('at speed %d from hour %s at %s the sun stands at %s', (speed, startAtHour, clock, physical) => {
  const calendar = new StationCalendar('Asia/Manila');
  // 23:00 in Manila
  const createdAtMs = Date.parse('2026-06-21T15:00:00Z');
  const physicalMs = createPhysicalTime({ speed, startAtHour }, calendar, createdAtMs);
  expect(physicalMs(Date.parse(clock))).toBe(Date.parse(physical));
});
