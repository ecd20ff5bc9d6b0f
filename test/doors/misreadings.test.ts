import { describe, expect, test } from 'vitest';
import { HOUR_MS, MINUTE_MS, openHouse, PLAIN, scrapeHouse } from './house.ts';
import { CLASSIC, deviceList, liveHistory, NOW } from './scripted-service.ts';
import { pvSummary } from './summaries.ts';

/** Nothing on the page. */
const NO = undefined;
const PV = 'solar_pv_power_watts';
const IMPORT = 'solar_grid_import_power_watts';

const RATED = { ratedPower: 5 };

test('what follows from a value stays unknown for as long as it is gone', async () => {
  const goneAtMs = Date.parse(NOW) + 10 * MINUTE_MS;
  const readings = liveHistory((atMs) =>
    atMs < goneAtMs ? CLASSIC : { ...CLASSIC, batteryVoltage: null },
  );
  const house = await openHouse({ readings }, { flags: PLAIN });
  expect((await house.scrape()).value(IMPORT)).toBe(0);
  for (const minutes of [30, 30, 24 * 60, 5]) {
    const page = await house.scrapeAfter(minutes * MINUTE_MS);
    expect(page.like({ [PV]: 0, [IMPORT]: 0 })).toEqual({ [PV]: 1200, [IMPORT]: NO });
  }
});

test('a page for people says what is misread, and what it says', async () => {
  const house = await scrapeHouse(
    { readings: liveHistory(() => ({ ...CLASSIC, batterySOC: 655.35 })) },
    { flags: PLAIN },
  );
  expect(await house.read()).toContain('<code>batterySOC</code> says 655.35 ');
});

const counter = (flow: string) => `solar_device_energy_kwh_total{flow="${flow}"}`;
const GAP = 'solar_device_energy_gap_seconds_total';
/** The house feeds in what the sun is too much: no import. */
const FEEDING = { ...CLASSIC, pvInputPower: 2000, batteryChargingCurrent: 0, feedInPower: 1150 };

test('no energy is invented while a value cannot be, and the gap says so', async () => {
  const fromMs = Date.parse(NOW) + 5 * MINUTE_MS;
  const readings = liveHistory((atMs) =>
    atMs >= fromMs && atMs < fromMs + HOUR_MS / 2 ? { ...FEEDING, pvInputPower: 65_535 } : FEEDING,
  );
  const house = await openHouse({ readings, devices: deviceList(RATED) });
  const before = await house.scrape();
  for (let minutes = 0; minutes < 60; minutes += 5) await house.scrapeAfter(5 * MINUTE_MS);
  const after = await house.scrape();
  const grown = (name: string) => {
    const [from = NaN, to = NaN] = [before, after].map((page) => page.like({ [name]: 0 })[name]);
    return to - from;
  };
  // Points come every five minutes. Those that cannot be leave a gap on both sides.
  const gap = 35 * 60;
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
  const NONE: Shown = Object.fromEntries(Object.keys(SHOWN).map((name) => [name, NO]));

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
      'today is more than it can carry around the clock, as is the month',
      { '2026-08-23': 20, '2026-08-24': 181, '2026-08': 9000, '2026': 9000 },
      { dailyProducedQuantity: 181, totalProducedQuantity: 9000 },
      { ...NONE, yesterday: 20, year: 9000, lifetime: 9000, deviceLifetime: 9000 },
    ],
    [
      'all are a register that is full',
      { '2026-08-23': FULL, '2026-08-24': FULL, '2026-08': FULL, '2026': FULL, '2025': 3000 },
      { dailyProducedQuantity: FULL, totalProducedQuantity: FULL },
      NONE,
    ],
    [
      'the first year cannot be, without which the others are no lifetime',
      { '2024': 70_000, '2025': 5000, '2026': 4000 },
      {},
      { year: 4000, lifetime: NO },
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

  test('and is no 0 of a month in the specified form', async () => {
    const properties = [
      { key: 'pvTotal', value: -4 },
      { key: 'gridImport', value: 60 },
      { key: 'load', value: FULL },
    ];
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
  const nested = (value: unknown, property: object = {}, time = '2026-08'): object => ({
    property: { key: 'pvGeneratedEnergy', unit: 'kWh', ...property },
    timePoints: [{ time, value, isRealValue: true }],
  });

  test.each<[what: string, wrong: object]>([
    ['with its unit', nested('100 kWh')],
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

  test.each([
    ['fails the days', 'summaryDays', 'summary-days', '2026-08-24', ['3,5'], 0],
    ['fails the years', 'summaryYears', 'summary-years', '2026', ['3,5'], 0],
    ['fails nothing with nothing', 'summary', 'summary', '2026-08', ['', '-', null, 'none'], 1],
  ] as const)('%s', async (_, endpoint, collector, time, values, success) => {
    const properties = values.map((value) => nested(value, {}, time));
    const other = { key: 'owner', value: 'house 7' };
    const { page } = await scrapeHouse({
      [endpoint]: { data: { properties: [...properties, other] } },
    });
    expect(page.value('solar_collector_success', { collector })).toBe(success);
  });
});
