import { describe, expect, test } from 'vitest';
import { LIST_LIMITS } from '../../src/base/limits.ts';
import { knownFirst, SharedLimits } from '../../src/collectors/shared-limits.ts';
import { createCollection } from './collection-harness.ts';

const HOUR_MS = 3_600_000;

describe('of a list that is too long', () => {
  test.each([
    { entries: 'abcd', known: '', most: 2, kept: 'ab' },
    { entries: 'abcd', known: 'd', most: 2, kept: 'ad' },
    { entries: 'abcd', known: 'bcd', most: 2, kept: 'bc' },
    { entries: 'ab', known: 'a', most: 2, kept: 'ab' },
    { entries: 'ab', known: 'a', most: 0, kept: '' },
  ])(
    '$entries, of which "$known" is known, $most are "$kept"',
    ({ entries, known, most, kept }) => {
      expect(knownFirst(entries.split(''), most, (entry) => known.includes(entry)).join('')).toBe(
        kept,
      );
    },
  );
});

test('a list may have what the others leave, and no more than one list may have', () => {
  const limits = new SharedLimits({ ...LIST_LIMITS, devices: 5, devicesInAll: 8 });
  expect(limits.mostFor('devices', 0)).toBe(5);
  limits.change('devices', 6);
  expect(limits.mostFor('devices', 0)).toBe(2);
  expect(limits.mostFor('devices', 3)).toBe(5);
});

describe('the stations of an account', () => {
  test('have no more devices together than the limit, and those that are known stay', async () => {
    const account = { a: ['1', '2'], b: ['3', '4'] };
    const { scrape, scrapeAfter, collection, dropped, log } = createCollection({
      account,
      limits: { devicesInAll: 3 },
    });
    await scrape();
    await scrape();
    const devices = () =>
      collection.stations.map(({ stationId }) => collection.station(stationId)?.devices.length);
    expect(devices()).toEqual([2, 1]);
    expect(dropped).toEqual(['1 devices']);
    await scrapeAfter(HOUR_MS + 1);
    expect(dropped).toEqual(['1 devices', '1 devices']);
    expect(log.messages('warn')).toEqual(['a list is over its limit: the rest is left out']);
  });

  test('are no more than the limit, the first of them', async () => {
    const { scrape, collection, dropped } = createCollection({
      account: { a: [], b: [], c: [] },
      limits: { stations: 2 },
    });
    await scrape();
    expect(collection.stations.map(({ stationId }) => stationId)).toEqual(['a', 'b']);
    expect(dropped).toEqual(['1 stations']);
  });

  test('have no more alarms and settings together than the limit', async () => {
    const { scrape, api, series, dropped } = createCollection({
      account: { a: ['1'], b: ['2'] },
      alarms: true,
      settings: true,
      limits: { alarmsInAll: 3, settingsInAll: 1 },
    });
    api.alarms = ['1', '2'].flatMap((deviceId) =>
      ['x', 'y'].map((key) => ({ deviceId, key, level: 'warning' })),
    );
    await scrape();
    await scrape();
    const counts = Object.keys(series()).map((name) => name.split('{')[0]);
    expect(counts.filter((name) => name === 'solar_device_alarm_firing')).toHaveLength(3);
    expect(dropped).toContain('1 alarms');
    expect(counts.filter((name) => name?.startsWith('solar_device_setting'))).toHaveLength(1);
    expect(dropped.some((line) => line.endsWith(' settings'))).toBe(true);
  });
});
