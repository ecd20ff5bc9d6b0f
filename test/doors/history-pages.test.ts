import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../support/prometheus.ts';
import { FakeProcess } from './commands/fake-process.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SteeredClock } from './house.ts';
import { CLASSIC, history, type PortalRequest, startScriptedService } from './scripted-service.ts';

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

const spanOf = (body: PortalRequest['body']) => {
  const [fromMs = 0, toMs = 0] = ['fromTime', 'toTime'].map((at) => Date.parse(String(body[at])));
  return { fromMs, toMs };
};

/** One point every four minutes, which are counted. */
const pointsOf = (days: number): readonly Point[] =>
  Array.from({ length: days * 360 }, (_, index) => ({ atMs: at(index * 4), pv: index }));

function answering(service: Service) {
  const { points = pointsOf(1), cap = 2000, isEmpty = () => false } = service;
  const { total = (_, pages) => pages, distort = (answer) => answer } = service;
  const { shownFor = (page) => page } = service;
  return ({ body, atMs }: PortalRequest) => {
    // What is known of the device is learnt by its readings of now.
    const { fromMs, toMs } = spanOf(body);
    if (toMs > atMs - DAY_MS) return history(CLASSIC);
    const count = Math.min(Number(body['count']), cap);
    const found = points.filter((one) => one.atMs >= fromMs && one.atMs <= toMs + 999);
    if (service.isNewestFirst === true) found.reverse();
    const page = shownFor(Number(body['page']), Math.ceil(found.length / count));
    const isLeftOut = isEmpty(page, String(body['fromTime']));
    const shown = isLeftOut ? [] : found.slice((page - 1) * count, page * count);
    const payload = distort({
      timeSeries: shown.map((one) => new Date(one.atMs).toISOString()),
      fields: {
        pvInputPower: shown.map(({ pv }) => pv),
        batterySOC: shown.map(() => ({ vd: '50' })),
      },
    });
    return { data: { total: total(found.length, Math.ceil(found.length / count)), payload } };
  };
}

const WELL: object = { status: 0, complaints: '' };

/** Exports the days from the first of August, and returns the PV power by time and what was asked. */
async function exportDays(service: Service, { days = 1, dialect = '', ends = WELL } = {}) {
  const clock = new SteeredClock('2026-08-24T08:00:00Z');
  const { serviceUrl, asked } = await startScriptedService({ readings: answering(service) }, clock);
  const shell = new FakeProcess(clock);
  const output = join(temporaryDirectory(), 'past');
  shell.files = { 'mine.yml': dialect };
  shell.env = {
    SOLAR_BASE_URL: serviceUrl,
    SOLAR_ACCESS_TOKEN: 'made-up',
    SOLAR_TIME_ZONE: 'UTC',
    SOLAR_FROM: '2026-08-01',
    SOLAR_TO: new Date(FROM_MS + days * DAY_MS).toISOString().slice(0, 10),
    // The clock stands still, so each request owes more than the one before.
    SOLAR_REQUEST_RATE: '1000000',
    SOLAR_INTERVAL: '4m',
    SOLAR_COLLECT_ENERGY: 'false',
    SOLAR_DIALECT_FILE: dialect === '' ? '' : 'mine.yml',
  };
  const ended = await shell.run('history', `--output=${output}`);
  expect(ended).toMatchObject(ends);
  const files = readdirSync(output).filter((name) => name.endsWith('.om'));
  const text = files.map((name) => readFileSync(join(output, name), 'utf8')).join('');
  const lines = text.matchAll(/^solar_pv_power_watts\{.*\} (\S+) (\S+)$/gm);
  // The device is learnt by the readings of an hour, and that is not the past.
  const past = asked('readings').filter(({ body }) => {
    const { fromMs, toMs } = spanOf(body);
    return toMs - fromMs > 2 * HOUR_MS;
  });
  return {
    values: [...lines].map(([, value, seconds]) => [
      (Number(seconds) * 1000 - FROM_MS) / MINUTE_MS,
      Number(value),
    ]),
    asked: past.map(({ body }) => body),
  };
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
    ['the total counts points', { total: (points) => points }],
    ['the total is left out', { total: () => undefined }],
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
    expect((await exportDays(service)).values).toEqual(valuesOf(pointsOf(1)));
  });

  test('page by page, until the last one of the span has come', async () => {
    const points = pointsOf(12);
    const { values, asked } = await exportDays({ points }, { days: 12 });
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
    const { values } = await exportDays({ points, ...service }, { days: 6 });
    expect(values).toEqual(valuesOf(points));
  });

  test('behind a gap, however long', async () => {
    const points = pointsOf(10).filter(({ atMs }) => atMs < at(1440) || atMs >= at(9 * 1440));
    const { values, asked } = await exportDays({ points }, { days: 10 });
    expect(values.filter(([minutes = 0]) => minutes >= 9 * 1440)).toEqual(
      valuesOf(points.filter(({ atMs }) => atMs >= at(9 * 1440))),
    );
    expect(asked).toHaveLength(1);
  });
});

test('nothing, or nothing more, is believed after three answers', async () => {
  const complaints = expect.stringContaining('answered without readings') as string;
  const nothing = await exportDays({ points: [] }, { ends: { status: 1, complaints } });
  expect(nothing.asked).toHaveLength(3);
  const points = pointsOf(1).slice(0, 100);
  const { values, asked } = await exportDays({ points });
  expect(values.slice(0, 100)).toEqual(valuesOf(points));
  expect(asked).toHaveLength(4);
});

test('a past that takes requests without end is no complete one', async () => {
  const points = Array.from({ length: 720 }, (_, index) => ({ atMs: at(index * 2), pv: index }));
  const hole =
    'did not bring its readings from 2026-08-01T16:38:00.000Z to 2026-08-02T00:00:00.000Z';
  const complaints = expect.stringContaining(hole) as string;
  const { asked } = await exportDays({ points, cap: 1 }, { ends: { status: 1, complaints } });
  expect(asked).toHaveLength(500);
});

test('fewer points are asked for at once where there are many keys', async () => {
  const rules = Array.from({ length: 112 }, (_, index) => `- {key: k${index}, quantity: nothing}`);
  const { asked } = await exportDays({}, { dialect: rules.join('\n') });
  expect(asked[0]?.['keys']).toHaveLength(119);
  expect(asked[0]?.['count']).toBe(750);
});

test('a missing value is the last one before, for as long as it is young', async () => {
  const missing = [null, ''];
  const points = pointsOf(1).map(({ atMs, pv }, index) => ({
    atMs,
    pv: index === 0 ? 100 : index < 30 ? missing[index % 2] : pv,
  }));
  const { values } = await exportDays({ points });
  const first = values.filter(([minutes = 0]) => minutes < 120);
  expect(first).toEqual(first.map(([minutes]) => [minutes, 100]));
  expect(first.length).toBeGreaterThanOrEqual(3);
  expect(first.length).toBeLessThan(10);
  expect(values.filter(([minutes = 0]) => minutes >= 120)).toEqual(valuesOf(points.slice(30)));
});

test('of points between two steps the newest number of each key counts', async () => {
  const elements = [null, '', null, 7, { value: 8 }, '9', { vd: 10 }];
  const points = Array.from({ length: 1440 }, (_, index) => ({
    atMs: at(index),
    pv: elements[(index * 3) % 7],
  }));
  const numbers = [undefined, undefined, undefined, 7, 8, 9, 10];
  const newestAt = (minutes: number): number | undefined => {
    const pv = minutes < 0 ? NaN : numbers[(minutes * 3) % 7];
    return pv ?? newestAt(minutes - 1);
  };
  const { values } = await exportDays({ points });
  expect(values.length).toBeGreaterThan(350);
  expect(values).toEqual(values.map(([minutes = 0]) => [minutes, newestAt(minutes)]));
});

test('unreadable times are passed over, and of equal ones the last counts', async () => {
  const { values } = await exportDays({
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
