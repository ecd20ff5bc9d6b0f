import { describe, expect, test } from 'vitest';
import { DayCurves } from '../../src/collectors/day-curves/day-curves.ts';
import { ENERGY_COUNTER_METRICS } from '../../src/collectors/energy-counters.ts';
import type { PastReading, Readings } from '../../src/model/readings.ts';
import { deferred, settled } from '../support/deferred.ts';
import { reportOf } from '../support/device-report.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { turnsDuring } from '../support/turns-during.ts';
import { createCollection, HOUR_MS, keepScraping, MINUTE_MS } from './collection-harness.ts';
import { pointsOf } from './collector-samples.ts';
import { countAt, MemoryFile, openCounts } from './energy-counts/counts-harness.ts';

const START_MS = new FakeClock().nowMs();
const QUARTER_MS = 15 * MINUTE_MS;
const LOAD = 'solar_device_energy_kwh_total{house,inverter,load}';
const GAP = 'solar_device_energy_gap_seconds_total{house,inverter}';
const FLOW = { pvPowerWatts: 600, acOutputPowerWatts: 600 };

function readingAt(minute: number, readings: Readings = FLOW): PastReading {
  const atMs = START_MS + minute * MINUTE_MS;
  const report = reportOf({ ...readings, measuredAtMs: atMs }, { timesAtMs: [atMs] });
  return { atMs, report };
}

/** Readings every so many minutes, from one minute up to another. */
function series(fromMinute: number, toMinute: number, everyMinutes = 5): PastReading[] {
  const readings: PastReading[] = [];
  for (let minute = fromMinute; minute < toMinute; minute += everyMinutes)
    readings.push(readingAt(minute));
  return readings;
}

/** A house whose inverter has had readings for a day and goes on having them. */
async function startCounting(file = new MemoryFile(), everyMinutes = 5, dayCurves?: DayCurves) {
  const { counts, clock } = await openCounts(file);
  const harness = createCollection({
    energy: true,
    energyCounts: counts,
    ...(dayCurves && { dayCurves }),
    clock,
  });
  // Of a logger that sends every few seconds, weeks would be millions of readings.
  const ahead = everyMinutes < 1 ? 60 : 40 * 24 * 60;
  harness.api.past = series(-24 * 60, ahead, everyMinutes);
  harness.api.days = { ...harness.api.days, endsAtMs: Infinity };
  harness.api.month = { ...harness.api.month, endsAtMs: Infinity };
  return { ...harness, counts, file };
}

describe("today's curve", () => {
  /** How many of the instants since midnight are known, of the load. */
  const known = (curves: DayCurves, atMs: number) =>
    curves
      .of('house', atMs)
      ?.valuesOf('loadPowerWatts')
      .filter((value) => value === 600).length;

  test('is filled since midnight by the first question, and the count is the same as without it', async () => {
    const curves = new DayCurves();
    const [drawn, plain] = [
      await startCounting(undefined, 5, curves),
      await startCounting(undefined, 5),
    ];
    expect(await drawn.scrape()).toEqual(await plain.scrape());
    const midnightMs = Date.parse('2026-08-24T00:00:00+08:00');
    expect(curves.of('house', START_MS)?.startsAtMs).toBe(midnightMs);
    expect(known(curves, START_MS)).toBe(Math.floor((START_MS - midnightMs) / (5 * MINUTE_MS)) + 1);
    expect(await drawn.scrapeAfter(QUARTER_MS)).toEqual(await plain.scrapeAfter(QUARTER_MS));
    expect(known(curves, START_MS)).toBe(Math.floor((START_MS - midnightMs) / (5 * MINUTE_MS)) + 4);
    expect(drawn.api.questions).toEqual(plain.api.questions);
  });

  test('is filled since midnight after a restart that knows the count', async () => {
    const { scrape, file } = await startCounting();
    await scrape();
    const curves = new DayCurves();
    const again = await startCounting(new MemoryFile(file.text), 5, curves);
    expect(await again.scrape()).toMatchObject({ [LOAD]: 0 });
    expect(known(curves, START_MS)).toBeGreaterThan(90);
    expect(await again.scrapeAfter(QUARTER_MS)).toMatchObject({ [LOAD]: 0.15 });
  });

  test('of a logger that sends every few seconds begins with the newest points, and goes on', async () => {
    const curves = new DayCurves((atMs) => {
      const startsAtMs = Math.floor(atMs / 240_000) * 240_000;
      return { startsAtMs, endsAtMs: startsAtMs + 240_000, stepMs: 2000 };
    });
    const { api, clock, scrape, scrapeAfter } = await startCounting(undefined, 1 / 30, curves);
    clock.advance(100_000);
    expect(await scrape()).toMatchObject({ [LOAD]: 0 });
    expect(api.questions.filter((question) => question === 'past inverter')).toHaveLength(2);
    expect(known(curves, clock.nowMs())).toBe(51);
    expect(await scrapeAfter(QUARTER_MS)).toMatchObject({ [LOAD]: 0.15, [GAP]: 0 });
    expect(await scrapeAfter(QUARTER_MS)).toMatchObject({ [LOAD]: 0.3 });
  });

  test('lets others have their turn while the points of a day are evaluated', async () => {
    const { collection } = await startCounting(undefined, 1, new DayCurves());
    expect(await turnsDuring(() => collection.refresh())).toBeGreaterThan(4);
  });

  test('begins no count with the points of a device that has been silent for hours', async () => {
    const curves = new DayCurves();
    const { api, scrape, names } = await startCounting(undefined, 5, curves);
    api.past = api.past.filter(({ atMs }) => atMs < START_MS - 4 * HOUR_MS);
    await scrape();
    expect(known(curves, START_MS)).toBeGreaterThan(40);
    expect(names().filter((name) => name.startsWith('solar_device_energy_'))).toEqual([]);
  });
});

describe('the energy counters of a device', () => {
  test('begin at 0 with the newest reading, and count from there', async () => {
    const { scrape, scrapeAfter } = await startCounting();
    expect(await scrape()).toMatchObject({ [LOAD]: 0, [GAP]: 0 });
    expect(await scrapeAfter(QUARTER_MS)).toMatchObject({ [LOAD]: 0.15, [GAP]: 0 });
    expect(await scrapeAfter(QUARTER_MS)).toMatchObject({ [LOAD]: 0.3 });
  });

  test('have a line each for every flow that is known', async () => {
    const { scrape, names } = await startCounting();
    await scrape();
    expect(names().filter((name) => name.startsWith('solar_device_energy_'))).toEqual([
      'solar_device_energy_kwh_total{house,inverter,pv}',
      LOAD,
      'solar_device_energy_kwh_total{house,inverter,grid_import}',
      'solar_device_energy_kwh_total{house,inverter,battery_charge}',
      'solar_device_energy_kwh_total{house,inverter,battery_discharge}',
      GAP,
    ]);
  });

  test('count what flowed while nobody scraped', async () => {
    const { scrape, scrapeAfter } = await startCounting();
    await scrape();
    expect(await scrapeAfter(30 * HOUR_MS)).toMatchObject({ [LOAD]: 18, [GAP]: 0 });
  });

  test('count nothing in a gap of the source but its length', async () => {
    const { api, scrape, scrapeAfter } = await startCounting();
    await scrape();
    api.past = api.past.filter(({ atMs }) => atMs <= START_MS || atMs >= START_MS + HOUR_MS);
    expect(await scrapeAfter(90 * MINUTE_MS)).toMatchObject({ [LOAD]: 0.3, [GAP]: 3600 });
  });

  test('are those of a slow logger without a gap, from the beginning', async () => {
    const { scrape, scrapeAfter } = await startCounting(new MemoryFile(), 30);
    await scrape();
    expect(await scrapeAfter(2 * HOUR_MS)).toMatchObject({ [LOAD]: 1.2, [GAP]: 0 });
  });

  test('count with the values that a live reading would have: those missing for long are withdrawn', async () => {
    const { api, scrape, scrapeAfter } = await startCounting();
    await scrape();
    // The load is missing from 5 minutes on: what was measured last is repeated with its time.
    const [{ report }] = [readingAt(0)];
    const [pv, load] = report.measurements;
    api.past = api.past.map((reading) =>
      reading.atMs <= START_MS || pv === undefined || load === undefined
        ? reading
        : {
            ...reading,
            report: {
              ...reading.report,
              measurements: [{ ...pv, measuredAtMs: reading.atMs }, load],
            },
          },
    );
    // Up to the maximum age of 15 minutes it is taken for the load; after that, it is unknown.
    expect(await scrapeAfter(HOUR_MS)).toMatchObject({
      [LOAD]: 0.15,
      'solar_device_energy_kwh_total{house,inverter,pv}': 0.6,
      [GAP]: 0,
    });
  });

  test('are absent without the switch, and nothing is asked', async () => {
    const { counts } = await openCounts();
    const { api, scrape, names } = createCollection({ energyCounts: counts });
    api.past = series(-600, 600);
    await scrape();
    expect(api.questions).not.toContain('past inverter');
    expect(names().filter((name) => name.startsWith('solar_device_energy_'))).toEqual([]);
  });

  test('are absent of a device whose readings say nothing of power', async () => {
    const { api, scrape, names, outcome } = await startCounting();
    api.past = series(-600, 600).map(({ atMs }) => ({ atMs, report: reportOf({}) }));
    await scrape();
    expect(names().filter((name) => name.startsWith('solar_device_energy_'))).toEqual([]);
    expect(outcome('house', 'energy-counters')?.isSuccess).toBe(true);
  });

  test('of PV alone count from first sight on, although it begins in the dark', async () => {
    const { api, scrape, scrapeAfter } = await startCounting();
    const dialect = { family: 'msdc', source: 'latest', missing: [], unknownKeys: [] } as const;
    api.past = series(-600, 600).map(({ atMs }) =>
      readingAt((atMs - START_MS) / MINUTE_MS, {
        pvPowerWatts: atMs <= START_MS ? 0 : 600,
        dialect,
      }),
    );
    const PV = 'solar_device_energy_kwh_total{house,inverter,pv}';
    expect(await scrape()).not.toHaveProperty([PV]);
    // The line from the last dark point to the first light one counts as well.
    expect(await scrapeAfter(HOUR_MS)).toMatchObject({ [PV]: 0.575, [GAP]: 0 });
  });

  test('show mWh, and what is shown never falls', () => {
    const shown = (energyKwh: number) =>
      pointsOf({ metrics: ENERGY_COUNTER_METRICS }, countAt(5, energyKwh))[
        'solar_device_energy_kwh_total{load}'
      ];
    expect(shown(0.1 + 0.2)).toBe(0.3);
    expect(shown(1234.567_890_4)).toBe(1234.56789);
    expect(shown(1234.567_890_5)).toBe(1234.567891);
  });
});

describe('the requests for energy counters', () => {
  test('are 96 a day, one every 15 minutes', async () => {
    const harness = await startCounting();
    await keepScraping(harness, 24 * HOUR_MS, MINUTE_MS);
    expect(harness.api.count('past inverter')).toBe(96);
  });

  test('are one an hour where the readings say nothing of power', async () => {
    const harness = await startCounting();
    harness.api.past = series(-600, 2000).map(({ atMs }) => ({ atMs, report: reportOf({}) }));
    await keepScraping(harness, 24 * HOUR_MS, MINUTE_MS);
    expect(harness.api.count('past inverter')).toBe(24);
  });

  test('are one page each, the next a minute later, until an outage of weeks is counted', async () => {
    const { api, scrape, scrapeAfter } = await startCounting();
    await scrape();
    const loads: (number | undefined)[] = [(await scrapeAfter(14 * 24 * HOUR_MS))[LOAD]];
    expect(api.count('past inverter')).toBe(2);
    for (let minute = 1; minute <= 4; minute += 1) loads.push((await scrapeAfter(MINUTE_MS))[LOAD]);
    // 2000 points, of which 15 were before the last one.
    expect(loads[0]).toBeCloseTo((0.6 * 1984) / 12, 6);
    expect(loads.slice(2)).toEqual([201.6, 201.6, 201.6]);
    expect(api.count('past inverter')).toBe(4);
  });

  test('go on as usual while a device is silent for days', async () => {
    const harness = await startCounting();
    const { api, scrape } = harness;
    await scrape();
    api.past = api.past.filter(({ atMs }) => atMs <= START_MS);
    await keepScraping(harness, 24 * HOUR_MS, MINUTE_MS);
    expect(api.count('past inverter')).toBe(96);
  });
});

describe('while the service is down', () => {
  test('the counters stay for a day', async () => {
    const { api, scrape, scrapeAfter } = await startCounting();
    await scrape();
    await scrapeAfter(QUARTER_MS);
    api.fail('past inverter', 'SERVICE_SERVER_ERROR');
    expect(await scrapeAfter(24 * HOUR_MS)).toMatchObject({ [LOAD]: 0.15 });
    expect(await scrapeAfter(QUARTER_MS)).not.toHaveProperty([LOAD]);
    api.recover('past inverter');
    expect(await scrapeAfter(QUARTER_MS)).toMatchObject({ [LOAD]: 0.15 + 0.6 * 24.5 });
  });

  test('a device that hangs keeps no other from counting', async () => {
    const { counts } = await openCounts();
    const { api, scrapeAfter, scrape } = createCollection({
      energy: true,
      energyCounts: counts,
      account: { house: ['stuck', 'inverter'] },
    });
    api.past = series(-600, 600);
    const hanging = api.hang('past stuck');
    await scrape();
    expect(await scrapeAfter(QUARTER_MS)).toMatchObject({ [LOAD]: 0.15 });
    hanging.resolve([]);
  });
});

describe('of a fleet', () => {
  const DEVICES = Array.from({ length: 60 }, (_, index) => `inverter ${index}`);
  const ONE_STATION = { house: DEVICES };
  const MANY_STATIONS = Object.fromEntries(
    DEVICES.map((device) => [`house of ${device}`, [device]]),
  );

  async function startFleet(
    file = new MemoryFile(),
    account: Readonly<Record<string, readonly string[]>> = ONE_STATION,
  ) {
    const { counts, clock } = await openCounts(file);
    const harness = createCollection({ energy: true, energyCounts: counts, clock, account });
    harness.api.past = series(-24 * 60, 24 * 60);
    const asked = () => harness.api.questions.filter((question) => question.startsWith('past '));
    const counted = () =>
      harness.names().filter((name) => /^solar_device_energy_kwh_total.*,load\}$/.test(name))
        .length;
    return { ...harness, asked, counted };
  }

  test.each([
    { fleet: 'one station', account: ONE_STATION },
    { fleet: 'many stations', account: MANY_STATIONS },
  ])(
    'of $fleet the first page waits for ten devices, and the others follow within a quarter of an hour',
    async ({ account }) => {
      const { scrape, scrapeAfter, asked, counted } = await startFleet(undefined, account);
      await scrape();
      expect(asked()).toHaveLength(10);
      const perMinute: number[] = [];
      for (let minute = 1; minute < 15; minute += 1) {
        const before = asked().length;
        await scrapeAfter(MINUTE_MS);
        perMinute.push(asked().length - before);
      }
      expect(Math.max(...perMinute)).toBeLessThanOrEqual(5);
      await scrapeAfter(MINUTE_MS - 1);
      expect(new Set(asked()).size).toBe(60);
      expect(counted()).toBe(60);
    },
  );

  test('what was counted before a restart is shown before the device is asked about', async () => {
    const file = new MemoryFile();
    const first = await startFleet(file);
    await first.scrape();
    for (let quarter = 0; quarter < 3; quarter += 1) await first.scrapeAfter(QUARTER_MS);
    // What many devices have counted is written some time later, and shown when it is written.
    await first.scrapeAfter(MINUTE_MS);
    const last = 'solar_device_energy_kwh_total{house,inverter 59,load}';
    const countedKwh = first.series()[last] ?? Number.NaN;
    expect(countedKwh).toBeGreaterThan(0);

    const again = await startFleet(new MemoryFile(file.text));
    again.clock.advance(2 * HOUR_MS);
    await again.scrape();
    expect(again.asked()).toHaveLength(10);
    expect(again.counted()).toBe(60);
    expect(again.series()[last]).toBe(countedKwh);
    // What flowed meanwhile is counted with the first question: 600 W, from the last point before the restart.
    await again.scrapeAfter(QUARTER_MS);
    await again.scrapeAfter(MINUTE_MS);
    expect(new Set(again.asked()).size).toBe(60);
    expect(again.series()[last]).toBeCloseTo(countedKwh + 0.9, 5);
  });
});

describe('after a restart', () => {
  test('the count goes on from the last reading, however long ago', async () => {
    const first = await startCounting();
    await first.scrape();
    await first.scrapeAfter(QUARTER_MS);
    const second = await startCounting(new MemoryFile(first.file.text));
    second.clock.advance(26 * HOUR_MS);
    expect(await second.scrape()).toMatchObject({ [LOAD]: 15.6, [GAP]: 0 });
  });

  test('without what was kept it begins at 0 with the newest reading', async () => {
    const { clock, scrape } = await startCounting();
    clock.advance(26 * HOUR_MS);
    expect(await scrape()).toMatchObject({ [LOAD]: 0, [GAP]: 0 });
  });

  test('nothing is shown before it is in the file', async () => {
    const file = new MemoryFile();
    const writing = deferred<undefined>();
    file.write = () => writing.promise;
    const { series: shown, scrape } = await startCounting(file);
    await scrape();
    expect(shown()).not.toHaveProperty([LOAD]);
    writing.resolve(undefined);
    await settled();
    expect(shown()).toMatchObject({ [LOAD]: 0 });
  });
});

test('a reload in the middle of a fetch counts nothing twice', async () => {
  const { counts } = await openCounts();
  const options = { energy: true, energyCounts: counts };
  const before = createCollection(options);
  before.api.past = series(-600, 600);
  await before.scrape();
  before.clock.advance(QUARTER_MS);
  const held = before.api.hang('past inverter');
  await before.scrape();
  const after = createCollection(options);
  after.api.past = before.api.past;
  after.clock.advance(2 * QUARTER_MS);
  after.collection.adopt(before.collection, false);
  expect(await after.scrape()).toMatchObject({ [LOAD]: 0.3 });
  held.resolve(series(-75, 16));
  await settled();
  expect(counts.get('inverter')?.energies.consumptionKwh).toBeCloseTo(0.3, 9);
  expect(after.series()).toMatchObject({ [LOAD]: 0.3 });
});
