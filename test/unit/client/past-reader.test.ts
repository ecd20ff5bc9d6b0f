import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DeviceEndpoints } from '../../../src/client/devices/device-endpoints.ts';
import { type PastQuery, readPast } from '../../../src/client/devices/past-reader.ts';
import type { SeriesDialect } from '../../../src/client/devices/series-dialect.ts';
import { decodeAnswer } from '../../../src/client/dialects/decoded-answer.ts';
import { RuleSet } from '../../../src/client/dialects/rule-set.ts';
import type { PastReading } from '../../../src/model/readings.ts';
import { createCaller } from '../../client/exchange/caller-harness.ts';

const MINUTE_MS = 60_000;
const FROM_MS = Date.parse('2026-08-01T00:00:00Z');
const DAY_MS = 24 * 60 * MINUTE_MS;
const RULES = new RuleSet();
const CLASSIC: SeriesDialect = {
  keys: ['pvInputPower', 'batterySOC'],
  spoken: { family: 'classic', source: 'history', missing: [], unknownKeys: [] },
  decode: (samples) => decodeAnswer(samples, { source: 'history', family: 'classic' }, RULES),
};

/** A point of the series: its time, and the values of both keys. */
interface Point {
  readonly atMs: number;
  readonly pv: unknown;
  readonly soc: unknown;
}

interface Asked {
  readonly fromTime: string;
  readonly toTime: string;
  readonly page: number;
  readonly count: number;
}

interface Portal {
  readonly points: readonly Point[];
  /** The most points that it puts on a page, whatever is asked. */
  readonly cap?: number;
  readonly isEmpty?: (asked: Asked) => boolean;
  readonly total?: (points: number, pages: number) => unknown;
  /** Changes the answer. */
  readonly distort?: (payload: Payload) => unknown;
}

interface Payload {
  readonly timeSeries: readonly string[];
  readonly fields: Readonly<Record<string, readonly unknown[]>>;
}

function createPortal({
  points,
  cap = 2000,
  isEmpty = () => false,
  total = (_, pages) => pages,
  distort = (payload) => payload,
}: Portal) {
  const requests: Asked[] = [];
  const { caller } = createCaller(({ body }) => {
    const asked = JSON.parse(body ?? '') as Asked;
    requests.push(asked);
    const [fromMs, toMs] = [Date.parse(asked.fromTime), Date.parse(asked.toTime)];
    const count = Math.min(asked.count, cap);
    const found = points.filter(({ atMs }) => atMs >= fromMs && atMs <= toMs + 999);
    const page = isEmpty(asked) ? [] : found.slice((asked.page - 1) * count, asked.page * count);
    const payload = distort({
      timeSeries: page.map(({ atMs }) => new Date(atMs).toISOString()),
      fields: { pvInputPower: page.map(({ pv }) => pv), batterySOC: page.map(({ soc }) => soc) },
    });
    const data = { total: total(found.length, Math.ceil(found.length / count)), payload };
    return { code: 0, data };
  });
  const endpoints = new DeviceEndpoints(caller);
  return {
    requests,
    read: async (range: Partial<PastQuery> = {}): Promise<readonly PastReading[]> => {
      const readings: PastReading[] = [];
      const query = { deviceId: '7', fromMs: FROM_MS, toMs: FROM_MS + DAY_MS, ...range };
      for await (const page of readPast(query, CLASSIC, endpoints, (ask) => ask()))
        readings.push(...page);
      return readings;
    },
  };
}

/** Says of all questions but the seventh, the fourteenth and so on that they are answered by nothing. */
function everyButEachSeventh(): () => boolean {
  let asked = 0;
  return () => (asked += 1) % 7 !== 0;
}

function everyMinutes(minutes: number, days = 1): readonly Point[] {
  const points = (days * 24 * 60) / minutes;
  return Array.from({ length: points }, (_, index) => ({
    atMs: FROM_MS + index * minutes * MINUTE_MS,
    pv: index,
    soc: 50,
  }));
}

/** The PV power of each reading, and whether it was measured at its time. */
function pvOf(readings: readonly PastReading[]) {
  return readings.map(({ atMs, report }) => {
    const found = report.measurements.find(({ quantity }) => quantity === 'pvPowerWatts');
    return found && [found.value, found.measuredAtMs === atMs];
  });
}

describe('reading the past', () => {
  test('asks for pages until the last point of the span has come, and for none after it', async () => {
    const portal = createPortal({ points: everyMinutes(5, 14) });
    const readings = await portal.read({ toMs: FROM_MS + 14 * DAY_MS });
    expect(pvOf(readings)).toEqual(Array.from({ length: 14 * 288 }, (_, pv) => [pv, true]));
    expect(portal.requests.map(({ page }) => page)).toEqual([1, 2, 3]);
    expect(portal.requests[0]).toMatchObject({ count: 2000, orderByTimeAsc: true });
  });

  test('yields only what lies in the span', async () => {
    const portal = createPortal({ points: everyMinutes(5) });
    const hour = 60 * MINUTE_MS;
    const readings = await portal.read({ fromMs: FROM_MS + hour, toMs: FROM_MS + 2 * hour });
    expect(readings.map(({ atMs }) => (atMs - FROM_MS) / MINUTE_MS)).toEqual([
      60, 65, 70, 75, 80, 85, 90, 95, 100, 105, 110, 115,
    ]);
  });

  test.each<[string, Omit<Portal, 'points'>]>([
    ['the total counts points', { total: (points) => points }],
    ['the total is left out', { total: () => undefined }],
    ['the total is 0', { total: () => 0 }],
    ['the total promises more', { total: () => 99 }],
    ['the total is no number', { total: () => ['many'] }],
    ['a page is shorter than was asked', { cap: 7 }],
    [
      'the first page comes back empty',
      { cap: 100, isEmpty: ({ page, fromTime }) => page === 1 && fromTime.includes('T08:00:00') },
    ],
    ['the second page comes back empty', { cap: 100, isEmpty: ({ page }) => page === 2 }],
    [
      'every answer but each seventh is empty, and says that there is more',
      { cap: 100, isEmpty: everyButEachSeventh() },
    ],
    [
      'the answer is in descending order',
      {
        distort: ({ timeSeries, fields }) => ({
          timeSeries: timeSeries.toReversed(),
          fields: Object.fromEntries(
            Object.entries(fields).map(([key, values]) => [key, values.toReversed()]),
          ),
        }),
      },
    ],
  ])('reads every point once although %s', async (_, misbehaviour) => {
    const portal = createPortal({ points: everyMinutes(5), ...misbehaviour });
    expect(pvOf(await portal.read())).toEqual(
      Array.from({ length: 288 }, (_element, pv) => [pv, true]),
    );
  });

  test('passes over points, whose values and times count for the next one that is read', async () => {
    const points = everyMinutes(5)
      .slice(0, 10)
      .map((point, index) => (index < 7 ? point : { ...point, pv: undefined }));
    const portal = createPortal({ points });
    const passedOver = (timesAtMs: readonly number[]): number => timesAtMs.length - 2;
    const [first, last, ...others] = await portal.read({
      toMs: FROM_MS + 50 * MINUTE_MS,
      passedOver,
    });
    expect(others).toEqual([]);
    expect(pvOf([first, last].filter((reading) => reading !== undefined))).toEqual([
      [6, false],
      [6, false],
    ]);
    expect(first?.report.timesAtMs).toEqual(points.slice(0, 9).map(({ atMs }) => atMs));
    expect(last?.report.timesAtMs).toEqual([points[9]?.atMs]);
  });

  test('reads the last point of the span, whatever is passed over', async () => {
    const portal = createPortal({ points: everyMinutes(5) });
    // The service gives one point more, which lies behind the span.
    const span = { toMs: FROM_MS + 10 * MINUTE_MS, passedOver: () => Infinity };
    expect(pvOf(await portal.read(span))).toEqual([[1, true]]);
    expect(portal.requests).toHaveLength(1);
  });

  test('believes that there is nothing after three answers', async () => {
    const portal = createPortal({ points: [] });
    expect(await portal.read()).toEqual([]);
    expect(portal.requests).toHaveLength(3);
  });

  test('believes after three answers that nothing follows the last point', async () => {
    const portal = createPortal({ points: everyMinutes(5).slice(0, 100) });
    expect(await portal.read()).toHaveLength(100);
    expect(portal.requests).toHaveLength(4);
  });

  test('goes on behind a gap, however long', async () => {
    const points = everyMinutes(5, 10).filter(
      ({ atMs }) => atMs < FROM_MS + DAY_MS || atMs >= FROM_MS + 9 * DAY_MS,
    );
    const portal = createPortal({ points });
    const readings = await portal.read({ toMs: FROM_MS + 10 * DAY_MS });
    expect(readings.map(({ atMs }) => atMs)).toEqual(points.map(({ atMs }) => atMs));
    expect(portal.requests).toHaveLength(1);
  });

  test('asks for fewer points at once where there are many keys', async () => {
    const portal = createPortal({ points: everyMinutes(5) });
    const { caller } = createCaller(({ body }) => {
      portal.requests.push(JSON.parse(body ?? '') as Asked);
      return { code: 0, data: { payload: null } };
    });
    const keys = Array.from({ length: 119 }, (_, index) => `key${index}`);
    const query = { deviceId: '7', fromMs: FROM_MS, toMs: FROM_MS + DAY_MS };
    const endpoints = new DeviceEndpoints(caller);
    const pages = readPast(query, { ...CLASSIC, keys }, endpoints, (ask) => ask());
    for await (const page of pages) expect(page).toEqual([]);
    expect(portal.requests[0]?.count).toBe(750);
  });

  test('lets its maker send each request again', async () => {
    let failures = 3;
    const { caller } = createCaller(() => {
      if (failures > 0) throw new Error(`failure ${(failures -= 1)}`);
      return { code: 0, data: { payload: { timeSeries: ['2026-08-01T00:00:00Z'], fields: {} } } };
    });
    const query = { deviceId: '7', fromMs: FROM_MS, toMs: FROM_MS + 1 };
    const times: number[] = [];
    const again = async <T>(ask: () => Promise<T>): Promise<T> => ask().catch(() => again(ask));
    for await (const page of readPast(query, CLASSIC, new DeviceEndpoints(caller), again))
      for (const { atMs } of page) times.push(atMs);
    expect(times).toEqual([FROM_MS]);
  });

  test('says of each time what was known then: a missing value is the last one before', async () => {
    const at = (minutes: number): number => FROM_MS + minutes * MINUTE_MS;
    const points = [
      { atMs: at(0), pv: 100, soc: '90' },
      { atMs: at(5), pv: null, soc: { vd: '91' } },
      { atMs: at(10), pv: 'x', soc: null },
      { atMs: at(15), pv: 300, soc: null },
    ];
    const readings = await createPortal({ points }).read();
    const [pv, soc] = ['pvPowerWatts', 'batterySocRatio'].map((quantity) =>
      readings.map(({ report }) => {
        const found = report.measurements.find((one) => one.quantity === quantity);
        return [found?.value, ((found?.measuredAtMs ?? 0) - FROM_MS) / MINUTE_MS];
      }),
    );
    expect(pv).toEqual([
      [100, 0],
      [100, 0],
      [100, 0],
      [300, 15],
    ]);
    expect(soc).toEqual([
      [0.9, 0],
      [0.91, 5],
      [0.91, 5],
      [0.91, 5],
    ]);
    expect(readings.map(({ report }) => ((report.newestAtMs ?? 0) - FROM_MS) / MINUTE_MS)).toEqual([
      0, 5, 5, 15,
    ]);
  });

  test('lets a value stand for a missing one for 75 minutes', async () => {
    const points = everyMinutes(5).map((point, index) => ({
      ...point,
      pv: index === 0 ? 100 : null,
      soc: null,
    }));
    const readings = await createPortal({ points }).read();
    expect(pvOf(readings).findIndex((pv) => pv === undefined)).toBe(75 / 5 + 1);
  });

  test('skips times that nobody can read or believe, and a time that comes twice', async () => {
    const portal = createPortal({
      points: everyMinutes(5).slice(0, 4),
      distort: ({ timeSeries: [one = '', two = '', three = ''], fields }) => ({
        timeSeries: [one, 'yesterday', two, two, '9999-01-01T00:00:00Z', 7, three],
        fields: { ...fields, pvInputPower: [0, 1, 2, 3, 4, 5, 6] },
      }),
    });
    const readings = await portal.read();
    expect(pvOf(readings)).toEqual([
      [0, true],
      [3, true],
      [6, true],
    ]);
  });

  test('does not depend on where pages begin', async () => {
    const values = fc.array(
      fc.record({ pv: fc.option(fc.integer({ min: 0, max: 9000 })), soc: fc.option(fc.nat(100)) }),
      { minLength: 1, maxLength: 80 },
    );
    await fc.assert(
      fc.asyncProperty(values, fc.integer({ min: 1, max: 90 }), async (series, cap) => {
        const points = series.map((value, index) => ({
          atMs: FROM_MS + index * 7 * MINUTE_MS + 1,
          ...value,
        }));
        const whole = await createPortal({ points }).read();
        const inPages = await createPortal({ points, cap }).read();
        expect(inPages).toEqual(whole);
        expect(whole).toHaveLength(points.length);
      }),
      { numRuns: 40 },
    );
  });

  test('of what is passed over, the newest number and text of each key count, as if it had been read', async () => {
    const element = fc.constantFrom(null, '', 0, 12, '34', 'a word', { value: 5 }, { vd: 'word' });
    const series = fc.array(fc.record({ pv: element, soc: element }), {
      minLength: 1,
      maxLength: 30,
    });
    const measurementsOf = (reading: PastReading | undefined) => reading?.report.measurements;
    await fc.assert(
      fc.asyncProperty(series, async (values) => {
        const points = values.map((value, index) => ({
          atMs: FROM_MS + index * 5 * MINUTE_MS,
          ...value,
        }));
        const portal = createPortal({ points });
        const toMs = FROM_MS + points.length * 5 * MINUTE_MS;
        const whole = await portal.read({ toMs });
        const passedOver = (timesAtMs: readonly number[]): number => timesAtMs.length - 1;
        const [newest, ...others] = await portal.read({ toMs, passedOver });
        expect(others).toEqual([]);
        expect(measurementsOf(newest)).toEqual(measurementsOf(whole.at(-1)));
      }),
      { numRuns: 60 },
    );
  });
});
