import { describe, expect, test } from 'vitest';
import { COLLECTOR_METRICS } from '../../src/collectors/index.ts';
import type { Readings } from '../../src/model/readings.ts';
import { flatSetting } from '../../src/model/settings.ts';
import { describeStation } from '../../src/status/describe-station.ts';
import type { DeviceStatus, StationPageStatus } from '../../src/status/status.ts';
import { createCollection, samplesOf, seriesOf } from '../collectors/collection-harness.ts';
import { CLASSIC } from '../support/device-report.ts';
import { type Known, MONTH, valuesOf } from './station-values.ts';

const HOUSE = { stationId: 'house', isUp: true, collectors: [] };
/** A device of a family: what it does not measure is unknown, and not 0. */
const OF_FAMILY = { ...CLASSIC, family: 'pi30' };

/** The house, as described by what is known of it. */
function house(known: Known): Promise<StationPageStatus> {
  return describeStation(HOUSE, valuesOf(known));
}

/** Readings by device, all of a family. */
function readings(byDevice: NonNullable<Known['readings']>): NonNullable<Known['readings']> {
  return Object.fromEntries(
    Object.entries(byDevice).map(([id, values]) => [id, { dialect: OF_FAMILY, ...values }]),
  );
}

describe('a station', () => {
  test('has the name and the zone of its device list, and its month', async () => {
    const station = await house({
      station: { name: 'Home', timeZone: 'Europe/Kyiv' },
      month: MONTH,
    });
    expect(station).toMatchObject({ ...HOUSE, name: 'Home', timeZone: 'Europe/Kyiv' });
    expect(station.month).toEqual({
      startsAtMs: 1_780_000_000_000,
      pvGeneratedKwh: 300,
      solarRatio: 0,
    });
  });

  test('has no name and no zone where they are empty', async () => {
    const station = await house({ station: { name: '', timeZone: '' } });
    expect(station).not.toHaveProperty('name');
    expect(station).not.toHaveProperty('timeZone');
  });

  test.each<{ when: string; known: Known }>([
    { when: 'there is no summary', known: {} },
    { when: 'the summary is empty', known: { month: { startsAtMs: 0, endsAtMs: 1 } } },
  ])('says nothing of its month when $when', async ({ known }) => {
    expect((await house(known)).month).toEqual({});
  });

  test('leaves out of its month what the interface only counts as 0', async () => {
    const month = { ...MONTH, consumptionKwh: 0, assumed: ['consumptionKwh'] as const };
    expect((await house({ month })).month).toEqual({
      startsAtMs: 1_780_000_000_000,
      pvGeneratedKwh: 300,
    });
  });

  test('has the energies of its days and years, with what is known of each', async () => {
    const { energy } = await house({
      days: { today: { pvGeneratedKwh: 0 }, yesterday: { consumptionKwh: 7 }, endsAtMs: 0 },
      years: { year: { gridImportKwh: 3 }, lifetime: { batteryChargedKwh: 9 }, endsAtMs: 0 },
    });
    expect(energy).toEqual({
      today: { pvGeneratedKwh: 0 },
      yesterday: { consumptionKwh: 7 },
      year: { gridImportKwh: 3 },
      lifetime: { batteryChargedKwh: 9 },
    });
    expect((await house({})).energy).toEqual({ today: {}, yesterday: {}, year: {}, lifetime: {} });
  });

  test('sums over the devices that know a figure, and has none that nobody knows', async () => {
    const { flow, pvEnergyTodayKwh } = await house({
      devices: [
        { deviceId: 'a', pvEnergyTodayKwh: 2 },
        { deviceId: 'b', pvEnergyTodayKwh: 3 },
      ],
      readings: readings({
        a: { pvPowerWatts: 1000, batteryPowerWatts: -500 },
        b: { pvPowerWatts: 0, batteryPowerWatts: 200 },
        c: { loadPowerWatts: 400 },
      }),
    });
    expect(flow).toEqual({ pvPowerWatts: 1000, loadPowerWatts: 400, batteryPowerWatts: -300 });
    expect(pvEnergyTodayKwh).toBe(5);
  });

  test('names the figures that only some of its devices know', async () => {
    const known = readings({
      a: { pvPowerWatts: 1, loadPowerWatts: 1 },
      b: { pvPowerWatts: 1 },
    });
    expect((await house({ readings: known })).partial).toEqual(['loadPowerWatts']);
  });

  test('is as full as its emptiest battery, an empty one included', async () => {
    const full = await house({
      readings: readings({
        a: { batterySocRatio: 0.4 },
        b: { batterySocRatio: 0 },
        c: { batterySocRatio: 1 },
      }),
    });
    expect(full.flow).toEqual({ batterySocRatio: 0 });
    expect((await house({ readings: readings({ a: { batterySocRatio: 0.4 } }) })).flow).toEqual({
      batterySocRatio: 0.4,
    });
  });

  test('without devices has an empty flow and no energy', async () => {
    const station = await house({});
    expect(station.flow).toEqual({});
    expect(station).not.toHaveProperty('pvEnergyTodayKwh');
  });
});

describe('a device', () => {
  test('is made of its record and its readings', async () => {
    const { devices } = await house({
      devices: [{ deviceId: 'a', name: 'Garage', model: 'M1', serial: 'SN1', isOnline: true }],
      readings: readings({
        a: {
          gridImportPowerWatts: 7,
          gridFeedInPowerWatts: 8,
          batteryVoltageVolts: 52,
          workingMode: 'battery',
          measuredAtMs: 1500,
        },
      }),
    });
    expect(devices).toEqual([
      {
        deviceId: 'a',
        name: 'Garage',
        model: 'M1',
        isOnline: true,
        isReporting: true,
        measuredAtMs: 1500,
        family: 'pi30',
        workingMode: 'battery',
        gridPowerWatts: -1,
        gridImportPowerWatts: 7,
        gridFeedInPowerWatts: 8,
        missingQuantities: [],
        alarms: [],
      },
    ]);
  });

  test('has nothing derived when nothing recent was read', async () => {
    const { devices } = await house({ readings: { a: { measuredAtMs: 1500, dialect: CLASSIC } } });
    expect(devices).toEqual([
      {
        deviceId: 'a',
        isReporting: false,
        measuredAtMs: 1500,
        family: 'classic',
        missingQuantities: [],
        alarms: [],
      },
    ]);
  });

  test('collects its alarms and what it lacks, and keeps them from other devices', async () => {
    const { devices } = await house({
      alarms: [
        { deviceId: 'a', key: 'fan', level: 'warning' },
        { deviceId: 'a', key: 'heat', level: 'critical' },
      ],
      readings: {
        a: { dialect: { ...OF_FAMILY, missing: ['batterySocRatio'] } },
        b: {},
      },
    });
    expect(devices).toEqual([
      {
        deviceId: 'a',
        isReporting: false,
        family: 'pi30',
        missingQuantities: ['battery_soc'],
        alarms: [
          { alarm: 'fan', level: 'warning' },
          { alarm: 'heat', level: 'critical' },
        ],
      },
      { deviceId: 'b', isReporting: false, missingQuantities: [], alarms: [] },
    ]);
  });

  test('is listed as soon as anything is shown of it, settings included', async () => {
    const hidden = new Map([['secret', { ...flatSetting(1), isHidden: true }]]);
    const { devices } = await house({
      settings: { set: new Map([['mode', flatSetting('x')]]), none: new Map(), hidden },
    });
    expect(devices).toEqual([{ deviceId: 'set', missingQuantities: [], alarms: [] }]);
  });

  test.each([
    { of: '200 letters', name: 'x'.repeat(200), shown: 'x'.repeat(200) },
    { of: '201 letters', name: 'x'.repeat(201), shown: /^x{190,199}…$/ },
    { of: '10,000 emoji', name: '🔋'.repeat(10_000), shown: /^(🔋){90,100}…$/u },
    { of: 'an odd number of halves', name: `x${'🔋'.repeat(200)}`, shown: /^x(🔋){90,100}…$/u },
  ])('shows a name of $of no longer than anyone reads it', async ({ name, shown }) => {
    const { devices } = await house({
      devices: [{ deviceId: 'a', name }],
      alarms: [{ deviceId: 'a', key: name, level: 'warning' }],
    });
    expect(devices[0]?.name).toMatch(shown);
    expect(devices[0]?.alarms[0]?.alarm).toMatch(shown);
  });

  test.each([NaN, Infinity, -Infinity])('has no figure of %d', async (value) => {
    const { devices, flow, month } = await house({
      readings: readings({ a: { pvPowerWatts: value, batterySocRatio: value } }),
      month: { ...MONTH, pvGeneratedKwh: value },
    });
    expect(devices[0]).not.toHaveProperty('pvPowerWatts');
    expect(flow).toEqual({});
    expect(month).not.toHaveProperty('pvGeneratedKwh');
  });

  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', ''])(
    'may be called %j',
    async (name) => {
      const { devices } = await house({
        devices: [{ deviceId: name, name, model: name, isOnline: true }],
        alarms: [{ deviceId: name, key: name, level: name }],
      });
      expect(devices).toMatchObject([
        { deviceId: name, isOnline: true, alarms: [{ alarm: name, level: name }] },
      ]);
      expect(({} as Record<string, unknown>)['isOnline']).toBeUndefined();
    },
  );
});

describe('the status and the metrics', () => {
  /** The metrics that say the same as a figure of a device. */
  const METRICS: Readonly<Partial<Record<keyof DeviceStatus, string>>> = {
    pvPowerWatts: 'solar_pv_power_watts',
    loadPowerWatts: 'solar_load_power_watts',
    gridPowerWatts: 'solar_grid_power_watts',
    gridImportPowerWatts: 'solar_grid_import_power_watts',
    gridFeedInPowerWatts: 'solar_grid_feed_in_power_watts',
    batteryPowerWatts: 'solar_battery_power_watts',
    batterySocRatio: 'solar_battery_soc_ratio',
    pvEnergyTodayKwh: 'solar_device_pv_energy_today_kwh',
  };

  test('are named by the catalogue', () => {
    const names = COLLECTOR_METRICS.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(Object.values(METRICS)));
  });

  test.each<{ when: string; values: Readings }>([
    { when: 'all is known', values: { pvPowerWatts: 5, loadPowerWatts: 7, batterySocRatio: 1 } },
    { when: 'parts are derived', values: { pvPowerWatts: 5, batteryVoltageVolts: 52 } },
    { when: 'most is unknown', values: { pvPowerWatts: 5, dialect: OF_FAMILY } },
    { when: 'nothing is reported', values: {} },
  ])('show the same figures of a device when $when', async ({ values }) => {
    const { api, scrape, collection } = createCollection({ stationIds: ['house'] });
    api.devices.set('house', [{ deviceId: 'a', pvEnergyTodayKwh: 3 }]);
    api.readings = values;
    await scrape();
    const station = collection.station('house');
    if (station === undefined) throw new Error('the house is missing');
    const {
      devices: [device],
    } = await describeStation(HOUSE, station);
    const series = seriesOf(samplesOf(station));
    for (const [figure, metric] of Object.entries(METRICS))
      expect(device?.[figure as keyof DeviceStatus], figure).toBe(series[`${metric}{house,a}`]);
  });
});
