import { describe, expect, test } from 'vitest';
import { completeOptions, type SimulatorOptions } from '../../../../src/simulator/options.ts';
import { readHistory } from '../../../../src/simulator/service/samples/readings.ts';
import { World } from '../../../../src/simulator/service/world.ts';
import { FakeClock } from '../../../support/fake-clock.ts';

const NOW = '2026-06-21T04:02:30Z';
const SAMPLES_PER_DAY = 288;

/** 105 days, in which the months of the station change four times. */
const WINDOW = { fromTime: '2026-03-08T04:02:30Z', toTime: NOW };

interface Page {
  readonly page: number;
  readonly count: number;
  readonly total?: number;
  readonly payload: {
    readonly timeSeries: readonly string[];
    readonly fields: Readonly<Record<string, readonly unknown[]>>;
  };
}

function historyOf(options: Partial<SimulatorOptions> = {}) {
  const world = new World(
    completeOptions({ devicesPerStation: 2, ...options }),
    new FakeClock(NOW),
  );
  const devices = world.fleet.stations.flatMap((station) => station.devices);
  const read = (change: object = {}): Page => {
    const body = { deviceId: devices[0]?.deviceId, ...WINDOW, page: 1, count: 2000, ...change };
    return (JSON.parse(readHistory(body, world).body) as { data: Page }).data;
  };
  const pages = (most: number, change: object = {}): readonly Page[] =>
    Array.from({ length: most }, (_, index) => read({ page: index + 1, ...change }));
  return { world, devices, read, pages };
}

const times = (pages: readonly Page[]): readonly string[] =>
  pages.flatMap(({ payload }) => payload.timeSeries);

describe('105 days of the past', () => {
  test('come in sixteen pages of up to 2000 points, five minutes apart, and are what was true', () => {
    const { world, devices, pages } = historyOf();
    const answers = pages(17);
    expect(answers.map(({ count }) => count)).toEqual([
      ...new Array<number>(15).fill(2000),
      105 * SAMPLES_PER_DAY - 30_000,
      0,
    ]);
    expect(new Set(answers.map(({ total }) => total))).toEqual(new Set([16]));
    const instants = times(answers).map(Date.parse);
    expect(instants[0]).toBe(Date.parse('2026-03-08T04:05:00Z'));
    for (const [index, atMs] of instants.entries())
      if (index > 0) expect(atMs - (instants[index - 1] ?? 0)).toBe(300_000);

    const watts = answers.flatMap(({ payload }) => payload.fields['pvInputPower'] ?? []);
    const [device] = devices;
    if (device === undefined) throw new Error('no device');
    for (let index = 0; index < instants.length; index += 997) {
      const truth = world.inverterState(device, instants[index] ?? 0);
      expect(watts[index]).toBe(Math.round(truth.pvPowerWatts));
    }
  });

  test('are the same in whatever order, window, and pages they are asked for', () => {
    const { devices, pages, read } = historyOf();
    const neighbour = devices[1]?.deviceId;
    const forward = pages(16);
    const another = historyOf();
    const backward = [...new Array(16).keys()].toReversed().map((index) => {
      another.read({ deviceId: neighbour, page: 16 - index });
      return another.read({ page: index + 1 });
    });
    expect(backward.toReversed()).toEqual(forward);
    const april = read({ fromTime: '2026-04-01T00:00:00Z', toTime: '2026-04-01T01:00:00Z' });
    const start = times(forward).indexOf('2026-04-01T00:00:00.000Z');
    expect(times(forward).slice(start, start + 13)).toEqual(april.payload.timeSeries);
    const flat = forward.flatMap(({ payload }) => payload.fields['batterySOC'] ?? []);
    expect(flat.slice(start, start + 13)).toEqual(april.payload.fields['batterySOC']);
  });
});

describe('the service that says less than it should', () => {
  test('gives fewer points a page than were asked for, and loses none', () => {
    const { read, pages } = historyOf({ mostPoints: 700 });
    const window = { fromTime: '2026-06-16T04:02:30Z' };
    expect(pages(4, window).map(({ count, total }) => ({ count, total }))).toEqual([
      { count: 700, total: 3 },
      { count: 700, total: 3 },
      { count: 40, total: 3 },
      { count: 0, total: 3 },
    ]);
    expect(new Set(times(pages(3, window))).size).toBe(5 * SAMPLES_PER_DAY);
    expect(read({ ...window, count: 100 }).count).toBe(100);
  });

  test('leaves pages empty but for the last, the same ones each time', () => {
    const { pages } = historyOf({ emptyPages: 0.4 });
    const answers = pages(16);
    const empty = answers.filter(({ count }) => count === 0);
    expect(empty.length).toBeGreaterThan(2);
    expect(empty.length).toBeLessThan(12);
    for (const { payload, total } of empty) {
      expect(payload).toMatchObject({ timeSeries: [], fields: {} });
      expect(total).toBe(16);
    }
    expect(pages(16)).toEqual(answers);
    expect(historyOf({ emptyPages: 0.4 }).pages(16)).toEqual(answers);
    const all = historyOf({ emptyPages: 1 }).pages(17);
    expect(all.map(({ count }) => count)).toEqual([...new Array<number>(15).fill(0), 240, 0]);
  });

  test('leaves other pages empty for another window, device or seed', () => {
    const emptyOf = (pages: readonly Page[]) => pages.map(({ count }) => count === 0).join();
    const { devices, pages } = historyOf({ emptyPages: 0.5 });
    const usual = emptyOf(pages(16));
    const others = [
      pages(16, { fromTime: '2026-03-08T04:02:31Z' }),
      pages(16, { deviceId: devices[1]?.deviceId }),
      historyOf({ emptyPages: 0.5, seed: 2 }).pages(16),
    ];
    for (const other of others) expect(emptyOf(other)).not.toBe(usual);
  });

  test('keeps a live window whole, because it is one page', () => {
    const { read } = historyOf({ emptyPages: 1 });
    expect(read({ fromTime: '2026-06-21T03:02:30Z' }).count).toBe(12);
  });

  test.each([
    { historyTotal: 'pages', total: 3 },
    { historyTotal: 'points', total: 12 },
    { historyTotal: 'none', total: undefined },
  ] as const)('counts the total in $historyTotal: $total', ({ historyTotal, total }) => {
    const { read } = historyOf({ historyTotal });
    const page = read({ fromTime: '2026-06-21T03:02:30Z', count: 5 });
    expect(page.total).toBe(total);
    expect(Object.hasOwn(page, 'total')).toBe(total !== undefined);
  });

  test('has forgotten what is older than it keeps', () => {
    const { read } = historyOf({ historyDays: 30 });
    const [oldest] = times([read()]);
    expect(oldest).toBe('2026-05-22T04:05:00.000Z');
    expect(read({ toTime: '2026-05-22T04:00:00Z' })).toMatchObject({
      count: 0,
      total: 0,
      payload: { timeSeries: [], fields: {} },
    });
  });

  test('has no samples of a device while it was out, in either order', () => {
    const { world, devices, read } = historyOf();
    const [device] = devices;
    if (device === undefined) throw new Error('no device');
    world.contact.addGap(device, {
      fromMs: Date.parse('2026-06-21T03:20:00Z'),
      toMs: Date.parse('2026-06-21T03:50:00Z'),
    });
    const window = { fromTime: '2026-06-21T03:10:00Z' };
    const { payload, total } = read(window);
    expect(payload.timeSeries.map((time) => time.slice(11, 16))).toEqual([
      '03:10',
      '03:15',
      '03:50',
      '03:55',
      '04:00',
    ]);
    expect(total).toBe(1);
    const backward = read({ ...window, orderByTimeAsc: false });
    expect(backward.payload.timeSeries).toEqual(payload.timeSeries.toReversed());
    expect(backward.payload.fields['batteryVoltage']).toEqual(
      payload.fields['batteryVoltage']?.toReversed(),
    );
  });
});
