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

/** This is about lists: only a few of the devices are read. */
const FEW_REQUESTS = { 'request.rate': '0.001' };

test('a list of several pages is read to its end', async () => {
  const devices: Scripted = ({ body }) => {
    const [size, first] = [Number(body['count']), Number(body['page']) * 50 - 50];
    const length = Math.max(0, Math.min(size, 120 - first));
    return {
      data: { total: 120, list: Array.from({ length }, (_, at) => ({ id: `${first + at}` })) },
    };
  };
  const { page, asked } = await scrapeHouse({ devices }, { flags: FEW_REQUESTS });
  expect(page.value('solar_station_devices')).toBe(120);
  expect(page.all('solar_device_listed')).toHaveLength(120);
  expect(asked('devices')).toHaveLength(3);
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
