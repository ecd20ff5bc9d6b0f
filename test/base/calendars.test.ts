import { expect, test } from 'vitest';
import { Calendars } from '../../src/base/calendars.ts';

test('the calendar of a zone is built once, however its name is spelled', () => {
  const calendars = new Calendars();
  const calendar = calendars.of('Asia/Manila');
  expect(calendars.of('asia/manila')).toBe(calendar);
  expect(calendars.of('aSia/mAnila')).toBe(calendar);
  expect(calendars.of('Asia/Tokyo')).not.toBe(calendar);
});

test('of all zones, those that were used last are kept', () => {
  const calendars = new Calendars();
  const zones = Intl.supportedValuesOf('timeZone');
  const [first = '', second = ''] = zones;
  const [calendar, other] = [calendars.of(first), calendars.of(second)];
  for (const zone of zones) {
    calendars.of(zone);
    expect(calendars.of(first)).toBe(calendar);
  }
  expect(calendars.of(second)).not.toBe(other);
});

test('a zone that is none has no calendar', () => {
  expect(() => new Calendars().of('Mars/Olympus')).toThrow(RangeError);
});
