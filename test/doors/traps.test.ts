import { describe, expect, test } from 'vitest';
import { HOUR_MS, scrapeHouse } from './house.ts';
import {
  CLASSIC,
  deviceList,
  flow,
  history,
  latest,
  MEASURED_AT,
  type PortalAnswer,
} from './scripted-service.ts';

/** What HPVINV02 says of itself, with everything that the interface asks for. */
const HPVINV02 = {
  pvPower: [1.2, 'kW'],
  outputActivePower: [0.85, 'kW'],
  batteryCapacity: [93, '%'],
  batteryVoltage: [52, 'V'],
  batteryChargingCurrent: [5, 'A'],
  batteryDischargeCurrent: [0, 'A'],
  mainsPower: [0.3, 'kW'],
  mainsCurrentFlowDirection: ['+', ''],
} as const;

function without<T extends object, Key extends keyof T & string>(
  fields: T,
  ...keys: readonly Key[]
): Omit<T, Key> {
  const left = Object.entries(fields).filter(([key]) => !(keys as readonly string[]).includes(key));
  return Object.fromEntries(left) as Omit<T, Key>;
}

/** The frames of a quarter of an hour, oldest first. */
const FRAMES = [
  '2026-08-24T07:41:00.000Z',
  '2026-08-24T07:46:00.000Z',
  '2026-08-24T07:51:00.000Z',
  MEASURED_AT,
];

/** A nested yearly summary, as the portal gives it. */
function yearly(...properties: readonly object[]): PortalAnswer {
  return { data: { hasRealTimePoints: true, properties } };
}

function monthOf(key: string, value: number, isRealValue = true): object {
  return {
    property: { key, unit: 'kWh' },
    hasRealTimePoints: isRealValue,
    timePoints: [
      { time: '2026-07', value: 77, isRealValue: true },
      { time: '2026-08', value, isRealValue },
    ],
  };
}

describe('where the naive reading is wrong, the exporter knows that', () => {
  test('1: the last element may be null, and the newest other one counts while it is young', async () => {
    const fields = {
      ...CLASSIC,
      pvInputPower: [1000, 1100, 1150, null],
      batterySOC: [91, null, null, null],
    };
    const { page } = await scrapeHouse({ readings: history(fields, FRAMES) });
    expect(page.value('solar_pv_power_watts')).toBe(1150);
    // Nineteen minutes old.
    expect(page.all('solar_battery_soc_ratio')).toEqual([]);
  });

  test('2: what is missing is not 0', async () => {
    const fields = without(CLASSIC, 'batterySOC', 'feedInPower');
    const { page } = await scrapeHouse({ readings: history(fields) });
    expect(page.all('solar_battery_soc_ratio')).toEqual([]);
    expect(page.all('solar_grid_feed_in_power_watts')).toEqual([]);
    expect(page.value('solar_battery_voltage_volts')).toBe(52);
  });

  test('3: a summary is nested, and its month is a point in time', async () => {
    const { page } = await scrapeHouse({ summary: yearly(monthOf('pvGeneratedEnergy', 140)) });
    expect(page.value('solar_month_pv_generated_kwh')).toBe(140);
  });

  test('4: a value that is not real is a placeholder', async () => {
    const summary = yearly(
      monthOf('pvGeneratedEnergy', 0, true),
      monthOf('consumeElectricityQuantity', 0, false),
    );
    const { page } = await scrapeHouse({ summary });
    expect(page.value('solar_month_pv_generated_kwh')).toBe(0);
    expect(page.all('solar_month_consumption_kwh')).toEqual([]);
  });

  test('5: bought and consumed energy have keys of their own', async () => {
    const summary = yearly(
      monthOf('pvGeneratedEnergy', 140),
      monthOf('buyElectricityQuantity', 60),
      monthOf('sellElectricityQuantity', 20),
      monthOf('consumeElectricityQuantity', 280),
      monthOf('chargeElectricityQuantity', 90),
      monthOf('dischargeElectricityQuantity', 80),
    );
    const { page } = await scrapeHouse({ summary });
    expect(page.value('solar_month_grid_import_kwh')).toBe(60);
    expect(page.value('solar_month_grid_feed_in_kwh')).toBe(20);
    expect(page.value('solar_month_consumption_kwh')).toBe(280);
    expect(page.value('solar_month_battery_charged_kwh')).toBe(90);
    expect(page.value('solar_month_battery_discharged_kwh')).toBe(80);
    expect(page.value('solar_month_solar_ratio')).toBe(0.5);
  });

  test('6: watts or kilowatts is what the tag says', async () => {
    const { page } = await scrapeHouse({
      readings: history({}),
      latestState: latest({ batteryCapacity: [80, '%'] }),
      energyFlow: flow({
        acOutputActivePower: [850, 'W'],
        pvInputPower: [0.7, 'kW'],
        pv2InputPower: [0.5, 'kW'],
        generationPower: [1.2, 'kW'],
        GridPower: [-100, 'W'],
        batteryCapacity: [80, '%'],
        batteryVoltage: [52, 'V'],
      }),
    });
    expect(page.value('solar_load_power_watts')).toBe(850);
    expect(page.value('solar_pv_power_watts')).toBe(1200);
  });

  test('7: a key for one string is not the total, and a sum is not added to its parts', async () => {
    const parts = { pvInputPower: [0.7, 'kW'], pv2InputPower: [0.5, 'kW'] } as const;
    const other = { batteryCapacity: [80, '%'], GridPower: [0, 'W'] } as const;
    const script = { readings: history({}), latestState: latest({}) };
    const both = await scrapeHouse({
      ...script,
      energyFlow: flow({ ...parts, ...other, generationPower: [1.19, 'kW'] }),
    });
    expect(both.page.value('solar_pv_power_watts')).toBe(1190);
    expect(both.page.value('solar_pv_string_power_watts', { string: '2' })).toBe(500);
    const partsOnly = await scrapeHouse({ ...script, energyFlow: flow({ ...parts, ...other }) });
    expect(partsOnly.page.value('solar_pv_power_watts')).toBe(1200);
  });

  test('8: a measured grid goes before the estimate, which is not made without its inputs', async () => {
    const measured = await scrapeHouse({ readings: history({}), latestState: latest(HPVINV02) });
    expect(measured.page.value('solar_grid_import_power_watts')).toBe(300);
    expect(measured.page.value('solar_grid_power_watts')).toBe(300);
    const { batteryVoltage, batteryChargingCurrent, mainsCurrentFlowDirection } = HPVINV02;
    const batteryOnly = await scrapeHouse({
      readings: history({}),
      latestState: latest({
        batteryVoltage,
        batteryDischargeCurrent: [20, 'A'],
        batteryChargingCurrent,
        mainsCurrentFlowDirection,
      }),
    });
    expect(batteryOnly.page.value('solar_battery_power_watts')).toBe(780);
    expect(batteryOnly.page.all('solar_grid_import_power_watts')).toEqual([]);
    expect(batteryOnly.page.all('solar_grid_power_watts')).toEqual([]);
    expect(batteryOnly.page.all('solar_interface_grid_power_watts')).toEqual([]);
  });

  test.each([
    { key: 'batteryPower', value: [-500, 'W'], marker: { batteryPercentage: [80, '%'] } },
    { key: 'batteryPower', value: [-0.5, 'kW'], marker: { totalLoadPower: [1, 'kW'] } },
    { key: 'batteryCurrent', value: [10, 'A'], marker: { remainingBatteryCapacity: [80, '%'] } },
  ] as const)(
    '9: the sign of the battery is that of its key: $key $value is charging',
    async ({ key, value, marker }) => {
      const { page } = await scrapeHouse({
        readings: history({}),
        latestState: latest({ [key]: value, ...marker, batteryVoltage: [50, 'V'] }),
      });
      expect(page.value('solar_battery_power_watts')).toBe(-500);
    },
  );

  test.each([
    { key: 'aPhaseMainsPower', value: [495, 'W'], more: {}, feedIn: 495, gridImport: 0 },
    { key: 'GridPower', value: [495, 'W'], more: {}, feedIn: 0, gridImport: 495 },
    { key: 'aPhaseFeederPower', value: [-0.495, 'kW'], more: {}, feedIn: 0, gridImport: 495 },
    {
      key: 'mainsPower',
      value: [0.495, 'kW'],
      more: { mainsCurrentFlowDirection: ['-', ''] },
      feedIn: 495,
      gridImport: 0,
    },
  ] as const)(
    '10: the sign of the grid is that of its key: $key $value feeds in $feedIn W',
    async ({ key, value, more, feedIn, gridImport }) => {
      const { page } = await scrapeHouse({
        readings: history({}),
        latestState: latest({ [key]: value, ...more }),
      });
      expect(page.value('solar_grid_feed_in_power_watts')).toBe(feedIn);
      expect(page.value('solar_grid_import_power_watts')).toBe(gridImport);
    },
  );

  test('11: a capacity in Ah is no state of charge', async () => {
    const inPercent = latest({ batteryCapacity: [93, '%'], batteryVoltage: [52, 'V'] });
    const inHours = latest({ batteryCapacity: [93, 'Ah'], batteryVoltage: [52, 'V'] });
    const [percent, hours] = await Promise.all(
      [inPercent, inHours].map((state) =>
        scrapeHouse({ readings: history({}), latestState: state }),
      ),
    );
    expect(percent?.page.value('solar_battery_soc_ratio')).toBe(0.93);
    expect(hours?.page.all('solar_battery_soc_ratio')).toEqual([]);
  });

  test('12: an expired token comes as code 9 in an HTTP 200', async () => {
    let renewals = 0;
    const { page, asked } = await scrapeHouse(
      {
        readings: ({ headers }) =>
          headers['iot-token'] === 'token 2'
            ? history(CLASSIC)
            : { envelope: { code: 9, message: 'Token expired', data: null } },
        refresh: () => {
          renewals += 1;
          return { data: { accessToken: `token ${renewals}`, refreshToken: 'newer' } };
        },
      },
      {
        env: { SOLAR_REFRESH_TOKEN: 'made-up-refresh-token' },
        // Counting asks for readings as well, for itself.
        flags: { 'collect.energy': 'false' },
      },
    );
    expect(page.value('solar_pv_power_watts')).toBe(1200);
    expect(asked('readings').map(({ headers }) => headers['iot-token'])).toEqual([
      'token 1',
      'token 2',
    ]);
    expect(asked('refresh')).toHaveLength(2);
  });

  test('13: a refresh may want the pair, signed', async () => {
    const { page, asked } = await scrapeHouse(
      {
        readings: history(CLASSIC),
        refresh: ({ body, headers }) =>
          'accessToken' in body && headers['iot-open-sign'] !== undefined
            ? { data: { accessToken: 'new', refreshToken: 'newer' } }
            : { envelope: { code: 20101, message: 'illegal argument', data: null } },
      },
      {
        env: {
          SOLAR_REFRESH_TOKEN: 'made-up-refresh-token',
          SOLAR_APP_ID: 'made-up-id',
          SOLAR_APP_SECRET: 'made-up-secret',
        },
      },
    );
    expect(page.value('solar_pv_power_watts')).toBe(1200);
    expect(asked('refresh').map(({ body }) => Object.keys(body))).toEqual([
      ['refreshToken'],
      ['accessToken', 'refreshToken'],
    ]);
  });

  test('14: an expiry in milliseconds may be text', async () => {
    const { page } = await scrapeHouse(
      {
        readings: history(CLASSIC),
        refresh: {
          data: {
            accessToken: 'new',
            refreshToken: 'newer',
            accessTokenWillExpiredInMillis: '7199991',
          },
        },
      },
      { env: { SOLAR_REFRESH_TOKEN: 'made-up-refresh-token' } },
    );
    expect(page.value('solar_token_expiry_timestamp_seconds')).toBeCloseTo(
      (Date.parse('2026-08-24T08:00:00Z') + 7_199_991) / 1000,
      3,
    );
  });

  test('15: a station id beyond 2^53 keeps its digits', async () => {
    const { page, asked } = await scrapeHouse({
      stations: { text: '{"code":0,"data":{"total":1,"list":[{"id":100000000000000003}]}}' },
      readings: history(CLASSIC),
    });
    expect(asked('devices')[0]?.body['stationId']).toBe('100000000000000003');
    expect(page.value('solar_up', { station_id: '100000000000000003' })).toBe(1);
  });

  test('16: the total of a listing may be a number of pages', async () => {
    const { page, asked } = await scrapeHouse({
      devices: ({ body }) => {
        const first = (Number(body['page']) - 1) * 50;
        const length = body['page'] === 3 ? 7 : 50;
        const list = Array.from({ length }, (_, index) => ({ id: String(first + index + 1) }));
        return { data: { total: 3, list } };
      },
      readings: history(CLASSIC),
    });
    expect(page.value('solar_station_devices')).toBe(107);
    expect(asked('devices')).toHaveLength(3);
  });

  test('17: some endpoints are asked with GET', async () => {
    const { requests } = await scrapeHouse({
      readings: history({}),
      latestState: latest({}),
      energyFlow: flow({}),
    });
    const methods = new Map(requests.map(({ endpoint, method }) => [endpoint, method]));
    expect(Object.fromEntries(methods)).toEqual({
      stations: 'POST',
      devices: 'POST',
      readings: 'POST',
      latestState: 'GET',
      attributes: 'GET',
      energyFlow: 'GET',
      summary: 'POST',
      summaryDays: 'POST',
      summaryYears: 'POST',
      alarms: 'POST',
    });
  });

  test('18: settings are objects with labels, and may be none', async () => {
    const flags = { 'collect.settings': 'true' };
    const entry = {
      key: 'outputSourcePrioritySetting',
      value: '1',
      valueDisplay: 'localised text',
      enumValues: [
        { id: '1', value: '0', text: 'USO' },
        { id: '2', value: '1', text: 'SUB' },
      ],
    };
    const script = { readings: history(CLASSIC) };
    const some = await scrapeHouse(
      { ...script, settingsGet: { data: { outputSourcePrioritySetting: entry } } },
      { flags },
    );
    expect(some.page.all('solar_device_setting_info').map(({ labels }) => labels)).toMatchObject([
      { setting: 'outputSourcePrioritySetting', value: 'SUB' },
    ]);
    const none = await scrapeHouse({ ...script, settingsGet: { data: {} } }, { flags });
    expect(none.page.value('solar_collector_success', { collector: 'settings' })).toBe(1);
  });

  test('19: stations are found without being named', async () => {
    const { page } = await scrapeHouse({
      stations: {
        data: {
          total: 2,
          list: [
            { id: '3', name: 'Home' },
            { id: '4', name: 'Hut' },
          ],
        },
      },
      readings: history(CLASSIC),
    });
    expect(page.all('solar_station_info').map(({ labels }) => labels['name'])).toEqual([
      'Home',
      'Hut',
    ]);
  });

  test('20: the month is the one of the station', async () => {
    // Already September in Kyiv, still August in London.
    const summary = yearly({
      property: { key: 'pvGeneratedEnergy', unit: 'kWh' },
      timePoints: [
        { time: '2026-08', value: 140, isRealValue: true },
        { time: '2026-09', value: 0.5, isRealValue: true },
      ],
    });
    const { page } = await scrapeHouse({ summary }, { now: '2026-08-31T21:30:00Z' });
    expect(page.value('solar_month_pv_generated_kwh')).toBe(0.5);
    expect(page.value('solar_month_start_timestamp_seconds')).toBe(
      Date.parse('2026-09-01T00:00:00+03:00') / 1000,
    );
  });

  test('21: the time zone comes from the station', async () => {
    const { asked } = await scrapeHouse({ readings: history(CLASSIC) });
    expect(asked('readings')[0]?.headers['iot-time-zone']).toBe('Europe/Kyiv');
    expect(asked('readings')[0]?.body['toTime']).toBe('2026-08-24T11:00:00+03:00');
  });

  test('22: an answer is not live because it is an answer', async () => {
    const { page } = await scrapeHouse({
      readings: history({}, []),
      latestState: latest(HPVINV02, { time: '2026-08-22T17:00:00.000Z' }),
    });
    expect(page.value('solar_device_reporting')).toBe(0);
    expect(page.all('solar_pv_power_watts')).toEqual([]);
    expect(page.value('solar_reading_timestamp_seconds')).toBe(
      Date.parse('2026-08-22T17:00:00Z') / 1000,
    );
  });

  test('23: the data of an error may be text, and code 70132 is for ever', async () => {
    const { page, scrapeAfter, asked } = await scrapeHouse({
      readings: history({}),
      latestState: latest({ batteryVoltage: [52, 'V'], batteryPercentage: [80, '%'] }),
      energyFlow: {
        envelope: { code: 70132, message: 'no rule', data: 'Energy flow rule not exists' },
      },
    });
    expect(page.value('solar_battery_soc_ratio')).toBe(0.8);
    for (let day = 0; day < 3; day += 1) await scrapeAfter(30 * HOUR_MS);
    expect(asked('energyFlow')).toHaveLength(1);
  });

  test('24: a model that is null has other names', async () => {
    const { page } = await scrapeHouse({
      devices: deviceList({
        model: null,
        gatherProtocolNameDisplay: null,
        gatherProtocolNumber: 'XX0000000',
        deviceSortKey: 'pvInverter',
      }),
    });
    expect(page.all('solar_device_info')[0]?.labels).toMatchObject({ model: 'XX0000000' });
  });

  test('25: counters that are reset or corrected are gauges, and that of the day ends with it', async () => {
    const { page, scrapeAfter } = await scrapeHouse(
      { devices: deviceList({ dailyProducedQuantity: 4.5, totalProducedQuantity: 1004.5 }) },
      { flags: { 'cache.devices-ttl': '48h' } },
    );
    expect(page.text).toContain('# TYPE solar_device_pv_energy_today_kwh gauge');
    expect(page.text).toContain('# TYPE solar_device_pv_energy_lifetime_kwh gauge');
    expect(page.value('solar_device_pv_energy_today_kwh')).toBe(4.5);
    const tomorrow = await scrapeAfter(14 * HOUR_MS);
    expect(tomorrow.all('solar_device_pv_energy_today_kwh')).toEqual([]);
    expect(tomorrow.value('solar_device_pv_energy_lifetime_kwh')).toBe(1004.5);
  });

  test('26: a code keeps its leading zeros', async () => {
    const { page } = await scrapeHouse({
      readings: history({}),
      latestState: latest({ workingMode: ['011', ''], batteryVoltage: [52, 'V'] }),
    });
    expect(page.value('solar_device_working_mode', { mode: '011' })).toBe(1);
  });

  test('27: keys are found in other case, and as they are misspelt', async () => {
    const { page } = await scrapeHouse({
      readings: history({}),
      latestState: latest({
        gridpower: [120, 'W'],
        BATTERYVOLTAGE: [52, 'V'],
        PV1InputVoltage: [320, 'V'],
      }),
    });
    expect(page.value('solar_grid_import_power_watts')).toBe(120);
    expect(page.value('solar_battery_voltage_volts')).toBe(52);
    expect(page.value('solar_pv_string_voltage_volts', { string: '1' })).toBe(320);
  });

  test('28: a production that is null is not the 0 that the service makes of it', async () => {
    const { page } = await scrapeHouse({
      devices: deviceList({ producingPower: null, nonNullableProducingPower: 0 }),
      readings: history({}, []),
    });
    expect(page.all('solar_pv_power_watts')).toEqual([]);
  });

  test('29: zeros of a BMS that is not there are placeholders', async () => {
    const noBms = { bmsCurrentSOC: [0, '%'], bmsBatteryVoltage: [0, 'V'] } as const;
    const inverter = await scrapeHouse({
      readings: history({}),
      latestState: latest({ ...HPVINV02, ...noBms }),
    });
    expect(inverter.page.value('solar_battery_soc_ratio')).toBe(0.93);
    expect(inverter.page.value('solar_battery_voltage_volts')).toBe(52);
    const nothing = await scrapeHouse({
      readings: history({}),
      latestState: latest({ ...without(HPVINV02, 'batteryCapacity'), ...noBms }),
    });
    expect(nothing.page.all('solar_battery_soc_ratio')).toEqual([]);
  });

  test('30: an alarm list is a history, in which one event comes more than once', async () => {
    const alarm = {
      deviceId: '100000000000000001',
      key: 'lineLoss',
      level: 2,
      isProcessed: false,
      disappearedAt: null,
    };
    const cleared = { ...alarm, key: 'batteryNoConnected', disappearedAt: MEASURED_AT };
    const { page } = await scrapeHouse({
      readings: history(CLASSIC),
      alarms: { data: { total: 1, list: [alarm, { ...alarm, isProcessed: true }, cleared] } },
    });
    expect(page.all('solar_device_alarm_firing').map(({ labels }) => labels)).toEqual([
      {
        station_id: '100000000000000003',
        device_id: '100000000000000001',
        alarm: 'lineLoss',
        level: 'warning',
      },
    ]);
  });
});
