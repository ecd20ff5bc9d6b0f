import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { temporaryDirectory } from '../support/prometheus.ts';
import {
  DAY_MS,
  HOUR_MS,
  type HouseSetup,
  MINUTE_MS,
  openHouse,
  type ScrapedPage,
  SECOND_MS,
  startBoth,
  type Step,
} from './house.ts';
import {
  CLASSIC,
  DEVICE_ID,
  history,
  latest,
  liveHistory,
  NOW,
  type PortalAnswer,
  type PortalRequest,
  type Scripted,
} from './scripted-service.ts';

const QUARTER_MS = 15 * MINUTE_MS;
const LOAD = 'solar_device_energy_kwh_total{flow="load"}';
const GAP = 'solar_device_energy_gap_seconds_total';
/** 1.2 kW of load at every point, so that a quarter of an hour is 0.3 kWh. */
const STEADY = { ...CLASSIC, acOutputActivePower: 1.2 };
/** What the first reading counts: since midnight in Kyiv, eleven hours ago. */
const BEFORE = 11 * 1.2;
const since = (moreKwh: number) => Math.round((BEFORE + moreKwh) * 1e6) / 1e6;

const VOLTAGE = liveHistory(() => ({ gridVoltage: 230 }));
type Flags = NonNullable<HouseSetup['flags']>;

const closeTo = (kwh: number) => expect.closeTo(kwh, 5) as number;
const counted = (page: ScrapedPage) => page.like({ [LOAD]: 0, [GAP]: 0 });

/** A state directory that goes with the test, and what its file of counters holds at the start. */
function stateDirectory(counters?: string): string {
  const directory = temporaryDirectory();
  if (counters !== undefined) writeFileSync(join(directory, 'energy-counters.json'), counters);
  return directory;
}

test.each([
  // A gap of centuries would make nonsense of the share of a day that is missing.
  ['in 2190', Date.UTC(2190, 0), 9.4, 86_400],
  ['later than the points of the first answer', Date.parse(NOW), 9.2, 0],
])('points count on where the file of an older program ends %s', async (_, lastAtMs, load, gap) => {
  const count = {
    lastAtMs,
    lastFlows: { consumptionKwh: 1200 },
    energies: { consumptionKwh: 8.2 },
    gapMs: 0,
    intervalsMs: [300_000, 300_000],
  };
  const devices = [{ deviceId: DEVICE_ID, unseenDays: 0, count }];
  const file = JSON.stringify({ version: 1, lookedAtMs: Date.parse(NOW), devices });
  const house = await openHouse(
    { readings: liveHistory(() => STEADY, { lagMs: gap > 0 ? 0 : 10 * MINUTE_MS }) },
    { flags: { 'state.dir': stateDirectory(file) } },
  );
  expect(await house.scrape()).toBeDefined();
  for (let quarter = 0; quarter < 4; quarter += 1) await house.scrapeAfter(QUARTER_MS);
  await house.restart();
  expect(counted(await house.scrape())).toEqual({ [LOAD]: load, [GAP]: gap });
  const warned = house.log.lines.filter(({ message }) => message.includes('from the newest'));
  expect(warned.map(({ fields }) => fields)).toEqual(
    gap > 0 ? [{ deviceId: DEVICE_ID, lastAt: '2190-01-01T00:00:00.000Z' }] : [],
  );
});

test('a page shows what is in the file of counters, without a wait', async () => {
  const directory = stateDirectory();
  const flags = { 'state.dir': directory, 'cache.readings-ttl': '1s' };
  const everyMs = 30 * SECOND_MS;
  // An hour after midnight in Kyiv, in which the first reading counts so much.
  const [now, before] = ['2026-08-23T22:00:00Z', 1.2];
  const readings = liveHistory(() => STEADY, { everyMs });
  const house = await openHouse({ readings }, { flags, now });
  // The file of the counters is written a minute after the last write ended; nothing else waits so long.
  const waits: (() => void)[] = [];
  const sleep = house.clock.sleep.bind(house.clock);
  house.clock.sleep = (durationMs, signal) => {
    if (durationMs < everyMs / 2 || durationMs > MINUTE_MS) return sleep(durationMs, signal);
    return new Promise((resolve) => {
      waits.push(resolve);
      signal?.addEventListener('abort', () => resolve());
    });
  };
  const shown = (page: ScrapedPage) => (page.like({ [LOAD]: 0 })[LOAD] ?? before) - before;
  const kept = () => {
    const file = readFileSync(join(directory, 'energy-counters.json'), 'utf8');
    return Number(/"energies":{[^}]*"consumptionKwh":([^,}]+)/.exec(file)?.[1]) - before;
  };
  await house.scrape();
  for (let quarter = 1; quarter <= 2; quarter += 1) {
    await house.scrapeAfter(QUARTER_MS - everyMs);
    await eventually(() => {
      waits.splice(0).forEach((write) => write());
      expect(kept()).toEqual(closeTo(0.3 * quarter - 0.01));
    });
    const page = await house.scrapeAfter(everyMs);
    await eventually(() => {
      expect(waits).not.toEqual([]);
      expect(shown(page)).toBeLessThanOrEqual(kept() + 1e-6);
    });
    await eventually(() => {
      waits.splice(0).forEach((write) => write());
      expect(kept()).toEqual(closeTo(0.3 * quarter));
    });
    await eventually(async () =>
      expect(shown(await house.scrapeAfter(SECOND_MS))).toEqual(closeTo(0.3 * quarter)),
    );
  }
});

const PV = 'solar_device_energy_kwh_total{flow="pv"}';
const DOWN: PortalAnswer = { status: 500 };

describe('what is counted', () => {
  const startMs = Date.parse(NOW);

  const misread = liveHistory((atMs) =>
    atMs === startMs + HOUR_MS / 2 ? { ...STEADY, pvInputPower: 1e8 } : STEADY,
  );
  const misdated: Scripted = (request) => {
    const answer = JSON.stringify(liveHistory(() => STEADY)(request));
    return JSON.parse(
      answer.replace(/"[^"]*T08:30:00.000Z"/, '"2190-01-01T00:00:00Z"'),
    ) as PortalAnswer;
  };
  const voltageAlone: Step['page'] = { [PV]: undefined, [GAP]: undefined };
  const after = (afterMs: number, page: Step['page']): readonly Step[] => [{}, { afterMs, page }];

  test.each<[when: string, steps: readonly Step[], more?: { readings?: Scripted; flags?: Flags }]>([
    ['an outage lasts for a day', after(DAY_MS, { [LOAD]: 28.8, [GAP]: 0 })],
    [
      'it lasts for a month, of which the last day counts',
      after(30 * DAY_MS, { [LOAD]: 28.7, [GAP]: 29 * 86_400 + 300 }),
    ],
    [
      'the service is down for longer than a day',
      [
        { page: { [LOAD]: 0 } },
        { afterMs: QUARTER_MS, page: { [LOAD]: 0.3 } },
        { answers: { readings: DOWN }, afterMs: DAY_MS, page: { [LOAD]: 0.3 } },
        { afterMs: 2 * QUARTER_MS, page: { [LOAD]: undefined } },
        {
          answers: { readings: liveHistory(() => STEADY) },
          afterMs: QUARTER_MS,
          page: { [LOAD]: 0.3 + 28.7, [GAP]: 2700 + 300 },
        },
      ],
    ],
    [
      'a logger sends every half hour',
      after(4 * HOUR_MS, { [LOAD]: 4.8, [GAP]: 0 }),
      { readings: liveHistory(() => STEADY, { everyMs: 30 * MINUTE_MS }) },
    ],
    // Nothing is counted on both sides of the point.
    [
      'one point says 100 MW',
      after(HOUR_MS, { [PV]: 1, [LOAD]: 1.2, [GAP]: 600 }),
      { readings: misread },
    ],
    [
      'one point is dated in 2190',
      [
        ...after(HOUR_MS / 2, { [LOAD]: 0.5, [GAP]: 0 }),
        { afterMs: HOUR_MS / 2, page: { [LOAD]: 1.2, [GAP]: 0 } },
      ],
      { readings: misdated },
    ],
    ['a device says nothing of power', after(HOUR_MS, voltageAlone), { readings: VOLTAGE }],
    [
      'it is switched off',
      after(HOUR_MS, { [LOAD]: undefined, [GAP]: undefined }),
      { flags: { 'collect.energy': 'false' } },
    ],
  ])('is right when %s', async (_when, steps, { readings, flags } = {}) => {
    const steady = liveHistory(() => STEADY);
    const house = await openHouse({ readings: readings ?? steady }, { flags: flags ?? {} });
    await house.follow(...steps);
  });

  test('goes on after a restart with --state.dir, else begins at 0', async () => {
    const flags = { 'state.dir': stateDirectory() };
    const kept = await openHouse({ readings: liveHistory(() => STEADY) }, { flags });
    await kept.follow({}, { afterMs: QUARTER_MS });
    await kept.restart();
    await kept.scrapeAfter(26 * HOUR_MS);
    // It is shown once it is written.
    await eventually(async () =>
      expect(counted(await kept.scrapeAfter(SECOND_MS))).toEqual({
        [LOAD]: closeTo(since(0.3 + 28.7)),
        [GAP]: 7200 + 300,
      }),
    );
    const lost = await openHouse({ readings: liveHistory(() => STEADY) });
    await lost.follow({}, { afterMs: QUARTER_MS });
    await lost.restart();
    await lost.follow(
      { afterMs: 26 * HOUR_MS, page: { [LOAD]: 0, [GAP]: 0 } },
      { afterMs: QUARTER_MS, page: { [LOAD]: 0.3, [GAP]: 0 } },
    );
  });
});

test.each([
  ['hpvinv02 is counted, but for the feed-in, which its series lacks', 'hpvinv02', /feed_in/],
  ['classic is what the service says', 'classic', /none/],
] as const)('today of %s', async (_, family, lost) => {
  const flags = { 'collect.alarms': 'false', 'state.dir': stateDirectory() };
  const simulator = { family, timeZone: 'Europe/Kyiv' } as const;
  const house = await startBoth({ now: '2026-03-31T15:00:00Z', simulator, flags });
  const isRight = async (unknown?: RegExp) => {
    const page = await house.scrape();
    const { today } = house.simulator.truth(house.deviceId, house.clock.nowMs()).energy();
    for (const [name, wattHours] of Object.entries(today)) {
      // As batteryCharged is battery_charge.
      const [what = ''] = name.replace('ged', 'ge').split('WattHours');
      const flow = what.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
      const [shown] = page
        .all('solar_station_energy_today_kwh')
        .filter(({ labels }) => labels['flow'] === flow);
      // The service rounds, and a reading is minutes old.
      const most = 0.1 + (0.02 * wattHours) / 1000;
      if (unknown?.test(flow) === true) expect(shown, flow).toBeUndefined();
      else expect(Math.abs(Number(shown?.value) - wattHours / 1000), flow).toBeLessThan(most);
    }
  };
  await isRight(lost);
  await house.keepScraping(7 * HOUR_MS, QUARTER_MS);
  await isRight();
  await house.restart();
  await isRight();
  house.clock.advance(2 * HOUR_MS);
  await isRight(lost);
});

describe('the requests for it', () => {
  const lately = ({ atMs }: PortalRequest) => new Date(atMs - MINUTE_MS).toISOString();
  const plain = { 'collect.alarms': 'false', 'cache.readings-ttl': '6h', 'cache.max-age': '24h' };

  test('are none: a reading brings all points since the one before', async () => {
    const flags = { ...plain, 'state.dir': stateDirectory() };
    const house = await openHouse({ readings: liveHistory(() => STEADY) }, { flags });
    await house.follow({ asked: { readings: 1, latestState: 1 } });
    for (const readings of [2, 3])
      await house.follow({ afterMs: 6 * HOUR_MS, asked: { readings } });
    await house.restart();
    const page = { [LOAD]: since(14.4 + 1.2), [GAP]: 0 };
    await house.follow({ afterMs: HOUR_MS, asked: { readings: 4 } });
    // It is shown once it is written.
    await eventually(async () => expect(counted(await house.scrapeAfter(1))).toEqual(page));
  });

  test.each([
    ['none for a device that repeats its latest state', {}, 0],
    ['one every quarter of an hour for one that tells no times', { time: null }, 4],
  ])('are %s', async (_, more, times) => {
    const fields = { outputActivePower: [1.2, 'kW'], batteryCapacity: [80, '%'] } as const;
    const state = latest(fields, more);
    const house = await openHouse(
      { latestState: state, readings: history({}, []) },
      { flags: { 'cache.readings-ttl': '5m' } },
    );
    await house.scrape();
    await house.keepScraping(10 * MINUTE_MS, 5 * MINUTE_MS);
    const asked = house.asked('readings').length;
    await house.keepScraping(HOUR_MS, 5 * MINUTE_MS);
    expect(house.asked('latestState').length).toBeGreaterThan(12);
    expect(house.asked('readings')).toHaveLength(asked + times);
  });

  test.each<[what: string, times: number, page: Step['page'], asked: readonly number[]]>([
    ['comes', 0, { [LOAD]: 3.9, [GAP]: 0 }, [1, 1, 1, 1]],
    ['fails twice', 2, { [LOAD]: 3.9, [GAP]: 0 }, [1, 2, 3, 3]],
    ['fails for longer', 9, { [LOAD]: 0, [GAP]: 11_700 }, [1, 2, 3, 4]],
  ])(
    'by latest states are one after hours of silence: a past that %s',
    async (_what, times, page, asked) => {
      const state: Scripted = (request) =>
        latest(
          { outputActivePower: [1.2, 'kW'], batteryCapacity: [80, '%'] },
          { time: lately(request) },
        );
      const series = liveHistory(() => ({ outputActivePower: 1.2 }));
      let [isAway, lost] = [false, 0];
      const house = await openHouse(
        {
          latestState: (request) => (isAway ? DOWN : state(request)),
          readings: (request) => {
            if (request.atMs < Date.parse(NOW) + HOUR_MS) return series(request);
            lost += 1;
            return lost <= times ? DOWN : series(request);
          },
        },
        { flags: { 'cache.readings-ttl': '1m' } },
      );
      await house.scrape();
      isAway = true;
      await house.scrapeAfter(2 * HOUR_MS);
      isAway = false;
      const counts: number[] = [];
      for (const minutes of [60, 5, 5, 5]) {
        const before = house.asked('readings').length;
        await house.scrapeAfter(minutes * MINUTE_MS);
        counts.push((counts.at(-1) ?? 0) + house.asked('readings').length - before);
      }
      expect(counts).toEqual(asked);
      expect(counted(await house.scrape())).toEqual(page);
    },
  );
});
