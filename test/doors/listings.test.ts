import { describe, expect, test } from 'vitest';
import { HOUR_MS, scrapeHouse } from './house.ts';
import {
  type EndpointName,
  flow,
  history,
  latest,
  type PortalAnswer,
  type Scripted,
} from './scripted-service.ts';

const NO_SUCH_PAGE: PortalAnswer = { envelope: { code: 20_101, message: 'no such page' } };

/** Pages of devices, each as long as what was asked for, with this `total`; after the last one `beyond`. */
function pagesOfDevices(count: number, total?: number, beyond?: PortalAnswer): Scripted {
  return ({ body }): PortalAnswer => {
    const size = Number(body['count']);
    const first = (Number(body['page']) - 1) * size;
    if (first >= count && beyond !== undefined) return beyond;
    const length = Math.max(0, Math.min(size, count - first));
    const list = Array.from({ length }, (_, index) => ({ id: String(first + index) }));
    return { data: { total, list } };
  };
}

/** No readings: this is about lists. The budget ends with the list. */
const FEW_REQUESTS = { 'request.daily-budget': '60' };

describe('a list of several pages', () => {
  test.each<
    [
      where: string,
      count: number,
      total: number | undefined,
      requests: number,
      beyond?: PortalAnswer,
    ]
  >([
    ['the total counts 51 pages', 2550, 51, 52],
    ['the total counts devices, and the last page is full', 100, 100, 3],
    ['the total counts devices', 120, 120, 3],
    ['the total counts 3 pages', 107, 3, 3],
    ['there is no total', 70, undefined, 2],
    ['the page after a full one is refused', 100, 100, 3, NO_SUCH_PAGE],
    ['it is not there', 50, undefined, 2, { status: 400 }],
  ])('is read to its end where %s', async (_, count, total, requests, beyond) => {
    const script = { devices: pagesOfDevices(count, total, beyond) };
    const { page, asked } = await scrapeHouse(script, { flags: FEW_REQUESTS });
    expect(page.value('solar_station_devices')).toBe(count);
    expect(page.all('solar_device_listed')).toHaveLength(count);
    expect(asked('devices')).toHaveLength(requests);
  });
});

test('a page without a list ends it: what came before stands, and the log says so once', async () => {
  const full = Array.from({ length: 50 }, (_, index) => ({ id: String(index) }));
  const { page, scrapeAfter, log } = await scrapeHouse(
    { devices: ({ body }) => ({ data: { total: 51, list: body['page'] === 1 ? full : 'none' } }) },
    { flags: { 'collect.energy': 'false' } },
  );
  expect(page.value('solar_station_devices')).toBe(50);
  expect(page.requests('devices', 'SERVICE_PAYLOAD_INVALID')).toBe(1);
  const later = await scrapeAfter(HOUR_MS);
  expect(later.requests('devices', 'SERVICE_PAYLOAD_INVALID')).toBe(2);
  const said = 'a page without a list: the list ends there';
  expect(log.messages('warn').filter((message) => message === said)).toHaveLength(1);
});

const CLEARED_AT = '2026-08-24T04:00:00Z';

describe('of one answer that is longer than any honest one', () => {
  const keyed = <T>(count: number, value: T): Readonly<Record<string, T>> =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`key${index}`, value]));
  const listed = <T>(count: number, entry: (key: string) => T): readonly T[] =>
    Object.keys(keyed(count, 0)).map(entry);

  const ids = { data: { total: 1002, list: listed(1002, (id) => ({ id })) } };
  const cleared = listed(2502, (key) => ({ key, disappearedAt: CLEARED_AT }));
  const series = { timeSeries: [], fields: keyed(2002, [1]), formatters: {} };
  const firingAlarms = listed(102, (key) => ({ key, level: 1 }));

  test.each<[endpoint: EndpointName, most: number, reason: string, answer: PortalAnswer]>([
    ['devices', 1000, 'devices', ids],
    ['stations', 1000, 'stations', ids],
    ['alarms', 2500, 'alarms', { data: { list: cleared } }],
    ['settingsGet', 1000, 'settings', { data: keyed(1002, 1) }],
    ['settingsGet', 1000, 'settings', { data: listed(1002, (key) => ({ key, value: 1 })) }],
    ['readings', 2000, 'keys', { data: { payload: series } }],
    ['latestState', 2000, 'keys', latest(keyed(2002, [1, ''] as const))],
    ['latestState', 100, 'alarms', latest({}, { firingAlarms })],
    // It has two nodes more, one of which is empty.
    ['energyFlow', 2000, 'keys', flow(keyed(2001, [1, ''] as const))],
    ['attributes', 2000, 'keys', { data: listed(2002, (key) => ({ key })) }],
  ])('%s: at most %i %s are taken, and the rest is counted', async (...row) => {
    const [endpoint, , reason, answer] = row;
    const few = ['devices', 'stations'].includes(endpoint) ? FEW_REQUESTS : {};
    const { page, asked } = await scrapeHouse(
      { readings: history({}), [endpoint]: answer },
      { flags: { ...few, 'collect.settings': 'true' } },
    );
    const dropped = page.value('solar_series_dropped_total', { reason }) ?? 0;
    expect([endpoint, dropped]).toEqual([endpoint, 2 * asked(endpoint).length]);
  });
});
