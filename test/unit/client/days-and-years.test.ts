import { describe, expect, test } from 'vitest';
import { ZonedCalendar } from '../../../src/base/time-zone.ts';
import { decodeDays, decodeYears } from '../../../src/client/energy/days-and-years.ts';

const PATH = '/apis/stationOverView/stateAttributeSummary/category/monthly';

function at(now: string, zone = 'Europe/Kyiv', serviceAheadMs = 0) {
  return { nowMs: Date.parse(now), calendar: new ZonedCalendar(zone), serviceAheadMs };
}

/** Creates an answer of one property: a point per time, each with its value or with more to say. */
function answer(
  points: Readonly<Record<string, unknown>>,
  key = 'pvGeneratedEnergy',
  unit: unknown = 'kWh',
) {
  const timePoints = Object.entries(points).map(([time, point]) =>
    typeof point === 'object' && point !== null ? { time, ...point } : { time, value: point },
  );
  return { properties: [{ property: { key, unit }, hasRealTimePoints: true, timePoints }] };
}

const NOON = at('2026-08-24T09:00:00Z');
const daysOf = (data: unknown, time = NOON) => decodeDays(data, PATH, time);
const pvOf = (data: unknown, time = NOON) => {
  const { today, yesterday } = daysOf(data, time);
  return { today: today.pvGeneratedKwh, yesterday: yesterday.pvGeneratedKwh };
};

describe('the days of a month', () => {
  test.each([
    { time: '2026-08-24', isToday: true },
    { time: '2026-8-24', isToday: true },
    { time: ' 2026-08-24 ', isToday: true },
    { time: '2026-08-24 00:00:00', isToday: true },
    { time: '2026-08-24T00:00:00', isToday: true },
    { time: '2026-08-24 12:30:00', isToday: false },
    { time: '2026-08', isToday: false },
    { time: '2026-24-08', isToday: false },
    { time: '24', isToday: false },
    { time: '2025-08-24', isToday: false },
  ])('count a point of $time as the 24th of August: $isToday', ({ time, isToday }) => {
    expect(pvOf(answer({ [time]: 7 })).today).toBe(isToday ? 7 : undefined);
  });

  test('are read by the same keys, units and marks of what is real as months', () => {
    const days = {
      '2026-08-22': 1,
      '2026-08-23': 2,
      '2026-08-24': { value: 3, isRealValue: false },
    };
    expect(daysOf(answer(days, ' BUYelectricityQUANTITY ', 'MWh'))).toMatchObject({
      today: {},
      yesterday: { gridImportKwh: 2000 },
    });
    expect(() => daysOf('none')).toThrow(
      expect.objectContaining({ code: 'SERVICE_PAYLOAD_INVALID' }),
    );
  });

  test('are days of the zone of the request', () => {
    const days = answer({ '2026-08-23': 1, '2026-08-24': 2, '2026-08-25': 3 });
    const evening = '2026-08-24T21:00:00Z';
    expect(pvOf(days, at(evening, 'Europe/Kyiv'))).toEqual({ today: 3, yesterday: 2 });
    expect(pvOf(days, at(evening, 'Europe/London'))).toEqual({ today: 2, yesterday: 1 });
  });

  test.each([
    { when: 'has 23 hours', now: '2026-03-29T09:00:00Z', hours: 23 },
    { when: 'has 25 hours', now: '2026-10-25T09:00:00Z', hours: 25 },
    { when: 'follows one of 25 hours', now: '2026-10-26T09:00:00Z', hours: 24 },
  ])('end with the day that $when', ({ now, hours }) => {
    const { startsAtMs, endsAtMs } = daysOf({}, at(now));
    expect((endsAtMs - startsAtMs) / 3_600_000).toBe(hours);
  });

  test('know the day before one of 25 hours', () => {
    const days = answer({ '2026-10-24': 1, '2026-10-25': 2, '2026-10-26': 3 });
    // The first and the last hour of the 25th, in the two offsets.
    expect(pvOf(days, at('2026-10-24T21:30:00Z'))).toEqual({ today: 2, yesterday: 1 });
    expect(pvOf(days, at('2026-10-25T21:30:00Z'))).toEqual({ today: 2, yesterday: 1 });
    expect(pvOf(days, at('2026-10-25T22:30:00Z'))).toEqual({ today: 3, yesterday: 2 });
  });

  test('end by our clock, whatever the service says the time is', () => {
    const { startsAtMs, endsAtMs } = daysOf({}, at('2026-08-24T09:00:00Z', 'UTC', 90_000));
    expect(startsAtMs).toBe(Date.parse('2026-08-24T00:00:00Z'));
    expect(endsAtMs).toBe(Date.parse('2026-08-25T00:00:00Z') - 90_000);
  });

  test.each([
    { now: '2026-08-31T21:00:00Z', isFirst: true },
    { now: '2026-08-31T20:59:59Z', isFirst: false },
  ])('say at $now whether yesterday lies in the month before: $isFirst', ({ now, isFirst }) => {
    expect(daysOf({}, at(now)).isFirstOfMonth).toBe(isFirst);
  });

  test('are PV where the flat form has them, unless the nested form has it as well', () => {
    const flat = [
      { key: '2026-08-23', value: 4 },
      { name: '2026-8-24', value: '5000', unit: 'Wh' },
      { key: 'gridImport', value: 60 },
      { key: 'pvTotal', value: 300 },
    ];
    expect(daysOf({ list: flat })).toMatchObject({
      today: { pvGeneratedKwh: 5 },
      yesterday: { pvGeneratedKwh: 4 },
    });
    const { properties } = answer({ '2026-08-24': 7 });
    expect(pvOf({ properties: [...flat, ...properties] })).toEqual({ today: 7, yesterday: 4 });
  });

  test('are unknown where the answer has none', () => {
    expect(daysOf({})).toMatchObject({ today: {}, yesterday: {} });
    expect(daysOf({ ...answer({ '2026-08-24': 7 }), hasRealTimePoints: false }).today).toEqual({});
  });
});

describe('the years of a lifetime', () => {
  const yearsOf = (data: unknown, time = NOON) => decodeYears(data, PATH, time);

  test('are this year, and the sum of all of them', () => {
    const years = answer({ 2024: 0.1, 2025: 0.2, 2026: 1000.4, 2027: { value: 9 } });
    expect(yearsOf(years)).toEqual({
      year: { pvGeneratedKwh: 1000.4 },
      lifetime: { pvGeneratedKwh: 1000.7 },
      endsAtMs: Date.parse('2027-01-01T00:00:00+02:00'),
    });
  });

  test('may be bare numbers, and are neither months nor days', () => {
    const property = { key: 'pvGeneratedEnergy' };
    const timePoints = [2026, '2026-08', '2026-01', '2026-01-01', '26', 2025].map(
      (time, index) => ({
        time,
        value: index + 1,
      }),
    );
    expect(yearsOf({ properties: [{ property, timePoints }] }).year).toEqual({ pvGeneratedKwh: 1 });
  });

  test.each([
    { what: 'a value that is text', point: { time: '2024', value: 'much' } },
    { what: 'no value', point: { time: '2024', value: null } },
    { what: 'a negative value', point: { time: '2024', value: -1 } },
    { what: 'no time', point: { value: 3 } },
    { what: 'a time that is no year', point: { time: '2024-01', value: 3 } },
    { what: 'nothing at all', point: null },
  ])('have no sum where one of them has $what', ({ point }) => {
    const timePoints = [point, { time: '2025', value: 1 }, { time: '2026', value: 2 }];
    const properties = [{ property: { key: 'pvGeneratedEnergy' }, timePoints }];
    const { year, lifetime } = yearsOf({ properties });
    expect(year).toEqual({ pvGeneratedKwh: 2 });
    expect(lifetime).toEqual({});
  });

  test('change at the new year of the station', () => {
    const years = answer({ 2026: 1, 2027: { value: 0, isRealValue: true } });
    const newYear = '2026-12-31T22:00:00Z';
    expect(yearsOf(years, at(newYear, 'Europe/Kyiv'))).toMatchObject({
      year: { pvGeneratedKwh: 0 },
      lifetime: { pvGeneratedKwh: 1 },
    });
    expect(yearsOf(years, at(newYear, 'Europe/London'))).toMatchObject({
      year: { pvGeneratedKwh: 1 },
      endsAtMs: Date.parse('2027-01-01T00:00:00Z'),
    });
  });

  test('are PV where the flat form has them', () => {
    const list = [
      { key: '2025', value: 10 },
      { key: '2026', value: 2, unit: 'MWh' },
      { key: 'load', value: 7 },
    ];
    expect(yearsOf({ list })).toMatchObject({
      year: { pvGeneratedKwh: 2000 },
      lifetime: { pvGeneratedKwh: 2010 },
    });
  });

  test('are unknown where the answer has none', () => {
    expect(yearsOf({})).toMatchObject({ year: {}, lifetime: {} });
  });
});
