import { describe, expect, test } from 'vitest';
import { deferred } from '../support/deferred.ts';
import { HOUR_MS, openHouse, scrapeHouse } from './house.ts';
import { pvSummary } from './summaries.ts';
import {
  deviceList,
  type EndpointName,
  flow,
  history,
  latest,
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

test('a page without a list ends it, and is said once', async () => {
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

  const ids = { data: { total: 2002, list: listed(2002, (id) => ({ id })) } };
  const cleared = listed(2002, (key) => ({ key, disappearedAt: CLEARED_AT }));
  const series = { timeSeries: [], fields: keyed(2002, [1]), formatters: {} };
  const firingAlarms = listed(2002, (key) => ({ key, level: 1 }));

  /** Further pages have nothing. */
  const alarms: Scripted = ({ body }) => ({ data: { list: body['page'] === 1 ? cleared : [] } });

  test.each<[endpoint: EndpointName, answer: Scripted]>([
    ['devices', ids],
    ['stations', ids],
    ['alarms', alarms],
    ['settingsGet', { data: keyed(2002, 1) }],
    ['settingsGet', { data: listed(2002, (key) => ({ key, value: 1 })) }],
    ['readings', { data: { payload: series } }],
    ['latestState', latest(keyed(2002, [1, ''] as const))],
    ['latestState', latest({}, { firingAlarms })],
    // It has two nodes more, one of which is empty.
    ['energyFlow', flow(keyed(2001, [1, ''] as const))],
    ['attributes', { data: listed(2002, (key) => ({ key })) }],
    ['summary', { data: { list: listed(2002, (key) => ({ key, value: 1 })) } }],
    ['summary', pvSummary(keyed(2002, 1))],
  ])('%s: 2000 entries are taken, the rest is counted, and said once', async (...row) => {
    const [endpoint, answer] = row;
    const few = ['devices', 'stations'].includes(endpoint) ? FEW_REQUESTS : {};
    const { page, asked, log } = await scrapeHouse(
      { readings: history({}), [endpoint]: answer },
      { flags: { ...few, 'collect.settings': 'true' } },
    );
    const dropped = page.value('solar_series_dropped_total', { reason: 'points' }) ?? 0;
    const pages = endpoint === 'alarms' ? 1 : asked(endpoint).length;
    expect([endpoint, dropped]).toEqual([endpoint, 2 * pages]);
    const said = log.lines.filter(({ message }) => message.startsWith('over a limit'));
    expect(said).toMatchObject([{ fields: { limit: 'points', dropped: 2 } }]);
  });
});

test('of a list without end, 5,000 devices are taken, the rest counted', async () => {
  const devices: Scripted = ({ body }) => {
    const first = Number(body['page']) * 50;
    return { data: { list: Array.from({ length: 50 }, (_, at) => ({ id: `${first + at}` })) } };
  };
  const { page } = await scrapeHouse({ devices }, { flags: FEW_REQUESTS });
  expect(page.value('solar_station_devices')).toBe(5000);
  expect(page.value('solar_series_dropped_total', { reason: 'devices' })).toBeGreaterThan(0);
});

test('a list that is due again before it has come is not asked for on and on', async () => {
  const slow = deferred<undefined>();
  const house = await openHouse(
    {
      devices: async () => {
        if (house.asked('devices').length > 50) await slow.promise;
        house.clock.advance(2000);
        return deviceList({});
      },
    },
    { flags: { 'time-zone': 'UTC', 'collect.alarms': 'false', 'cache.devices-ttl': '1s' } },
  );
  await house.scrape();
  expect(house.asked('devices')).toHaveLength(1);
  await house.scrape();
  // The list of stations is due as well, and whatever is due then is asked for once more.
  expect(house.asked('devices').length).toBeLessThanOrEqual(3);
  slow.resolve(undefined);
});
