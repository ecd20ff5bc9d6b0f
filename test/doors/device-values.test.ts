import { describe, expect, test } from 'vitest';
import {
  catalogueOf,
  type DeviceAnswers,
  devicesAnswering,
  HPVINV02 as HPVINV02_STATE,
  seriesOf,
  shownOf,
} from './device-answers.ts';
import { type HouseSetup, scrapeHouse } from './house.ts';
import {
  CLASSIC as INTERFACE,
  history,
  latest,
  MEASURED_AT,
  type TaggedFields,
} from './scripted-service.ts';

/** Nothing on the page. */
const NO = undefined;
const PV = 'solar_pv_power_watts';
const LOAD = 'solar_load_power_watts';
const OUTPUT = 'solar_ac_output_power_watts';
const GRID = 'solar_grid_power_watts';
const IMPORT = 'solar_grid_import_power_watts';
const FEED_IN = 'solar_grid_feed_in_power_watts';
const BY_INTERFACE = 'solar_interface_grid_power_watts';
const BATTERY = 'solar_battery_power_watts';
const CHARGING = 'solar_battery_charging_current_amperes';
const DISCHARGE = 'solar_battery_discharge_current_amperes';
const VOLTS = 'solar_battery_voltage_volts';
const SOC = 'solar_battery_soc_ratio';
const BMS = 'solar_battery_bms_connected';
const CELSIUS = 'solar_battery_temperature_celsius';
const SENSOR = 'solar_device_temperature_celsius{sensor="inverter"}';
const stringPower = (part: string) => `solar_pv_string_power_watts{string="${part}"}`;
const mode = (name: string) => `solar_device_working_mode{mode="${name}"}`;
const family = (name: string) => `solar_device_dialect_info{family="${name}"}`;
const lacks = (quantity: string) => `solar_device_quantity_missing_info{quantity="${quantity}"}`;

/** A key that only this family uses, and that measures nothing of what a row is about. */
const UWB1 = { batteryPercentage: [76, '%'] } as const;
const MSDC = { battery_charge_state: [55, '%'] } as const;
const HPVINV02 = { outputActivePower: [0.5, 'kW'] } as const;
const SIERRO = { remainingBatteryCapacity: [62, '%'] } as const;
const MANIY = { lithiumBatteryRemainingCapacity: [70, '%'] } as const;
const MEGA_ECO = { GridPower: [0, 'W'] } as const;
const CLASSIC_WATTS: TaggedFields = {
  pvInputPower: [1, 'W'],
  acOutputActivePower: [0.001, 'kW'],
  feedInPower: [10_000, 'W'],
  batteryVoltage: [52, 'V'],
  batterySOC: [9, '%'],
};
const RATED: Others = { record: { ratedPower: 5 } };
const CLASSIC = { batteryVoltage: [52, 'V'], batterySOC: [9, '%'] } as const;

type Watts = number | null;
const strings = (...watts: readonly Watts[]): TaggedFields =>
  Object.fromEntries(watts.map((value, index) => [`pv${index + 1}Power`, [value, 'W']]));
const phases = (...watts: readonly Watts[]): TaggedFields =>
  Object.fromEntries(
    watts.map((value, index) => [`${'abc'.charAt(index)}PhaseMainsPower`, [value, 'W']]),
  );
const cells = (...celsius: readonly Watts[]): TaggedFields =>
  Object.fromEntries(celsius.map((value, index) => [`cellTemperature${index + 1}`, [value, '°C']]));
/** A power of all strings that the device sends itself. */
const sum = (value: Watts): TaggedFields => ({ generationPower: [value, 'kW'] });

/** A series of these keys, whose units are in the catalogue; of `undefined` it has no value, or no unit. */
function ofSeries(fields: Readonly<Record<string, readonly [value: unknown, unit?: string]>>) {
  const keys = Object.entries(fields);
  const valued = keys.filter(([, [value]]) => value !== undefined);
  return {
    series: seriesOf(Object.fromEntries(valued.map(([key, [value]]) => [key, value]))),
    catalogue: catalogueOf(Object.fromEntries(keys.map(([key, [, unit]]) => [key, unit]))),
  };
}

/** What else a device answers, or is. */
interface Others extends Omit<DeviceAnswers, 'latest'> {
  /** Words of the service for values of the state, by key. */
  readonly words?: Readonly<Record<string, string>>;
  /** The key whose value the status calls misread. */
  readonly misread?: string;
}

type Page = Readonly<Record<string, number | undefined>>;
/** The latest state of a device, and what the page says of it. */
type Row = readonly [state: TaggedFields, page: Page, others?: Others];

/** A house with the devices of all rows that it is given, which holds that the page says so of each. */
function houseOf(setup: HouseSetup = {}) {
  const devices: Record<string, DeviceAnswers> = {};
  const scrape = async () => {
    const house = await scrapeHouse(devicesAnswering(devices), {
      ...setup,
      flags: { 'collect.energy': 'false', ...setup.flags },
    });
    return { page: house.page, status: await house.status() };
  };
  let scraped: ReturnType<typeof scrape> | undefined;
  return (rows: Readonly<Record<string, Row>>): void => {
    const cases = Object.entries(rows).map(([when, [state, expected, others]]) => {
      const id = String(Object.keys(devices).length);
      devices[id] = answersOf(state, others);
      return { when, id, expected, misread: others?.misread };
    });
    test.each(cases)('$when', async ({ id, expected, misread }) => {
      const { page, status } = await (scraped ??= scrape());
      expect(shownOf(page, id, expected)).toEqual(expected);
      if (misread === undefined) return;
      const device = status.stations[0]?.devices.find(({ deviceId }) => deviceId === id);
      expect(device?.misread?.map(({ key }) => key)).toEqual([misread]);
    });
  };
}

function answersOf(state: TaggedFields, { words = {}, ...others }: Others = {}): DeviceAnswers {
  const fields = Object.entries(state).map(([key, [value, unit]]) => {
    return [key, { key, value, unit, valueDisplay: words[key] }] as const;
  });
  return {
    // What 20 devices lack, no other one is asked for.
    catalogue: catalogueOf({}),
    ...others,
    latest: latest({}, { fields: Object.fromEntries(fields) }),
  };
}

const holds = houseOf();

describe('the family of a device is', () => {
  const rows: readonly (readonly [name: string, keys: readonly string[]])[] = [
    ['hpvinv02', ['outputActivePower', 'mainsPower', 'GridPower']],
    ['pi30', ['pv1chargingPower']],
    ['mega-eco', ['gridpower']],
    ['mega-eco', ['CTPower', 'batteryVoltage']],
    ['mega-eco', ['mainsPower', 'GridPower', 'pv2InputPower']],
    ['mega-eco', ['pvInputPower', 'acOutputActivePower', 'batteryVoltage', 'GridPower']],
    ['techfine', ['tqfDailyElectricityGeneration', 'pvPower']],
    ['techfine', ['outputActivePower', 'mainsPower', 'tqfDailyElectricityGeneration']],
    ['classic', ['pvInputPower', 'batteryVoltage', 'batterySOC', 'busVoltage']],
    ['unknown', ['pvInputPower', 'batterySOC']],
    ['unknown', ['batteryChargingCurrent', 'batteryVoltage', 'batterySOC', 'acOutputActivePower']],
    ['unknown', ['generationPower', 'pv1Power', 'load_power']],
    ['unknown', ['bmsBatteryVoltage', 'gridVoltage', 'workingMode']],
    ['unknown', ['solarYieldNow', 'houseMeter']],
  ];
  const row = (name: string, keys: readonly string[]): Row => [
    Object.fromEntries(keys.map((key) => [key, [1, '']])),
    { [family(name)]: 1 },
  ];
  const named = rows.map(([name, keys]) => [`${name} by ${keys.join(', ')}`, row(name, keys)]);
  holds(Object.fromEntries(named) as Record<string, Row>);
});

describe('a value is shown', () => {
  holds({
    'in the unit of its tag': [{ ...HPVINV02, pvPower: [1200, 'W'] }, { [PV]: 1200 }],
    'in that of its family without a tag': [{ outputActivePower: [0.5, ''] }, { [OUTPUT]: 500 }],
    'so where its tag is no unit': [{ ...HPVINV02, pvPower: [1.2, '--'] }, { [PV]: 1200 }],
    'not in an unknown unit': [
      { ...HPVINV02, pvPower: [1.2, 'kWp'] },
      { [PV]: NO, [OUTPUT]: 500 },
    ],
    'not where nobody has confirmed its unit, unless a tag does': [
      { ...MANIY, pv1RealTimePower: [1.2, ''], pv2RealTimePower: [0.7, 'kW'] },
      { [PV]: NO, [stringPower('1')]: NO, [stringPower('2')]: 700 },
    ],
    'not where nobody has confirmed its sign': [
      { ...MANIY, inputMainsPower: [500, 'W'], lithiumBatteryChargeDischargeCurrent: [3, 'A'] },
      { [IMPORT]: NO, [FEED_IN]: NO, [CHARGING]: NO, [SOC]: 0.7 },
    ],
    'where it is numeric text or a measured zero, and not where it is another text': [
      { batteryVoltage: [' 52.4 ', 'V'], batterySOC: [0, '%'], gridVoltage: ['L', 'V'] },
      { [VOLTS]: 52.4, [SOC]: 0, solar_grid_voltage_volts: NO },
    ],
    'in the right unit of a wrong tag': [{ ...MSDC, outputPower: [0.9, 'W'] }, { [LOAD]: 900 }],
    'of a clamp before that of the AC output': [
      { ...MEGA_ECO, CTPower: [2400, 'W'], acOutputActivePower: [310, 'W'] },
      { [LOAD]: 2400, [OUTPUT]: 310 },
    ],
    'of the AC output where a 0 is no clamp': [
      { ...MEGA_ECO, CTPower: [0, 'W'], acOutputActivePower: [310, 'W'] },
      { [LOAD]: 310 },
    ],
    'by what its key means in its family': [
      { ...SIERRO, generationPower: [410, ''], batteryCapacity: [40, ''] },
      { [PV]: 410, [SOC]: 0.62 },
    ],
    'by what its tag says of its key before what its family says': [
      { exchangeChargingPower: [0, 'W'], batteryCapacity: [40, '%'] },
      { [SOC]: 0.4 },
    ],
    'by a rule of other families where they agree': [
      { ...CLASSIC, pvInputPower: [900, ''], load_power: [0.3, ''] },
      { [family('classic')]: 1, [PV]: 900, [LOAD]: 300 },
    ],
    'not where families disagree about its unit, and its tag does not say': [
      { generationPower: [1.2, ''], batteryVoltage: [52, 'V'] },
      { [family('unknown')]: 1, [PV]: NO, [VOLTS]: 52 },
    ],
    'where they do, and its tag says': [{ generationPower: [1200, 'W'] }, { [PV]: 1200 }],
    'not where families disagree about what it is': [
      { pvInputPower: [500, 'W'], batteryVoltage: [52, 'V'] },
      { [family('unknown')]: 1, [PV]: NO, [stringPower('1')]: NO },
    ],
    'not where its tag is of another dimension': [
      { ...HPVINV02, pvPower: [1.2, 'kWh'], batterySOC: [52, 'V'] },
      { [PV]: NO, [SOC]: NO },
    ],
    'by its own key before the key of another family': [
      { batterySOC: [40, '%'], batteryPercentage: [76, '%'], soc: [11, '%'] },
      { [family('uwb1')]: 1, [SOC]: 0.76 },
    ],
    'by the next key where its own has none': [
      { ...phases(0), batteryPercentage: [null, '%'], soc: [11, '%'], batterySOC: [40, '%'] },
      { [family('uwb1')]: 1, [SOC]: 0.11 },
    ],
    'in whatever case its key is written': [
      { GRIDVOLTAGE: [231, 'V'] },
      { solar_grid_voltage_volts: 231 },
    ],
    'not of a series where its family was never seen to have it, without a unit': [
      {},
      { [IMPORT]: 120, [OUTPUT]: NO },
      ofSeries({ GridPower: [120, 'W'], acOutputActivePower: [310] }),
    ],
    'of a series by the unit that another answer names': [
      {},
      { [IMPORT]: 120, [OUTPUT]: 310 },
      ofSeries({ GridPower: [120, 'W'], acOutputActivePower: [310, 'W'] }),
    ],
    'of a series by that unit before the one of its family': [
      {},
      { [family('uwb1')]: 1, [PV]: 1200 },
      ofSeries({ pv1Power: [1.2, 'kW'], ...UWB1 }),
    ],
    'up to twice what the device can carry': [
      { ...UWB1, pv1Power: [10_000, 'W'], batteryPower: [-10_000, 'W'] },
      { [PV]: 10_000, [BATTERY]: -10_000 },
      RATED,
    ],
    'not of a string that would be more, nor is the sum with it': [
      { ...UWB1, ...strings(10_001, 500) },
      { [stringPower('1')]: NO, [stringPower('2')]: 500, [PV]: NO, [lacks('pv_power')]: 1 },
      RATED,
    ],
    'not where a sum is more': [
      { ...UWB1, ...strings(6000, 6000) },
      { [stringPower('1')]: 6000, [PV]: NO, [lacks('pv_power')]: 1 },
      RATED,
    ],
    'not of a current that would be more at the voltage that can be': [
      {
        ...CLASSIC_WATTS,
        batteryVoltage: [6553.5, 'V'],
        bmsBatteryVoltage: [52, 'V'],
        batteryChargingCurrent: [200, 'A'],
      },
      { [CHARGING]: NO, [VOLTS]: 52 },
      RATED,
    ],
    'of a house with other inverters where it is more': [
      { ...MEGA_ECO, CTPower: [12_000, 'W'], GridPower: [12_000, 'W'] },
      { [LOAD]: 12_000, [IMPORT]: 12_000 },
      RATED,
    ],
    'up to 200 kW of a device of unknown power': [
      { ...HPVINV02, pvPower: [200, 'kW'] },
      { [PV]: 200_000 },
    ],
    'not above it': [{ ...HPVINV02, pvPower: [200.1, 'kW'] }, { [PV]: NO }],
    'as 1 where a battery is more than full': [{ batterySOC: [105, '%'] }, { [SOC]: 1 }],
    'not where none can be so full': [{ batterySOC: [106, '%'] }, { [SOC]: NO }],
    'not where none can be so empty': [{ batterySOC: [-1, '%'] }, { [SOC]: NO }],
    'by the next key where what the first says cannot be': [
      { ...UWB1, generationPower: [65.535, 'kW'], ...strings(820, 610) },
      { [PV]: 1430 },
      RATED,
    ],
    'as 0 where it flows one way and is a little less than nothing': [
      { ...CLASSIC_WATTS, pvInputPower: [-20, 'W'], batteryDischargeCurrent: [-0.5, 'A'] },
      { [PV]: 0, [DISCHARGE]: 0 },
    ],
    'not where that is more': [
      { ...CLASSIC_WATTS, pvInputPower: [-20.1, 'W'], batteryDischargeCurrent: [-0.6, 'A'] },
      { [PV]: NO, [DISCHARGE]: NO },
    ],
    'with its sign where it flows both ways': [
      { GridPower: [-15, 'W'] },
      { [IMPORT]: 0, [FEED_IN]: 15 },
    ],
  });

  /** Highest and lowest of what can be, and what is just not. */
  const bounds: readonly (readonly [key: string, unit: string, metric: string, ...number[]])[] = [
    ['batteryVoltage', 'V', VOLTS, 1000, 0, 1000.1, -1],
    ['gridVoltage', 'V', 'solar_grid_voltage_volts', 600, 0, 600.1, -1],
    ['gridFrequency', 'Hz', 'solar_grid_frequency_hertz', 65, 0, 65.1, -0.1],
    ['acOutputVoltage', 'V', 'solar_ac_output_voltage_volts', 600, 0, 6553.5, -1],
    ['acOutputFrequency', 'Hz', 'solar_ac_output_frequency_hertz', 65, 0, 655.35, -0.1],
    ['pv1Voltage', 'V', 'solar_pv_string_voltage_volts{string="1"}', 1500, 0, 6553.5, -1],
    ['pv1Current', 'A', 'solar_pv_string_current_amperes{string="1"}', 200, 0, 200.1, -1],
    ['batteryChargingCurrent', 'A', CHARGING, 600, 0, 600.1, -1],
    ['batteryTemperature', '°C', CELSIUS, 100, -50, 100.1, -50.1],
    ['batteryTemperature', '°F', CELSIUS, 212, -58, 213, -59],
    ['inverterTemperature', '°C', SENSOR, 150, -50, 6553.5, -100],
  ];
  const rows = bounds.flatMap(([key, unit, metric, ...values]) =>
    values.map((value, index): readonly [string, Row] => {
      const shown = unit === '°F' ? ((value - 32) * 5) / 9 : value;
      const state: TaggedFields = { [key]: [value, unit], batteryCapacity: [50, '%'] };
      const page = { [metric]: index < 2 ? shown : NO };
      return [`${index < 2 ? 'up to' : 'not at'} ${value} ${unit} of ${key}`, [state, page]];
    }),
  );
  holds(Object.fromEntries(rows));
});

describe('a sum is', () => {
  /** The second string was last heard of then. */
  const fallingAsleepAt = (time: string) => ({
    series: history({ pv1Power: [0, 0], pv2Power: [30, null], batteryPercentage: [76, 76] }, [
      `2026-08-24T${time}:00.000Z`,
      MEASURED_AT,
    ]),
    catalogue: catalogueOf({ pv1Power: 'W', pv2Power: 'W', batteryPercentage: '%' }),
  });

  holds({
    'that of the strings where there is no other': [
      { ...UWB1, ...strings(820, 610) },
      { [PV]: 1430, [stringPower('1')]: 820, [stringPower('2')]: 610 },
    ],
    'its own, to which strings are never added, even where it is 0': [
      { ...UWB1, ...strings(820), ...sum(0) },
      { [PV]: 0, [stringPower('1')]: 820 },
    ],
    'that of strings where it is null': [{ ...strings(820, 610), ...sum(null) }, { [PV]: 1430 }],
    'its own where a string has no value': [
      { ...UWB1, ...strings(500, null), ...sum(2.5) },
      { [PV]: 2500, [lacks('pv_power')]: NO },
    ],
    'unknown where a string has no value, which is said': [
      { ...UWB1, ...strings(820, null) },
      { [PV]: NO, [stringPower('1')]: 820, [lacks('pv_power')]: 1 },
    ],
    'unknown where no string has one': [{ ...UWB1, ...strings(null, null) }, { [PV]: NO }],
    '0 where all that is known is 0': [{ ...UWB1, ...strings(0, null) }, { [PV]: 0 }],
    'unknown where only some are 0': [{ ...UWB1, ...strings(0, 500, null) }, { [PV]: NO }],
    'unknown in an unknown unit': [{ ...UWB1, ...strings(0), pv2Power: [7, 'kWp'] }, { [PV]: NO }],
    'unknown where a current flows in a string whose power is not sent': [
      { ...UWB1, ...strings(820), pv2Current: [2, 'A'] },
      { [PV]: NO, 'solar_pv_string_current_amperes{string="2"}': 2 },
    ],
    'that where none flows': [{ ...UWB1, ...strings(820), pv2Current: [0, 'A'] }, { [PV]: 820 }],
    'without a sleeping part': [{}, { [PV]: 0, [stringPower('2')]: 30 }, fallingAsleepAt('07:39')],
    'with a part of just now': [{}, { [PV]: 30, [stringPower('2')]: 30 }, fallingAsleepAt('07:41')],
    'that of phases': [
      phases(-200, 50, 30),
      { [IMPORT]: 120, [FEED_IN]: 0, [lacks('grid_feed_in_power')]: NO },
    ],
    'unknown where a phase has no value, whatever the others say': [
      { ...UWB1, ...phases(0, null, 0) },
      { [IMPORT]: NO, [FEED_IN]: NO, [lacks('grid_feed_in_power')]: 1 },
    ],
    'unknown where only the catalogue lists the phases, and one has no value': [
      {},
      { [SOC]: 0.76, [IMPORT]: NO },
      ofSeries({ ...phases(-200), bPhaseMainsPower: [undefined, 'W'], ...UWB1 }),
    ],
    'the temperature of the hottest cell that can be': [cells(-4, -2, 255), { [CELSIUS]: -2 }],
    'that of the cells where that of the battery cannot be': [
      { ...cells(24), batteryTemperature: [-100, '°C'] },
      { [CELSIUS]: 24 },
    ],
    'the temperature of the battery before cells': [
      { ...cells(24), batteryTemperature: [20, '°C'] },
      { [CELSIUS]: 20 },
    ],
  });
});

describe('with a second string, a PV key without a number is', () => {
  const FED_IN: TaggedFields = {
    acOutputActivePower: [0.684, 'kW'],
    feedInPower: [0, 'W'],
    batteryVoltage: [52, 'V'],
    batteryChargingCurrent: [0, 'A'],
    batteryDischargeCurrent: [0, 'A'],
    batterySOC: [93, '%'],
  };
  const both = (first: unknown, second: unknown, unit = 'W'): TaggedFields => ({
    pvInputPower: [first, unit],
    pv2InputPower: [second, unit],
  });
  const isFirst = { [PV]: 1000, [stringPower('1')]: 600, [stringPower('2')]: 400 };
  const series = (fields: TaggedFields): Others => ({
    series: seriesOf(
      Object.fromEntries(Object.entries(fields).map(([key, [value]]) => [key, value])),
      MEASURED_AT,
    ),
  });
  const voltronic = { ...FED_IN, ...both(600, 400) };
  holds({
    'the first string, beside all specified keys': [
      voltronic,
      { ...isFirst, [IMPORT]: 0, [family('classic')]: 1 },
      series(voltronic),
    ],
    'so in the latest state alone': [voltronic, { ...isFirst, [IMPORT]: 0 }],
    'so where the second one says nothing: the sum is unknown then, and no 0': [
      { ...FED_IN, ...both(600, null) },
      { [stringPower('1')]: 600, [PV]: NO, [IMPORT]: NO, [lacks('pv_power')]: 1 },
    ],
    'so without any unit': [{ ...FED_IN, ...both(600, 400, '') }, isFirst],
    'so of a line-interactive device, whose sum has a key of its own': [
      { ...both(600, 400), gridState: [1, ''], generationPower: [1, 'kW'] },
      isFirst,
    ],
    'the sum where the first has a key of its own and they come to that': [
      { ...FED_IN, ...both(1000, 400), pv1InputPower: [598, 'W'] },
      { ...isFirst, [stringPower('1')]: 598 },
    ],
    'the first where that says the same': [
      { ...FED_IN, ...both(600, 400), pv1InputPower: [600, 'W'] },
      isFirst,
    ],
    'the sum of strings of another name, too': [
      { ...UWB1, pvPower: [1000, 'W'], pv1Power: [600, 'W'], pv2Power: [400, 'W'] },
      isFirst,
    ],
    'the whole where both sleep': [{ ...FED_IN, ...both(0, null) }, { [PV]: 0 }],
  });
});

describe('a sign', () => {
  const mains = (power: number, ...direction: readonly string[]): TaggedFields => ({
    ...HPVINV02,
    mainsPower: [power, 'kW'],
    ...Object.fromEntries(direction.map((way) => ['mainsCurrentFlowDirection', [way, '']])),
  });
  const battery = (watts: number, amperes: number): TaggedFields => ({
    ...UWB1,
    batteryPower: [watts, 'W'],
    positiveTerminalBatteryCurrent: [amperes, 'A'],
  });

  const current = { ...SIERRO, batteryCurrent: [3, 'A'] } as const;

  holds({
    'is import in one family': [{ GridPower: [640, 'W'] }, { [IMPORT]: 640, [FEED_IN]: 0 }],
    'gives way to a measured feed-in': [
      { GridPower: [-120, 'W'], feedInPower: [118, 'W'] },
      { [IMPORT]: 0, [FEED_IN]: 118 },
    ],
    'is that of another key: to the house': [mains(0.3, '+'), { [IMPORT]: 300, [FEED_IN]: 0 }],
    'is that of another key: away from it': [mains(0.45, '-'), { [IMPORT]: 0, [FEED_IN]: 450 }],
    'is unknown of words': [mains(0.3, 'Mains To Inverter'), { [IMPORT]: NO }],
    'is unknown where that key is not sent': [mains(0.3), { [FEED_IN]: NO }],
    'matters to no zero': [mains(0), { [IMPORT]: 0, [FEED_IN]: 0 }],
    'of a current is charging in one family': [current, { [CHARGING]: 3, [DISCHARGE]: 0 }],
    'of a current gives way to a measured one': [
      { ...current, batteryChargingCurrent: [2.9, 'A'] },
      { [CHARGING]: 2.9, [DISCHARGE]: 0 },
    ],
    'of two may agree': [battery(1500, 29), { [BATTERY]: 1500, [DISCHARGE]: 29, [CHARGING]: 0 }],
    'of two may disagree': [battery(1500, -29), { [BATTERY]: NO, [DISCHARGE]: NO, [CHARGING]: NO }],
    'of a small current is not believed beside a power': [
      battery(1500, -0.2),
      { [BATTERY]: 1500, [DISCHARGE]: NO, [CHARGING]: NO },
    ],
    'is not that of a current of 0': [battery(100, 0), { [BATTERY]: 100, [DISCHARGE]: NO }],
    'means nothing while a battery rests': [battery(-99, 0.6), { [BATTERY]: -99, [CHARGING]: NO }],
    'of 0 A means nothing': [battery(-30, 0), { [BATTERY]: -30, [DISCHARGE]: 0, [CHARGING]: 0 }],
    'of 0.5 A that contradict a power is heard': [battery(1500, -0.5), { [BATTERY]: NO }],
    'does not matter to measured currents': [
      { ...battery(1500, -29), batteryDischargeCurrent: [28, 'A'] },
      { [DISCHARGE]: 28 },
    ],
  });
});

describe('a mode is shown', () => {
  const said = (key: string, text: string) => ({ words: { [key]: text } });

  holds({
    'by its letter': [{ workingMode: ['B', ''] }, { [mode('battery')]: 1, [mode('line')]: 0 }],
    'by its letter in lower case': [{ workingMode: ['l', ''] }, { [mode('line')]: 1 }],
    'by a code that nobody has named': [{ workingStates: ['04', ''] }, { [mode('04')]: 1 }],
    'by the words of the service for its code': [
      { workingStates: ['4', ''] },
      { [mode('line')]: 1, [mode('4')]: NO },
      said('workingStates', 'Line Mode'),
    ],
    'by its letter where the words are others for the same': [
      { ...HPVINV02, mode: ['L', ''] },
      { [mode('line')]: 1 },
      said('mode', 'Mains Mode'),
    ],
    'by its code where the words are of another language': [
      { workingStates: ['4', ''] },
      { [mode('4')]: 1 },
      said('workingStates', 'Режим сети'),
    ],
    'by words of its own': [{ workingMode: ['Power On Mode', ''] }, { [mode('power_on')]: 1 }],
    'not where it is any text': [
      { ...HPVINV02, mode: ['SN0001 of somebody', ''] },
      { solar_device_working_mode: NO },
    ],
    'not where it is a priority under that name': [
      { ...HPVINV02, workingMode: ['1', ''] },
      { [mode('1')]: NO, [mode('line')]: NO },
      said('workingMode', 'SBU'),
    ],
    'not where it is a priority in a family with the same keys': [
      { tqfDailyElectricityGeneration: [1, 'kWh'], workingMode: ['1', ''] },
      { [family('techfine')]: 1, [mode('1')]: NO },
    ],
  });
});

describe('a value of a BMS', () => {
  const bms = (soc: number, volts?: number | null, more: TaggedFields = {}): TaggedFields => ({
    ...HPVINV02,
    bmsCurrentSOC: [soc, '%'],
    ...(volts !== undefined && { bmsBatteryVoltage: [volts, 'V'] }),
    ...more,
  });
  const ANSWERS: TaggedFields = { bmsCommunicationNormal: ['1', ''] };
  const says = (status: number | null): TaggedFields => ({ bmsCommunicationStatus: [status, ''] });

  holds({
    counts: [bms(87), { [SOC]: 0.87 }],
    'of 0 counts beside its volts': [bms(0, 44), { [SOC]: 0 }],
    'of 0 does not count beside the volts of the inverter': [
      { ...bms(0), batteryVoltage: [52, 'V'] },
      { [SOC]: NO, [VOLTS]: 52 },
    ],
    'of 0 does not count beside unknown volts': [bms(0, null), { [SOC]: NO }],
    'of 0 counts where it says that it answers': [
      bms(0, undefined, ANSWERS),
      { [SOC]: 0, [BMS]: 1 },
    ],
    'of 0 does not where it has no volts': [bms(0, 0, ANSWERS), { [SOC]: NO }],
    'does not count of a silent one': [bms(100, 53, says(0)), { [SOC]: NO, [VOLTS]: NO, [BMS]: 0 }],
    'counts where that is null': [bms(100, undefined, says(null)), { [SOC]: 1, [BMS]: NO }],
    'counts where that is no answer': [bms(100, undefined, says(7)), { [SOC]: 1, [BMS]: NO }],
    'does not count wherever the key has its name': [
      {
        batState: [1, ''],
        bmsCommunicationNormal: ['0', ''],
        maximumTemperatureBmsSingleSection: [28, '℃'],
      },
      { [family('line-interactive')]: 1, [CELSIUS]: NO },
    ],
  });
});

describe('what follows from a value that cannot be is unknown:', () => {
  const record = { ratedPower: 5 };
  const uwb1: TaggedFields = {
    ...strings(820, 610),
    ...phases(-200, 50),
    load_power: [0.5, 'kW'],
    batteryPower: [-300, 'W'],
    batteryPercentage: [76, '%'],
  };
  const clamp: TaggedFields = {
    CTPower: [900, 'W'],
    GridPower: [-100, 'W'],
    outputActivePower: [0.31, 'kW'],
  };
  const feeding: TaggedFields = { ...HPVINV02_STATE, mainsCurrentFlowDirection: ['-', ''] };
  const sierro: TaggedFields = { ...SIERRO, batteryVoltage: [25, 'V'], outputPower: [235, 'W'] };
  const NET = [IMPORT, GRID];

  /** Devices that send such a value beside their usual ones; one that speaks as specified has a series. */
  const misreading = (
    usual: TaggedFields | 'as specified',
    rows: readonly (readonly [
      key: string,
      value: unknown,
      unknown: readonly string[],
      known: Page,
    ])[],
  ) => {
    const named = rows.map(([key, value, unknown, known]): readonly [string, Row] => {
      const page = { ...Object.fromEntries(unknown.map((name) => [name, NO])), ...known };
      const others = { record, misread: key };
      const row: Row =
        usual === 'as specified'
          ? [{}, page, { ...others, series: seriesOf({ ...INTERFACE, [key]: value }) }]
          : [{ ...usual, [key]: [value, usual[key]?.[1] ?? ''] }, page, others];
      return [`${String(value)} of ${key}`, row];
    });
    holds(Object.fromEntries(named));
  };

  misreading('as specified', [
    ['pvInputPower', 65_535, [PV, ...NET], { [LOAD]: 850 }],
    ['pvInputPower', 'NaN', [PV, ...NET], { [LOAD]: 850 }],
    ['acOutputActivePower', 65.535, [OUTPUT, LOAD, BY_INTERFACE, ...NET], { [PV]: 1200 }],
    ['feedInPower', 65_535, [FEED_IN, BY_INTERFACE, ...NET], { [LOAD]: 850 }],
    ['batteryVoltage', 6553.5, [VOLTS, BATTERY, ...NET], { [CHARGING]: 5, [DISCHARGE]: 0 }],
    // No battery has that while a current flows.
    ['batteryVoltage', 0, [VOLTS, BATTERY, ...NET], { [CHARGING]: 5 }],
    // A full register, wherever its decimal point is.
    ['batteryVoltage', 327.67, [VOLTS, BATTERY, ...NET], { [CHARGING]: 5 }],
    ['batteryChargingCurrent', 6553.5, [CHARGING, BATTERY, ...NET], { [VOLTS]: 52 }],
    ['batteryDischargeCurrent', -6, [DISCHARGE, BATTERY, ...NET], { [CHARGING]: 5 }],
    // Nothing follows from a level.
    ['batterySOC', 655.35, [SOC], { [IMPORT]: 0, [BATTERY]: -260 }],
  ]);
  misreading(HPVINV02_STATE, [['outputActivePower', 65.535, [LOAD, OUTPUT], { [IMPORT]: 300 }]]);
  misreading(feeding, [
    ['mainsPower', -0.3, [IMPORT, FEED_IN, GRID], { [LOAD]: 850 }],
    // The house can draw as much, but the device cannot feed it in.
    ['mainsPower', 150, [IMPORT, FEED_IN, GRID], { [LOAD]: 850 }],
  ]);
  misreading(clamp, [
    // The output does not stand for a load that was measured and cannot be.
    ['CTPower', 65_535, [LOAD], { [OUTPUT]: 310, [FEED_IN]: 100 }],
    ['GridPower', -20_000, [IMPORT, FEED_IN], { [LOAD]: 900 }],
  ]);
  misreading(uwb1, [
    ['aPhaseMainsPower', 32_767, [IMPORT, FEED_IN], { [LOAD]: 500 }],
    ['aPhaseMainsPower', 12_000, [IMPORT, FEED_IN], { [LOAD]: 500 }],
    ['aPhaseMainsPower', -32_768, [IMPORT, FEED_IN], { [LOAD]: 500 }],
    ['pv1Power', 65_535, [PV], { [LOAD]: 500, [IMPORT]: 150 }],
    ['batteryPower', -65_535, [BATTERY], { [PV]: 1430 }],
  ]);
  misreading(sierro, [['batteryCurrent', 6553.5, [CHARGING, BATTERY], { [LOAD]: 235 }]]);

  /** The load and the battery without the sun: what is missing counts as 0, as specified. */
  const missing = { [PV]: NO, [IMPORT]: 850 + 5 * 52 };
  const without = (value: unknown): Row => {
    return [{}, missing, { series: seriesOf({ ...INTERFACE, pvInputPower: value }) }];
  };
  holds({ 'unlike what is null': without(null), 'unlike dashes': without('--') });
});

describe("a rule of the user's", () => {
  const FILE = `
    - {key: houseMeter, quantity: load_power, unit: kW}
    - {key: modelMeter, quantity: load_power, unit: W}
    - {key: modelMeter, quantity: load_power, unit: kW, model: XX1}
    - {key: modelOnly, quantity: load_power, unit: W, model: XX1}
    - {key: pvPower, quantity: pv_power, unit: W, model: XX2}
    - {key: BATTERYVOLTAGE, quantity: nothing}
    - {key: pv2Power, quantity: nothing, model: XX3}
    - {key: first, quantity: battery_soc, unit: '%'}
    - {key: second, quantity: battery_soc, unit: '%'}
    - {key: feedInPower, quantity: nothing, model: XX4}
  `;
  const model = (name: string) => ({ record: { model: name } });
  const METER = { modelMeter: [2, ''] } as const;
  const SEVEN = { ...INTERFACE, feedInPower: 30 };
  const LEARNT = { pv1Power: 500, batteryPercentage: 76, houseMeter: 0.4 };

  houseOf({ flags: { 'dialect.file': 'mine.yml' }, readFile: () => FILE })({
    'holds whatever the tag, and in any case': [{ HouseMeter: [0.4, 'V'] }, { [LOAD]: 400 }],
    'for a model goes before one for all': [METER, { [LOAD]: 2000 }, model('XX1')],
    'for all holds for other models': [METER, { [LOAD]: 2 }, model('XX2')],
    'for a model holds for no other': [
      { modelOnly: [2, ''], gridVoltage: [230, 'V'] },
      { [LOAD]: NO },
      model('XX2'),
    ],
    'goes before that of the family, and before its tag': [
      { ...HPVINV02, pvPower: [1.2, 'kW'], pv2Power: [0.1, 'kW'] },
      { [PV]: 1.2, [stringPower('1')]: NO },
      model('XX2'),
    ],
    'leaves others alone': [{ ...HPVINV02, pvPower: [1.2, 'kW'] }, { [PV]: 1200 }, model('XX1')],
    'may leave a key out': [
      { batteryVoltage: [52, 'V'], gridVoltage: [230, 'V'] },
      { [VOLTS]: NO, solar_grid_voltage_volts: 230 },
    ],
    'may leave out a string': [{ ...UWB1, ...strings(820, null) }, { [PV]: 820 }, model('XX3')],
    'ranks as in the file': [{ ...UWB1, second: [20, '%'], first: [10, '%'] }, { [SOC]: 0.1 }],
    'has its key asked for at once': [
      {},
      { [LOAD]: 400, [OUTPUT]: 850, [SOC]: 0.1 },
      { series: seriesOf({ ...SEVEN, houseMeter: 0.4, first: 10 }) },
    ],
    'holds for a device whose keys were learnt': [
      {},
      { [family('uwb1')]: 1, [LOAD]: 400, [PV]: 500 },
      { ...ofSeries({ pv1Power: [500, 'W'], ...UWB1 }), series: seriesOf(LEARNT) },
    ],
    'may leave out a specified key': [
      {},
      { [FEED_IN]: NO, [lacks('grid_feed_in_power')]: 1, [PV]: 1200 },
      { ...model('XX4'), series: seriesOf({ ...SEVEN, batteryVoltage: NO }) },
    ],
  });
});
