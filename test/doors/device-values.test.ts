import { describe, expect, test } from 'vitest';
import {
  catalogueOf,
  type DeviceAnswers,
  devicesAnswering,
  seriesOf,
  shownOf,
} from './device-answers.ts';
import { type HouseSetup, type ScrapedPage, scrapeHouse } from './house.ts';
import { flow, history, latest, MEASURED_AT, type TaggedFields } from './scripted-service.ts';

const PV = 'solar_pv_power_watts';
const LOAD = 'solar_load_power_watts';
const OUTPUT = 'solar_ac_output_power_watts';
const IMPORT = 'solar_grid_import_power_watts';
const FEED_IN = 'solar_grid_feed_in_power_watts';
const BATTERY = 'solar_battery_power_watts';
const CHARGING = 'solar_battery_charging_current_amperes';
const DISCHARGE = 'solar_battery_discharge_current_amperes';
const VOLTS = 'solar_battery_voltage_volts';
const SOC = 'solar_battery_soc_ratio';
const CELSIUS = 'solar_battery_temperature_celsius';
const stringPower = (part: string) => `solar_pv_string_power_watts{string="${part}"}`;
const mode = (name: string) => `solar_device_working_mode{mode="${name}"}`;
const family = (name: string) => `solar_device_dialect_info{family="${name}"}`;
const lacks = (quantity: string) => `solar_device_quantity_missing{quantity="${quantity}"}`;

/** A key that only this family uses, and that measures nothing of what a row is about. */
const UWB1 = { batteryPercentage: [76, '%'] } as const;
const MSDC = { battery_charge_state: [55, '%'] } as const;
const HPVINV02 = { outputActivePower: [0.5, 'kW'] } as const;
const HYBRID = { totalLoadPower: [0.4, 'kW'], gridFrequency: [50, 'Hz'] } as const;
const SIERRO = { remainingBatteryCapacity: [62, '%'] } as const;
const MANIY = { lithiumBatteryRemainingCapacity: [70, '%'] } as const;
const MEGA_ECO = { GridPower: [0, 'W'] } as const;

type Watts = number | null;
const strings = (...watts: readonly Watts[]): TaggedFields =>
  Object.fromEntries(watts.map((value, index) => [`pv${index + 1}Power`, [value, 'W']]));
const phases = (...watts: readonly Watts[]): TaggedFields =>
  Object.fromEntries(
    watts.map((value, index) => [`${'abc'.charAt(index)}PhaseMainsPower`, [value, 'W']]),
  );
const cells = (...celsius: readonly Watts[]): TaggedFields =>
  Object.fromEntries(celsius.map((value, index) => [`cellTemperature${index + 1}`, [value, '°C']]));

interface Row extends Omit<DeviceAnswers, 'latest' | 'flow'> {
  readonly when: string;
  /** Keys with value and unit. */
  readonly state?: TaggedFields;
  /** Words of the service for values, by key. */
  readonly words?: Readonly<Record<string, string>>;
  readonly flowing?: TaggedFields;
  readonly page: Readonly<Record<string, number | undefined>>;
}

/** Says of each row what the page says of its device; all devices of a table are in one house. */
function holds(rows: readonly Row[], setup: HouseSetup = {}): void {
  let scraped: Promise<ScrapedPage> | undefined;
  const scrape = async (): Promise<ScrapedPage> => {
    const devices = rows.map((row, index) => [`row${index}`, answersOf(row)] as const);
    const { page } = await scrapeHouse(devicesAnswering(Object.fromEntries(devices)), {
      ...setup,
      flags: { 'collect.energy': 'false', ...setup.flags },
    });
    return page;
  };
  test.each(rows.map((row, index) => ({ ...row, index })))('$when', async ({ index, page }) => {
    scraped ??= scrape();
    expect(shownOf(await scraped, `row${index}`, page)).toEqual(page);
  });
}

function answersOf({
  state,
  words = {},
  flowing,
  ...row
}: Omit<Row, 'when' | 'page'>): DeviceAnswers {
  const fields = Object.entries(state ?? {}).map(([key, [value, unit]]) => {
    return [key, { key, value, unit, valueDisplay: words[key] }] as const;
  });
  return {
    ...row,
    latest: state && latest({}, { fields: Object.fromEntries(fields) }),
    flow: flowing && flow(flowing),
  };
}

describe('the family of a device is', () => {
  const rows: readonly (readonly [name: string, keys: readonly string[]])[] = [
    ['hpvinv02', ['mainsPower']],
    ['hpvinv02', ['outputActivePower', 'mainsPower', 'GridPower']],
    ['uwb1', ['aPhaseMainsPower']],
    ['pi30', ['PV1ChargingPower']],
    ['pi30', ['pv1chargingPower']],
    ['mega-eco', ['gridpower']],
    ['mega-eco', ['CTPower', 'batteryVoltage']],
    ['mega-eco', ['mainsPower', 'GridPower', 'pv2InputPower']],
    ['mega-eco', ['pvInputPower', 'acOutputActivePower', 'batteryVoltage', 'GridPower']],
    ['a-phase-hybrid', ['bPhaseFeederPower']],
    ['msdc', ['battery_current', 'outputPower']],
    ['sierro', ['exchangeChargingPower', 'outputPower']],
    ['maniy', ['pv2RealTimePower']],
    ['techfine', ['tqfDailyElectricityGeneration', 'pvPower']],
    ['techfine', ['outputActivePower', 'mainsPower', 'tqfDailyElectricityGeneration']],
    ['charge-controller', ['batteryRemainingCapacitySOC', 'load_power']],
    ['line-interactive', ['workingStates', 'gridState', 'batState']],
    ['classic', ['pvInputPower', 'batteryVoltage', 'batterySOC', 'busVoltage']],
    ['unknown', ['pvInputPower', 'batterySOC']],
    ['unknown', ['batteryChargingCurrent', 'batteryVoltage', 'batterySOC', 'acOutputActivePower']],
    ['unknown', ['generationPower', 'pv1Power', 'load_power']],
    ['unknown', ['bmsBatteryVoltage', 'gridVoltage', 'workingMode']],
    ['unknown', ['solarYieldNow', 'houseMeter']],
  ];
  holds(
    rows.map(([name, keys]) => ({
      when: `${name} by the keys ${keys.join(', ')}`,
      state: Object.fromEntries(keys.map((key) => [key, [1, '']])),
      page: { [family(name)]: 1 },
    })),
  );
});

describe('a value is shown', () => {
  holds([
    {
      when: 'in the unit of its tag',
      state: { ...HPVINV02, pvPower: [1200, 'W'] },
      page: { [PV]: 1200 },
    },
    {
      when: 'in the unit of its family without a tag, or with a tag that is no unit',
      state: { outputActivePower: [0.5, ''], pvPower: [1.2, '--'] },
      page: { [PV]: 1200, [OUTPUT]: 500 },
    },
    {
      when: 'not where the unit of its tag is unknown',
      state: { ...HPVINV02, pvPower: [1.2, 'kWp'] },
      page: { [PV]: undefined, [OUTPUT]: 500 },
    },
    {
      when: 'not where nobody has confirmed its unit, unless a tag does',
      state: { ...MANIY, pv1RealTimePower: [1.2, ''], pv2RealTimePower: [0.7, 'kW'] },
      page: { [PV]: undefined, [stringPower('1')]: undefined, [stringPower('2')]: 700 },
    },
    {
      when: 'not where nobody has confirmed its sign',
      state: {
        ...MANIY,
        inputMainsPower: [500, 'W'],
        lithiumBatteryChargeDischargeCurrent: [3, 'A'],
      },
      page: { [IMPORT]: undefined, [FEED_IN]: undefined, [CHARGING]: undefined, [SOC]: 0.7 },
    },
    {
      when: 'where it is numeric text or a measured zero, and not where it is another text',
      state: { batteryVoltage: [' 52.4 ', 'V'], batterySOC: [0, '%'], gridVoltage: ['L', 'V'] },
      page: { [VOLTS]: 52.4, [SOC]: 0, solar_grid_voltage_volts: undefined },
    },
    {
      when: 'in the unit that is right, where the tag of the family is known to be wrong',
      state: { ...MSDC, outputPower: [0.9, 'W'] },
      page: { [LOAD]: 900 },
    },
    {
      when: 'in the unit of its tag in a family whose tag is right',
      state: { ...SIERRO, outputPower: [235, 'W'] },
      page: { [LOAD]: 235 },
    },
    {
      when: 'of a clamp, and a 0 is no clamp',
      state: { ...MEGA_ECO, CTPower: [2400, 'W'], acOutputActivePower: [310, 'W'] },
      page: { [LOAD]: 2400, [OUTPUT]: 310 },
    },
    {
      when: 'of the AC output where there is no clamp',
      state: { ...MEGA_ECO, CTPower: [0, 'W'], acOutputActivePower: [310, 'W'] },
      page: { [LOAD]: 310 },
    },
    {
      when: 'by what its key means in its family',
      state: { ...SIERRO, generationPower: [410, ''], batteryCapacity: [40, ''] },
      page: { [PV]: 410, [SOC]: 0.62 },
    },
    {
      when: 'by what its tag says of its key before what its family says',
      state: { exchangeChargingPower: [0, 'W'], batteryCapacity: [40, '%'] },
      page: { [SOC]: 0.4 },
    },
    {
      when: 'by a rule of other families where they agree',
      state: {
        pvInputPower: [900, ''],
        batteryVoltage: [52, 'V'],
        batterySOC: [9, '%'],
        load_power: [0.3, ''],
      },
      page: { [family('classic')]: 1, [PV]: 900, [LOAD]: 300 },
    },
    {
      when: 'not where families disagree about its unit, and its tag does not say',
      state: { generationPower: [1.2, ''], batteryVoltage: [52, 'V'] },
      page: { [family('unknown')]: 1, [PV]: undefined, [VOLTS]: 52 },
    },
    {
      when: 'where families disagree about its unit, and its tag says',
      state: { generationPower: [1200, 'W'], batteryVoltage: [52, 'V'] },
      page: { [family('unknown')]: 1, [PV]: 1200 },
    },
    {
      when: 'not where families disagree about what it is',
      state: { pvInputPower: [500, 'W'], batteryVoltage: [52, 'V'] },
      page: { [family('unknown')]: 1, [PV]: undefined, [stringPower('1')]: undefined },
    },
    {
      when: 'not where its tag is of another dimension',
      state: { ...HPVINV02, pvPower: [1.2, 'kWh'], batterySOC: [52, 'V'] },
      page: { [PV]: undefined, [SOC]: undefined },
    },
    {
      when: 'by its own key before the key of another family',
      state: { batterySOC: [40, '%'], batteryPercentage: [76, '%'], soc: [11, '%'] },
      page: { [family('uwb1')]: 1, [SOC]: 0.76 },
    },
    {
      when: 'by the next key where its own has none',
      state: {
        ...phases(0),
        batteryPercentage: [null, '%'],
        soc: [11, '%'],
        batterySOC: [40, '%'],
      },
      page: { [family('uwb1')]: 1, [SOC]: 0.11 },
    },
    {
      when: 'by the key in its exact spelling, and in any case where there is none',
      state: { PVVoltage: [320, 'V'], GRIDVOLTAGE: [231, 'V'] },
      page: { 'solar_pv_string_voltage_volts{string="1"}': 320, solar_grid_voltage_volts: 231 },
    },
    {
      when: 'not of a series where its family was never seen to have it, without a unit',
      catalogue: catalogueOf({ GridPower: 'W', acOutputActivePower: undefined }),
      series: seriesOf({ GridPower: 120, acOutputActivePower: 310 }),
      page: { [IMPORT]: 120, [OUTPUT]: undefined },
    },
    {
      when: 'of a series by the unit that another answer names',
      catalogue: catalogueOf({ GridPower: 'W', acOutputActivePower: 'W' }),
      series: seriesOf({ GridPower: 120, acOutputActivePower: 310 }),
      page: { [IMPORT]: 120, [OUTPUT]: 310 },
    },
    {
      when: 'of a series by that unit before the one of its family',
      catalogue: catalogueOf({ pv1Power: 'kW', batteryPercentage: '%' }),
      series: seriesOf({ pv1Power: 1.2, batteryPercentage: 76 }),
      page: { [family('uwb1')]: 1, [PV]: 1200 },
    },
    {
      when: 'not where it is higher than anything',
      state: { ...HPVINV02, pvPower: [1e10, 'kW'] },
      page: { [PV]: undefined },
    },
    {
      when: 'as 1 where a battery is more than full',
      state: { batterySOC: [105, '%'] },
      page: { [SOC]: 1 },
    },
  ]);
});

describe('a sum is', () => {
  holds([
    {
      when: 'that of the strings where there is no other',
      state: { ...UWB1, ...strings(820, 610) },
      page: { [PV]: 1430, [stringPower('1')]: 820, [stringPower('2')]: 610 },
    },
    {
      when: 'its own, to which strings are never added, even where it is 0',
      state: { ...UWB1, ...strings(820), generationPower: [0, 'kW'] },
      page: { [PV]: 0, [stringPower('1')]: 820 },
    },
    {
      when: 'that of the strings where its own has no value',
      state: { ...UWB1, ...strings(820, 610), generationPower: [null, 'kW'] },
      page: { [PV]: 1430 },
    },
    {
      when: 'its own where a string has no value',
      state: { ...UWB1, ...strings(500, null), generationPower: [2.5, 'kW'] },
      page: { [PV]: 2500, [lacks('pv_power')]: undefined },
    },
    {
      when: 'unknown where a string has no value, which is said',
      state: { ...UWB1, ...strings(820, null) },
      page: { [PV]: undefined, [stringPower('1')]: 820, [lacks('pv_power')]: 1 },
    },
    {
      when: 'unknown where no string has a value',
      state: { ...UWB1, ...strings(null, null) },
      page: { [PV]: undefined, [SOC]: 0.76 },
    },
    {
      when: '0 where the strings that are known produce nothing',
      state: { ...UWB1, ...strings(0, null) },
      page: { [PV]: 0 },
    },
    {
      when: 'unknown where the other string has a value in an unknown unit',
      state: { ...UWB1, ...strings(0), pv2Power: [7, 'kWp'] },
      page: { [PV]: undefined },
    },
    {
      when: 'unknown where a current flows in a string whose power is not sent',
      state: { ...UWB1, ...strings(820), pv2Current: [2, 'A'] },
      page: { [PV]: undefined, 'solar_pv_string_current_amperes{string="2"}': 2 },
    },
    {
      when: 'that of what there is where no current flows in the other string',
      state: { ...UWB1, ...strings(820), pv2Current: [0, 'A'] },
      page: { [PV]: 820 },
    },
    ...[
      {
        when: 'that of the strings without what one produced before it went to sleep',
        at: '07:39:00',
      },
      { when: 'that of the strings with what one produced a moment ago', at: '07:41:00' },
    ].map(({ when, at }) => ({
      when,
      series: history({ pv1Power: [0, 0], pv2Power: [30, null], batteryPercentage: [76, 76] }, [
        `2026-08-24T${at}.000Z`,
        MEASURED_AT,
      ]),
      catalogue: catalogueOf({ pv1Power: 'W', pv2Power: 'W', batteryPercentage: '%' }),
      page: { [PV]: at < '07:41' ? 0 : 30, [stringPower('2')]: 30 },
    })),
    {
      when: 'that of phases, which together import',
      state: { ...UWB1, ...phases(-200, 50, 30) },
      page: { [IMPORT]: 120, [FEED_IN]: 0 },
    },
    {
      when: 'that of phases, which together feed in',
      state: { ...UWB1, ...phases(500, -100) },
      page: { [IMPORT]: 0, [FEED_IN]: 400 },
    },
    {
      when: 'that of the one phase that a device lists',
      state: { ...UWB1, ...phases(-200) },
      page: { [IMPORT]: 200, [lacks('grid_feed_in_power')]: undefined },
    },
    {
      when: 'unknown where a phase has no value, whatever the others say',
      state: { ...UWB1, ...phases(0, null, 0) },
      page: { [IMPORT]: undefined, [FEED_IN]: undefined, [lacks('grid_feed_in_power')]: 1 },
    },
    {
      when: 'that of the phases that a device sends, where only its model lists more',
      state: { ...UWB1, ...phases(-200), ...strings(500) },
      catalogue: catalogueOf({ aPhaseMainsPower: 'W', bPhaseMainsPower: 'W', pv1Power: 'W' }),
      page: { [IMPORT]: 200 },
    },
    {
      when: 'unknown where only the catalogue lists the phases, and one has no value',
      series: seriesOf({ aPhaseMainsPower: -200, batteryPercentage: 76 }),
      catalogue: catalogueOf({
        ...{ aPhaseMainsPower: 'W', bPhaseMainsPower: 'W', batteryPercentage: '%' },
      }),
      page: { [SOC]: 0.76, [IMPORT]: undefined },
    },
    {
      when: 'the temperature of the hottest cell that is known',
      state: cells(-4, -2, null),
      page: { [CELSIUS]: -2 },
    },
    {
      when: 'the temperature of the battery before that of its cells',
      state: { ...cells(24), batteryTemperature: [20, '°C'] },
      page: { [CELSIUS]: 20 },
    },
    {
      when: 'the temperature of the cells where that of the battery has no value',
      state: { ...cells(24), batteryTemperature: [null, '°C'] },
      page: { [CELSIUS]: 24 },
    },
  ]);
});

describe('by night, at the station', () => {
  const asleep = { ...UWB1, ...strings(null, null) };

  // It is eight o'clock in Greenwich.
  test.each([
    { hour: 21, timeZone: 'Pacific/Apia', watts: undefined },
    { hour: 22, timeZone: 'Pacific/Kiritimati', watts: 0 },
    { hour: 3, timeZone: 'America/Bogota', watts: 0 },
    { hour: 4, timeZone: 'America/Santo_Domingo', watts: undefined },
  ])('strings without values produce $watts W: at $hour', async ({ timeZone, watts }) => {
    const device = answersOf({ state: asleep, record: { stationTimezone: timeZone } });
    const { page } = await scrapeHouse(devicesAnswering({ 1: device }));
    expect(page.value(PV)).toBe(watts);
  });

  const record = { stationTimezone: 'America/Bogota' };
  holds([
    {
      when: 'one string without a value produces nothing',
      record,
      state: { ...UWB1, ...strings(4, null) },
      page: { [PV]: 4 },
    },
    {
      when: 'a sum of its own without a value stays unknown',
      state: { ...UWB1, generationPower: [null, 'kW'] },
      page: { [PV]: undefined },
    },
    {
      when: 'a phase without a value may carry anything',
      state: { ...UWB1, ...phases(-200, null) },
      page: { [IMPORT]: undefined },
    },
    {
      when: 'strings sleep in a series as well',
      series: seriesOf({ batteryPercentage: 76, pv1Power: null }),
      catalogue: catalogueOf({ pv1Power: 'W', batteryPercentage: '%' }),
      page: { [PV]: 0, [SOC]: 0.76 },
    },
    {
      when: 'strings sleep in the energy flow as well',
      flowing: asleep,
      page: { [PV]: 0, [SOC]: 0.76 },
    },
  ]);
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

  holds([
    {
      when: 'is import in one family',
      state: { GridPower: [640, 'W'] },
      page: { [IMPORT]: 640, [FEED_IN]: 0 },
    },
    {
      when: 'is the other way round for the negative',
      state: { GridPower: [-120, 'W'] },
      page: { [IMPORT]: 0, [FEED_IN]: 120 },
    },
    {
      when: 'gives way to a measured feed-in',
      state: { GridPower: [-120, 'W'], feedInPower: [118, 'W'] },
      page: { [IMPORT]: 0, [FEED_IN]: 118 },
    },
    {
      when: 'is that of another key: to the house',
      state: mains(0.3, '+'),
      page: { [IMPORT]: 300, [FEED_IN]: 0 },
    },
    {
      when: 'is that of another key: away from it',
      state: mains(0.45, '-'),
      page: { [IMPORT]: 0, [FEED_IN]: 450 },
    },
    {
      when: 'is unknown of words',
      state: mains(0.3, 'Mains To Inverter'),
      page: { [IMPORT]: undefined },
    },
    {
      when: 'is unknown where that key has no value',
      state: mains(0.3, ' '),
      page: { [IMPORT]: undefined },
    },
    {
      when: 'is unknown where that key is not sent',
      state: mains(0.3),
      page: { [FEED_IN]: undefined },
    },
    { when: 'matters to no zero', state: mains(0), page: { [IMPORT]: 0, [FEED_IN]: 0 } },
    {
      when: 'of a current is charging in one family',
      state: { ...SIERRO, batteryCurrent: [3, 'A'] },
      page: { [CHARGING]: 3, [DISCHARGE]: 0 },
    },
    {
      when: 'of a current gives way to a measured one',
      state: { ...SIERRO, batteryCurrent: [3, 'A'], batteryChargingCurrent: [2.9, 'A'] },
      page: { [CHARGING]: 2.9, [DISCHARGE]: 0 },
    },
    {
      when: 'of power and current may agree',
      state: battery(1500, 29),
      page: { [BATTERY]: 1500, [DISCHARGE]: 29, [CHARGING]: 0 },
    },
    {
      when: 'of power and current may disagree, and neither is believed',
      state: battery(1500, -29),
      page: { [BATTERY]: undefined, [DISCHARGE]: undefined, [CHARGING]: undefined },
    },
    {
      when: 'of a small current is not believed beside a power',
      state: battery(1500, -0.2),
      page: { [BATTERY]: 1500, [DISCHARGE]: undefined, [CHARGING]: undefined },
    },
    {
      when: 'is not that of a current of 0 beside a power',
      state: battery(100, 0),
      page: { [BATTERY]: 100, [DISCHARGE]: undefined },
    },
    {
      when: 'means nothing while the battery rests: of a current that disagrees',
      state: battery(-99, 0.6),
      page: { [BATTERY]: -99, [CHARGING]: undefined },
    },
    {
      when: 'means nothing while the battery rests: of a current of 0',
      state: battery(-30, 0),
      page: { [BATTERY]: -30, [DISCHARGE]: 0, [CHARGING]: 0 },
    },
    {
      when: 'of a current at 0.5 A beside a power that it contradicts is not passed over',
      state: battery(1500, -0.5),
      page: { [BATTERY]: undefined },
    },
    {
      when: 'does not matter to measured currents',
      state: { ...battery(1500, -29), batteryDischargeCurrent: [28, 'A'] },
      page: { [DISCHARGE]: 28 },
    },
    {
      when: 'of the battery is positive when discharging, in kW as well',
      state: { ...HYBRID, batteryPower: [-0.5, 'kW'] },
      page: { [BATTERY]: -500 },
    },
  ]);
});

describe('a mode is shown', () => {
  const words = (key: string, said: string) => ({ words: { [key]: said } });

  holds([
    {
      when: 'by its letter',
      state: { workingMode: ['B', ''] },
      page: { [mode('battery')]: 1, [mode('line')]: 0 },
    },
    {
      when: 'by its letter in lower case',
      state: { workingMode: ['l', ''] },
      page: { [mode('line')]: 1 },
    },
    {
      when: 'by a code that nobody has named',
      state: { workingStates: ['04', ''] },
      page: { [mode('04')]: 1 },
    },
    {
      when: 'by the words of the service for its code',
      state: { workingStates: ['4', ''] },
      ...words('workingStates', 'Line Mode'),
      page: { [mode('line')]: 1, [mode('4')]: undefined },
    },
    {
      when: 'by its letter where the words are others for the same',
      state: { ...HPVINV02, mode: ['L', ''] },
      ...words('mode', 'Mains Mode'),
      page: { [mode('line')]: 1 },
    },
    {
      when: 'by its code where the words are of another language',
      state: { workingStates: ['4', ''] },
      ...words('workingStates', 'Режим сети'),
      page: { [mode('4')]: 1 },
    },
    {
      when: 'by itself where it is words',
      state: { workingMode: ['Power On Mode', ''] },
      page: { [mode('power_on')]: 1 },
    },
    {
      when: 'not where it is a priority under that name',
      state: { ...HPVINV02, workingMode: ['1', ''] },
      ...words('workingMode', 'SBU'),
      page: { [mode('1')]: undefined, [mode('line')]: undefined },
    },
    {
      when: 'not where it is a priority in a family with the same keys',
      state: { tqfDailyElectricityGeneration: [1, 'kWh'], workingMode: ['1', ''] },
      page: { [family('techfine')]: 1, [mode('1')]: undefined },
    },
  ]);
});

describe('a value of a BMS', () => {
  const bms = (more: TaggedFields): TaggedFields => ({ ...HPVINV02, ...more });

  holds([
    { when: 'counts', state: bms({ bmsCurrentSOC: [87, '%'] }), page: { [SOC]: 0.87 } },
    {
      when: 'of 0 counts beside its volts',
      state: bms({ bmsCurrentSOC: [0, '%'], bmsBatteryVoltage: [44, 'V'] }),
      page: { [SOC]: 0 },
    },
    {
      when: 'of 0 does not count beside the volts of the inverter',
      state: bms({ bmsCurrentSOC: [0, '%'], batteryVoltage: [52, 'V'] }),
      page: { [SOC]: undefined, [VOLTS]: 52 },
    },
    {
      when: 'of 0 does not count beside unknown volts',
      state: bms({ bmsCurrentSOC: [0, '%'], bmsBatteryVoltage: [null, 'V'] }),
      page: { [SOC]: undefined },
    },
    {
      when: 'of 0 counts where it says that it answers',
      state: bms({ bmsCurrentSOC: [0, '%'], bmsCommunicationNormal: ['1', ''] }),
      page: { [SOC]: 0 },
    },
    {
      when: 'of 0 does not count where it answers, and has no volts',
      state: bms({
        ...{ bmsCurrentSOC: [0, '%'], bmsBatteryVoltage: [0, 'V'] },
        bmsCommunicationNormal: ['1', ''],
      }),
      page: { [SOC]: undefined },
    },
    {
      when: 'does not count while it says that it is silent',
      state: bms({
        ...{ bmsCurrentSOC: [100, '%'], bmsBatteryVoltage: [53, 'V'] },
        bmsCommunicationStatus: [0, ''],
      }),
      page: { [SOC]: undefined, [VOLTS]: undefined },
    },
    {
      when: 'counts where that is null',
      state: bms({ bmsCurrentSOC: [100, '%'], bmsCommunicationStatus: [null, ''] }),
      page: { [SOC]: 1 },
    },
    {
      when: 'does not count wherever the key has its name',
      state: {
        ...{ batState: [1, ''], bmsCommunicationNormal: ['0', ''] },
        maximumTemperatureBmsSingleSection: [28, '℃'],
      },
      page: { [family('line-interactive')]: 1, [CELSIUS]: undefined },
    },
  ]);
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
  const SEVEN = {
    ...{ pvInputPower: 1200, acOutputActivePower: 0.85, batterySOC: 93, feedInPower: 30 },
    ...{ batteryDischargeCurrent: 0, batteryChargingCurrent: 5, batteryVoltage: 52 },
  };

  holds(
    [
      {
        when: 'holds whatever the tag, and in any case',
        state: { HouseMeter: [0.4, 'V'] },
        page: { [LOAD]: 400 },
      },
      {
        when: 'for a model goes before one for all',
        ...model('XX1'),
        state: { modelMeter: [2, ''] },
        page: { [LOAD]: 2000 },
      },
      {
        when: 'for all holds for other models',
        ...model('XX2'),
        state: { modelMeter: [2, ''] },
        page: { [LOAD]: 2 },
      },
      {
        when: 'for a model holds for no other',
        ...model('XX2'),
        state: { modelOnly: [2, ''], gridVoltage: [230, 'V'] },
        page: { [LOAD]: undefined },
      },
      {
        when: 'goes before that of the family, and before its tag',
        ...model('XX2'),
        state: { ...HPVINV02, pvPower: [1.2, 'kW'] },
        page: { [PV]: 1.2, [stringPower('1')]: undefined },
      },
      {
        when: 'for another model leaves the family alone',
        ...model('XX1'),
        state: { ...HPVINV02, pvPower: [1.2, 'kW'] },
        page: { [PV]: 1200 },
      },
      {
        when: 'may leave a key out',
        state: { batteryVoltage: [52, 'V'], gridVoltage: [230, 'V'] },
        page: { [VOLTS]: undefined, solar_grid_voltage_volts: 230 },
      },
      {
        when: 'may leave out a string that a sum would wait for',
        ...model('XX3'),
        state: { ...UWB1, ...strings(820, null) },
        page: { [PV]: 820 },
      },
      {
        when: 'ranks as it stands in the file, before the rules of the family',
        state: { ...UWB1, second: [20, '%'], first: [10, '%'] },
        page: { [SOC]: 0.1 },
      },
      {
        when: 'has its key asked for at once',
        series: seriesOf({ ...SEVEN, houseMeter: 0.4, first: 10 }),
        page: { [LOAD]: 400, [OUTPUT]: 850, [SOC]: 0.1 },
      },
      {
        when: 'holds for a device whose keys were learnt',
        series: seriesOf({ pv1Power: 500, batteryPercentage: 76, houseMeter: 0.4 }),
        catalogue: catalogueOf({ pv1Power: 'W', batteryPercentage: '%' }),
        page: { [family('uwb1')]: 1, [LOAD]: 400, [PV]: 500 },
      },
      {
        when: 'may leave out a key of the interface',
        ...model('XX4'),
        series: seriesOf({ ...SEVEN, batteryVoltage: undefined }),
        page: { [FEED_IN]: undefined, [lacks('grid_feed_in_power')]: 1, [PV]: 1200 },
      },
    ],
    { flags: { 'dialect.file': 'mine.yml' }, readFile: () => FILE },
  );
});
