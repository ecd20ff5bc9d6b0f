import { expect, test } from 'vitest';
import { type DeviceAnswers, devicesAnswering, seriesOf, stateOf } from './device-answers.ts';
import { HOUR_MS, MINUTE_MS, openHouse, PLAIN, scrapeHouse, startBoth } from './house.ts';
import { CLASSIC, deviceList, liveHistory, type Script } from './scripted-service.ts';
import { pvSummary } from './summaries.ts';

const MISSING = 'solar_station_devices_missing';
const SOC = 'solar_station_battery_soc_ratio';
const DAY_START = 'solar_day_start_timestamp_seconds';
const power = (flow: string) => `solar_station_power_watts{flow="${flow}"}`;
const today = (flow: string, source: string) =>
  `solar_station_energy_today_kwh{flow="${flow}",source="${source}"}`;

const says = (fields: Readonly<Record<string, unknown>>, at?: string) => ({
  series: seriesOf(fields, at),
});
const WHOLE = says(CLASSIC);
const SUN = { pvInputPower: 1200, acOutputActivePower: 0.85, feedInPower: 0 };
const NO_BATTERY = says(SUN);
/** Measured half an hour before now, and withdrawn. */
const STALE = says(CLASSIC, '2026-08-24T07:30:00.000Z');
const MISREAD = says({ ...CLASSIC, feedInPower: 65_535 });
const OF_TWO = {
  [power('pv')]: 2400,
  [power('load')]: 1700,
  [power('grid_import')]: 0,
  [power('battery_charge')]: 520,
  [power('battery_discharge')]: 0,
  [power('grid_feed_in')]: 0,
  [SOC]: 0.93,
  [MISSING]: 0,
};
const UNKNOWN = { [power('pv')]: undefined, [power('load')]: undefined, [SOC]: undefined };

test.each<readonly [string, Readonly<Record<string, DeviceAnswers>>, object]>([
  ['all devices say everything', { a: WHOLE, b: WHOLE }, OF_TWO],
  ['one says nothing at all', { a: WHOLE, b: {} }, { [power('pv')]: 1200, [MISSING]: 1 }],
  [
    'one has no battery to tell of',
    { a: says({ ...CLASSIC, batterySOC: 80 }), b: NO_BATTERY, c: WHOLE },
    { [power('pv')]: 3600, [SOC]: 0.865, [MISSING]: 1 },
  ],
  [
    'one says nothing of the currents of its battery',
    { a: WHOLE, b: says({ ...SUN, batterySOC: 93 }) },
    { [power('pv')]: 2400, [SOC]: 0.93, [MISSING]: 0 },
  ],
  ['all are missing', { a: {}, b: STALE }, { ...UNKNOWN, [MISSING]: 2 }],
  ['one misreads', { a: WHOLE, b: MISREAD }, { [power('grid_feed_in')]: 0, [MISSING]: 1 }],
  ['all misread', { a: MISREAD }, { [power('pv')]: 1200, [MISSING]: 1 }],
  ['a level is misread', { a: says({ ...CLASSIC, batterySOC: 655.35 }) }, { [MISSING]: 1 }],
  [
    'none has a battery',
    { a: NO_BATTERY, b: NO_BATTERY },
    { [power('pv')]: 2400, [power('battery_charge')]: 0, [SOC]: undefined, [MISSING]: 0 },
  ],
])('the totals of a station are right when %s', async (_, devices, expected) => {
  const { page } = await scrapeHouse(devicesAnswering(devices), { flags: PLAIN });
  expect(page.like({ ...expected })).toEqual(expected);
});

test('totals follow a device that falls silent and comes back, at once', async () => {
  const devices: Record<string, object> = { a: WHOLE, b: WHOLE };
  const { scrapeAfter } = await scrapeHouse(devicesAnswering(devices), { flags: PLAIN });
  devices['b'] = {};
  const gone = { [power('pv')]: 1200, [MISSING]: 1 };
  expect((await scrapeAfter(MINUTE_MS)).like(gone)).toEqual(gone);
  devices['b'] = WHOLE;
  const back = { [power('pv')]: 2400, [MISSING]: 0 };
  expect((await scrapeAfter(5 * MINUTE_MS)).like(back)).toEqual(back);
});

test('midnight at the station goes on while the service is away', async () => {
  const { scrapeAfter, answers } = await scrapeHouse(devicesAnswering({ a: WHOLE }));
  for (const endpoint of Object.keys(answers) as (keyof Script)[])
    answers[endpoint] = { status: 503 };
  // 11:00 in Kyiv; the clocks there are three hours ahead of UTC.
  const shown = async (afterMs: number) => {
    const page = { [DAY_START]: undefined, [MISSING]: undefined, [power('pv')]: undefined };
    return (await scrapeAfter(afterMs)).like(page);
  };
  const midnight = Date.parse('2026-08-23T21:00:00Z') / 1000;
  const away = { [MISSING]: 1, [power('pv')]: undefined };
  expect(await shown(HOUR_MS)).toEqual({ [DAY_START]: midnight, ...away });
  expect(await shown(12 * HOUR_MS - 1)).toEqual({ [DAY_START]: midnight, ...away });
  expect(await shown(1)).toEqual({ [DAY_START]: midnight + 86_400, ...away });
});

/** A service of a station in Kyiv whose device draws 1 kW, and that says this of days. */
const drawing = (days: Readonly<Record<string, number>>): Script => ({
  readings: liveHistory(() => ({ ...CLASSIC, acOutputActivePower: 1 })),
  summaryDays: pvSummary(days),
});

// It is 11:00 at the station, and the device generated 1.2 kW since midnight.
test.each([
  { what: 'is what the service says', says: { '2026-08-24': 13 }, service: 13 },
  { what: 'is counted where it says a thousand times too much', says: { '2026-08-24': 13_000 } },
  { what: 'is counted where it says nothing', says: {} },
  { what: 'is counted where it says 0 by day', says: { '2026-08-24': 0 } },
])('the energy of today $what', async ({ says, service }) => {
  const { page } = await scrapeHouse(drawing(says));
  const shown = {
    [today('pv', 'service')]: service,
    [today('pv', 'counter')]: service === undefined ? 13.2 : undefined,
    [today('load', 'counter')]: 11,
    [today('battery_charge', 'counter')]: 2.86,
    [MISSING]: 0,
  };
  expect(page.like(shown)).toEqual(shown);
});

test('the energy of today begins at midnight, whatever the service says', async () => {
  const days = { '2026-08-24': 23, '2026-08-25': 23 };
  const house = await openHouse(drawing(days), { now: '2026-08-24T20:50:00Z' });
  const before = { [today('pv', 'service')]: 23, [today('load', 'counter')]: 23.833333333333 };
  expect((await house.scrape()).like(before)).toEqual(before);
  const after = {
    [today('pv', 'service')]: undefined,
    [today('pv', 'counter')]: 0.6,
    [today('load', 'counter')]: 0.5,
    'solar_energy_yesterday_kwh{flow="load"}': undefined,
  };
  expect((await house.scrapeAfter(40 * MINUTE_MS)).like(after)).toEqual(after);
});

const AUGUST = Object.fromEntries([...Array(24).keys()].map((day) => [`2026-08-${day + 1}`, 10]));
const FIRST = '2026-09-01T08:00:00Z';

test.each([
  { what: 'is what the service says', months: { '2026-08': 250 }, kwh: 250 },
  { what: 'is the sum of its days where the service says nothing', kwh: 240 },
  { what: 'is that of the day on the first', days: { '2026-09-01': 7 }, now: FIRST, kwh: 7 },
  { what: 'is unknown on the first where the day is unknown', now: FIRST },
  { what: 'is unknown where its first day is missing', days: { '2026-08-1': -1 } },
  { what: 'is unknown where only today is missing', days: { '2026-08-24': -1 } },
  { what: 'is unknown while that of today cannot be', days: { '2026-08-24': 13_000 } },
])('the energy of the month $what', async ({ months = {}, days = {}, kwh, now }) => {
  const script = { ...drawing({ ...AUGUST, ...days }), summary: pvSummary(months) };
  const { page, status } = await scrapeHouse(script, now === undefined ? {} : { now });
  expect(page.value('solar_energy_month_kwh', { flow: 'pv' })).toBe(kwh);
  const [station] = (await status()).stations;
  expect(station?.month.pvGeneratedKwh).toBe(kwh);
});

test.each([
  ['once of inverters in parallel', true, 1],
  ['of each where the user says that they are independent', false, 2],
] as const)('the load counts %s, in watts, kWh and the curve', async (_, parallel, devices) => {
  const simulator = { family: 'hpvinv02', devicesPerStation: 2, parallel } as const;
  const house = await startBoth({ now: '2026-03-14T04:02:20Z', simulator });
  if (devices > 1) await house.reload({ flags: { 'station.independent': house.stationId } });
  const page = await house.scrape();
  const each = (name: string) => page.all(name).map(({ value }) => value);
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const loads = each('solar_load_power_watts');
  expect(loads).toHaveLength(2);
  const load = devices === 1 ? Number(loads[0]) : sum(loads);
  const pv = sum(each('solar_pv_power_watts'));
  const battery = sum(each('solar_battery_power_watts'));
  const charge = { [power('battery_charge')]: Math.max(0, -battery) };
  const shown = { [power('pv')]: pv, [power('load')]: load, ...charge, [MISSING]: 0 };
  expect(page.like(shown)).toEqual(shown);
  const feedIn = page.value('solar_station_power_watts', { flow: 'grid_feed_in' }) ?? 0;
  const importWatts = page.value('solar_station_power_watts', { flow: 'grid_import' });
  expect(importWatts).toBeCloseTo(Math.max(0, load + feedIn - pv - battery), -1);
  const [station] = (await house.status()).stations;
  expect(station).toMatchObject({ flow: { loadPowerWatts: load, pvPowerWatts: pv } });
  const { startsAtMs = 0, stepMs = 0, loadPowerWatts: curve = [] } = station?.curve ?? {};
  const counting = house.simulator.deviceIds(house.stationId).slice(0, devices);
  for (const [index, watts] of curve.entries()) {
    const atMs = startsAtMs + index * stepMs;
    const truth = counting.map((id) => house.simulator.truth(id, atMs).loadPowerWatts);
    expect(Math.abs(Number(watts) - sum(truth))).toBeLessThanOrEqual(2);
  }
  expect(curve.length).toBeGreaterThan(100);
  const kilowattHours = (sum(curve.map(Number)) * stepMs) / HOUR_MS / 1000;
  expect(station?.energy.today.consumptionKwh).toBeCloseTo(kilowattHours, 0);
  expect(station?.countedToday).toContain('consumptionKwh');
  // In parallel, only the newest state knows the grid: nothing says what was drawn since midnight.
  expect(station?.countedToday.includes('gridImportKwh')).toBe(devices > 1);
});

test('the curve of a device that sends every half hour has no gap', async () => {
  const readings = liveHistory(() => CLASSIC, { everyMs: 30 * MINUTE_MS });
  const { status } = await scrapeHouse({ readings });
  const [station] = (await status()).stations;
  expect(new Set(station?.curve?.pvPowerWatts)).toEqual(new Set([1200]));
});

const CLAMP = stateOf({ GridPower: [0, 'W'], CTPower: [900, 'W'] });
const IN_PARALLEL = stateOf({
  generationPower: [0.1, 'kW'],
  outputActivePower: [0.4, 'kW'],
  batteryVoltage: [50, 'V'],
  batteryChargingCurrent: [0, 'A'],
  batteryDischargeCurrent: [0, 'A'],
});

// The balance of one inverter in parallel, its own sun against the load of the house, is no import.
test.each([
  ['of several inverters that read one meter of the house', 'ab', CLAMP, 900, 0, 0],
  [
    'of inverters in parallel, each of which knows no import',
    'ab',
    IN_PARALLEL,
    400,
    200,
    undefined,
  ],
  ['of an inverter that has the house to itself', 'a', IN_PARALLEL, 400, 300, 300],
] as const)('the load counts once %s', async (_, ids, latest, load, gridImport, own) => {
  const devices = Object.fromEntries(Array.from(ids, (id) => [id, { latest }]));
  const { page } = await scrapeHouse(devicesAnswering(devices), { flags: PLAIN });
  const shown = {
    [power('load')]: load,
    [power('grid_import')]: gridImport,
    'solar_grid_import_power_watts{device_id="a"}': own,
  };
  expect(page.like(shown)).toEqual(shown);
});

test('what an inverter says of the house is its own while it is alone', async () => {
  const answers = { latest: IN_PARALLEL };
  const script = devicesAnswering({ a: answers, b: answers });
  const flags = { ...PLAIN, 'cache.devices-ttl': '10s', 'cache.readings-ttl': '10m' };
  const house = await scrapeHouse({ ...script, devices: deviceList({ id: 'a' }) }, { flags });
  Object.assign(house.answers, { devices: script.devices });
  await house.scrapeAfter(20_000);
  const shown = { [power('load')]: 400, [power('grid_import')]: 200 };
  expect((await house.scrapeAfter(20_000)).like(shown)).toEqual(shown);
});
