import { expect, test } from 'vitest';
import { Nights } from '../../../src/client/devices/night.ts';

test.each([
  { at: '2026-06-20T21:59:59Z', timeZone: 'UTC', isNight: false },
  { at: '2026-06-20T22:00:00Z', timeZone: 'UTC', isNight: true },
  { at: '2026-06-21T00:00:00Z', timeZone: 'UTC', isNight: true },
  { at: '2026-06-21T03:59:59Z', timeZone: 'UTC', isNight: true },
  { at: '2026-06-21T04:00:00Z', timeZone: 'UTC', isNight: false },
  { at: '2026-06-20T12:00:00Z', timeZone: 'Pacific/Auckland', isNight: true },
  { at: '2026-06-20T20:00:00Z', timeZone: 'Europe/Kyiv', isNight: true },
  { at: '2026-06-20T23:00:00Z', timeZone: undefined, isNight: false },
])('at $at in $timeZone it is night: $isNight', ({ at, timeZone, isNight }) => {
  const nights = new Nights();
  expect(nights.isNight(Date.parse(at), timeZone)).toBe(isNight);
  expect(nights.isNight(Date.parse(at), timeZone)).toBe(isNight);
});
