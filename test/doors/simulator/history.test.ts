import { describe, expect, test } from 'vitest';
import type { SimulatorOptions } from '../../../src/simulator/simulator.ts';
import { type Json, startSimulator, textOf } from './simulated-service.ts';
import { MINUTE_MS } from '../../support/durations.ts';

const KEYS = ['pvInputPower', 'acOutputActivePower', 'batteryVoltage', 'batterySOC'];
// 12:02:30 in Manila
const NOW = '2026-06-21T04:02:30Z';
const HOUR = { fromTime: '2026-06-21T11:02:30+08:00', toTime: '2026-06-21T12:02:30+08:00' };

async function start(options: Partial<SimulatorOptions> = {}) {
  const service = await startSimulator(options, NOW);
  const { ask, deviceId } = service;
  const readings = (change: object = {}) =>
    ask('readings', { body: { deviceId, page: 1, count: 2000, ...HOUR, ...change } });
  const history = async (change: object = {}) => (await readings(change)).data;
  return { ...service, readings, history };
}

const times = (data: Json): readonly Json[] => Object.values(data['payload']?.['timeSeries'] ?? {});
const series = (data: Json, key: string): readonly Json[] =>
  Object.values(data['payload']?.['fields']?.[key] ?? {});

describe('the time series', () => {
  test('holds a point at every aligned instant of the window, in UTC, and what was true', async () => {
    const { history, simulator, deviceId } = await start();
    const data = await history({ keys: [...KEYS, 'unknown'] });
    expect(data).toMatchObject({ page: 1, count: 12, total: 1, payload: { formatters: {} } });
    expect(times(data)).toHaveLength(12);
    expect(times(data).at(-1)).toBe('2026-06-21T04:00:00.000Z');
    expect(Object.keys(data['payload']?.['fields'] ?? {})).toEqual(KEYS);
    for (const [index, time] of times(data).entries()) {
      const truth = simulator.truth(deviceId, Date.parse(textOf(time)));
      expect(series(data, 'pvInputPower')[index]).toBe(Math.round(truth.pvPowerWatts));
      const loadKilowatts = Math.round(truth.loadPowerWatts) / 1000;
      expect(series(data, 'acOutputActivePower')[index]).toBe(loadKilowatts);
    }
    expect(Object.keys((await history())['payload']?.['fields'] ?? {})).toHaveLength(7);
  });

  test('comes newest first when asked so, and in pages', async () => {
    const { history } = await start();
    const ascending = await history();
    const descending = await history({ orderByTimeAsc: false });
    expect(times(descending)).toEqual(times(ascending).toReversed());
    expect(series(descending, 'batteryVoltage')).toEqual(
      series(ascending, 'batteryVoltage').toReversed(),
    );
    const pages = await Promise.all([1, 2, 3, 4].map((page) => history({ page, count: 5 })));
    expect(pages.map(({ count }) => count)).toEqual([5, 5, 2, 0]);
    expect(pages.map(({ total }) => total)).toEqual([3, 3, 3, 3]);
    expect(pages.flatMap(times)).toEqual(times(ascending));
    expect(pages[3]?.['payload']).toMatchObject({ timeSeries: [], fields: {} });
  });

  test.each([
    ['the future', HOUR.fromTime, '2026-06-22T12:00:00+08:00', 12],
    ['a future beyond', '2026-06-22T12:00:00Z', '2026-06-23T12:00:00Z', 0],
    ['the time before it was installed', '2020-01-01T00:00:00Z', '2024-01-01T00:05:00+08:00', 2],
    ['two months at once', '2026-05-31T23:50:00+08:00', '2026-06-01T00:05:00+08:00', 4],
  ])('knows of %s what there is', async (_what, fromTime, toTime, count) => {
    const { history } = await start();
    expect((await history({ fromTime, toTime }))['count']).toBe(count);
  });

  test.each([
    { deviceId: '1' },
    { deviceId: 1 },
    { page: undefined },
    { orderByTimeAsc: 'yes' },
    { fromTime: '2026-06-21T11:00:00' },
    { toTime: '2026-06-21T12:00:00.+08:00' },
    { toTime: '2026-06-21T25:00:00+08:00' },
    { fromTime: 1_782_014_400 },
  ])('is refused with code 20101 for %j', async (change) => {
    const { readings } = await start();
    expect(await readings(change)).toMatchObject({ status: 200, code: 20_101 });
  });

  test('is the same in every run of a seed, and another for another', async () => {
    const pvOf = async (seed: number) =>
      series(await (await start({ seed })).history(), 'pvInputPower');
    const first = await pvOf(8);
    expect(await pvOf(8)).toEqual(first);
    expect(await pvOf(9)).not.toEqual(first);
  });

  test('is sampled as often as the options say, at the clock and with a faster sun', async () => {
    const fast = { sampleIntervalMs: 10_000, speed: 360, startAtHour: 6 };
    const { history, clock } = await start(fast);
    clock.advance(2 * MINUTE_MS);
    const data = await history({ fromTime: NOW, toTime: '2026-06-21T04:04:30Z' });
    // Two minutes of the clock are twelve hours of sun: from six in the morning to six at night.
    const watts = series(data, 'pvInputPower').map(Number);
    expect(watts).toHaveLength(13);
    expect(watts[6]).toBeGreaterThan(1000);
    expect(Math.max(watts[0] ?? NaN, watts[12] ?? NaN)).toBeLessThan(400);
  });
});

test('two days of the past come in pages as long as the service lets them be, and are forgotten', async () => {
  const { history, clock } = await start({ historyDays: 2, mostPoints: 500 });
  const past = { fromTime: '2020-01-01T00:00:00Z', toTime: NOW };
  const pages = [await history(past), await history({ ...past, page: 2 })];
  expect(pages.map(({ count, total }) => [count, total])).toEqual([
    [500, 2],
    [76, 2],
  ]);
  expect(new Set(pages.flatMap(times)).size).toBe(576);
  expect(pages.flatMap(times)[0]).toBe('2026-06-19T04:05:00.000Z');
  clock.advance(5 * MINUTE_MS);
  expect((await history({ ...past, toTime: '2026-06-19T04:05:00Z' }))['count']).toBe(0);
});

test('a gap has no samples, and while it lasts the device is offline', async () => {
  const { simulator, clock, history, ask, deviceId } = await start();
  const isOnline = async () =>
    (await ask('deviceDetails', { query: { deviceId } })).data['isOnline'];
  const nowMs = clock.nowMs();
  simulator.setGap(deviceId, Date.parse('2026-06-21T03:20Z'), Date.parse('2026-06-21T03:30Z'));
  simulator.setGap(deviceId, nowMs - 20 * MINUTE_MS, nowMs - 10 * MINUTE_MS);
  simulator.setGap(deviceId, nowMs - 10 * MINUTE_MS, nowMs + MINUTE_MS);
  const minutes = times(await history()).map((time) => textOf(time).slice(14, 16));
  expect(minutes.join(' ')).toBe('05 10 15 30 35 40');
  expect(await isOnline()).toBe(false);
  const { data } = await ask('latestState', { query: { deviceId } });
  expect(data['time']).toBe('2026-06-21T03:40:00.000Z');
  clock.advance(MINUTE_MS);
  expect(await isOnline()).toBe(true);
});

test('a record list has every key, as objects with texts, but of a late key', async () => {
  const { ask, deviceId, simulator } = await start({ family: 'hpvinv02' });
  const body = { deviceId, page: 1, count: 50, ...HOUR, keys: ['x'] };
  const { data } = await ask('records', { body });
  expect(Object.keys(data['payload']?.['fields'] ?? {})).toContain('mainsPower');
  const load = series(data, 'outputActivePower');
  for (const [index, time] of times(data).entries()) {
    const { loadPowerWatts } = simulator.truth(deviceId, Date.parse(textOf(time)));
    expect(load[index]).toEqual({ vd: String(Math.round(loadPowerWatts) / 1000) });
  }
  expect(series(data, 'batteryStatus').slice(-3)).toEqual([{ vd: '011' }, {}, {}]);
});
