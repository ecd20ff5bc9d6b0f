import { describe, expect, test } from 'vitest';
import type { PastPage } from '../../../src/history/collect-month.ts';
import { FakePast } from './fake-past.ts';
import { MINUTE_MS } from '../../support/durations.ts';
import { collected, INVERTER, partOf, pastReading } from './past-house.ts';
import { samplesOf, valuesAt } from './samples-of.ts';

const DEVICE = '{station_id="house",device_id="inverter-1"}';

/** A reading every five minutes from one time of the night to another, each end included. */
function everyFiveMinutes(from: string, to: string) {
  const past = [];
  for (let atMs = Date.parse(from); atMs <= Date.parse(to); atMs += 5 * MINUTE_MS)
    past.push(pastReading(atMs));
  return past;
}

describe('a reading', () => {
  test('is written at each step from its time until the next reading', async () => {
    const past = [
      pastReading('2026-07-31T16:00:30Z', { pvPowerWatts: 100 }),
      pastReading('2026-07-31T16:03:00Z', { pvPowerWatts: 200 }),
    ];
    const part = partOf('2026-08-01T00:00:00+08:00', '2026-08-01T00:05:00+08:00');
    const month = await collected({ part, past });
    expect(samplesOf(month, 'solar_pv_power_watts')).toEqual({
      '': [
        ['2026-07-31T16:01:00.000Z', 100],
        ['2026-07-31T16:02:00.000Z', 100],
        ['2026-07-31T16:03:00.000Z', 200],
        ['2026-07-31T16:04:00.000Z', 200],
      ],
    });
  });

  test('of before the part is written at its first steps, and its counters begin there', async () => {
    const past = [
      pastReading('2026-07-31T15:57:00Z', { pvPowerWatts: 1000 }),
      pastReading('2026-07-31T16:02:00Z', { pvPowerWatts: 2000 }),
    ];
    const month = await collected({ past });
    const first = valuesAt(month, Date.parse('2026-07-31T16:00:00Z'));
    expect(first[`solar_pv_power_watts${DEVICE}`]).toBe(1000);
    expect(first[`solar_reading_timestamp_seconds${DEVICE}`]).toBe(
      Date.parse('2026-07-31T15:57:00Z') / 1000,
    );
    const counter =
      'solar_device_energy_kwh_total{station_id="house",device_id="inverter-1",flow="pv"}';
    expect(first[counter]).toBe(0);
    // 1.5 kW for five minutes, of which three are of the month before.
    expect(valuesAt(month, Date.parse('2026-07-31T16:02:00Z'))[counter]).toBeCloseTo(0.125, 12);
  });

  test('is withdrawn at the maximum age that the user chose', async () => {
    const past = [pastReading('2026-07-31T16:00:00Z')];
    const month = await collected({ past, maxAge: 3 * MINUTE_MS });
    const [written = []] = Object.values(samplesOf(month, 'solar_pv_power_watts'));
    expect(written.at(-1)?.[0]).toBe('2026-07-31T16:03:00.000Z');
  });

  test('is withdrawn at its age limit, and the device is described as long as anything is known', async () => {
    const past = everyFiveMinutes('2026-07-31T16:00:00Z', '2026-07-31T17:00:00Z');
    const month = await collected({ past });
    const lastSteps = (name: string) =>
      Object.values(samplesOf(month, name)).map((samples) => samples.at(-1)?.[0]);
    for (const name of [
      'solar_pv_power_watts',
      'solar_device_reporting',
      'solar_device_energy_kwh_total',
      'solar_reading_timestamp_seconds',
      'solar_device_info',
      'solar_device_rated_power_watts',
      'solar_station_info',
    ])
      // A value is still shown exactly at its age limit of 15 minutes.
      expect(new Set(lastSteps(name)), name).toEqual(new Set(['2026-07-31T17:15:00.000Z']));
  });
});

describe('a gap between two readings', () => {
  const past = [
    ...everyFiveMinutes('2026-07-31T16:00:00Z', '2026-07-31T17:00:00Z'),
    ...everyFiveMinutes('2026-07-31T19:30:00Z', '2026-07-31T20:00:00Z'),
  ];

  test('has no value that was measured, and a device that does not report', async () => {
    const month = await collected({ past });
    const values = valuesAt(month, Date.parse('2026-07-31T18:00:00Z'));
    expect(values).toEqual({
      'solar_station_info{station_id="house",name="Casa",time_zone="Asia/Manila"}': 1,
      'solar_device_info{station_id="house",device_id="inverter-1",name="Roof",serial="S1",model="HPVINV02"}': 1,
      [`solar_device_rated_power_watts${DEVICE}`]: 5000,
      [`solar_reading_timestamp_seconds${DEVICE}`]: Date.parse('2026-07-31T17:00:00Z') / 1000,
      [`solar_device_reporting${DEVICE}`]: 0,
      'solar_device_energy_kwh_total{station_id="house",device_id="inverter-1",flow="pv"}': 1,
      [`solar_device_energy_gap_seconds_total${DEVICE}`]: 0,
    });
  });

  test('counts as time in which nothing could be counted', async () => {
    const month = await collected({ past });
    const [samples = []] = Object.values(samplesOf(month, 'solar_device_energy_gap_seconds_total'));
    expect(samples.at(-1)).toEqual(['2026-07-31T20:15:00.000Z', 2.5 * 3600]);
  });

  test('is said, as are the gaps at the edges of the part', async () => {
    const { readings } = await collected({ past });
    expect(readings).toEqual([
      {
        deviceId: INVERTER.deviceId,
        readings: 20,
        firstAtMs: Date.parse('2026-07-31T16:00:00Z'),
        lastAtMs: Date.parse('2026-07-31T20:00:00Z'),
        gaps: [
          { fromMs: Date.parse('2026-07-31T17:00:00Z'), toMs: Date.parse('2026-07-31T19:30:00Z') },
          { fromMs: Date.parse('2026-07-31T20:00:00Z'), toMs: Date.parse('2026-07-31T22:00:00Z') },
        ],
      },
    ]);
  });
});

describe('a station with two devices', () => {
  const other = { deviceId: 'inverter-2', name: 'Barn' };

  test('is described wherever one of them is, and each device where it is itself', async () => {
    const api = new FakePast();
    const past = everyFiveMinutes('2026-07-31T16:00:00Z', '2026-07-31T17:00:00Z');
    const later = everyFiveMinutes('2026-07-31T17:10:00Z', '2026-07-31T18:00:00Z');
    api.pastOf.set('inverter-2', later);
    const month = await collected({ past, devices: [INVERTER, other], api });
    const spanOf = (samples: [string, number][] = []) => [
      samples[0]?.[0],
      samples.at(-1)?.[0],
      samples.length,
    ];
    const station = samplesOf(month, 'solar_station_info');
    expect(Object.values(station).map(spanOf)).toEqual([
      ['2026-07-31T16:00:00.000Z', '2026-07-31T18:15:00.000Z', 136],
    ]);
    expect(Object.values(samplesOf(month, 'solar_device_info')).map(spanOf)).toEqual([
      ['2026-07-31T16:00:00.000Z', '2026-07-31T17:15:00.000Z', 76],
      ['2026-07-31T17:10:00.000Z', '2026-07-31T18:15:00.000Z', 66],
    ]);
    expect(month.readings.map(({ deviceId, readings }) => [deviceId, readings])).toEqual([
      ['inverter-1', 13],
      ['inverter-2', 11],
    ]);
  });
});

test('asks for what was read up to 75 minutes before the part, and says which pages came', async () => {
  const api = new FakePast();
  api.pageLength = 10;
  const past = everyFiveMinutes('2026-07-31T14:40:00Z', '2026-07-31T16:30:00Z');
  const pages: PastPage[] = [];
  const month = await collected({ api, past, onPage: (page) => pages.push(page) });
  // From 14:45 on, of which seven are of the part.
  expect(pages).toEqual(
    [
      { readings: 10, lastAt: '15:30' },
      { readings: 10, lastAt: '16:20' },
      { readings: 2, lastAt: '16:30' },
    ].map(({ readings, lastAt }) => ({
      deviceId: 'inverter-1',
      readings,
      lastAtMs: Date.parse(`2026-07-31T${lastAt}:00Z`),
    })),
  );
  expect(month.readings[0]?.readings).toBe(7);
  expect(api.timeZone).toBe('Asia/Manila');
});

test('readings that come every few seconds lose nothing, and a series may begin late', async () => {
  const { fromMs } = partOf();
  const past = Array.from({ length: 2100 }, (_, index) =>
    pastReading(fromMs + 10_000 * index, {
      pvPowerWatts: index,
      ...(index >= 2000 && { batterySocRatio: 0.5 }),
    }),
  );
  const month = await collected({ past, stepMs: 10_000 });
  const [power = []] = Object.values(samplesOf(month, 'solar_pv_power_watts'));
  expect(power.slice(0, 2100).map(([, watts]) => watts)).toEqual(past.map((_, index) => index));
  const [soc = []] = Object.values(samplesOf(month, 'solar_battery_soc_ratio'));
  expect(soc[0]).toEqual([new Date(fromMs + 10_000 * 2000).toISOString(), 0.5]);
});

test('an error of the service that no patience helps with ends it', async () => {
  const api = new FakePast();
  api.failure = 'SERVICE_API_REFUSED';
  await expect(collected({ api })).rejects.toMatchObject({ code: 'SERVICE_API_REFUSED' });
});
