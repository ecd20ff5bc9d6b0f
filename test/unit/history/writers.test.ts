import { describe, expect, test } from 'vitest';
import { FILE_FORMATS, type WriteMonth } from '../../../src/history/formats.ts';
import type { MonthSeries } from '../../../src/history/series.ts';
import { MINUTE_MS } from '../../support/durations.ts';
import { collected, FakePast, INVERTER, partOf, pastReading } from './past-house.ts';

const TARGET = { job: 'solar', instance: 'localhost:9877' };
const AT_MS = Date.parse('2026-07-31T16:00:00Z');

/** Two minutes of a device with two strings and a name that has to be escaped. */
async function twoMinutes(): Promise<MonthSeries> {
  const strings = new Map([
    ['1', { stringPowerWatts: 600 }],
    ['2', { stringPowerWatts: 400.5 }],
  ]);
  return collected({
    part: partOf('2026-08-01T00:00:00+08:00', '2026-08-01T00:02:00+08:00'),
    past: [
      pastReading(AT_MS, { pvPowerWatts: 1000.5, pvStrings: strings }),
      pastReading(AT_MS + MINUTE_MS - 1, { pvPowerWatts: 1100, batterySocRatio: 0.5 }),
    ],
    devices: [{ ...INVERTER, name: 'Roof "south"\\\nnew', ratedPowerWatts: undefined }],
  });
}

function written(write: WriteMonth, month: MonthSeries): string {
  return [...write(month, TARGET)].join('');
}

const LABELS = 'job="solar",instance="localhost:9877",station_id="house",device_id="inverter-1"';

describe('OpenMetrics', () => {
  const { write } = FILE_FORMATS.openmetrics;

  test('has each metric once, series by series, with times in seconds', async () => {
    const text = written(write, await twoMinutes());
    expect(text).toContain(`# TYPE solar_pv_power_watts gauge
solar_pv_power_watts{${LABELS}} 1000.5 1785513600
solar_pv_power_watts{${LABELS}} 1100 1785513660
`);
    expect(text).toContain(`# TYPE solar_pv_string_power_watts gauge
solar_pv_string_power_watts{${LABELS},string="1"} 600 1785513600
solar_pv_string_power_watts{${LABELS},string="2"} 400.5 1785513600
# `);
    const described = text.match(/^# TYPE \S+/gm) ?? [];
    expect(new Set(described).size).toBe(described.length);
    expect(text.match(/\n# EOF\n/g)).toHaveLength(1);
    expect(text.endsWith('\n# EOF\n')).toBe(true);
  });

  test('escapes labels, and names a counter without the end of its samples', async () => {
    const text = written(write, await twoMinutes());
    expect(text).toContain('name="Roof \\"south\\"\\\\\\nnew"');
    expect(text).toContain('# TYPE solar_device_energy_kwh counter\n');
    expect(text).toMatch(/^solar_device_energy_kwh_total\{.*flow="pv"\} 0\.017504 1785513660$/m);
    expect(text).toMatch(/^# HELP solar_device_energy_gap_seconds Time/m);
  });

  test('says how to import it, and of an empty month nothing else', async () => {
    expect(written(write, await collected())).toMatch(
      /^# HELP solar_history To import this file.* promtool .* curl -T FILE .*\n# EOF\n$/,
    );
  });
});

describe('CSV', () => {
  const { write } = FILE_FORMATS.csv;

  test('has a row for each reading, and empty fields for what is unknown', async () => {
    expect(written(write, await twoMinutes()).split('\r\n')).toEqual([
      'time,station_id,device_id,solar_pv_power_watts,solar_battery_soc_ratio,"solar_pv_string_power_watts{string=""1""}","solar_pv_string_power_watts{string=""2""}",solar_reading_timestamp_seconds,solar_device_reporting,"solar_device_energy_kwh_total{flow=""pv""}",solar_device_energy_gap_seconds_total',
      '2026-07-31T16:00:00.000Z,house,inverter-1,1000.5,,600,400.5,1785513600,1,0,0',
      '2026-07-31T16:00:59.999Z,house,inverter-1,1100,0.5,,,1785513659.999,1,0.017504,0',
      '',
    ]);
  });

  test('has a row for each whole day of the station', async () => {
    const api = new FakePast();
    const days = new Map([['2026-08-01', { pvGeneratedKwh: 10.5 }]]);
    api.energies = { ...api.energies, day: days };
    const part = partOf('2026-08-01T00:00:00+08:00', '2026-08-02T01:00:00+08:00');
    const month = await collected({ part, api, devices: [] });
    expect(written(write, month).split('\r\n')).toEqual([
      'time,station_id,device_id,"solar_energy_today_kwh{flow=""pv""}","solar_energy_yesterday_kwh{flow=""pv""}","solar_energy_month_kwh{flow=""pv""}"',
      '2026-08-01T15:59:00.000Z,house,,10.5,,10.5',
      '',
    ]);
  });

  test('has an id like a formula as text, and a negative number as number', async () => {
    const part = partOf();
    const station = { ...part.station, stationId: '=1+2' };
    const past = [pastReading(AT_MS, { batteryPowerWatts: -500 })];
    const devices = [{ ...INVERTER, deviceId: '@a,"b"' }];
    const rows = written(write, await collected({ part: { ...part, station }, past, devices }));
    expect(rows.split('\r\n')[1]).toMatch(/^2026-07-31T16:00:00.000Z,'=1\+2,"'@a,""b""",-500,/);
  });
});
