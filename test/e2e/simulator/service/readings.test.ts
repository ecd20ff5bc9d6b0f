import { describe, expect, test } from 'vitest';
import type { SimulatorOptions } from '../../../../src/simulator/simulator.ts';
import {
  dataOf,
  envelopeOf,
  PATHS,
  startSimulator,
  type RunningSimulator,
} from '../running-simulator.ts';
import { SteppingClock } from '../stepping-clock.ts';

const KEYS = [
  'pvInputPower',
  'acOutputActivePower',
  'batteryDischargeCurrent',
  'batteryChargingCurrent',
  'batteryVoltage',
  'feedInPower',
  'batterySOC',
];

interface History {
  readonly page: number;
  readonly count: number;
  readonly total: number;
  readonly payload: {
    readonly timeSeries: readonly string[];
    readonly fields: Readonly<Record<string, readonly (number | null)[]>>;
    readonly formatters: unknown;
    readonly fieldInfo: unknown;
  };
}

// 12:02:30 in Manila
const NOW = '2026-06-21T04:02:30Z';

const lastHour = {
  page: 1,
  count: 2000,
  fromTime: '2026-06-21T11:02:30+08:00',
  toTime: '2026-06-21T12:02:30+08:00',
  orderByTimeAsc: true,
  keys: KEYS,
};

const start = (options: Partial<SimulatorOptions> = {}): Promise<RunningSimulator> =>
  startSimulator(options, new SteppingClock(NOW));

async function history(running: RunningSimulator, change: object = {}): Promise<History> {
  const { ask, deviceId } = running;
  return dataOf<History>(await ask(PATHS.readings, { deviceId, ...lastHour, ...change }));
}

describe('the time series', () => {
  test('holds a point at every aligned instant of the window, in UTC', async () => {
    const { page, count, total, payload } = await history(await start());
    expect({ page, count, total }).toEqual({ page: 1, count: 12, total: 1 });
    expect(payload.timeSeries[0]).toBe('2026-06-21T03:05:00.000Z');
    expect(payload.timeSeries.at(-1)).toBe('2026-06-21T04:00:00.000Z');
    expect(Object.keys(payload.fields)).toEqual(KEYS);
    expect(payload).toMatchObject({ formatters: {}, fieldInfo: null });
    for (const key of KEYS) expect(payload.fields[key]).toHaveLength(12);
  });

  test('reports the physics in the units of the interface', async () => {
    const running = await start({ devicesPerStation: 2 });
    // By night the battery discharges, by day it charges.
    for (const [from, to] of [
      ['2026-06-20T20:00:00+08:00', '2026-06-20T21:00:00+08:00'],
      ['2026-06-21T11:00:00+08:00', '2026-06-21T12:00:00+08:00'],
    ]) {
      for (const deviceId of running.simulator.deviceIds(running.stationId)) {
        const window = { deviceId, fromTime: from, toTime: to };
        const { payload } = await history(running, window);
        for (const [index, time] of payload.timeSeries.entries()) {
          const truth = running.simulator.truth(deviceId, Date.parse(time));
          const value = (key: string): number => payload.fields[key]?.[index] ?? NaN;
          expect(value('pvInputPower')).toBe(Math.round(truth.pvPowerWatts));
          expect(value('acOutputActivePower')).toBeCloseTo(truth.loadPowerWatts / 1000, 3);
          expect(value('feedInPower')).toBe(Math.round(truth.gridFeedInPowerWatts));
          expect(value('batterySOC')).toBe(Math.round(truth.batterySocRatio * 100));
          expect(value('batteryVoltage')).toBeCloseTo(truth.batteryVoltageVolts, 1);
          const amperes = value('batteryDischargeCurrent') - value('batteryChargingCurrent');
          const watts = amperes * value('batteryVoltage');
          // Half a step of current and half a step of voltage.
          expect(Math.abs(watts - truth.batteryPowerWatts)).toBeLessThan(10);
        }
      }
    }
  });

  test('serves newest first when asked so', async () => {
    const running = await start();
    const ascending = await history(running);
    const descending = await history(running, { orderByTimeAsc: false });
    expect(descending.payload.timeSeries).toEqual(ascending.payload.timeSeries.toReversed());
    expect(descending.payload.fields['batteryVoltage']).toEqual(
      ascending.payload.fields['batteryVoltage']?.toReversed(),
    );
  });

  test('comes in pages whose number is the total', async () => {
    const running = await start();
    const pages = await Promise.all(
      [1, 2, 3, 4].map((page) => history(running, { page, count: 5 })),
    );
    expect(pages.map(({ count }) => count)).toEqual([5, 5, 2, 0]);
    expect(pages.map(({ total }) => total)).toEqual([3, 3, 3, 3]);
    const whole = await history(running);
    expect(pages.flatMap(({ payload }) => payload.timeSeries)).toEqual(whole.payload.timeSeries);
    expect(pages[3]?.payload.fields).toEqual({});
  });

  test('serves only the keys asked for, all it has when none are named, unknown ones not', async () => {
    const running = await start();
    const some = await history(running, { keys: ['batterySOC', 'workingMode'] });
    expect(Object.keys(some.payload.fields)).toEqual(['batterySOC']);
    const all = await history(running, { keys: undefined });
    expect(Object.keys(all.payload.fields).toSorted()).toEqual(KEYS.toSorted());
  });

  test('knows nothing of the future', async () => {
    const running = await start();
    const tomorrow = '2026-06-22T12:00:00+08:00';
    const { payload } = await history(running, { toTime: tomorrow });
    expect(payload.timeSeries.at(-1)).toBe('2026-06-21T04:00:00.000Z');
    const nothing = await history(running, { fromTime: tomorrow, toTime: tomorrow });
    expect(nothing).toMatchObject({ count: 0, total: 0, payload: { timeSeries: [], fields: {} } });
  });

  test('reaches back over the start of the month', async () => {
    const running = await start();
    const window = {
      fromTime: '2026-05-31T23:50:00+08:00',
      toTime: '2026-06-01T00:05:00+08:00',
    };
    const { payload } = await history(running, window);
    expect(payload.timeSeries).toHaveLength(4);
    expect(payload.fields['batterySOC']?.[2]).toBe(50);
  });

  test('has the same gaps however often it is asked', async () => {
    const running = await start({ nullReadings: 0.3 });
    const first = await history(running);
    expect(await history(running)).toEqual(first);
    const elements = Object.values(first.payload.fields).flat();
    const gaps = elements.filter((element) => element === null).length;
    expect(gaps / elements.length).toBeGreaterThan(0.1);
    expect(gaps / elements.length).toBeLessThan(0.5);
  });

  test('is all gaps when every reading is null', async () => {
    const { payload } = await history(await start({ nullReadings: 1 }));
    expect(Object.values(payload.fields).flat()).toEqual(new Array(84).fill(null));
  });

  test('is sampled as often as the options say, at the clock and with faster physics', async () => {
    const running = await start({ sampleIntervalMs: 10_000, speed: 360, startAtHour: 6 });
    const window = { fromTime: '2026-06-21T04:02:30Z', toTime: '2026-06-21T04:04:30Z' };
    running.clock.advance(120_000);
    const { payload } = await history(running, window);
    // Two minutes of the clock are twelve hours of sun: from six in the morning to six at night.
    expect(payload.timeSeries).toHaveLength(13);
    const watts = payload.fields['pvInputPower'] ?? [];
    expect(watts[6]).toBeGreaterThan(1000);
    expect(Math.max(watts[0] ?? NaN, watts[12] ?? NaN)).toBeLessThan(400);
  });

  test.each([
    { when: 'an unknown device', change: { deviceId: '1' } },
    { when: 'a device id as a number', change: { deviceId: 1 } },
    { when: 'no page', change: { page: undefined } },
    { when: 'count 2001', change: { count: 2001 } },
    { when: 'an order in words', change: { orderByTimeAsc: 'yes' } },
    { when: 'keys that are no list', change: { keys: 'pvInputPower' } },
    { when: 'a key that is no string', change: { keys: [1] } },
    { when: 'a time without an offset', change: { fromTime: '2026-06-21T11:00:00' } },
    { when: 'a time with a bare point', change: { toTime: '2026-06-21T12:00:00.+08:00' } },
    { when: 'a time that does not exist', change: { toTime: '2026-06-21T25:00:00+08:00' } },
    { when: 'a time as a number', change: { fromTime: 1_782_014_400 } },
  ])('is refused with code 20101 for $when', async ({ change }) => {
    const { ask, deviceId } = await start();
    const answer = await ask(PATHS.readings, { deviceId, ...lastHour, ...change });
    expect(answer.status).toBe(200);
    expect(envelopeOf(answer).code).toBe(20_101);
  });

  test('is the same in every run of the same seed', async () => {
    const [one, same] = [await start({ seed: 8 }), await start({ seed: 8 })];
    expect(await history(same)).toEqual(await history(one));
    expect(await history(await start({ seed: 9 }))).not.toEqual(await history(one));
  });
});

test('there is no truth about an unknown device', async () => {
  const { simulator, clock } = await start();
  expect(() => simulator.truth('1', clock.nowMs())).toThrow(RangeError);
});
