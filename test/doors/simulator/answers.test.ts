import { describe, expect, test } from 'vitest';
import type { Family, InverterState, SimulatorOptions } from '../../../src/simulator/simulator.ts';
import { DAY_MS, MINUTE_MS } from '../../support/durations.ts';
import { type Json, startSimulator, textOf } from './simulated-service.ts';

const PAGE = { page: 1, count: 50 };
const ids = (data: Json) => Object.values(data['list'] ?? {}).map(({ id }) => id);

describe('a list', () => {
  test('comes in pages, up to an empty one', async () => {
    const { simulator, ask, stationId } = await startSimulator({ devicesPerStation: 3 });
    const page = async (number: number) =>
      ids((await ask('devices', { body: { page: number, count: 2, stationId } })).data);
    const known = simulator.deviceIds(stationId);
    const pages = [known.slice(0, 2), known.slice(2), []];
    expect([await page(1), await page(2), await page(3)]).toEqual(pages);
  });

  test.each([{ page: 0 }, { page: 1.5 }, { count: 2001 }, { count: '5' }, { stationId: 1 }])(
    'is refused for %j',
    async (change) => {
      const { ask } = await startSimulator();
      const body = { ...PAGE, ...change };
      expect(await ask('devices', { body })).toMatchObject({ code: 20_101 });
    },
  );

  test('of stations has ids that no double holds, and the sums of the devices', async () => {
    const fleet = { stations: 2, devicesPerStation: 2 };
    const { simulator, ask, clock, stationId, deviceId } = await startSimulator(fleet);
    const { text, data } = await ask('stations', { body: PAGE });
    for (const id of simulator.stationIds) {
      expect(text).toContain(`{"id":${id},`);
      expect(String(Number(id))).not.toBe(id);
    }
    const devices = (await ask('devices', { body: { ...PAGE, stationId } })).data['list'] ?? {};
    for (const name of ['producingPower', 'dailyProducedQuantity', 'totalProducedQuantity']) {
      const sum = Object.values(devices).reduce((total, one) => total + Number(one[name]), 0);
      expect(Number(data['list']?.[0]?.[name])).toBeCloseTo(sum, 1);
    }
    const { pvPowerWatts } = simulator.truth(deviceId, clock.nowMs());
    const producingPower = Number((pvPowerWatts / 1000).toFixed(3));
    expect(Object.values(devices)[0]).toMatchObject({ id: deviceId, producingPower });
  });

  test('shows an offline device with its last sample, without power', async () => {
    const { simulator, clock, ask, deviceId } = await startSimulator();
    simulator.setOffline(deviceId, clock.nowMs() - 92_000);
    const { data } = await ask('devices', { body: PAGE });
    const lastDataAt = '2026-06-21T03:58:28.000Z';
    const offline = { state: 30, isOnline: false, producingPower: null, lastDataAt };
    expect(data['list']?.[0]).toMatchObject(offline);
  });

  test('of alarms has each event twice, newest first, and the past', async () => {
    const { simulator, clock, ask, deviceId } = await startSimulator();
    const batteryLow = { key: 'batteryLow', level: 2 };
    const lineLoss = { key: 'lineLoss', level: 3 };
    for (const alarms of [[batteryLow], [batteryLow, lineLoss], [lineLoss]]) {
      simulator.setAlarms(deviceId, alarms);
      clock.advance(MINUTE_MS);
    }
    const { data } = await ask('alarms', { body: { page: 1, count: 3 } });
    expect(data['total']).toBe(2);
    const list = Object.values(data['list'] ?? {});
    expect(list.map(({ key }) => key)).toEqual(['lineLoss', 'lineLoss', 'batteryLow']);
    expect(list[0]).toMatchObject({ status: 0, disappearedAt: null });
    expect(list[2]).toMatchObject({ status: 1, disappearedAt: '2026-06-21T04:02:00.000Z' });
  });
});

// 12:02:30 in Manila
const NOW = '2026-06-21T04:02:30Z';
const HOUR = { fromTime: '2026-06-21T11:02:30+08:00', toTime: '2026-06-21T12:02:30+08:00' };

async function startPast(options: Partial<SimulatorOptions> = {}) {
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
  test('has a point at each aligned instant, in UTC, with what was true', async () => {
    const { history, simulator, deviceId } = await startPast();
    const data = await history({ keys: ['pvInputPower', 'acOutputActivePower', 'unknown'] });
    expect(data).toMatchObject({ page: 1, count: 12, total: 1, payload: { formatters: {} } });
    expect(times(data).at(-1)).toBe('2026-06-21T04:00:00.000Z');
    expect(series(data, 'unknown')).toEqual([]);
    for (const [index, time] of times(data).entries()) {
      const truth = simulator.truth(deviceId, Date.parse(textOf(time)));
      expect(series(data, 'pvInputPower')[index]).toBe(Math.round(truth.pvPowerWatts));
      const loadKilowatts = Math.round(truth.loadPowerWatts) / 1000;
      expect(series(data, 'acOutputActivePower')[index]).toBe(loadKilowatts);
    }
  });

  test('comes newest first when asked so, and in pages', async () => {
    const { history } = await startPast({ mostPoints: 5 });
    const pages = await Promise.all([1, 2, 3, 4].map((page) => history({ page })));
    expect(pages.map(({ count }) => count)).toEqual([5, 5, 2, 0]);
    expect(pages.map(({ total }) => total)).toEqual([3, 3, 3, 3]);
    expect(pages[3]?.['payload']).toMatchObject({ timeSeries: [], fields: {} });
    const newest = await history({ orderByTimeAsc: false });
    expect(times(newest)).toEqual(pages.flatMap(times).toReversed().slice(0, 5));
  });

  test.each([
    ['the future', HOUR.fromTime, '2026-06-22T12:00:00+08:00', 12],
    ['the time before it was installed', '2020-01-01T00:00:00Z', '2024-01-01T00:05:00+08:00', 2],
    ['two months at once', '2026-05-31T23:50:00+08:00', '2026-06-01T00:05:00+08:00', 4],
  ])('knows of %s what there is', async (_what, fromTime, toTime, count) => {
    const { history } = await startPast();
    expect((await history({ fromTime, toTime }))['count']).toBe(count);
  });

  test.each([{ deviceId: '1' }, { page: undefined }, { fromTime: '2026-06-21T11:00:00' }])(
    'is refused with code 20101 for %j',
    async (change) => {
      const { readings } = await startPast();
      expect(await readings(change)).toMatchObject({ status: 200, code: 20_101 });
    },
  );

  test('runs with a faster sun', async () => {
    const fast = { sampleIntervalMs: 10_000, speed: 360, startAtHour: 6 };
    const { history, clock } = await startPast(fast);
    clock.advance(2 * MINUTE_MS);
    const data = await history({ fromTime: NOW, toTime: '2026-06-21T04:04:30Z' });
    // Two minutes of the clock are twelve hours of sun: from six in the morning to six at night.
    const watts = series(data, 'pvInputPower').map(Number);
    expect(watts).toHaveLength(13);
    expect(watts[6]).toBeGreaterThan(1000);
    expect(Math.max(watts[0] ?? NaN, watts[12] ?? NaN)).toBeLessThan(400);
  });

  test('has no samples in a gap, or of days that are forgotten', async () => {
    const { simulator, history, deviceId } = await startPast({ historyDays: 2 });
    simulator.setGap(deviceId, Date.parse('2026-06-21T03:20Z'), Date.parse('2026-06-21T03:30Z'));
    const minutes = times(await history()).map((time) => textOf(time).slice(14, 16));
    expect(minutes.join(' ')).toBe('05 10 15 30 35 40 45 50 55 00');
    const past = await history({ fromTime: '2020-01-01T00:00:00Z', toTime: NOW });
    expect(times(past)[0]).toBe('2026-06-19T04:05:00.000Z');
  });
});

const SUMMARY = { summaryCategoryKey: 'pvInverterElectricityQuantityClass' };
const PROPERTIES = {
  pvGeneratedEnergy: 'pvWattHours',
  chargeElectricityQuantity: 'batteryChargedWattHours',
  dischargeElectricityQuantity: 'batteryDischargedWattHours',
  consumeElectricityQuantity: 'loadWattHours',
  buyElectricityQuantity: 'gridImportWattHours',
  sellElectricityQuantity: 'gridFeedInWattHours',
} as const;

describe('the summaries', () => {
  test('agree with the counters and with each other, while years pass', async () => {
    // A zone whose clocks change.
    const options = { family: 'pi30', devicesPerStation: 2, timeZone: 'Europe/Berlin' } as const;
    const { simulator, clock, ask, stationId } = await startSimulator(options);
    const query = { stationId, ...SUMMARY };
    const wholes = async (span: 'summary' | 'summaryDays' | 'summaryYears', time: string) =>
      Object.values((await ask(span, { query, body: { time } })).data['properties'] ?? {}).map(
        (property) => {
          const values = Object.values(property['timePoints'] ?? {}).map((point) =>
            Number(point['value']),
          );
          return { key: property['property']?.['key'], values };
        },
      );
    const sum = (values: readonly number[] = []) => values.reduce((all, each) => all + each, 0);
    for (const afterDays of [0, 9, 200]) {
      clock.advance(afterDays * DAY_MS);
      const year = new Date(clock.nowMs()).getUTCFullYear();
      const years = await wholes('summaryYears', 'any');
      const months = await wholes('summary', String(year - 1));
      const days = await wholes('summaryDays', `${year - 1}-03`);
      expect(years.map(({ key }) => key)).toEqual(Object.keys(PROPERTIES));
      expect(days[0]?.values).toHaveLength(31);
      for (const [index, flow] of Object.values(PROPERTIES).entries()) {
        const lifetime = simulator
          .deviceIds(stationId)
          .map((id) => simulator.truth(id, clock.nowMs()).energy().lifetime[flow] / 1000);
        expect(sum(years[index]?.values)).toBeCloseTo(sum(lifetime), 1);
        expect(sum(months[index]?.values)).toBeCloseTo(years[index]?.values.at(-2) ?? NaN, 0);
        expect(sum(days[index]?.values)).toBeCloseTo(months[index]?.values[2] ?? NaN, 0);
      }
    }
  });

  test('have nothing that is real of days that have not begun', async () => {
    const { ask, stationId } = await startSimulator({ family: 'pi30' });
    const query = { stationId, ...SUMMARY };
    const { data } = await ask('summaryDays', { query, body: { time: '2026-06' } });
    const points = Object.values(data['properties']?.[0]?.['timePoints'] ?? {});
    const real = points.filter(({ isRealValue }) => Boolean(isRealValue));
    expect([points.length, real.length]).toEqual([30, 21]);
    for (const body of [{ time: '2026' }, { time: '2026-13' }, {}])
      expect(await ask('summaryDays', { query, body })).toMatchObject({ code: 20_101 });
  });
});

type Read = (truth: InverterState) => number;
const pv1: Read = (truth) => truth.pvStrings[0].powerWatts;
const pvToday: Read = (truth) => truth.energy().today.pvWattHours / 1000;
const apparent: Read = (truth) => truth.outputApparentPowerVoltAmperes;
const heat: Read = (truth) => truth.inverterTemperatureCelsius;

type Row = readonly [Family, string, string, Read, digits: number, place: 'flow' | 'latest'];

/** What service.md#keys says of units and scales; what an exporter shows of a family is held elsewhere. */
const ROWS: readonly Row[] = [
  ['hpvinv02', 'pvPower', 'kW', (truth) => pv1(truth) / 1000, 3, 'latest'],
  ['hpvinv02', 'pvGeneratedEnergyOfDay', 'kWh', pvToday, 1, 'latest'],
  ['hpvinv02', 'outputApparentPower', 'VA', apparent, 0, 'latest'],
  ['uwb1', 'pv1Power', 'W', pv1, 0, 'flow'],
  ['pi30', 'inverterHeatSinkTemperature', '℃', heat, 0, 'latest'],
  ['mega-eco', 'pvInputPower', 'kW', (truth) => pv1(truth) / 1000, 3, 'flow'],
  ['sierro', 'batteryCapacity', 'Ah', () => 100, 0, 'latest'],
];

test.each(ROWS)('%s measures %s in %s', async (family, key, unit, read, digits, place) => {
  const { ask, simulator, clock, deviceId } = await startSimulator({ family });
  const query = { deviceId };
  const { data } = await ask(place === 'flow' ? 'energyFlow' : 'latestState', { query });
  const fields = ['pvPanelFlow', 'gridFlow', 'batteryFlow', 'loadFlow'].flatMap((name) => [
    data[name]?.['value'] ?? {},
    ...Object.values(data[name]?.['extraValues'] ?? {}),
  ]);
  const found = [...fields, ...Object.values(data['fields'] ?? {})].find(
    (field) => textOf(field['key']) === key,
  );
  expect(found).toMatchObject({ key, unit });
  const expected = read(simulator.truth(deviceId, clock.nowMs()));
  expect(Math.abs(Number(found?.['value']) - expected)).toBeLessThan(0.6 / 10 ** digits);
});

test('a setting is written with the id of its device, and not without', async () => {
  const { ask, deviceId } = await startSimulator({ family: 'pi30', settingsCached: true });
  const query = { deviceId };
  const [key, other] = ['acInputRangeSetting', 'maxTotalChargeCurrentSetting'];
  const value = async () => {
    const { data } = await ask('settingsGet', { query, body: { keys: [key] } });
    return data[key]?.['value'];
  };
  for (const [body, code, after] of [
    [{ key, value: '1' }, 0, '0'],
    [{ id: deviceId, key, value: '1' }, 0, '1'],
    [{ id: deviceId, key, value: '2' }, 20_101, '1'],
    [{ id: deviceId, key: other, value: '45' }, 20_101, '1'],
    [{ id: '1', key, value: '0' }, 20_101, '1'],
  ] as const) {
    expect(await ask('settingsSet', { query, body })).toMatchObject({ code });
    expect(await value()).toBe(after);
  }
});
