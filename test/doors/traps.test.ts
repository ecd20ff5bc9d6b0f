import { describe, expect, test } from 'vitest';
import { type HouseSetup, scrapeHouse } from './house.ts';
import {
  CLASSIC,
  deviceList,
  flow,
  history,
  latest,
  MEASURED_AT,
  type PortalAnswer,
  type Script,
  type TaggedFields,
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
/** Its battery discharges, and of its grid only the direction is known. */
const BATTERY_ALONE: TaggedFields = {
  batteryVoltage: [52, 'V'],
  batteryChargingCurrent: [5, 'A'],
  batteryDischargeCurrent: [20, 'A'],
  mainsCurrentFlowDirection: ['+', ''],
};

/** The frames of a quarter of an hour, oldest first. */
const FRAMES = [
  '2026-08-24T07:41:00.000Z',
  '2026-08-24T07:46:00.000Z',
  '2026-08-24T07:51:00.000Z',
  MEASURED_AT,
];

/** A nested yearly summary, as the portal gives it; of a placeholder nothing is real. */
function yearly(months: Readonly<Record<string, number | 'placeholder'>>): PortalAnswer {
  const properties = Object.entries(months).map(([key, figure]) => {
    const isRealValue = figure !== 'placeholder';
    const value = isRealValue ? figure : 0;
    return {
      property: { key, unit: 'kWh' },
      hasRealTimePoints: isRealValue,
      timePoints: [
        { time: '2026-07', value: 77, isRealValue: true },
        { time: '2026-08', value, isRealValue },
      ],
    };
  });
  return { data: { hasRealTimePoints: true, properties } };
}

const NO_HISTORY = { readings: history({}) };
const SETTING = {
  value: '1',
  valueDisplay: 'localised text',
  enumValues: [
    { id: '1', value: '0', text: 'USO' },
    { id: '2', value: '1', text: 'SUB' },
  ],
};

type Trap = readonly [
  trap: string,
  script: Script,
  page: Readonly<Record<string, number | undefined>>,
  setup?: HouseSetup,
];

describe('where the naive reading is wrong, the exporter knows that', () => {
  const TRAPS: readonly Trap[] = [
    [
      'the last element may be null, and the newest other one counts for a quarter of an hour',
      {
        readings: history(
          {
            ...CLASSIC,
            pvInputPower: [1000, 1100, 1150, null],
            batterySOC: [91, null, null, null],
          },
          FRAMES,
        ),
      },
      { solar_pv_power_watts: 1150, solar_battery_soc_ratio: undefined },
    ],
    [
      'what is missing is not 0',
      { readings: history({ ...CLASSIC, batterySOC: null, feedInPower: null }) },
      {
        solar_battery_soc_ratio: undefined,
        solar_grid_feed_in_power_watts: undefined,
        solar_battery_voltage_volts: 52,
      },
    ],
    [
      'a summary is nested, and bought and consumed energy have keys of their own',
      {
        summary: yearly({
          pvGeneratedEnergy: 140,
          buyElectricityQuantity: 60,
          sellElectricityQuantity: 20,
          consumeElectricityQuantity: 280,
          chargeElectricityQuantity: 90,
          dischargeElectricityQuantity: 80,
        }),
      },
      {
        solar_month_pv_generated_kwh: 140,
        solar_month_grid_import_kwh: 60,
        solar_month_grid_feed_in_kwh: 20,
        solar_month_consumption_kwh: 280,
        solar_month_battery_charged_kwh: 90,
        solar_month_battery_discharged_kwh: 80,
        solar_month_solar_ratio: 0.5,
      },
    ],
    [
      'a value that is not real is a placeholder, and a real 0 is a 0',
      { summary: yearly({ pvGeneratedEnergy: 0, consumeElectricityQuantity: 'placeholder' }) },
      { solar_month_pv_generated_kwh: 0, solar_month_consumption_kwh: undefined },
    ],
    [
      'watts or kilowatts is what the tag says, in the energy flow as well',
      {
        ...NO_HISTORY,
        latestState: latest({ batteryCapacity: [80, '%'] }),
        energyFlow: flow({
          acOutputActivePower: [850, 'W'],
          pvInputPower: [0.7, 'kW'],
          pv2InputPower: [0.5, 'kW'],
          generationPower: [1.2, 'kW'],
          GridPower: [-100, 'W'],
        }),
      },
      { solar_load_power_watts: 850, solar_pv_power_watts: 1200 },
    ],
    [
      'a measured grid goes before the estimate',
      { ...NO_HISTORY, latestState: latest(HPVINV02) },
      { solar_grid_import_power_watts: 300, solar_grid_power_watts: 300 },
    ],
    [
      'the grid is not estimated without what it is estimated from',
      { ...NO_HISTORY, latestState: latest(BATTERY_ALONE) },
      {
        solar_battery_power_watts: 780,
        solar_grid_import_power_watts: undefined,
        solar_grid_power_watts: undefined,
        solar_interface_grid_power_watts: undefined,
      },
    ],
    [
      'an expiry in milliseconds may be text',
      {
        refresh: {
          data: {
            accessToken: 'new',
            refreshToken: 'newer',
            accessTokenWillExpiredInMillis: '7199000',
          },
        },
      },
      { solar_token_expiry_timestamp_seconds: Date.parse('2026-08-24T09:59:59Z') / 1000 },
      { env: { SOLAR_REFRESH_TOKEN: 'made-up-refresh-token' } },
    ],
    [
      'a station id beyond 2^53 keeps its digits',
      { stations: { text: '{"code":0,"data":{"total":1,"list":[{"id":100000000000000003}]}}' } },
      { 'solar_up{station_id="100000000000000003"}': 1 },
    ],
    [
      'settings are objects with labels',
      { settingsGet: { data: { outputSourcePrioritySetting: SETTING } } },
      {
        'solar_device_setting_info{setting="outputSourcePrioritySetting",value="SUB"}': 1,
        'solar_collector_success{collector="settings"}': 1,
      },
      { flags: { 'collect.settings': 'true' } },
    ],
    [
      'settings may be none',
      { settingsGet: { data: {} } },
      { solar_device_setting_info: undefined, 'solar_collector_success{collector="settings"}': 1 },
      { flags: { 'collect.settings': 'true' } },
    ],
    [
      'stations are found without being named',
      { stations: { data: { list: [{ id: '3', name: 'Home' }, { id: '4' }] } } },
      { 'solar_station_info{name="Home"}': 1, 'solar_station_info{station_id="4"}': 1 },
    ],
    [
      'an answer is not live because it is an answer',
      {
        readings: history({}, []),
        latestState: latest(HPVINV02, { time: '2026-08-22T17:00:00.000Z' }),
      },
      {
        solar_device_reporting: 0,
        solar_pv_power_watts: undefined,
        solar_reading_timestamp_seconds: Date.parse('2026-08-22T17:00:00Z') / 1000,
      },
    ],
    [
      'a production that is null is not the 0 that the service makes of it',
      {
        devices: deviceList({ producingPower: null, nonNullableProducingPower: 0 }),
        readings: history({}, []),
      },
      { solar_pv_power_watts: undefined },
    ],
  ];
  const rows = TRAPS.map(([trap, script, expected, setup]) => ({ trap, script, expected, setup }));

  test.each(rows)('$trap', async ({ script, expected, setup }) => {
    const { page } = await scrapeHouse(script, setup);
    expect(page.like(expected)).toEqual(expected);
  });

  test('some endpoints are asked with GET', async () => {
    const { requests } = await scrapeHouse({
      ...NO_HISTORY,
      latestState: latest({}),
      energyFlow: flow({}),
    });
    const got = requests.filter(({ method }) => method === 'GET').map(({ endpoint }) => endpoint);
    expect(new Set(got)).toEqual(new Set(['latestState', 'attributes', 'energyFlow']));
    const posted = requests.filter(({ method }) => method === 'POST');
    expect(got.length + posted.length).toBe(requests.length);
  });
});
