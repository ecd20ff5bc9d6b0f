import { describe, expect, test } from 'vitest';
import {
  boundedMs,
  earliestOf,
  instantOf,
  isPlausibleTime,
  type Moment,
  parseMoment,
} from '../../../src/base/instant.ts';
import { ZonedCalendar } from '../../../src/base/time-zone.ts';

const LATEST_MS = Date.parse('2200-01-01T00:00:00Z');

test.each([
  [0, true, 0],
  [LATEST_MS, true, LATEST_MS],
  [-1, false, 0],
  [LATEST_MS + 1, false, LATEST_MS],
])('a time of %d from outside is believed: %s; as far as it goes it is %d', (at, is, bounded) => {
  expect(isPlausibleTime(at)).toBe(is);
  expect(boundedMs(at)).toBe(bounded);
  expect(isPlausibleTime(Number.NaN)).toBe(false);
});

function momentOf(text: string): Moment {
  const moment = parseMoment(text);
  if (moment === undefined) throw new Error(`no moment: ${text}`);
  return moment;
}

describe('a moment that a person writes', () => {
  test.each([
    // Without an offset, it is local to the station.
    ['2026-08-01', 'Asia/Kolkata', '2026-07-31T18:30:00.000Z'],
    ['2026-08-01 12:30', 'Europe/Berlin', '2026-08-01T10:30:00.000Z'],
    ['2026-08-01T12:30:15', 'UTC', '2026-08-01T12:30:15.000Z'],
    // Clocks skip the first, and come to the second twice.
    ['2026-03-29 02:30', 'Europe/Berlin', '2026-03-29T01:00:00.000Z'],
    ['2026-10-25 02:30', 'Europe/Berlin', '2026-10-25T01:30:00.000Z'],
    // With one, it is the same everywhere.
    ['2026-08-01T12:30:00+08:00', 'America/New_York', '2026-08-01T04:30:00.000Z'],
    ['2026-08-01T12:30-03:30', 'Asia/Manila', '2026-08-01T16:00:00.000Z'],
    ['2026-08-01t12:30:00z', 'Asia/Manila', '2026-08-01T12:30:00.000Z'],
    ['2026-08-01T12:30:47.9281234+08:00', 'UTC', '2026-08-01T04:30:47.928Z'],
    ['2026-08-01T12:30:47.5Z', 'Asia/Manila', '2026-08-01T12:30:47.500Z'],
  ])('%s in %s is %s', (text, timeZone, expected) => {
    const atMs = instantOf(momentOf(text), new ZonedCalendar(timeZone));
    expect(new Date(atMs).toISOString()).toBe(expected);
  });

  test.each([
    '2026-8-1',
    '2026-08-01T12',
    '2026-08-01T12:30.5',
    '2026-08-01T12:30:47.Z',
    '2026-08-01Z',
    '2026-08-01T12:30+15:00',
    '2026-02-29',
    '2026-08-01 24:30',
    '2026-08-01 12:60',
    '1969-12-31',
    '2200-01-02',
    '2026-08-01T12:30+08:60',
  ])('is not read from %j', (text) => {
    expect(parseMoment(text)).toBeUndefined();
  });

  test('may be 14 hours earlier than in UTC where it has no offset', () => {
    expect(earliestOf(momentOf('2026-08-01 14:00'))).toBe(Date.parse('2026-08-01T00:00:00Z'));
    expect(earliestOf(momentOf('2026-08-01T14:00Z'))).toBe(Date.parse('2026-08-01T14:00:00Z'));
  });
});
