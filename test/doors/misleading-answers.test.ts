import { describe, expect, test } from 'vitest';
import { HOUR_MS, MINUTE_MS, scrapeHouse } from './house.ts';
import { CLASSIC, deviceList, history, latest, MEASURED_AT } from './scripted-service.ts';

/** An hour before the newest, still in the window and too old to show. */
const TOO_OLD = '2026-08-24T07:05:00.000Z';

describe('a service that refuses whatever goes beyond the interface', () => {
  test.each([401, 403])(
    'with HTTP %i loses neither its session nor its readings',
    async (status) => {
      const refused = { status };
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
      expect(page.value('solar_pv_power_watts')).toBe(1200);
      expect(page.value('solar_reauthentication_required')).toBe(0);
      for (let minute = 0; minute < 30; minute += 1) {
        const later = await scrapeAfter(61_000);
        expect(later.value('solar_up', { station_id: '100000000000000003' })).toBe(1);
        expect(later.value('solar_reauthentication_required')).toBe(0);
      }
      // Of the live readings 31, and those to count once in 15 minutes.
      expect(asked('readings')).toHaveLength(31 + 3);
      expect(asked('latestState')).toHaveLength(1);
      expect(asked('alarms').length).toBeLessThanOrEqual(4);
      expect(asked('summaryDays')).toHaveLength(1);
      expect(asked('summaryYears')).toHaveLength(1);
    },
  );

  test('with HTTP 404 is read as the interface says, missing values as 0 where it says so', async () => {
    const { page } = await scrapeHouse({
      readings: history({ pvInputPower: 1200, acOutputActivePower: 0.85 }),
      alarms: { status: 404 },
    });
    expect(page.value('solar_battery_power_watts')).toBe(0);
    expect(page.value('solar_interface_grid_power_watts')).toBe(0);
    expect(page.all('solar_grid_power_watts')).toEqual([]);
    expect(page.all('solar_battery_soc_ratio')).toEqual([]);
  });

  test('with a code of its own is not taken for one that lacks it, and no zeros are invented', async () => {
    const refused = { envelope: { code: 70001, message: 'no right', data: null } };
    const { page } = await scrapeHouse({
      readings: history({
        batteryVoltage: 52,
        batteryChargingCurrent: 3,
        batteryDischargeCurrent: 0,
      }),
      latestState: refused,
      energyFlow: refused,
      attributes: refused,
    });
    expect(page.value('solar_battery_power_watts')).toBe(-156);
    expect(page.all('solar_load_power_watts')).toEqual([]);
    expect(page.all('solar_grid_import_power_watts')).toEqual([]);
  });
});

describe('an old value', () => {
  test('is unknown, and not the 0 that a missing one counts as', async () => {
    const fields = { ...CLASSIC, pvInputPower: [1000, 1200], acOutputActivePower: [0.8, null] };
    const others = Object.entries(CLASSIC)
      .filter(([key]) => !['pvInputPower', 'acOutputActivePower'].includes(key))
      .map(([key, value]) => [key, [value, value]]);
    const { page } = await scrapeHouse({
      readings: history({ ...fields, ...(Object.fromEntries(others) as object) }, [
        TOO_OLD,
        MEASURED_AT,
      ]),
    });
    expect(page.value('solar_pv_power_watts')).toBe(1200);
    expect(page.all('solar_load_power_watts')).toEqual([]);
    expect(page.all('solar_grid_import_power_watts')).toEqual([]);
    expect(page.value('solar_battery_power_watts')).toBe(-260);
  });

  test('gives no sign to a new one', async () => {
    const { page } = await scrapeHouse({
      readings: history(
        { mainsPower: [0.9, 1], mainsCurrentFlowDirection: ['+', null], outputActivePower: [1, 1] },
        [TOO_OLD, MEASURED_AT],
      ),
      latestState: latest({
        mainsPower: [null, 'kW'],
        mainsCurrentFlowDirection: [null, ''],
        outputActivePower: [1, 'kW'],
      }),
    });
    expect(page.value('solar_load_power_watts')).toBe(1000);
    expect(page.all('solar_grid_import_power_watts')).toEqual([]);
    expect(page.all('solar_grid_feed_in_power_watts')).toEqual([]);
  });

  test('of a device that is off is not live because nobody dated it', async () => {
    const { page } = await scrapeHouse({
      devices: deviceList({ isOnline: false, lastDataAt: '2026-08-20T08:00:00Z' }),
      readings: history({}, []),
      latestState: latest({ pvPower: [0.5, 'kW'], outputActivePower: [0.4, 'kW'] }, { time: null }),
    });
    expect(page.value('solar_device_reporting')).toBe(0);
    expect(page.all('solar_pv_power_watts')).toEqual([]);
  });

  test('is not live because it is dated hours ahead', async () => {
    const { page, scrapeAfter } = await scrapeHouse({
      readings: history({}, []),
      latestState: latest(
        { pvPower: [0.5, 'kW'], outputActivePower: [0.4, 'kW'] },
        { time: '2026-08-24T16:00:00.000Z' },
      ),
    });
    expect(page.value('solar_device_reporting')).toBe(0);
    expect((await scrapeAfter(7 * HOUR_MS)).value('solar_device_reporting')).toBe(0);
    expect((await scrapeAfter(HOUR_MS + MINUTE_MS)).value('solar_device_reporting')).toBe(1);
  });
});

describe('a string or a phase that is listed and has no value', () => {
  const scrapeOne = (sums: Parameters<typeof latest>[0] = {}) =>
    scrapeHouse({
      readings: history({}),
      latestState: latest({
        pv1Power: [500, 'W'],
        pv2Power: [600, 'W'],
        pv3Power: [null, 'W'],
        aPhaseMainsPower: [-300, 'W'],
        bPhaseMainsPower: [null, 'W'],
        batteryPercentage: [80, '%'],
        ...sums,
      }),
    });

  test('leaves the sum unknown, which the page says', async () => {
    const { page } = await scrapeOne();
    expect(page.all('solar_pv_power_watts')).toEqual([]);
    expect(page.all('solar_grid_import_power_watts')).toEqual([]);
    const missing = page.all('solar_device_quantity_missing').map(({ labels }) => labels);
    for (const quantity of ['pv_power', 'grid_feed_in_power'])
      expect(missing).toContainEqual(expect.objectContaining({ quantity }));
  });

  test('does not matter beside a sum of the device', async () => {
    const { page } = await scrapeOne({ generationPower: [1.1, 'kW'] });
    expect(page.value('solar_pv_power_watts')).toBe(1100);
  });
});

describe('a place that used to answer for a device', () => {
  test('and is gone is not asked for a day: the device is looked for anew', async () => {
    let isGone = false;
    const { page, scrapeAfter, asked } = await scrapeHouse({
      readings: () => history(isGone ? CLASSIC : {}),
      latestState: () =>
        isGone ? { status: 404 } : latest({ pvPower: [0.5, 'kW'], outputActivePower: [0.4, 'kW'] }),
    });
    expect(page.value('solar_pv_power_watts')).toBe(500);
    isGone = true;
    const broken = await scrapeAfter(11 * MINUTE_MS);
    expect(broken.value('solar_up', { station_id: '100000000000000003' })).toBe(0);
    const repaired = await scrapeAfter(MINUTE_MS);
    expect(repaired.value('solar_up', { station_id: '100000000000000003' })).toBe(1);
    const before = asked('latestState').length;
    await scrapeAfter(HOUR_MS);
    expect(asked('latestState')).toHaveLength(before);
  });
});

describe('a value that cannot be', () => {
  test.each([6553.5, -1, 106])('is absent: a state of charge of %d %', async (percent) => {
    const { page } = await scrapeHouse({ readings: history({ ...CLASSIC, batterySOC: percent }) });
    expect(page.all('solar_battery_soc_ratio')).toEqual([]);
    expect(page.value('solar_pv_power_watts')).toBe(1200);
  });

  test('is no label: a working mode of arbitrary text', async () => {
    const { page } = await scrapeHouse({
      readings: history({}),
      latestState: latest({ mode: ['SN0001 of somebody', ''], batteryVoltage: [52, 'V'] }),
    });
    expect(page.all('solar_device_working_mode')).toEqual([]);
    expect(page.text).not.toContain('somebody');
  });
});

describe('a number with more digits than were measured', () => {
  test('is shown with those that were, and so is what is calculated from it', async () => {
    const { page } = await scrapeHouse({
      devices: deviceList({ dailyProducedQuantity: 4.3999999999999995 }),
      readings: history({
        pvInputPower: 206.1,
        acOutputActivePower: 0.9939100000000001,
        batteryDischargeCurrent: 0.1,
        batteryChargingCurrent: 12.3,
        batteryVoltage: 51.7,
        feedInPower: 0,
        batterySOC: 55.1,
      }),
    });
    expect(page.value('solar_ac_output_power_watts')).toBe(993.91);
    expect(page.value('solar_battery_power_watts')).toBe(-630.74);
    expect(page.value('solar_grid_import_power_watts')).toBe(1418.55);
    expect(page.value('solar_grid_power_watts')).toBe(1418.55);
    expect(page.value('solar_battery_soc_ratio')).toBe(0.551);
    expect(page.value('solar_device_pv_energy_today_kwh')).toBe(4.4);
    const ofDevice = page.text.split('\n').filter((line) => line.includes('device_id='));
    expect(ofDevice.filter((line) => /\.\d{7,}$/.test(line))).toEqual([]);
  });
});

describe('a list that is empty for once', () => {
  test('costs no device, and is said for a minute, not for the hour that a list lasts', async () => {
    let lists = 0;
    const { page, scrapeAfter } = await scrapeHouse({
      devices: () => {
        lists += 1;
        return lists === 2 ? { data: { list: null } } : deviceList({});
      },
      readings: history(CLASSIC),
    });
    expect(page.value('solar_station_devices')).toBe(1);
    const empty = await scrapeAfter(61 * MINUTE_MS);
    expect(empty.value('solar_station_devices')).toBe(1);
    expect(empty.value('solar_device_listed')).toBe(0);
    expect(empty.value('solar_collector_success', { collector: 'devices' })).toBe(0);
    const whole = await scrapeAfter(MINUTE_MS);
    expect(whole.value('solar_device_listed')).toBe(1);
    expect(whole.value('solar_collector_success', { collector: 'devices' })).toBe(1);
  });
});

test('a clock that is set back makes no old value live, and does not stop the asking', async () => {
  let isDown = false;
  const { page, scrapeAfter, asked } = await scrapeHouse({
    readings: () => (isDown ? { status: 500 } : history(CLASSIC)),
  });
  expect(page.value('solar_pv_power_watts')).toBe(1200);
  isDown = true;
  const setBack = await scrapeAfter(-2 * HOUR_MS);
  expect(setBack.all('solar_pv_power_watts')).toEqual([]);
  expect(setBack.value('solar_up', { station_id: '100000000000000003' })).toBe(0);
  const before = asked('readings').length;
  for (let minute = 0; minute < 5; minute += 1) await scrapeAfter(61_000);
  expect(asked('readings').length).toBeGreaterThanOrEqual(before + 4);
});

test('a session that is lost while a device is learnt makes no other device of it', async () => {
  const expired = { envelope: { code: 9, message: 'Token expired', data: null } };
  const { page, scrapeAfter } = await scrapeHouse({
    readings: history({
      batteryVoltage: 52,
      batteryChargingCurrent: 3,
      batteryDischargeCurrent: 0,
    }),
    latestState: expired,
    attributes: expired,
    energyFlow: expired,
  });
  expect(page.all('solar_load_power_watts')).toEqual([]);
  expect(page.all('solar_grid_import_power_watts')).toEqual([]);
  expect((await scrapeAfter(MINUTE_MS)).all('solar_load_power_watts')).toEqual([]);
});
