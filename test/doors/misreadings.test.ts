import { describe, expect, test } from 'vitest';
import {
  type DeviceAnswers,
  devicesAnswering,
  HPVINV02,
  seriesOf,
  stateOf,
} from './device-answers.ts';
import { HOUR_MS, MINUTE_MS, openHouse, PLAIN, scrapeHouse } from './house.ts';
import { CLASSIC, deviceList, liveHistory, NOW, type TaggedFields } from './scripted-service.ts';
import { pvSummary } from './summaries.ts';

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
const MISSING = 'solar_station_devices_missing';

const RATED = { ratedPower: 5 };

/** A house that the sun feeds, of each family that has other keys for it. */
const HOUSES: Readonly<Record<string, TaggedFields>> = {
  hpvinv02: { ...HPVINV02, pv2Power: [0.1, 'kW'] },
  uwb1: {
    pv1Power: [820, 'W'],
    pv2Power: [610, 'W'],
    load_power: [0.5, 'kW'],
    batteryPower: [-300, 'W'],
    batteryPercentage: [76, '%'],
    aPhaseMainsPower: [-200, 'W'],
    bPhaseMainsPower: [50, 'W'],
  },
  pi30: {
    generationPower: [1.2, 'kW'],
    gridVoltage: [230, 'V'],
    batteryCapacity: [93, '%'],
    PV2ChargingPower: [null, 'W'],
    acOutputActivePower: [0.5, 'kW'],
    batteryVoltage: [52, 'V'],
    batteryChargingCurrent: [5, 'A'],
    batteryDischargeCurrent: [0, 'A'],
  },
  'mega-eco': {
    generationPower: [1.2, 'kW'],
    CTPower: [900, 'W'],
    GridPower: [-100, 'W'],
    batteryVoltage: [52, 'V'],
    batteryChargingCurrent: [5, 'A'],
    batteryCapacity: [93, '%'],
    batteryDischargeCurrent: [0, 'A'],
    outputActivePower: [0.31, 'kW'],
  },
  'a-phase-hybrid': {
    pv1Power: [1.2, 'kW'],
    totalLoadPower: [0.4, 'kW'],
    batteryPower: [-0.5, 'kW'],
    aPhaseFeederPower: [0.3, 'kW'],
    batterySOC: [60, '%'],
    batteryVoltage: [52, 'V'],
  },
  sierro: {
    generationPower: [410, 'W'],
    outputPower: [235, 'W'],
    batteryVoltage: [25, 'V'],
    batteryCurrent: [3, 'A'],
    remainingBatteryCapacity: [62, '%'],
  },
};

type Page = Readonly<Record<string, number | undefined>>;
type Row = readonly [family: string, sent: Readonly<Record<string, unknown>>, page: Page];

const ROWS: readonly Row[] = [
  ['classic', { pvInputPower: 65_535 }, { [PV]: NO, [IMPORT]: NO, [GRID]: NO, [LOAD]: 850 }],
  ['classic', { pvInputPower: 10_001 }, { [PV]: NO, [IMPORT]: NO, [BY_INTERFACE]: NO }],
  ['classic', { pvInputPower: 'NaN' }, { [PV]: NO, [IMPORT]: NO, [LOAD]: 850 }],
  ['classic', { pvInputPower: '1e999' }, { [PV]: NO, [IMPORT]: NO, [LOAD]: 850 }],
  ['classic', { pvInputPower: -21 }, { [PV]: NO, [IMPORT]: NO, [LOAD]: 850 }],
  [
    'classic',
    { acOutputActivePower: 65.535 },
    { [OUTPUT]: NO, [LOAD]: NO, [IMPORT]: NO, [GRID]: NO, [BY_INTERFACE]: NO, [PV]: 1200 },
  ],
  ['classic', { feedInPower: 65_535 }, { [FEED_IN]: NO, [IMPORT]: NO, [GRID]: NO, [LOAD]: 850 }],
  [
    'classic',
    { feedInPower: -100 },
    { [FEED_IN]: NO, [IMPORT]: NO, [GRID]: NO, [BY_INTERFACE]: NO },
  ],
  [
    'classic',
    { batteryVoltage: 6553.5 },
    { [VOLTS]: NO, [BATTERY]: NO, [IMPORT]: NO, [CHARGING]: 5, [DISCHARGE]: 0, [PV]: 1200 },
  ],
  [
    'classic',
    { batteryChargingCurrent: 6553.5 },
    { [CHARGING]: NO, [BATTERY]: NO, [IMPORT]: NO, [VOLTS]: 52 },
  ],
  ['classic', { batteryDischargeCurrent: -6 }, { [DISCHARGE]: NO, [BATTERY]: NO, [CHARGING]: 5 }],
  ['classic', { batteryVoltage: 0 }, { [VOLTS]: NO, [BATTERY]: NO, [IMPORT]: NO, [CHARGING]: 5 }],
  ['classic', { batteryVoltage: 327.67 }, { [VOLTS]: NO, [BATTERY]: NO, [IMPORT]: NO }],
  ['classic', { pvInputPower: true }, { [PV]: NO, [IMPORT]: NO, [LOAD]: 850 }],
  ['classic', { pvInputPower: { val: 1200 } }, { [PV]: NO, [IMPORT]: NO, [LOAD]: 850 }],
  ['classic', { batterySOC: 655.35 }, { [SOC]: NO, [IMPORT]: 0, [BATTERY]: -260 }],
  ['hpvinv02', { pvPower: 65.535 }, { [PV]: NO, [LOAD]: 850, [IMPORT]: 300 }],
  ['hpvinv02', { outputActivePower: 65.535 }, { [LOAD]: NO, [OUTPUT]: NO, [IMPORT]: 300 }],
  ['hpvinv02', { mainsPower: 65.535 }, { [IMPORT]: NO, [FEED_IN]: NO, [GRID]: NO, [LOAD]: 850 }],
  ['hpvinv02', { mainsPower: -0.3 }, { [IMPORT]: NO, [FEED_IN]: NO, [LOAD]: 850 }],
  [
    'hpvinv02',
    { mainsPower: 150, mainsCurrentFlowDirection: '-' },
    { [IMPORT]: NO, [FEED_IN]: NO, [LOAD]: 850 },
  ],
  ['hpvinv02', { batteryVoltage: 6553.5 }, { [VOLTS]: NO, [BATTERY]: NO, [CHARGING]: 5 }],
  ['uwb1', { pv1Power: 65_535 }, { [PV]: NO, [LOAD]: 500, [IMPORT]: 150 }],
  ['uwb1', { pv2Power: -500 }, { [PV]: NO, [LOAD]: 500 }],
  ['uwb1', { load_power: 65.535 }, { [LOAD]: NO, [PV]: 1430 }],
  ['uwb1', { batteryPower: -65_535 }, { [BATTERY]: NO, [PV]: 1430 }],
  ['uwb1', { aPhaseMainsPower: 65_535 }, { [IMPORT]: NO, [FEED_IN]: NO, [LOAD]: 500 }],
  ['uwb1', { aPhaseMainsPower: 32_767 }, { [IMPORT]: NO, [FEED_IN]: NO, [LOAD]: 500 }],
  ['uwb1', { aPhaseMainsPower: -32_768 }, { [IMPORT]: NO, [FEED_IN]: NO, [LOAD]: 500 }],
  ['uwb1', { batteryPercentage: 255 }, { [SOC]: NO, [LOAD]: 500 }],
  ['pi30', { generationPower: 12 }, { [PV]: NO, [IMPORT]: NO, [LOAD]: 500 }],
  ['pi30', { batteryDischargeCurrent: 655.35 }, { [BATTERY]: NO, [IMPORT]: NO, [VOLTS]: 52 }],
  ['mega-eco', { CTPower: 65_535 }, { [LOAD]: NO, [OUTPUT]: 310, [FEED_IN]: 100 }],
  ['mega-eco', { GridPower: -20_000 }, { [IMPORT]: NO, [FEED_IN]: NO, [LOAD]: 900 }],
  ['mega-eco', { GridPower: 65_535 }, { [IMPORT]: NO, [FEED_IN]: NO, [LOAD]: 900 }],
  ['a-phase-hybrid', { totalLoadPower: 655.35 }, { [LOAD]: NO, [PV]: 1200, [FEED_IN]: 300 }],
  ['a-phase-hybrid', { aPhaseFeederPower: -655.35 }, { [IMPORT]: NO, [FEED_IN]: NO }],
  ['sierro', { batteryCurrent: 6553.5 }, { [CHARGING]: NO, [BATTERY]: NO, [LOAD]: 235 }],
];

/** A device of 5 kW of this family, and values that it sends in place of its own. */
function answersOf(family: string, sent: Readonly<Record<string, unknown>>): DeviceAnswers {
  const record = RATED;
  if (family === 'classic') return { record, series: seriesOf({ ...CLASSIC, ...sent }) };
  const usual = HOUSES[family] ?? {};
  const changed = Object.entries(sent).map(([key, value]) => [key, [value, usual[key]?.[1]]]);
  const fields = { ...usual, ...Object.fromEntries(changed) } as TaggedFields;
  return { record, latest: stateOf(fields) };
}

test.each(['batteryVoltage', 'acOutputActivePower'])(
  'what follows from %s stays unknown for as long as it is gone',
  async (key) => {
    const goneAtMs = Date.parse(NOW) + 10 * MINUTE_MS;
    const readings = liveHistory((atMs) =>
      atMs < goneAtMs ? CLASSIC : { ...CLASSIC, [key]: null },
    );
    const house = await openHouse({ readings }, { flags: PLAIN });
    expect((await house.scrape()).value(IMPORT)).toBe(0);
    for (const minutes of [30, 30, 30, 24 * 60, 5]) {
      const page = await house.scrapeAfter(minutes * MINUTE_MS);
      expect(page.like({ [PV]: 0, [IMPORT]: 0 })).toEqual({ [PV]: 1200, [IMPORT]: NO });
    }
  },
);

describe('what follows from a value that came and cannot be is unknown', () => {
  test.each(ROWS)('%s: %j', async (family, sent, page) => {
    const script = devicesAnswering({ a: answersOf(family, sent) });
    const house = await scrapeHouse(script, { flags: PLAIN });
    expect(house.page.like({ ...page, [MISSING]: 1 })).toEqual({ ...page, [MISSING]: 1 });
    const [device] = (await house.status()).stations[0]?.devices ?? [];
    const [key] = Object.keys(sent);
    expect(device?.misread?.map((one) => one.key)).toEqual([key]);
    const text = await house.read();
    expect(text).toMatch(new RegExp(`<code>${String(key)}</code> says `));
  });

  test.each(['classic', ...Object.keys(HOUSES)])(
    'and all is known without one: %s',
    async (family) => {
      const script = devicesAnswering({ a: answersOf(family, {}) });
      const house = await scrapeHouse(script, { flags: PLAIN });
      expect(house.page.like({ [MISSING]: 0 })).toEqual({ [MISSING]: 0 });
      const [device] = (await house.status()).stations[0]?.devices ?? [];
      expect(device?.misread).toBeUndefined();
    },
  );
});

test('what is missing or empty still counts as 0, as specified', async () => {
  const { pvInputPower, ...others } = CLASSIC;
  for (const sent of [
    others,
    { ...others, pvInputPower: null },
    { ...others, pvInputPower: '--' },
  ]) {
    const script = devicesAnswering({ a: { record: RATED, series: seriesOf(sent) } });
    const { page } = await scrapeHouse(script, { flags: PLAIN });
    const expected = {
      [PV]: NO,
      [IMPORT]: 850 + CLASSIC.batteryChargingCurrent * 52,
      [MISSING]: 0,
    };
    expect(page.like(expected)).toEqual(expected);
    expect(pvInputPower).toBe(1200);
  }
});

test('a device that misread counts as missing, the others are added up', async () => {
  const script = devicesAnswering({
    a: answersOf('classic', {}),
    b: answersOf('classic', { feedInPower: 65_535 }),
  });
  const { page } = await scrapeHouse(script, { flags: PLAIN });
  const expected = { 'solar_station_power_watts{flow="grid_feed_in"}': 0, [MISSING]: 1 };
  expect(page.like(expected)).toEqual(expected);
});

const counter = (flow: string) => `solar_device_energy_kwh_total{flow="${flow}"}`;
const GAP = 'solar_device_energy_gap_seconds_total';
/** The house feeds in what the sun is too much: no import. */
const FEEDING = { ...CLASSIC, pvInputPower: 2000, batteryChargingCurrent: 0, feedInPower: 1150 };

// Points come every five minutes. A point that cannot be leaves a gap on both sides.
test.each([
  ['at once', 0, MINUTE_MS, 600],
  ['for half an hour', 0, HOUR_MS / 2, 2100],
  ['for the whole hour', 0, 2 * HOUR_MS, 3600],
])('no energy is invented %s, and the gap says so', async (_, startMs, forMs, gap) => {
  const fromMs = Date.parse(NOW) + 5 * MINUTE_MS + startMs;
  const readings = liveHistory((atMs) =>
    atMs >= fromMs && atMs < fromMs + forMs ? { ...FEEDING, pvInputPower: 65_535 } : FEEDING,
  );
  const house = await openHouse({ readings, devices: deviceList(RATED) });
  const before = await house.scrape();
  for (let minutes = 0; minutes < 60; minutes += 5) await house.scrapeAfter(5 * MINUTE_MS);
  const after = await house.scrape();
  const grown = (name: string) => {
    const [from = NaN, to = NaN] = [before, after].map((page) => page.like({ [name]: 0 })[name]);
    return to - from;
  };
  expect(grown(counter('grid_import'))).toBe(0);
  expect(grown(counter('load'))).toBeCloseTo(0.85, 5);
  expect(grown(counter('pv'))).toBeCloseTo((2 * (3600 - gap)) / 3600, 5);
  expect(grown(GAP)).toBe(gap);
});

describe('an energy that cannot be is not shown', () => {
  /** It is 11:00 on 24 August at the station, whose device can have 180 kWh a day. */
  const SHOWN = {
    today: 'solar_energy_today_kwh{flow="pv"}',
    totalToday: 'solar_station_energy_today_kwh{flow="pv",source="service"}',
    yesterday: 'solar_energy_yesterday_kwh{flow="pv"}',
    month: 'solar_month_pv_generated_kwh',
    monthByFlow: 'solar_energy_month_kwh{flow="pv"}',
    year: 'solar_energy_year_kwh{flow="pv"}',
    lifetime: 'solar_energy_lifetime_kwh{flow="pv"}',
    deviceToday: 'solar_device_pv_energy_today_kwh',
    deviceLifetime: 'solar_device_pv_energy_lifetime_kwh',
  } as const;
  type Shown = Partial<Record<keyof typeof SHOWN, number | undefined>>;
  const FULL = 2 ** 32 / 100;

  test.each<[what: string, says: Readonly<Record<string, number>>, record: object, shown: Shown]>([
    [
      'all is plausible',
      { '2026-08-23': 20, '2026-08-24': 180, '2026-08': 600, '2026': 4000, '2025': 5000 },
      { dailyProducedQuantity: 180, totalProducedQuantity: 9000 },
      {
        today: 180,
        totalToday: 180,
        yesterday: 20,
        month: 600,
        monthByFlow: 600,
        year: 4000,
        lifetime: 9000,
        deviceToday: 180,
        deviceLifetime: 9000,
      },
    ],
    [
      'today is the lifetime',
      { '2026-08-23': 20, '2026-08-24': 9000, '2026-08': 9000, '2026': 9000 },
      { dailyProducedQuantity: 9000, totalProducedQuantity: 9000 },
      {
        today: NO,
        totalToday: NO,
        yesterday: 20,
        month: NO,
        monthByFlow: NO,
        year: 9000,
        deviceToday: NO,
        deviceLifetime: 9000,
      },
    ],
    [
      'all are a register that is full',
      { '2026-08-23': FULL, '2026-08-24': FULL, '2026-08': FULL, '2026': FULL, '2025': 3000 },
      { dailyProducedQuantity: FULL, totalProducedQuantity: FULL },
      {
        today: NO,
        totalToday: NO,
        yesterday: NO,
        month: NO,
        monthByFlow: NO,
        year: NO,
        lifetime: NO,
        deviceToday: NO,
        deviceLifetime: NO,
      },
    ],
    [
      'the first year cannot be, without which the others are no lifetime',
      { '2024': 70_000, '2025': 5000, '2026': 4000 },
      {},
      { year: 4000, lifetime: NO },
    ],
    [
      'a day is more than the device can carry around the clock',
      { '2026-08-23': 181, '2026-08-24': 181 },
      { dailyProducedQuantity: 181 },
      { today: NO, yesterday: NO, deviceToday: NO },
    ],
    [
      'the rated power cannot be, and a generous one stands for it',
      { '2026-08-24': 3600 },
      { ratedPower: 5000, dailyProducedQuantity: 3601 },
      { today: 3600, deviceToday: NO },
    ],
  ])('when %s', async (_, says, record, shown) => {
    const of = (length: number) =>
      pvSummary(
        Object.fromEntries(Object.entries(says).filter(([time]) => time.length === length)),
      );
    const script = {
      readings: { data: { payload: null } },
      summary: of(7),
      summaryDays: of(10),
      summaryYears: of(4),
      devices: deviceList({ ...RATED, ...record }),
    };
    const { page } = await scrapeHouse(script);
    const expected = Object.fromEntries(
      Object.entries(shown).map(([name, kwh]) => [SHOWN[name as keyof Shown], kwh]),
    );
    expect(page.like(expected)).toEqual(expected);
  });

  test.each<[what: string, item: object]>([
    ['full register', { key: 'pvTotal', value: FULL }],
    ['less than nothing', { key: 'pvTotal', value: -4 }],
    ['no number', { key: 'pvTotal', value: 'NaN' }],
    ['no energy', { key: 'pvTotal', value: 4, unit: 'EUR' }],
  ])('and is no 0 of a month in the specified form: %s', async (_, item) => {
    const properties = [item, { key: 'gridImport', value: 60 }, { key: 'load', value: FULL }];
    const { page } = await scrapeHouse({ summary: { data: { properties } } });
    const expected = {
      solar_month_grid_import_kwh: 60,
      solar_month_pv_generated_kwh: NO,
      solar_month_consumption_kwh: NO,
      solar_month_solar_ratio: NO,
    };
    expect(page.like(expected)).toEqual(expected);
  });
});

describe('a figure of a summary that cannot be read', () => {
  const NEXT = { key: 'consumeElectricityQuantity', unit: 'kWh' };
  const nested = (value: unknown, property: object = {}): object => ({
    property: { key: 'pvGeneratedEnergy', unit: 'kWh', ...property },
    timePoints: [{ time: '2026-08', value, isRealValue: true }],
  });

  test.each<[what: string, wrong: object]>([
    ['with its unit', nested('100 kWh')],
    ['with a comma', nested('3,5')],
    ['in an unknown unit', nested(3, { unit: 'furlongs' })],
    ['of the specified form', { key: '2026-08', value: '100 kWh' }],
  ])('%s is said by its key, and the rest is shown', async (_what, wrong) => {
    const properties = [wrong, nested(7, NEXT)];
    const { page, log, scrapeAfter, asked } = await scrapeHouse({
      summary: { data: { properties } },
    });
    expect(page.value('solar_month_consumption_kwh')).toBe(7);
    expect(page.value('solar_month_pv_generated_kwh')).toBe(NO);
    expect(page.value('solar_collector_success', { collector: 'summary' })).toBe(0);
    const said = log.lines.find(({ fields }) => fields['collector'] === 'summary');
    expect(String(said?.fields['err'])).toMatch(
      /a value of (pvGeneratedEnergy|2026-08) is no number/,
    );
    await scrapeAfter(10 * MINUTE_MS);
    expect(asked('summary')).toHaveLength(1);
  });

  test('is no figure where it says nothing', async () => {
    const properties = ['', '-', null, 'none'].map((value) => nested(value));
    const other = { key: 'owner', value: 'house 7' };
    const { page } = await scrapeHouse({
      summary: { data: { properties: [...properties, other, nested(7, NEXT)] } },
    });
    expect(page.value('solar_collector_success', { collector: 'summary' })).toBe(1);
  });

  test.each([['summaryDays'], ['summaryYears']] as const)('fails %s', async (endpoint) => {
    const time = endpoint === 'summaryDays' ? '2026-08-24' : '2026';
    const timePoints = [{ time, value: '3,5', isRealValue: true }];
    const { page } = await scrapeHouse({
      [endpoint]: { data: { properties: [{ ...nested(1), timePoints }] } },
    });
    const collector = endpoint === 'summaryDays' ? 'summary-days' : 'summary-years';
    expect(page.value('solar_collector_success', { collector })).toBe(0);
  });
});
