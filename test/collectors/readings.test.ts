import { describe, expect, test } from 'vitest';
import { readingsCollector } from '../../src/collectors/readings.ts';
import type { CacheLifetimes } from '../../src/collectors/collector.ts';
import { learnCadence, type ReadingCadence } from '../../src/model/reading-cadence.ts';
import type { Readings } from '../../src/model/readings.ts';
import type { Device } from '../../src/model/station.ts';
import { CLASSIC, reportOf } from '../support/device-report.ts';
import { FakeServiceApi } from '../support/fake-service-api.ts';
import {
  createCollection,
  firstFetch,
  type Harness,
  HOUR_MS,
  LIFETIMES,
  MINUTE_MS,
} from './collection-harness.ts';
import { pointsOf } from './collector-samples.ts';

const NOW_MS = Date.parse('2026-08-24T08:00:00Z');
const NOTHING_DERIVED = {
  solar_load_power_watts: 0,
  solar_grid_import_power_watts: 0,
  solar_interface_grid_power_watts: 0,
  solar_battery_power_watts: 0,
};

describe('the readings of a device', () => {
  test('give every gauge of the interface when every value is there', () => {
    const points = pointsOf(readingsCollector, {
      pvPowerWatts: 1000,
      acOutputPowerWatts: 2500,
      gridFeedInPowerWatts: 10,
      batteryVoltageVolts: 50,
      batteryChargingCurrentAmperes: 2,
      batteryDischargeCurrentAmperes: 12,
      batterySocRatio: 0.42,
      measuredAtMs: 1_780_000_000_500,
    });
    expect(points).toEqual({
      solar_pv_power_watts: 1000,
      solar_ac_output_power_watts: 2500,
      solar_load_power_watts: 2500,
      solar_grid_power_watts: 1000,
      solar_grid_import_power_watts: 1010,
      solar_grid_feed_in_power_watts: 10,
      solar_interface_grid_power_watts: 2010,
      solar_battery_power_watts: 500,
      solar_battery_voltage_volts: 50,
      solar_battery_charging_current_amperes: 2,
      solar_battery_discharge_current_amperes: 12,
      solar_battery_soc_ratio: 0.42,
      solar_reading_timestamp_seconds: 1_780_000_000.5,
      solar_device_reporting: 1,
    });
  });

  test.each([
    {
      when: 'the window is empty',
      readings: {},
      expected: { solar_device_reporting: 0 },
    },
    {
      when: 'only the state of charge is known',
      readings: { batterySocRatio: 0.5 },
      expected: { ...NOTHING_DERIVED, solar_battery_soc_ratio: 0.5, solar_device_reporting: 1 },
    },
    {
      when: 'the load is missing',
      readings: { pvPowerWatts: 800 },
      expected: { ...NOTHING_DERIVED, solar_pv_power_watts: 800, solar_device_reporting: 1 },
    },
    {
      when: 'the sun is missing',
      readings: { acOutputPowerWatts: 800 },
      expected: {
        solar_ac_output_power_watts: 800,
        solar_load_power_watts: 800,
        solar_grid_import_power_watts: 800,
        solar_interface_grid_power_watts: 800,
        solar_battery_power_watts: 0,
        solar_device_reporting: 1,
      },
    },
    {
      when: 'a zero was measured',
      readings: { pvPowerWatts: 0 },
      expected: { ...NOTHING_DERIVED, solar_pv_power_watts: 0, solar_device_reporting: 1 },
    },
  ])('leave out what is unknown and derive with 0: $when', ({ readings, expected }) => {
    expect(pointsOf(readingsCollector, readings)).toEqual(expected);
  });
});

describe('the readings of a device that measures more', () => {
  test('give a gauge for everything', () => {
    const points = pointsOf(readingsCollector, {
      loadPowerWatts: 700,
      gridImportPowerWatts: 190,
      batteryPowerWatts: -500,
      batterySohRatio: 0.99,
      batteryTemperatureCelsius: 26,
      gridVoltageVolts: 230.5,
      gridFrequencyHertz: 49.98,
      acOutputVoltageVolts: 229.8,
      acOutputFrequencyHertz: 50,
      pvStrings: new Map([
        ['1', { powerWatts: 820, voltageVolts: 182.4, currentAmperes: 4.5 }],
        ['2', { powerWatts: 0 }],
      ]),
      temperaturesCelsius: new Map([
        ['pv', 39],
        ['boost', -4],
      ]),
      workingMode: 'line',
      dialect: {
        family: 'hpvinv02',
        source: 'latest',
        missing: ['pvPowerWatts', 'batterySocRatio'],
        unknownKeys: ['houseMeter'],
      },
    });
    expect(points).toEqual({
      solar_load_power_watts: 700,
      solar_grid_import_power_watts: 190,
      solar_battery_power_watts: -500,
      solar_battery_soh_ratio: 0.99,
      solar_battery_temperature_celsius: 26,
      solar_grid_voltage_volts: 230.5,
      solar_grid_frequency_hertz: 49.98,
      solar_ac_output_voltage_volts: 229.8,
      solar_ac_output_frequency_hertz: 50,
      'solar_pv_string_power_watts{1}': 820,
      'solar_pv_string_power_watts{2}': 0,
      'solar_pv_string_voltage_volts{1}': 182.4,
      'solar_pv_string_current_amperes{1}': 4.5,
      'solar_device_temperature_celsius{pv}': 39,
      'solar_device_temperature_celsius{boost}': -4,
      'solar_device_working_mode{power_on}': 0,
      'solar_device_working_mode{standby}': 0,
      'solar_device_working_mode{line}': 1,
      'solar_device_working_mode{battery}': 0,
      'solar_device_working_mode{fault}': 0,
      'solar_device_working_mode{shutdown}': 0,
      solar_device_reporting: 1,
      'solar_device_dialect_info{hpvinv02,latest}': 1,
      solar_device_missing_quantities: 2,
      'solar_device_quantity_missing{pv_power}': 1,
      'solar_device_quantity_missing{battery_soc}': 1,
      solar_device_unknown_keys: 1,
    });
  });

  test("show a mode without a name as the service's code", () => {
    expect(pointsOf(readingsCollector, { workingMode: '04' })).toMatchObject({
      'solar_device_working_mode{line}': 0,
      'solar_device_working_mode{04}': 1,
    });
  });

  test('derive nothing from what is unknown', () => {
    const points = pointsOf(readingsCollector, {
      batteryVoltageVolts: 52,
      dialect: { ...CLASSIC, family: 'unknown' },
    });
    expect(points).toEqual({
      solar_battery_voltage_volts: 52,
      solar_device_reporting: 1,
      'solar_device_dialect_info{unknown,history}': 1,
      solar_device_missing_quantities: 0,
      solar_device_unknown_keys: 0,
    });
  });
});

test('readings that are all too old leave their time and their dialect', () => {
  const old: Readings = { measuredAtMs: 1_780_000_000_500, dialect: CLASSIC };
  expect(pointsOf(readingsCollector, old)).toEqual({
    solar_reading_timestamp_seconds: 1_780_000_000.5,
    solar_device_reporting: 0,
    'solar_device_dialect_info{classic,history}': 1,
    solar_device_missing_quantities: 0,
    solar_device_unknown_keys: 0,
  });
});

test('readings are asked for in the zone of the station', async () => {
  const api = new FakeServiceApi();
  const station = { stationId: 'house', timeZone: 'Europe/Kyiv' };
  const device = { deviceId: 'inverter', model: 'XX1' };
  await readingsCollector.fetch(api, { station, device }, firstFetch());
  expect(api.timeZones.get('readings inverter')).toBe('Europe/Kyiv');
});

test.each([
  { readingsTtlMs: MINUTE_MS, maxAgeMs: 15 * MINUTE_MS, ttlMs: MINUTE_MS },
  { readingsTtlMs: 30 * MINUTE_MS, maxAgeMs: 15 * MINUTE_MS, ttlMs: 15 * MINUTE_MS },
])('readings live for $ttlMs ms, and never longer than their maximum age', (row) => {
  const { readingsTtlMs, maxAgeMs, ttlMs } = row;
  expect(readingsCollector.lifetime({ ...LIFETIMES, readingsTtlMs, maxAgeMs }, undefined)).toEqual({
    ttlMs,
    servedForMs: maxAgeMs,
  });
});

test('of one device live by its own cadence when the maximum age is auto', () => {
  const report = reportOf({ measuredAtMs: NOW_MS - MINUTE_MS });
  const at = (minutes: number) => ({ ...report, newestAtMs: NOW_MS + minutes * MINUTE_MS });
  const cadence = [-1, 9, 19].reduce<ReadingCadence | undefined>(
    (known, minutes) => learnCadence(known, at(minutes), NOW_MS + (minutes + 8) * MINUTE_MS),
    undefined,
  );
  const lifetimes: CacheLifetimes = { ...LIFETIMES, maxAgeMs: 'auto' };
  expect(readingsCollector.lifetime(lifetimes, { ...report, cadence })).toEqual({
    ttlMs: MINUTE_MS,
    servedForMs: 30 * MINUTE_MS,
  });
});

describe('how often a device has readings, and how old they may become', () => {
  const interval = (device: string) => `solar_device_reading_interval_seconds{house,${device}}`;
  const maxAge = (device: string) => `solar_device_reading_max_age_seconds{house,${device}}`;
  const answers = (harness: Harness, device: string, measuredAtMs: number | undefined) =>
    harness.api.answer(`readings ${device}`, () =>
      Promise.resolve(reportOf({ pvPowerWatts: 1, measuredAtMs })),
    );
  const auto = { lifetimes: { maxAgeMs: 'auto' } } as const;

  test('are learned from the readings that come', async () => {
    const harness = createCollection(auto);
    answers(harness, 'inverter', harness.clock.nowMs() - 9 * MINUTE_MS);
    const first = await harness.scrape();
    expect(first).not.toHaveProperty([interval('inverter')]);
    expect(first).toMatchObject({ [maxAge('inverter')]: 41 * 60 });
    answers(harness, 'inverter', harness.clock.nowMs() - 4 * MINUTE_MS);
    await harness.scrapeAfter(5 * MINUTE_MS);
    answers(harness, 'inverter', harness.clock.nowMs() - 4 * MINUTE_MS);
    expect(await harness.scrapeAfter(5 * MINUTE_MS)).toMatchObject({
      [interval('inverter')]: 300,
      [maxAge('inverter')]: 21 * 60,
    });
  });

  test('are those of another device of the family until they are known', async () => {
    const harness = createCollection({ ...auto, account: { house: ['old', 'new'] } });
    answers(harness, 'new', undefined);
    answers(harness, 'old', harness.clock.nowMs() - 9 * MINUTE_MS);
    expect(await harness.scrape()).toMatchObject({ [maxAge('new')]: 15 * 60 });
    for (let reading = 0; reading < 2; reading += 1) {
      answers(harness, 'old', harness.clock.nowMs() - 4 * MINUTE_MS);
      await harness.scrapeAfter(5 * MINUTE_MS);
    }
    answers(harness, 'new', harness.clock.nowMs() - 20 * MINUTE_MS);
    expect(await harness.scrapeAfter(MINUTE_MS)).toMatchObject({ [maxAge('new')]: 21 * 60 });
  });

  test('are as configured where the age is fixed', async () => {
    const harness = createCollection({ lifetimes: { maxAgeMs: 20 * MINUTE_MS } });
    answers(harness, 'inverter', harness.clock.nowMs());
    expect(await harness.scrape()).toMatchObject({ [maxAge('inverter')]: 20 * 60 });
  });
});

describe('undated values', () => {
  const PV = 'solar_pv_power_watts{house,inverter}';
  const WEEK_MS = 7 * 24 * HOUR_MS;
  const answerWith = ({ api }: Harness, watts: number) => {
    api.report = reportOf({
      pvPowerWatts: watts,
      batterySocRatio: 0.5,
      dialect: { ...CLASSIC, source: 'flow' },
    });
  };
  function createHouse(record: (nowMs: number) => Partial<Device>) {
    const harness = createCollection();
    const listedAtMs = harness.clock.nowMs();
    harness.api.devices.set('house', [{ deviceId: 'inverter', listedAtMs, ...record(listedAtMs) }]);
    answerWith(harness, 1500);
    return harness;
  }

  test.each<{ what: string; record: (nowMs: number) => Partial<Device>; isShown: boolean }>([
    { what: 'of which the record says nothing', record: () => ({}), isShown: true },
    {
      what: 'that was heard of an hour ago',
      record: (nowMs) => ({ lastDataAtMs: nowMs - HOUR_MS }),
      isShown: true,
    },
    {
      what: 'that was heard of weeks ago',
      record: (nowMs) => ({ lastDataAtMs: nowMs - 3 * WEEK_MS }),
      isShown: false,
    },
    {
      what: 'that was heard of weeks ago and is called online',
      record: (nowMs) => ({ lastDataAtMs: nowMs - 3 * WEEK_MS, isOnline: true }),
      isShown: false,
    },
    { what: 'that is called offline', record: () => ({ isOnline: false }), isShown: false },
  ])('of a device $what: shown is $isShown', async ({ record, isShown }) => {
    const harness = createHouse(record);
    expect(PV in (await harness.scrape())).toBe(isShown);
    expect(PV in (await harness.scrapeAfter(MINUTE_MS))).toBe(isShown);
  });

  test('of a device that was silent are live again when they change, and for as long as a reading is', async () => {
    const harness = createHouse(() => ({ isOnline: false }));
    await harness.scrape();
    answerWith(harness, 1600);
    expect(await harness.scrapeAfter(MINUTE_MS)).toMatchObject({ [PV]: 1600 });
    expect(await harness.scrapeAfter(14 * MINUTE_MS)).toMatchObject({ [PV]: 1600 });
    expect(await harness.scrapeAfter(2 * MINUTE_MS)).not.toHaveProperty([PV]);
  });
});
