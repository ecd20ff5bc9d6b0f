import { describe, expect, test } from 'vitest';
import { calendarOf } from '../../../src/base/time-zone.ts';
import type { Call } from '../../../src/client/call.ts';
import { askPast } from '../../../src/client/devices/past-series.ts';
import {
  decodeSeries,
  type SeriesReader,
  type TimeSeries,
} from '../../../src/client/devices/series.ts';
import { CLASSIC } from '../../support/device-report.ts';
import { DAY_MS, MINUTE_MS } from '../../support/durations.ts';

const FROM_MS = Date.parse('2026-08-01T00:00:00Z');
const at = (minutes: number): number => FROM_MS + minutes * MINUTE_MS;

interface Point {
  readonly atMs: number;
  readonly pv: unknown;
}

interface Answer {
  readonly timeSeries: readonly unknown[];
  readonly fields: Readonly<Record<string, readonly unknown[]>>;
}

/** The points that a service has of a device, and its ways; on a page it has no more than its cap. */
interface Service {
  readonly isNewestFirst?: boolean;
  readonly points?: readonly Point[];
  readonly cap?: number;
  readonly isEmpty?: (page: number, fromTime: string) => boolean;
  /** Which page comes when one is asked for. */
  readonly shownFor?: (page: number, pages: number) => number;
  readonly total?: (points: number, pages: number) => unknown;
  readonly distort?: (answer: Answer) => Answer;
}

type Body = Readonly<Record<string, unknown>>;

/** One point every four minutes, which are counted. */
const pointsOf = (days: number): readonly Point[] =>
  Array.from({ length: days * 360 }, (_, index) => ({ atMs: at(index * 4), pv: index }));

function answering(service: Service) {
  const { points = pointsOf(1), cap = 2000, isEmpty = () => false } = service;
  const { total = (_, pages) => pages, distort = (answer) => answer } = service;
  const { shownFor = (page) => page } = service;
  return (body: Body) => {
    const [fromMs = 0, toMs = 0] = [body['fromTime'], body['toTime']].map((time) =>
      Date.parse(String(time)),
    );
    const count = Math.min(Number(body['count']), cap);
    const found = points.filter((one) => one.atMs >= fromMs && one.atMs <= toMs + 999);
    if (service.isNewestFirst === true) found.reverse();
    const pages = Math.ceil(found.length / count);
    const page = shownFor(Number(body['page']), pages);
    const isLeftOut = isEmpty(page, String(body['fromTime']));
    const shown = isLeftOut ? [] : found.slice((page - 1) * count, page * count);
    const payload = distort({
      timeSeries: shown.map((one) => new Date(one.atMs).toISOString()),
      fields: {
        pvInputPower: shown.map(({ pv }) => pv),
        batterySOC: shown.map(() => ({ vd: '50' })),
      },
    });
    return { total: total(found.length, pages), payload };
  };
}

/** Reads the PV power alone. */
const reader = (keys: readonly string[]): SeriesReader => ({
  keys,
  dialect: CLASSIC,
  decode: (samples) => {
    const pv = samples.find(({ key }) => key === 'pvInputPower')?.number;
    const measured = pv && [{ quantity: 'pvPowerWatts', part: '', ...pv } as const];
    return { source: 'history', fields: [], measurements: measured ?? [], incomplete: [] };
  },
});

/** Asks for the days from the first of August; returns the PV power by the minutes of its readings, and what was asked. */
async function askDays(service: Service, { days = 1, keys = ['pvInputPower', 'batterySOC'] } = {}) {
  const asked: Body[] = [];
  const answer = answering(service);
  const time = { nowMs: at(23 * 1440), calendar: calendarOf('UTC'), serviceAheadMs: 0 };
  const call: Call<{ readings: TimeSeries }> = (_name, build) => {
    const { body = {} } = build(time);
    asked.push(body as Body);
    const context = { ...time, path: '/past', noteDropped: () => undefined };
    return Promise.resolve(decodeSeries(answer(body as Body), context));
  };
  const span = { deviceId: '1', fromMs: FROM_MS, toMs: FROM_MS + days * DAY_MS };
  const values: (readonly [minute: number, pv: unknown])[] = [];
  /** When the device measured them. */
  const measuredAt: (number | undefined)[] = [];
  const read = async (): Promise<void> => {
    for await (const page of askPast(call, span, reader(keys), (ask) => ask()))
      for (const { atMs, report } of page) {
        const [pv] = report.measurements;
        values.push([(atMs - FROM_MS) / MINUTE_MS, pv?.value]);
        measuredAt.push(pv?.measuredAtMs);
      }
  };
  const failure = await read().catch((error: unknown) => error);
  return { values, measuredAt, asked, failure };
}

const valuesOf = (points: readonly Point[]) =>
  points.map(({ atMs, pv }) => [(atMs - FROM_MS) / MINUTE_MS, pv]);

const descending = ({ timeSeries, fields }: Answer): Answer => ({
  timeSeries: timeSeries.toReversed(),
  fields: Object.fromEntries(
    Object.entries(fields).map(([key, values]) => [key, values.toReversed()]),
  ),
});

/** Puts a point before the others of each page. */
const withPointAt =
  (atMs: number) =>
  ({ timeSeries, fields }: Answer): Answer => ({
    timeSeries: [new Date(atMs).toISOString(), ...timeSeries],
    fields: Object.fromEntries(Object.entries(fields).map(([key, all]) => [key, [9999, ...all]])),
  });

const swapped = (one: number, other: number) => (page: number) =>
  page === one ? other : page === other ? one : page;

describe('every point of the past comes once', () => {
  let answers = 0;

  test.each<[string, Service]>([
    ['the service does as it says', {}],
    ['the total is 0', { total: () => 0 }],
    ['the total promises more', { total: () => 99 }],
    ['the total is no number', { total: () => ['many'] }],
    ['a page is shorter than was asked', { cap: 7 }],
    [
      'the first page comes back empty',
      { cap: 100, isEmpty: (page, from) => page === 1 && from.includes('T08:00:00') },
    ],
    ['the second page comes back empty', { cap: 100, isEmpty: (page) => page === 2 }],
    [
      'all answers but each seventh are empty, and say that there is more',
      { cap: 100, isEmpty: () => (answers += 1) % 7 !== 0 },
    ],
    ['the answer is in descending order', { distort: descending }],
    ['pages 1 and 2 are swapped', { cap: 100, shownFor: swapped(1, 2) }],
    ['pages 2 and 3 are swapped', { cap: 100, shownFor: swapped(2, 3) }],
    ['two pages are swapped, and there are no others', { cap: 200, shownFor: swapped(1, 2) }],
    ['the last page comes first', { cap: 100, shownFor: (page, pages) => swapped(1, pages)(page) }],
    ['the second page never comes', { cap: 100, shownFor: (page) => page + Number(page > 1) }],
    [
      'the second page is the first once more',
      { cap: 100, shownFor: (page) => page - Number(page === 2) },
    ],
    ['every page is the first', { cap: 100, shownFor: () => 1 }],
  ])('although %s', async (_, service) => {
    expect((await askDays(service)).values).toEqual(valuesOf(pointsOf(1)));
  });

  test('page by page, until the last one of the span has come', async () => {
    const points = pointsOf(12);
    const { values, asked } = await askDays({ points }, { days: 12 });
    expect(values).toEqual(valuesOf(points));
    expect(asked.map(({ page }) => page)).toEqual([1, 2, 3]);
    expect(asked[0]).toMatchObject({ count: 2000, orderByTimeAsc: true });
  });

  test.each<[string, Service]>([
    ['come newest first', { isNewestFirst: true }],
    ['have a point an hour ahead of the span', { distort: withPointAt(at(6 * 1440 + 60)) }],
    ['have a point of the year 2199', { distort: withPointAt(Date.UTC(2199, 0)) }],
    ['have a point of long before', { distort: withPointAt(at(-5000)) }],
  ])('although pages %s', async (_, service) => {
    const points = pointsOf(6);
    const { values, asked } = await askDays({ points, ...service }, { days: 6 });
    expect(values).toEqual(valuesOf(points));
    expect(asked).toHaveLength(2);
  });

  test('behind a gap, however long', async () => {
    const points = pointsOf(10).filter(({ atMs }) => atMs < at(1440) || atMs >= at(9 * 1440));
    const { values, asked } = await askDays({ points }, { days: 10 });
    expect(values.filter(([minutes = 0]) => minutes >= 9 * 1440)).toEqual(
      valuesOf(points.filter(({ atMs }) => atMs >= at(9 * 1440))),
    );
    expect(asked).toHaveLength(1);
  });
});

test('nothing, or nothing more, is believed after three answers', async () => {
  expect((await askDays({ points: [] })).asked).toHaveLength(3);
  const points = pointsOf(1).slice(0, 100);
  const { values, asked } = await askDays({ points });
  expect(values).toEqual(valuesOf(points));
  expect(asked).toHaveLength(4);
});

test('a past that takes requests without end is refused after 500', async () => {
  const points = Array.from({ length: 720 }, (_, index) => ({ atMs: at(index * 2), pv: index }));
  const { values, asked, failure } = await askDays({ points, cap: 1 });
  expect(failure).toMatchObject({
    code: 'SERVICE_PAYLOAD_INVALID',
    message:
      'device 1: 500 requests did not bring its readings from 2026-08-01T16:38:00.000Z to 2026-08-02T00:00:00.000Z',
  });
  expect(asked).toHaveLength(500);
  expect(values).toHaveLength(500);
});

test('fewer points are asked for at once where there are many keys', async () => {
  const keys = Array.from({ length: 119 }, (_, index) => `k${index}`);
  expect((await askDays({}, { keys })).asked[0]).toMatchObject({ keys, count: 750 });
});

test('a missing value is the newest number before, in whatever form', async () => {
  const elements = [null, '', 7, { value: 8 }, [], '9', { vd: 10 }];
  const points = Array.from({ length: 1440 }, (_, index) => ({
    atMs: at(index),
    pv: elements[(index * 3) % 7],
  }));
  const numbers = [undefined, undefined, 7, 8, undefined, 9, 10];
  const ofMinute = (minute: number) => numbers[(minute * 3) % 7];
  const newest = points.map((_, minute) =>
    [0, 1, 2, 3].map((before) => minute - before).find((at) => ofMinute(at) !== undefined),
  );
  const { values, measuredAt } = await askDays({ points, cap: 100 });
  expect(values).toEqual(newest.map((minute, index) => [index, minute && ofMinute(minute)]));
  expect(measuredAt).toEqual(newest.map((minute) => minute && at(minute)));
});

test('unreadable times are passed over, and of equal ones the last counts', async () => {
  const { values } = await askDays({
    points: pointsOf(1).slice(0, 4),
    distort: ({ timeSeries: [one, two, three], fields }) =>
      one === undefined
        ? { timeSeries: [], fields }
        : {
            timeSeries: [one, 'yesterday', two, two, '9999-01-01T00:00:00Z', 7, three],
            fields: { pvInputPower: [0, 1, 2, 3, 4, 5, 6] },
          },
  });
  expect(values.slice(0, 3)).toEqual([
    [0, 0],
    [4, 3],
    [8, 6],
  ]);
});
