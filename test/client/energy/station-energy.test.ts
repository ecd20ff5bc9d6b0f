import { describe, expect, test } from 'vitest';
import { StationEnergy } from '../../../src/client/energy/station-energy.ts';
import type { DailyEnergy } from '../../../src/model/energy.ts';
import { SilentLog } from '../../support/silent-log.ts';
import { createCaller } from '../exchange/caller-harness.ts';

const HOUR_MS = 3_600_000;
const HOUSE = { stationId: '3', timeZone: 'Europe/Kyiv' };

type Answer = (month: string) => unknown;

/** PV of every day of a month: as many kWh as the day has in its number. */
const everyDay: Answer = (month) => {
  const timePoints = Array.from({ length: 31 }, (_, index) => ({
    time: `${month}-${String(index + 1).padStart(2, '0')}`,
    value: index + 1,
    isRealValue: true,
  }));
  const properties = [{ property: { key: 'pvGeneratedEnergy', unit: 'kWh' }, timePoints }];
  return { code: 0, data: { properties } };
};

function createEnergy(now: string, answer: Answer = everyDay) {
  const parts = createCaller(
    ({ body }) => answer((JSON.parse(body ?? '') as { time: string }).time),
    { now },
  );
  const log = new SilentLog();
  const energy = new StationEnergy(parts.caller, parts.serviceClock, log);
  return {
    ...parts,
    log,
    energy,
    /** The months that were asked for, in order. */
    months: () => parts.transport.bodies.map((body) => (body as { time: string }).time),
  };
}

const pvOf = ({ today, yesterday }: DailyEnergy) => [
  today.pvGeneratedKwh,
  yesterday.pvGeneratedKwh,
];

describe('yesterday', () => {
  test('comes with today, of one month', async () => {
    const { energy, months } = createEnergy('2026-08-24T09:00:00Z');
    expect(pvOf(await energy.days(HOUSE))).toEqual([24, 23]);
    expect(months()).toEqual(['2026-08']);
  });

  test('is of the month before on the first, of the year before on New Year', async () => {
    const { energy, months } = createEnergy('2026-12-31T23:00:00Z');
    expect(pvOf(await energy.days(HOUSE))).toEqual([1, 31]);
    expect(months()).toEqual(['2027-01', '2026-12']);
  });

  test('is asked for after midnight and once more three hours later, and then kept', async () => {
    // Midnight in Kyiv.
    const { energy, clock, months } = createEnergy('2026-08-31T21:00:00Z');
    let days: DailyEnergy | undefined;
    for (let passedMs = 0; passedMs < 24 * HOUR_MS; passedMs += HOUR_MS / 4) {
      days = await energy.days(HOUSE, days);
      expect(pvOf(days)).toEqual([1, 31]);
      clock.advance(HOUR_MS / 4);
    }
    expect(months().filter((month) => month === '2026-08')).toHaveLength(2);
    expect(months().filter((month) => month === '2026-09')).toHaveLength(96);
    // The next day needs no other month.
    expect(pvOf(await energy.days(HOUSE, days))).toEqual([2, 1]);
    expect(months()).toHaveLength(99);
  });

  test('is asked for once where the program starts later on the first', async () => {
    const { energy, clock, months } = createEnergy('2026-09-01T06:00:00Z');
    const first = await energy.days(HOUSE);
    clock.advance(HOUR_MS);
    expect(pvOf(await energy.days(HOUSE, first))).toEqual([1, 31]);
    expect(months()).toEqual(['2026-09', '2026-08', '2026-09']);
  });

  test('takes up what arrives late on the first', async () => {
    let late = false;
    const { energy, clock } = createEnergy('2026-08-31T21:00:00Z', (month) =>
      month === '2026-08' && !late ? { code: 0, data: {} } : everyDay(month),
    );
    const first = await energy.days(HOUSE);
    expect(pvOf(first)).toEqual([1, undefined]);
    late = true;
    clock.advance(2 * HOUR_MS);
    const second = await energy.days(HOUSE, first);
    expect(pvOf(second)).toEqual([1, undefined]);
    clock.advance(HOUR_MS);
    expect(pvOf(await energy.days(HOUSE, second))).toEqual([1, 31]);
  });

  test('is unknown where the month before is refused, as before the station was built', async () => {
    const { energy } = createEnergy('2026-09-01T06:00:00Z', (month) =>
      month === '2026-08' ? { code: 20_101, message: 'no' } : everyDay(month),
    );
    expect(pvOf(await energy.days(HOUSE))).toEqual([1, undefined]);
  });

  test('stays what it was where the month before is refused the second time', async () => {
    let isRefusing = false;
    const { energy, clock } = createEnergy('2026-08-31T21:00:00Z', (month) =>
      isRefusing && month === '2026-08' ? { code: 20_101, message: 'no' } : everyDay(month),
    );
    const first = await energy.days(HOUSE);
    isRefusing = true;
    clock.advance(3 * HOUR_MS);
    expect(pvOf(await energy.days(HOUSE, first))).toEqual([1, 31]);
  });

  test('fails with today where the month before is no summary', async () => {
    const { energy } = createEnergy('2026-09-01T06:00:00Z', (month) =>
      month === '2026-08' ? { code: 0, data: 'a page' } : everyDay(month),
    );
    await expect(energy.days(HOUSE)).rejects.toMatchObject({ code: 'SERVICE_PAYLOAD_INVALID' });
  });

  test('fails with today where the month before fails for the moment', async () => {
    const { energy } = createEnergy('2026-09-01T06:00:00Z', (month) =>
      month === '2026-08' ? Promise.reject(new Error('no route')) : everyDay(month),
    );
    await expect(energy.days(HOUSE)).rejects.toThrow('no route');
  });
});

describe('a clock that is wrong', () => {
  test('asks for the month of the service', async () => {
    const { energy, clock, serviceClock, months } = createEnergy('2026-08-24T09:00:00Z');
    serviceClock.observe(clock.nowMs() + 10 * 24 * HOUR_MS);
    const days = await energy.days(HOUSE);
    expect(pvOf(days)).toEqual([3, 2]);
    expect(months()).toEqual(['2026-09']);
    expect(days.endsAtMs).toBe(Date.parse('2026-08-24T21:00:00Z'));
  });
});

describe('a service without the summary', () => {
  const REFUSALS = [
    { when: 'it refuses it', answer: () => ({ code: 20_101, message: 'no' }) },
    { when: 'it answers something else', answer: () => ({ code: 0, data: 'a page' }) },
  ];

  test.each(REFUSALS)('has no figures, and the log says so once, when $when', async (row) => {
    const { energy, log } = createEnergy('2026-08-24T09:00:00Z', row.answer);
    const days = await energy.days(HOUSE);
    expect(days).toEqual({ today: {}, yesterday: {}, endsAtMs: Infinity, isMissing: true });
    expect(await energy.days(HOUSE, days)).toEqual(days);
    const years = await energy.years(HOUSE);
    expect(years).toEqual({ year: {}, lifetime: {}, endsAtMs: Infinity, isMissing: true });
    expect(await energy.years({ ...HOUSE, stationId: '4' })).toEqual(years);
    expect(log.lines.map(({ fields }) => fields)).toMatchObject([
      { operation: 'summary-days' },
      { operation: 'summary-years' },
    ]);
  });

  test('fails where it has answered before, so that its figures do not look unknown at once', async () => {
    const { energy, transport } = createEnergy('2026-08-24T09:00:00Z');
    const days = await energy.days(HOUSE);
    const years = await energy.years(HOUSE);
    transport.answer = () => ({ code: 20_101, message: 'no' });
    const refused = { code: 'SERVICE_API_REFUSED' };
    await expect(energy.days(HOUSE, days)).rejects.toMatchObject(refused);
    await expect(energy.years(HOUSE, years)).rejects.toMatchObject(refused);
  });

  test('is asked again, and may have it one day', async () => {
    const { energy, transport } = createEnergy('2026-08-24T09:00:00Z', () => ({ code: 5 }));
    const { answer } = createEnergy('2026-08-24T09:00:00Z').transport;
    const missing = await energy.days(HOUSE);
    transport.answer = answer;
    expect(pvOf(await energy.days(HOUSE, missing))).toEqual([24, 23]);
  });
});

test('a year is that of the station, asked for by an instant', async () => {
  const { energy, months } = createEnergy('2026-12-31T23:00:00Z');
  const { endsAtMs } = await energy.years(HOUSE);
  expect(months()).toEqual(['2027-01-01T01:00:00+02:00']);
  expect(endsAtMs).toBe(Date.parse('2028-01-01T00:00:00+02:00'));
});

describe('the energy of the past', () => {
  test('is that of every day of a month', async () => {
    const { energy, months } = createEnergy('2026-08-24T09:00:00Z');
    const days = await energy.past(HOUSE, 'day', '2026-02');
    expect(months()).toEqual(['2026-02']);
    expect(days.get('2026-02-28')).toEqual({ pvGeneratedKwh: 28 });
    expect(days.size).toBe(31);
  });

  test.each([
    { period: 'month', of: '2025', times: ['2025-01', '2025-12'] },
    { period: 'year', of: '2026', times: ['2024', '2026'] },
  ] as const)('is that of every $period', async ({ period, of, times }) => {
    const timePoints = times.map((time, value) => ({ time, value, isRealValue: true }));
    const properties = [{ property: { key: 'pvGeneratedEnergy', unit: 'Wh' }, timePoints }];
    const { energy } = createEnergy('2026-08-24T09:00:00Z', () => ({
      code: 0,
      data: { properties },
    }));
    expect([...(await energy.past(HOUSE, period, of))]).toEqual([
      [times[0], { pvGeneratedKwh: 0 }],
      [times[1], { pvGeneratedKwh: 0.001 }],
    ]);
  });
});
