import { describe, expect, test } from 'vitest';
import { HOUR_MS, scrapeHouse } from './house.ts';
import {
  type EndpointName,
  flow,
  history,
  latest,
  type PortalAnswer,
  type Script,
  type Scripted,
} from './scripted-service.ts';

/** Pages of devices, each as long as what was asked for, with this `total`; after the last one an empty page. */
function pagesOfDevices(count: number, total: number | undefined): Scripted {
  return ({ body }): PortalAnswer => {
    const size = Number(body['count']);
    const first = (Number(body['page']) - 1) * size;
    const length = Math.max(0, Math.min(size, count - first));
    const list = Array.from({ length }, (_, index) => ({ id: String(first + index) }));
    return { data: { total, list } };
  };
}

/** No readings: this is about lists. The budget ends with the list. */
const FEW_REQUESTS = { 'request.daily-budget': '60' };

describe('a list of several pages', () => {
  test.each([
    { when: 'the total counts 51 pages', count: 2550, total: 51, requests: 52 },
    {
      when: 'the total counts devices, and the last page is full',
      count: 100,
      total: 100,
      requests: 3,
    },
    { when: 'the total counts devices', count: 120, total: 120, requests: 3 },
    { when: 'the total counts 3 pages', count: 107, total: 3, requests: 3 },
    { when: 'there is no total', count: 70, total: undefined, requests: 2 },
  ])('is read to its end where $when', async ({ count, total, requests }) => {
    const { page, asked } = await scrapeHouse(
      { devices: pagesOfDevices(count, total) },
      { flags: FEW_REQUESTS },
    );
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

  test.each<{ endpoint: EndpointName; reason: string; most: number; answer: PortalAnswer }>([
    {
      endpoint: 'devices',
      reason: 'devices',
      most: 1000,
      answer: { data: { total: 1002, list: listed(1002, (id) => ({ id })) } },
    },
    {
      endpoint: 'stations',
      reason: 'stations',
      most: 1000,
      answer: { data: { total: 1002, list: listed(1002, (id) => ({ id })) } },
    },
    {
      endpoint: 'alarms',
      reason: 'alarms',
      most: 2500,
      answer: { data: { list: listed(2502, (key) => ({ key, disappearedAt: CLEARED_AT })) } },
    },
    {
      endpoint: 'settingsGet',
      reason: 'settings',
      most: 1000,
      answer: { data: keyed(1002, 1) },
    },
    {
      endpoint: 'settingsGet',
      reason: 'settings',
      most: 1000,
      answer: { data: listed(1002, (key) => ({ key, value: 1 })) as unknown as object },
    },
    {
      endpoint: 'readings',
      reason: 'keys',
      most: 2000,
      answer: { data: { payload: { timeSeries: [], fields: keyed(2002, [1]), formatters: {} } } },
    },
    {
      endpoint: 'latestState',
      reason: 'keys',
      most: 2000,
      answer: latest(keyed(2002, [1, ''] as const)),
    },
    {
      endpoint: 'latestState',
      reason: 'alarms',
      most: 100,
      answer: latest({}, { firingAlarms: listed(102, (key) => ({ key, level: 1 })) }),
    },
    {
      endpoint: 'energyFlow',
      reason: 'keys',
      most: 2000,
      // It has two nodes more, one of which is empty.
      answer: flow(keyed(2001, [1, ''] as const)),
    },
    {
      endpoint: 'attributes',
      reason: 'keys',
      most: 2000,
      answer: { data: listed(2002, (key) => ({ key })) },
    },
  ])('$endpoint: at most $most $reason are taken, and the rest is counted', async (row) => {
    const { endpoint, reason, answer } = row;
    const script: Script = { readings: history({}), [endpoint]: answer };
    const { page, asked } = await scrapeHouse(script, {
      flags: {
        ...(['devices', 'stations'].includes(endpoint) && FEW_REQUESTS),
        'collect.settings': 'true',
      },
    });
    const dropped = page.value('solar_series_dropped_total', { reason }) ?? 0;
    expect([endpoint, dropped]).toEqual([endpoint, 2 * asked(endpoint).length]);
  });
});
