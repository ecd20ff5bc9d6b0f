import { describe, expect, test } from 'vitest';
import { HPVINV02 } from './device-answers.ts';
import { HOUR_MS, type HouseSetup, MINUTE_MS, openHouse, scrapeHouse } from './house.ts';
import {
  CLASSIC,
  deviceList,
  history,
  latest,
  MEASURED_AT,
  type PortalAnswer,
  type Script,
} from './scripted-service.ts';

/** One that is still in the window and too old to show, and the newest. */
const OLD_AND_NEW = ['2026-08-24T07:05:00.000Z', MEASURED_AT];

const NO_HISTORY = { readings: history({}, []) };
const NO_GRID = { solar_grid_import_power_watts: undefined, solar_grid_power_watts: undefined };
const PV = 'solar_pv_power_watts';

type Trap = [
  trap: string,
  script: Script,
  page: Readonly<Record<string, number | undefined>>,
  setup?: HouseSetup,
];

describe('where the naive reading is wrong, the exporter knows that', () => {
  const TRAPS: readonly Trap[] = [
    [
      'an old value is unknown, and not the 0 that a missing one counts as',
      {
        readings: history(
          {
            pvInputPower: [1000, 1200],
            acOutputActivePower: [0.8, null],
            batteryDischargeCurrent: [0, 0],
            batteryChargingCurrent: [5, 5],
            batteryVoltage: [52, 52],
            feedInPower: [0, 0],
            batterySOC: [93, 93],
          },
          OLD_AND_NEW,
        ),
      },
      {
        [PV]: 1200,
        solar_battery_power_watts: -260,
        solar_load_power_watts: undefined,
        solar_grid_import_power_watts: undefined,
      },
    ],
    [
      'an old value gives no sign to a new one',
      {
        readings: history(
          {
            mainsPower: [0.9, 1],
            mainsCurrentFlowDirection: ['+', null],
            outputActivePower: [1, 1],
          },
          OLD_AND_NEW,
        ),
        latestState: latest({
          mainsPower: [null, 'kW'],
          mainsCurrentFlowDirection: [null, ''],
          outputActivePower: [1, 'kW'],
        }),
      },
      { ...NO_GRID, solar_load_power_watts: 1000, solar_grid_feed_in_power_watts: undefined },
    ],
    [
      'settings may be none',
      { settingsGet: { data: {} } },
      { solar_device_setting_info: undefined, 'solar_collector_success{collector="settings"}': 1 },
      { flags: { 'collect.settings': 'true' } },
    ],
    [
      'an answer is not live because it is an answer',
      { ...NO_HISTORY, latestState: latest(HPVINV02, { time: '2026-08-22T17:00:00.000Z' }) },
      {
        solar_device_reporting: 0,
        [PV]: undefined,
        solar_reading_timestamp_seconds: Date.parse('2026-08-22T17:00:00Z') / 1000,
      },
    ],
  ];

  test.each(TRAPS)('%s', async (_trap, script, expected, setup) => {
    const { page } = await scrapeHouse(script, setup);
    expect(page.like(expected)).toEqual(expected);
  });
});

test.each<[what: string, refused: PortalAnswer]>([
  ['is refused', { envelope: { code: 70_001, message: 'no right', data: null } }],
  ['costs the session', { envelope: { code: 9, message: 'Token expired', data: null } }],
])('a device whose learning %s is no other one, and no zeros are invented', async (...row) => {
  const [, refused] = row;
  const fields = { batteryVoltage: 52, batteryChargingCurrent: 3, batteryDischargeCurrent: 0 };
  const house = await openHouse({
    readings: history(fields),
    latestState: refused,
    energyFlow: refused,
    attributes: refused,
  });
  const page = { ...NO_GRID, solar_battery_power_watts: -156, solar_load_power_watts: undefined };
  await house.follow({ page }, { afterMs: MINUTE_MS, page });
});

test('a service that refuses all extras with 401 loses no session', async () => {
  const refused = { status: 401 };
  const { page, scrapeAfter, asked } = await scrapeHouse(
    {
      readings: history({ ...CLASSIC, feedInPower: null }),
      latestState: refused,
      energyFlow: refused,
      attributes: refused,
      alarms: refused,
      summaryDays: refused,
      summaryYears: refused,
    },
    { flags: { 'cache.readings-ttl': '1m' } },
  );
  expect(page.value(PV)).toBe(1200);
  const kept = {
    'solar_up{station_id="100000000000000003"}': 1,
    solar_reauthentication_required: 0,
  };
  for (let minute = 0; minute < 12; minute += 1)
    expect((await scrapeAfter(61_000)).like(kept)).toEqual(kept);
  // Three of them while the device was learnt.
  expect(asked('readings')).toHaveLength(13);
  expect(asked('latestState')).toHaveLength(1);
  expect(asked('alarms').length).toBeLessThanOrEqual(2);
  expect(asked('summaryDays')).toHaveLength(1);
  expect(asked('summaryYears')).toHaveLength(1);
});

test('a number and what follows from it have the digits measured', async () => {
  const { page } = await scrapeHouse({
    devices: deviceList({ dailyProducedQuantity: 4.3999999999999995 }),
    readings: history({
      pvInputPower: 206.1,
      acOutputActivePower: 0.9939100000000001,
      batterySOC: 55.1,
      batteryDischargeCurrent: 0.1,
      batteryChargingCurrent: 12.3,
      batteryVoltage: 51.7,
      feedInPower: 0,
    }),
  });
  const expected = {
    solar_ac_output_power_watts: 993.91,
    solar_battery_power_watts: -630.74,
    solar_grid_import_power_watts: 1418.55,
    solar_grid_power_watts: 1418.55,
    solar_battery_soc_ratio: 0.551,
    solar_device_pv_energy_today_kwh: 4.4,
  };
  expect(page.like(expected)).toEqual(expected);
  const ofDevice = page.text.split('\n').filter((line) => line.includes('device_id='));
  expect(ofDevice.filter((line) => /\.\d{7,}$/.test(line))).toEqual([]);
});

test('a clock that is set back makes no old value live', async () => {
  const { page, scrapeAfter, asked, answers } = await scrapeHouse({ readings: history(CLASSIC) });
  expect(page.value(PV)).toBe(1200);
  answers.readings = { status: 500 };
  const setBack = await scrapeAfter(-2 * HOUR_MS);
  expect(setBack.all(PV)).toEqual([]);
  expect(setBack.value('solar_up')).toBe(0);
  const before = asked('readings').length;
  for (let minute = 0; minute < 5; minute += 1) await scrapeAfter(61_000);
  expect(asked('readings').length).toBeGreaterThanOrEqual(before + 4);
});
