import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { CollectorOutcome } from '../../src/collectors/run.ts';
import type { Sample } from '../../src/collectors/metric.ts';
import type { StationStatus } from '../../src/collectors/station-collection.ts';
import { CATALOGUE } from '../../src/metrics/definitions.ts';
import { describeStatus, type StatusParts } from '../../src/status/describe-status.ts';
import type { StationPageStatus } from '../../src/status/status.ts';

const OUTCOME: CollectorOutcome = {
  collector: 'readings',
  isSuccess: true,
  code: 'ok',
  durationSeconds: 0.5,
  isServed: true,
  lastSuccessAtMs: 1000,
};
const HOUSE: StationStatus = { stationId: 'house', isUp: true, outcomes: [OUTCOME] };

function describeParts(parts: Partial<StatusParts>) {
  return describeStatus({
    atMs: 2000,
    version: '1.2.3',
    telemetryPath: '/metrics',
    session: {
      mode: 'account',
      accessExpiresAtMs: undefined,
      isReauthenticationRequired: false,
      blockedUntilMs: undefined,
    },
    statuses: [HOUSE],
    samples: [],
    requests: [],
    ...parts,
  });
}

/** The house, as described by these samples of it. */
function house(samples: readonly Sample[]): StationPageStatus {
  const [station] = describeParts({ samples }).stations;
  if (station === undefined) throw new Error('the house is missing');
  return station;
}

function sample(name: string, value: number, labels: Sample['labels'] = {}): Sample {
  return { name, value, labels: { station_id: 'house', ...labels } };
}

/** A sample of one of the devices. */
function ofDevice(deviceId: string, name: string, value: number, labels: Sample['labels'] = {}) {
  return sample(name, value, { device_id: deviceId, ...labels });
}

describe('the status', () => {
  test('has no stations while nothing is known, and passes on the rest', () => {
    const requests = [{ operation: 'login', outcome: 'ok', count: 1 }];
    const status = describeParts({ statuses: [], requests });
    expect(status).toMatchObject({ atMs: 2000, version: '1.2.3', account: [], stations: [] });
    expect(status.requests).toEqual(requests);
  });

  test('tells the collectors of the account from those of a station', () => {
    const account: StationStatus = {
      stationId: undefined,
      isUp: false,
      outcomes: [{ ...OUTCOME, collector: 'stations', isSuccess: false, code: 'SERVICE_TIMEOUT' }],
    };
    const status = describeParts({ statuses: [account, HOUSE] });
    expect(status.account).toEqual([
      {
        collector: 'stations',
        code: 'SERVICE_TIMEOUT',
        durationSeconds: 0.5,
        isServed: true,
        lastSuccessAtMs: 1000,
      },
    ]);
    expect(status.stations).toMatchObject([
      { stationId: 'house', isUp: true, collectors: [{ collector: 'readings', code: 'ok' }] },
    ]);
  });

  test('ignores what belongs to no station, or to one that is not known', () => {
    const stray = { name: 'solar_pv_power_watts', value: 1, labels: { device_id: 'a' } };
    const unknown = { ...stray, labels: { station_id: 'gone', device_id: 'a' } };
    expect(describeParts({ samples: [stray, unknown] }).stations).toMatchObject([
      { stationId: 'house', devices: [] },
    ]);
  });

  test('ignores metrics that it does not show', () => {
    const known = house([ofDevice('a', 'solar_pv_power_watts', 5)]);
    const more = house([
      ofDevice('a', 'solar_pv_power_watts', 5),
      ofDevice('a', 'solar_battery_voltage_volts', 52),
      sample('solar_station_devices', 1),
    ]);
    expect(more).toEqual(known);
  });
});

describe('a station', () => {
  test('has the name, the zone and the month of its samples', () => {
    const station = house([
      sample('solar_station_info', 1, { name: 'Home', time_zone: 'Europe/Kyiv' }),
      sample('solar_month_start_timestamp_seconds', 1_780_000_000),
      sample('solar_month_pv_generated_kwh', 300),
      sample('solar_month_solar_ratio', 0),
    ]);
    expect(station).toMatchObject({ name: 'Home', timeZone: 'Europe/Kyiv' });
    expect(station.month).toEqual({
      startsAtMs: 1_780_000_000_000,
      pvGeneratedKwh: 300,
      solarRatio: 0,
    });
  });

  test('has no name and no zone where the labels are empty', () => {
    const station = house([sample('solar_station_info', 1, { name: '', time_zone: '' })]);
    expect(station).not.toHaveProperty('name');
    expect(station).not.toHaveProperty('timeZone');
  });

  test('sums over the devices that know a figure, and has none that nobody knows', () => {
    const { flow, pvEnergyTodayKwh } = house([
      ofDevice('a', 'solar_pv_power_watts', 1000),
      ofDevice('b', 'solar_pv_power_watts', 0),
      ofDevice('c', 'solar_load_power_watts', 400),
      ofDevice('a', 'solar_battery_power_watts', -500),
      ofDevice('b', 'solar_battery_power_watts', 200),
      ofDevice('a', 'solar_device_pv_energy_today_kwh', 2),
      ofDevice('b', 'solar_device_pv_energy_today_kwh', 3),
    ]);
    expect(flow).toEqual({ pvPowerWatts: 1000, loadPowerWatts: 400, batteryPowerWatts: -300 });
    expect(pvEnergyTodayKwh).toBe(5);
  });

  test('is as full as its emptiest battery, an empty one included', () => {
    const socs = [0.4, 0, 1].map((soc, index) =>
      ofDevice(String(index), 'solar_battery_soc_ratio', soc),
    );
    expect(house(socs).flow).toEqual({ batterySocRatio: 0 });
    expect(house(socs.slice(0, 1)).flow).toEqual({ batterySocRatio: 0.4 });
  });

  test('without devices has an empty flow and no energy', () => {
    const station = house([]);
    expect(station.flow).toEqual({});
    expect(station).not.toHaveProperty('pvEnergyTodayKwh');
  });
});

describe('a device', () => {
  test('is made of everything that its samples say, in whatever order', () => {
    const samples = [
      ofDevice('a', 'solar_device_info', 1, { name: 'Garage', model: 'M1', serial: 'SN1' }),
      ofDevice('a', 'solar_device_online', 1),
      ofDevice('a', 'solar_device_reporting', 1),
      ofDevice('a', 'solar_reading_timestamp_seconds', 1.5),
      ofDevice('a', 'solar_device_dialect_info', 1, { family: 'pi30', source: 'latest' }),
      ofDevice('a', 'solar_device_working_mode', 0, { mode: 'standby' }),
      ofDevice('a', 'solar_device_working_mode', 1, { mode: 'battery' }),
      ofDevice('a', 'solar_device_working_mode', 0, { mode: 'fault' }),
      ofDevice('a', 'solar_grid_import_power_watts', 7),
      ofDevice('a', 'solar_grid_feed_in_power_watts', 8),
    ];
    const device = {
      deviceId: 'a',
      name: 'Garage',
      model: 'M1',
      isOnline: true,
      isReporting: true,
      measuredAtMs: 1500,
      family: 'pi30',
      workingMode: 'battery',
      gridImportPowerWatts: 7,
      gridFeedInPowerWatts: 8,
      missingQuantities: [],
      alarms: [],
    };
    expect(house(samples).devices).toEqual([device]);
    expect(house(samples.toReversed()).devices).toEqual([device]);
  });

  test('collects its alarms and what it lacks, and keeps them from other devices', () => {
    const { devices } = house([
      ofDevice('a', 'solar_device_alarm_firing', 1, { alarm: 'fan', level: 'warning' }),
      ofDevice('a', 'solar_device_alarm_firing', 1, { alarm: 'heat', level: 'critical' }),
      ofDevice('a', 'solar_device_quantity_missing', 1, { quantity: 'batterySocRatio' }),
      ofDevice('b', 'solar_device_reporting', 0),
    ]);
    expect(devices).toEqual([
      {
        deviceId: 'a',
        missingQuantities: ['batterySocRatio'],
        alarms: [
          { alarm: 'fan', level: 'warning' },
          { alarm: 'heat', level: 'critical' },
        ],
      },
      { deviceId: 'b', isReporting: false, missingQuantities: [], alarms: [] },
    ]);
  });

  test.each([
    { of: '200 letters', name: 'x'.repeat(200), shown: 'x'.repeat(200) },
    { of: '201 letters', name: 'x'.repeat(201), shown: /^x{190,199}…$/ },
    { of: '10,000 emoji', name: '🔋'.repeat(10_000), shown: /^(🔋){90,100}…$/u },
    { of: 'an odd number of halves', name: `x${'🔋'.repeat(200)}`, shown: /^x(🔋){90,100}…$/u },
  ])('shows a name of $of no longer than anyone reads it', ({ name, shown }) => {
    const { devices } = house([
      ofDevice('a', 'solar_device_info', 1, { name }),
      ofDevice('a', 'solar_device_alarm_firing', 1, { alarm: name, level: 'warning' }),
    ]);
    expect(devices[0]?.name).toMatch(shown);
    expect(devices[0]?.alarms[0]?.alarm).toMatch(shown);
  });

  test.each([NaN, Infinity, -Infinity])('has no figure of %d', (value) => {
    const { devices, flow } = house([
      ofDevice('a', 'solar_device_reporting', 1),
      ofDevice('a', 'solar_pv_power_watts', value),
    ]);
    expect(devices[0]).not.toHaveProperty('pvPowerWatts');
    expect(flow).toEqual({});
  });

  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', ''])(
    'may be called %j, as may metrics and stations',
    (name) => {
      const [station] = describeParts({
        statuses: [{ ...HOUSE, stationId: name }],
        samples: [
          { name, value: 1, labels: { station_id: name, device_id: name, name } },
          { name, value: 1, labels: { station_id: name, name } },
          {
            name: 'solar_pv_power_watts',
            value: 5,
            labels: { station_id: name, device_id: name },
          },
        ],
      }).stations;
      expect(station?.stationId).toBe(name);
      expect(station?.devices).toEqual([
        { deviceId: name, pvPowerWatts: 5, missingQuantities: [], alarms: [] },
      ]);
      expect(({} as Record<string, unknown>)['pvPowerWatts']).toBeUndefined();
    },
  );
});

test('survives JSON, as the page in the browser gets it', () => {
  const status = describeParts({
    samples: [ofDevice('a', 'solar_pv_power_watts', 0.1), ofDevice('a', 'solar_device_online', 0)],
  });
  expect(JSON.parse(JSON.stringify(status))).toEqual({
    ...status,
    session: { mode: 'account', isReauthenticationRequired: false },
  });
});

test('everything that is shown is in the catalogue of metrics', () => {
  const source = readFileSync(
    new URL('../../src/status/station-draft.ts', import.meta.url),
    'utf8',
  );
  const shown = new Set(source.match(/\bsolar_\w+/g));
  const names = CATALOGUE.map(({ name }) => name);
  expect(shown.size).toBeGreaterThan(20);
  expect([...shown].filter((name) => !names.includes(name))).toEqual([]);
});
