import { expect, test } from 'vitest';
import { type Json, startSimulator, textOf } from './simulated-service.ts';
import { DAY_MS } from '../../support/durations.ts';

const summaryCategoryKey = 'pvInverterElectricityQuantityClass';
const PROPERTIES = {
  pvGeneratedEnergy: 'pvWattHours',
  chargeElectricityQuantity: 'batteryChargedWattHours',
  dischargeElectricityQuantity: 'batteryDischargedWattHours',
  consumeElectricityQuantity: 'loadWattHours',
  buyElectricityQuantity: 'gridImportWattHours',
  sellElectricityQuantity: 'gridFeedInWattHours',
} as const;
type Flow = (typeof PROPERTIES)[keyof typeof PROPERTIES];

async function start(family: 'classic' | 'hpvinv02' | 'pi30', now?: string) {
  const service = await startSimulator({ family, devicesPerStation: 2 }, now);
  const { simulator, stationId, ask } = service;
  const query = { stationId, summaryCategoryKey };
  const summary = async (span: 'summary' | 'summaryDays' | 'summaryYears', time: string) =>
    Object.values((await ask(span, { query, body: { time } })).data['properties'] ?? {});
  /** What all devices of the station count, in kWh. */
  const counted = (span: 'today' | 'thisMonth' | 'lifetime', flow: Flow) =>
    simulator
      .deviceIds(stationId)
      .map((id) => simulator.truth(id, service.clock.nowMs()).energy()[span][flow] / 1000)
      .reduce((sum, energy) => sum + energy, 0);
  return { ...service, query, summary, counted };
}

const pointsOf = (property: Json | undefined): readonly Json[] =>
  Object.values(property?.['timePoints'] ?? {});

test.each([
  ['summary', '2026', 12, 5, 'thisMonth'],
  ['summaryDays', '2026-06', 30, 20, 'today'],
] as const)('%s agrees with what is counted', async (span, time, buckets, running, counter) => {
  const { summary, counted } = await start('pi30');
  const properties = await summary(span, time);
  expect(properties.map(({ property }) => property?.['key'])).toEqual(Object.keys(PROPERTIES));
  for (const [index, flow] of Object.values(PROPERTIES).entries()) {
    const points = pointsOf(properties[index]);
    expect(points).toHaveLength(buckets);
    expect(Number(points[running]?.['value'])).toBeCloseTo(counted(counter, flow), 1);
    expect(points[running + 1]).toMatchObject({ value: 0, isRealValue: false });
  }
});

test.each(['classic', 'hpvinv02', 'pi30'] as const)(
  'the lifetime of a %s station is that of its devices, in every answer that shows it',
  async (family) => {
    const { ask, stationId, summary, counted, clock } = await start(family);
    for (const afterDays of [0, 9, 200]) {
      clock.advance(afterDays * DAY_MS);
      const years = await summary('summaryYears', 'any');
      for (const [index, flow] of Object.values(PROPERTIES).entries()) {
        if (family === 'hpvinv02' && flow !== 'pvWattHours') continue;
        const total = pointsOf(years[index]).reduce((sum, { value }) => sum + Number(value), 0);
        expect(total).toBeCloseTo(counted('lifetime', flow), 1);
      }
      const { data } = await ask('stationDetails', { query: { stationId } });
      const pvLifetime = counted('lifetime', 'pvWattHours');
      expect(Number(data['totalProducedQuantity'])).toBeCloseTo(pvLifetime, 1);
    }
  },
);

test('a year holds the months that have begun, of years that were', async () => {
  const { summary } = await start('pi30');
  const real = async (time: string) =>
    pointsOf((await summary('summary', time))[0]).filter(({ isRealValue }) => Boolean(isRealValue));
  expect(await real('2025')).toHaveLength(12);
  expect((await real('2026')).map(({ time }) => time)).toEqual(
    ['01', '02', '03', '04', '05', '06'].map((month) => `2026-${month}`),
  );
  expect(await real('2027')).toEqual([]);
  const years = pointsOf((await summary('summaryYears', ''))[0]);
  expect(years.map(({ time }) => time)).toEqual(['2024', '2025', '2026']);
});

test('the days of a past month are its energy, in a zone whose clocks change in it', async () => {
  const { ask, simulator } = await startSimulator({ family: 'pi30', timeZone: 'Europe/Berlin' });
  const query = { stationId: simulator.stationIds[0] ?? '', summaryCategoryKey };
  const points = async (span: 'summary' | 'summaryDays', time: string) =>
    pointsOf((await ask(span, { query, body: { time } })).data['properties']?.[0]).map(
      ({ value }) => Number(value),
    );
  const days = await points('summaryDays', '2026-03');
  expect(days).toHaveLength(31);
  const month = (await points('summary', '2026'))[2] ?? NaN;
  // A whole month is summed up in steps of ten minutes, and a day in steps of one.
  expect(days.reduce((sum, day) => sum + day, 0) / month).toBeCloseTo(1, 2);
});

test('a family that measures only PV has nothing else that is real', async () => {
  const { summary } = await start('hpvinv02');
  const properties = await summary('summary', '2026');
  const real = properties.filter(({ hasRealTimePoints }) => Boolean(hasRealTimePoints));
  expect(real.map(({ property }) => property?.['key'])).toEqual(['pvGeneratedEnergy']);
  expect(properties).toHaveLength(6);
});

test('the specification has the months, and the running one by its names', async () => {
  const { summary, counted } = await start('classic');
  const items = Object.fromEntries(
    (await summary('summary', '2026')).map(({ key, value }) => [textOf(key), Number(value)]),
  );
  expect(Object.keys(items)).toHaveLength(6 + 3);
  expect(items['2026-06']).toBeCloseTo(counted('thisMonth', 'pvWattHours'), 1);
  expect(items['pvTotal']).toBe(items['2026-06']);
  expect(items['gridImport']).toBeCloseTo(counted('thisMonth', 'gridImportWattHours'), 1);
  expect(items['totalConsumption']).toBeCloseTo(counted('thisMonth', 'loadWattHours'), 1);
  expect(await summary('summary', '2025')).toHaveLength(12);
  expect(await summary('summary', '2027')).toEqual([]);
});

test.each([
  ['summary', { time: '2026-06' }, {}],
  ['summary', { time: 2026 }, {}],
  ['summaryDays', { time: '2026' }, {}],
  ['summaryDays', { time: '2026-13' }, {}],
  ['summary', { time: '2026' }, { stationId: '1' }],
  ['summaryYears', {}, { summaryCategoryKey: 'pvInverterPowerClass' }],
] as const)('%s refuses %j with %j', async (span, body, change) => {
  for (const family of ['classic', 'pi30'] as const) {
    const { ask, query } = await start(family);
    expect(await ask(span, { query: { ...query, ...change }, body })).toMatchObject({
      code: 20_101,
    });
  }
});
