import { describe, expect, test } from 'vitest';
import type { Month } from '../../../src/history/months.ts';
import { HOUR_MS, MINUTE_MS } from '../../support/durations.ts';
import { collected, FakePast, partOf, samplesOf } from './past-house.ts';

type ByPeriod = Readonly<Record<string, number>>;

/** A service that knows the PV energy of these periods. */
function serviceWith(days: ByPeriod, months: ByPeriod = {}, years: ByPeriod = {}) {
  const api = new FakePast();
  const pv = (periods: ByPeriod) =>
    new Map(Object.entries(periods).map(([name, kwh]) => [name, { pvGeneratedKwh: kwh }]));
  api.energies = { day: pv(days), month: pv(months), year: pv(years) };
  return api;
}

/** The PV energy of a period, by the instants at which it is known, such as `08-01 15:59`. */
async function pvOf(
  period: 'today' | 'yesterday' | 'month' | 'year' | 'lifetime',
  { part, api, stepMs = MINUTE_MS }: { part: Month; api: FakePast; stepMs?: number },
) {
  const month = await collected({ part, api, stepMs });
  const samples = samplesOf(month, `solar_energy_${period}_kwh`)['{flow="pv"}'] ?? [];
  const kwhAt = samples.map(([at, kwh]) => [at.slice(5, 16).replace('T', ' '), kwh]);
  return Object.fromEntries(kwhAt) as Readonly<Record<string, number>>;
}

describe('the energy that the service sums up', () => {
  const threeDays = partOf('2026-08-01T00:00:00+08:00', '2026-08-04T00:00:00+08:00');

  test('of yesterday is there at every step, also on the first day', async () => {
    const api = serviceWith({ '2026-07-31': 9, '2026-08-01': 10, '2026-08-03': 12 });
    // Steps are at noon and midnight of UTC; nobody knows what the second of August had.
    const ofFirst = { '08-01 00:00': 9, '08-01 12:00': 9 };
    const ofSecond = { '08-02 00:00': 10, '08-02 12:00': 10 };
    const yesterday = await pvOf('yesterday', { part: threeDays, api, stepMs: 12 * HOUR_MS });
    expect(yesterday).toEqual({ ...ofFirst, ...ofSecond });
  });

  test('of a day is there at its last step only', async () => {
    const api = serviceWith({ '2026-08-01': 10, '2026-08-03': 12 });
    const expected = { '08-01 15:59': 10, '08-03 15:59': 12 };
    expect(await pvOf('today', { part: threeDays, api })).toEqual(expected);
  });

  test('of a day that the part does not have the end of is left out', async () => {
    const part = partOf('2026-08-01T06:00:00+08:00', '2026-08-02T23:59:00+08:00');
    const api = serviceWith({ '2026-08-01': 10, '2026-08-02': 11 });
    expect(await pvOf('today', { part, api })).toEqual({ '08-01 15:59': 10 });
  });

  test('of days of 25 hours is there at their last step', async () => {
    const part: Month = {
      ...partOf('2026-10-25T00:00:00+02:00', '2026-10-27T00:00:00+01:00'),
      station: { stationId: 'house', timeZone: 'Europe/Berlin' },
      month: '2026-10',
    };
    const api = serviceWith({ '2026-10-25': 5, '2026-10-26': 6 });
    const today = await pvOf('today', { part, api });
    expect(today).toEqual({ '10-25 22:59': 5, '10-26 22:59': 6 });
    const yesterday = Object.entries(await pvOf('yesterday', { part, api, stepMs: HOUR_MS }));
    expect(yesterday).toHaveLength(24);
    expect(yesterday[0]).toEqual(['10-25 23:00', 5]);
  });
});

describe('the energy up to the end of a day', () => {
  const days = { '2026-08-01': 10.1, '2026-08-02': 11.2, '2026-08-03': 12 };
  const months = { '2026-06': 200, '2026-07': 300, '2026-08': 33.3 };
  const years = { '2025': 3000, '2026': 533.3 };
  const part = partOf('2026-08-02T00:00:00+08:00', '2026-08-04T00:00:00+08:00');

  /** The energy of a month, a year and a lifetime, by the days with which they end. */
  const toDate = async (api: FakePast, of: Month = part) => ({
    month: await pvOf('month', { part: of, api }),
    year: await pvOf('year', { part: of, api }),
    lifetime: await pvOf('lifetime', { part: of, api }),
  });

  test('is the sum of the days, of the months before, and of the years before', async () => {
    expect(await toDate(serviceWith(days, months, years))).toEqual({
      month: { '08-02 15:59': 21.3, '08-03 15:59': 33.3 },
      year: { '08-02 15:59': 521.3, '08-03 15:59': 533.3 },
      lifetime: { '08-02 15:59': 3521.3, '08-03 15:59': 3533.3 },
    });
  });

  const withoutDay = { '2026-08-01': 10.1, '2026-08-03': 12 };
  const withoutMonth = { '2026-06': 200, '2026-08': 33.3 };
  const withoutYear = { '2024': 2900, '2026': 533.3 };

  test.each([
    ['a day is missing in between', serviceWith(withoutDay, months, years), [0, 0, 0]],
    ['a month is missing in between', serviceWith(days, withoutMonth, years), [2, 0, 0]],
    ['a year is missing in between', serviceWith(days, months, withoutYear), [2, 2, 0]],
    ['the service says nothing of months', serviceWith(days), [2, 0, 0]],
    ['the service says nothing of years', serviceWith(days, months), [2, 2, 0]],
  ])('is unknown where %s', async (_when, api, known) => {
    const counts = Object.values(await toDate(api)).map((kwhAt) => Object.keys(kwhAt).length);
    expect(counts).toEqual(known);
  });

  describe('with which a month and a year end', () => {
    const part: Month = {
      ...partOf('2026-12-31T00:00:00+08:00', '2027-01-01T00:00:00+08:00'),
      month: '2026-12',
    };
    const days = Object.fromEntries(
      Array.from({ length: 31 }, (_, index) => [
        `2026-12-${String(index + 1).padStart(2, '0')}`,
        5,
      ]),
    );
    const months = { '2026-11': 140, '2026-12': 150.5 };
    const years = { '2025': 3000, '2026': 2800 };

    test.each([
      ['is the own figure of both', serviceWith(days, months, years), [150.5, 2800, 5800]],
      ['is the sum of what lies in them', serviceWith(days, months), [150.5, 290.5]],
      ['is the sum of the days', serviceWith(days), [155]],
    ])('%s', async (_what, api, expected) => {
      const known = Object.values(await toDate(api, part)).flatMap(Object.values);
      expect(known).toEqual(expected);
    });

    test('is the sum of the days of each flow that the service does not say', async () => {
      const api = serviceWith({}, months, years);
      const both = { pvGeneratedKwh: 5, gridImportKwh: 2 };
      const ofDays = new Map(Object.keys(days).map((day) => [day, both]));
      api.energies = { ...api.energies, day: ofDays };
      const month = samplesOf(await collected({ part, api }), 'solar_energy_month_kwh');
      expect(month).toMatchObject({
        '{flow="pv"}': [[expect.any(String), 150.5]],
        '{flow="grid_import"}': [[expect.any(String), 62]],
      });
    });
  });
});
