import { describe, expect, test } from 'vitest';
import { MINUTE_MS } from '../../support/durations.ts';
import {
  collected,
  FakePast,
  INVERTER,
  partOf,
  pastReading,
  samplesOf,
  valuesAt,
} from './past-house.ts';

const DEVICE = '{station_id="house",device_id="inverter-1"}';
const COUNTER =
  'solar_device_energy_kwh_total{station_id="house",device_id="inverter-1",flow="pv"}';

/** A reading every five minutes from one time of the night to another, each end included. */
function everyFiveMinutes(from: string, to: string) {
  const count = (Date.parse(to) - Date.parse(from)) / (5 * MINUTE_MS) + 1;
  return Array.from({ length: count }, (_, index) =>
    pastReading(Date.parse(from) + 5 * index * MINUTE_MS),
  );
}

describe('a reading', () => {
  test('of before the part is at its first steps, where counters begin', async () => {
    const past = [
      pastReading('2026-07-31T15:57:00Z', { pvPowerWatts: 1000 }),
      pastReading('2026-07-31T16:02:00Z', { pvPowerWatts: 2000 }),
    ];
    const month = await collected({ past });
    const first = valuesAt(month, Date.parse('2026-07-31T16:00:00Z'));
    expect(first[`solar_pv_power_watts${DEVICE}`]).toBe(1000);
    const beforeMs = Date.parse('2026-07-31T15:57:00Z');
    expect(first[`solar_reading_timestamp_seconds${DEVICE}`]).toBe(beforeMs / 1000);
    expect(first[COUNTER]).toBe(0);
    // 1.5 kW for five minutes, of which three are of the month before.
    const then = valuesAt(month, Date.parse('2026-07-31T16:02:00Z'));
    expect(then[COUNTER]).toBeCloseTo(0.125, 12);
  });

  test('is withdrawn at the maximum age that the user chose', async () => {
    const past = [pastReading('2026-07-31T16:00:00Z')];
    const month = await collected({ past, maxAge: 3 * MINUTE_MS });
    const [written = []] = Object.values(samplesOf(month, 'solar_pv_power_watts'));
    expect(written.at(-1)?.[0]).toBe('2026-07-31T16:03:00.000Z');
  });

  test('is withdrawn at its age limit, with the description of the device', async () => {
    const past = everyFiveMinutes('2026-07-31T16:00:00Z', '2026-07-31T17:00:00Z');
    const month = await collected({ past });
    for (const name of [
      'solar_pv_power_watts',
      'solar_device_reporting',
      'solar_device_energy_kwh_total',
      'solar_reading_timestamp_seconds',
      'solar_device_info',
      'solar_device_rated_power_watts',
      'solar_station_info',
    ]) {
      const [samples = []] = Object.values(samplesOf(month, name));
      // A value is still shown exactly at its age limit of 15 minutes.
      expect([name, samples.at(-1)?.[0]]).toEqual([name, '2026-07-31T17:15:00.000Z']);
    }
  });
});

describe('a gap between two readings', () => {
  const past = [
    ...everyFiveMinutes('2026-07-31T16:00:00Z', '2026-07-31T17:00:00Z'),
    ...everyFiveMinutes('2026-07-31T19:30:00Z', '2026-07-31T20:00:00Z'),
  ];

  test('has no value that was measured, and a device that does not report', async () => {
    const month = await collected({ past });
    expect(valuesAt(month, Date.parse('2026-07-31T18:00:00Z'))).toEqual({
      'solar_station_info{station_id="house",name="Casa",time_zone="Asia/Manila"}': 1,
      'solar_device_info{station_id="house",device_id="inverter-1",name="Roof",serial="S1",model="HPVINV02",station="Casa"}': 1,
      'solar_station_devices_missing{station_id="house"}': 1,
      [`solar_device_rated_power_watts${DEVICE}`]: 5000,
      [`solar_reading_timestamp_seconds${DEVICE}`]: Date.parse('2026-07-31T17:00:00Z') / 1000,
      [`solar_device_reporting${DEVICE}`]: 0,
      [COUNTER]: 1,
      [`solar_device_energy_gap_seconds_total${DEVICE}`]: 0,
    });
  });

  test('counts as time in which nothing could be counted', async () => {
    const month = await collected({ past });
    const [samples = []] = Object.values(samplesOf(month, 'solar_device_energy_gap_seconds_total'));
    expect(samples.at(-1)).toEqual(['2026-07-31T20:15:00.000Z', 2.5 * 3600]);
  });
});

test('a station is described wherever one of its devices is', async () => {
  const api = new FakePast();
  const past = everyFiveMinutes('2026-07-31T16:00:00Z', '2026-07-31T17:00:00Z');
  api.pastOf.set('2', everyFiveMinutes('2026-07-31T17:10:00Z', '2026-07-31T18:00:00Z'));
  const devices = [INVERTER, { deviceId: '2', name: 'Barn' }];
  const month = await collected({ past, devices, api });
  const spansOf = (name: string) =>
    Object.values(samplesOf(month, name)).map((samples) => [
      ...[samples[0]?.[0], samples.at(-1)?.[0]].map((at) => at?.slice(11, 16)),
      samples.length,
    ]);
  expect(spansOf('solar_station_info')).toEqual([['16:00', '18:15', 136]]);
  const each = [
    ['16:00', '17:15', 76],
    ['17:10', '18:15', 66],
  ];
  expect(spansOf('solar_device_info')).toEqual(each);
  for (const [time, watts, missing] of [['17:12', 2000, 0] as const, ['17:20', 1000, 1] as const])
    expect(valuesAt(month, Date.parse(`2026-07-31T${time}Z`))).toMatchObject({
      'solar_station_power_watts{station_id="house",flow="pv"}': watts,
      'solar_station_devices_missing{station_id="house"}': missing,
    });
  const alone = await collected({ part: { ...partOf(), isOneDevice: true }, past, devices, api });
  expect(samplesOf(alone, 'solar_station_power_watts')).toEqual({});
});

test('asks for 75 minutes before the month, and counts its own readings', async () => {
  const api = new FakePast();
  api.pageLength = 10;
  const past = everyFiveMinutes('2026-07-31T14:40:00Z', '2026-07-31T16:30:00Z');
  expect(await collected({ api, past })).toMatchObject({ readings: 7 });
  const before = past.slice(0, 16);
  expect(await collected({ api, past: before })).toMatchObject({ readings: 0 });
  expect(api.timeZone).toBe('Asia/Manila');
});

test('readings of every few seconds lose nothing, and may begin late', async () => {
  const { fromMs } = partOf();
  const api = new FakePast();
  api.pageLength = 100;
  const past = Array.from({ length: 210 }, (_, index) =>
    pastReading(fromMs + 10_000 * index, {
      pvPowerWatts: index,
      ...(index >= 200 && { batterySocRatio: 0.5 }),
    }),
  );
  const month = await collected({ api, past, stepMs: 10_000 });
  const [power = []] = Object.values(samplesOf(month, 'solar_pv_power_watts'));
  expect(power.slice(0, 210).map(([, watts]) => watts)).toEqual(past.map((_, index) => index));
  const [soc = []] = Object.values(samplesOf(month, 'solar_battery_soc_ratio'));
  expect(soc[0]).toEqual([new Date(fromMs + 10_000 * 200).toISOString(), 0.5]);
});

test('ends at a cap of readings, and says of which device', async () => {
  const { fromMs } = partOf();
  const past = Array.from({ length: 30 }, (_, index) => pastReading(fromMs + 100 * index));
  const { devices, tables } = await collected({ past, mostReadings: 20 });
  expect(devices).toMatchObject([{ device: INVERTER, readings: 20, isComplete: false }]);
  expect(tables[1]?.rows.at(-1)?.readAtMs).toBe(fromMs + 100 * 19);
});
