import { describe, expect, test } from 'vitest';
import { earliestOf, instantOf, type Moment, parseMoment } from '../../src/base/moment.ts';
import { ZonedCalendar } from '../../src/base/time-zone.ts';

function momentOf(text: string): Moment {
  const moment = parseMoment(text);
  if (moment === undefined) throw new Error(`no moment: ${text}`);
  return moment;
}

/** When a text is, in a zone. */
function instant(text: string, timeZone: string): string {
  return new Date(instantOf(momentOf(text), new ZonedCalendar(timeZone))).toISOString();
}

describe('a moment', () => {
  test.each([
    ['2026-08-01', 'Asia/Manila', '2026-07-31T16:00:00.000Z'],
    ['2026-08-01', 'Asia/Kolkata', '2026-07-31T18:30:00.000Z'],
    ['2026-08-01 12:30', 'Europe/Berlin', '2026-08-01T10:30:00.000Z'],
    ['2026-08-01T12:30:15', 'UTC', '2026-08-01T12:30:15.000Z'],
    ['2028-02-29', 'UTC', '2028-02-29T00:00:00.000Z'],
  ])('%s in %s is local to it: %s', (text, timeZone, expected) => {
    expect(instant(text, timeZone)).toBe(expected);
  });

  test.each([
    ['2026-08-01T12:30:00+08:00', '2026-08-01T04:30:00.000Z'],
    ['2026-08-01T12:30-03:30', '2026-08-01T16:00:00.000Z'],
    ['2026-08-01t12:30:00z', '2026-08-01T12:30:00.000Z'],
    ['2026-08-01T12:30:47.928Z', '2026-08-01T12:30:47.928Z'],
    ['2026-08-01T12:30:47.9281234+08:00', '2026-08-01T04:30:47.928Z'],
    ['2026-08-01T12:30:47.5Z', '2026-08-01T12:30:47.500Z'],
  ])('%s has an offset of its own, wherever the station is', (text, expected) => {
    for (const timeZone of ['Asia/Manila', 'America/New_York'])
      expect(instant(text, timeZone)).toBe(expected);
  });

  test.each([
    ['that the clocks skip is when they change', '2026-03-29 02:30', '2026-03-29T01:00:00.000Z'],
    ['before they change', '2026-03-29', '2026-03-28T23:00:00.000Z'],
    ['after they have changed', '2026-03-29 12:00', '2026-03-29T10:00:00.000Z'],
    ['that comes twice is the second', '2026-10-25 02:30', '2026-10-25T01:30:00.000Z'],
  ])('%s', (_, text, expected) => {
    expect(instant(text, 'Europe/Berlin')).toBe(expected);
  });

  test.each([
    ...[
      '',
      'yesterday',
      '2026-8-1',
      '2026-08-01T12:30.5',
      '2026-08-01T12:30:47.Z',
      '2026-08',
      '01.08.2026',
      '2026-08-01T12',
    ],
    ...['2026-02-29', '2026-13-01', '2026-04-31', '2026-08-01 24:30', '2026-08-01 12:60'],
    ...['1969-12-31', '2200-01-02', '2026-08-01Z', '2026-08-01T12:30+15:00'],
  ])('is not read from %j', (text) => {
    expect(parseMoment(text)).toBeUndefined();
  });

  test('without an offset may be 14 hours earlier than in UTC, and with one it is when it says', () => {
    expect(earliestOf(momentOf('2026-08-01 14:00'))).toBe(Date.parse('2026-08-01T00:00:00Z'));
    expect(earliestOf(momentOf('2026-08-01T14:00Z'))).toBe(Date.parse('2026-08-01T14:00:00Z'));
  });
});
