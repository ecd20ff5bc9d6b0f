import { describe, expect, test } from 'vitest';
import { FILE_FORMATS, inChunks, type WriteMonth } from '../../../src/history/formats.ts';
import { type MonthSeries, sampleCount } from '../../../src/history/series.ts';
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

/** A reading every five minutes for six hours. */
const SIX_HOURS = Array.from({ length: 72 }, (_, index) => pastReading(AT_MS + index * 300_000));
const LABELS = 'job="solar",instance="localhost:9877",station_id="house",device_id="inverter-1"';

describe('OpenMetrics', () => {
  const { write } = FILE_FORMATS.openmetrics;

  test('has each metric once, its series one after the other, and times in seconds', async () => {
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

  test('has as many samples as are counted, and only the end of the file without any', async () => {
    const month = await twoMinutes();
    expect(written(write, month).match(/^solar_/gm)).toHaveLength(sampleCount(month));
    expect(written(write, await collected())).toBe('# EOF\n');
  });
});

test('short texts become chunks of about the length that is wanted, each of whole lines', async () => {
  const { write } = FILE_FORMATS.openmetrics;
  const chunks = [...inChunks(write(await collected({ past: SIX_HOURS }), TARGET), 64 * 1024)];
  expect(chunks.length).toBeGreaterThan(3);
  for (const chunk of chunks.slice(0, -1)) {
    expect(chunk.length).toBeGreaterThanOrEqual(64 * 1024);
    expect(chunk.length).toBeLessThan(67 * 1024);
    expect(chunk.endsWith('\n')).toBe(true);
  }
});

describe('lines of JSON', () => {
  interface Line {
    readonly metric: Readonly<Record<string, string>>;
    readonly values: readonly number[];
    readonly timestamps: readonly number[];
  }
  const linesOf = (month: MonthSeries): readonly Line[] =>
    written(FILE_FORMATS.json.write, month)
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Line);
  const isPower = ({ metric }: Line) => metric['__name__'] === 'solar_pv_power_watts';

  test('have the values and the times of a series', async () => {
    const lines = linesOf(await twoMinutes());
    const ids = { station_id: 'house', device_id: 'inverter-1' };
    expect(lines.filter(isPower)).toEqual([
      {
        metric: { __name__: 'solar_pv_power_watts', ...TARGET, ...ids },
        values: [1000.5, 1100],
        timestamps: [AT_MS, AT_MS + MINUTE_MS],
      },
    ]);
    expect(lines.map(({ metric }) => metric['name'])).toContain('Roof "south"\\\nnew');
  });

  test('split a long series', async () => {
    const lines = linesOf(await collected({ past: SIX_HOURS, stepMs: 1000 })).filter(isPower);
    expect(lines.map(({ values }) => values.length)).toEqual([10_000, 10_000, 1600]);
  });
});

describe('CSV', () => {
  const { write, count } = FILE_FORMATS.csv;

  test('has a row for each reading at its own time, and empty fields for what is unknown', async () => {
    const month = await twoMinutes();
    expect(count(month)).toBe(13);
    expect(written(write, month).split('\r\n')).toEqual([
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

  test('has an id that a spreadsheet would take for a formula as text, and a negative number as number', async () => {
    const part = partOf();
    const station = { ...part.station, stationId: '=1+2' };
    const past = [pastReading(AT_MS, { batteryPowerWatts: -500 })];
    const devices = [{ ...INVERTER, deviceId: '@a,"b"' }];
    const rows = written(write, await collected({ part: { ...part, station }, past, devices }));
    expect(rows.split('\r\n')[1]).toMatch(/^2026-07-31T16:00:00.000Z,'=1\+2,"'@a,""b""",-500,/);
  });
});
