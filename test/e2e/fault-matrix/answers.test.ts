import { expect, test } from 'vitest';
import type { Simulator } from '../../../src/simulator/simulator.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS, startBoth } from '../../doors/house.ts';
import { FAULTS_NOW } from './fault-cases.ts';

const OFTEN = { 'cache.readings-ttl': '1m', 'cache.devices-ttl': '1m', 'cache.max-age': '3m' };
const LIVE = { sampleIntervalMs: 30_000 };
const EXPIRIES = /"accessTokenWillExpired(?:At|InMillis)":"[^"]*",/g;

test('a device that is listed twice is there once, and is read once', async () => {
  const { simulator, scrape } = await startBoth({ now: FAULTS_NOW, flags: OFTEN });
  simulator.setFault('devices', {
    kind: 'altered',
    alter: (body) => body.replace(/"list":\[(.*)\]/s, '"list":[$1,$1,$1]'),
  });
  const page = await scrape();
  expect(page.value('solar_station_devices')).toBe(1);
  expect(page.all('solar_device_info')).toHaveLength(1);
  expect(page.all('solar_pv_power_watts')).toHaveLength(1);
  // Its live readings, and those to count.
  expect(simulator.requests('readings')).toBe(2);
});

test('a device list that never ends is refused after two hundred pages', async () => {
  const { simulator, log, scrape } = await startBoth({ now: FAULTS_NOW, flags: OFTEN });
  // Every page brings the one device anew, under an id of that page.
  simulator.setFault('devices', {
    kind: 'altered',
    alter: (body, { bodyBytes }) => {
      const { page } = JSON.parse(Buffer.from(bodyBytes).toString()) as { readonly page: number };
      const first = JSON.parse(body) as { readonly data: { readonly list: readonly object[] } };
      const list = [{ ...(endless ??= first.data.list[0]), id: `9${page}`, deviceId: `9${page}` }];
      return JSON.stringify({ code: 0, data: { page, count: 50, total: 500_000, list } });
    },
  });
  let endless: object | undefined;
  const page = await scrape();
  expect(page.status).toBe(200);
  expect(simulator.requests('devices')).toBe(200);
  // Nobody knows which of them there are: none is shown, and none is asked for.
  expect(page.value('solar_collector_success', { collector: 'devices' })).toBe(0);
  expect(page.all('solar_station_devices')).toEqual([]);
  expect(simulator.requests('readings')).toBe(0);
  const failed = log.lines.find(({ message }) => message === 'collector failed');
  expect((failed?.fields['err'] as Error).message).toMatch(/a list of more than 200 pages$/);
});

test.each([
  { what: 'text', list: 'none' },
  { what: 'a number', list: 7 },
  { what: 'true', list: true },
  { what: 'an object', list: {} },
])(
  'a list of devices that is $what is empty, counted and logged as odd, and not believed',
  async ({ list }) => {
    const { simulator, log, scrape, scrapeAfter } = await startBoth({
      now: FAULTS_NOW,
      flags: OFTEN,
    });
    await scrape();
    simulator.setFault('devices', { kind: 'data', data: { page: 1, count: 50, total: 1, list } });
    const page = await scrapeAfter(MINUTE_MS);
    expect(page.requests('devices', 'SERVICE_PAYLOAD_INVALID')).toBe(1);
    expect(page.value('solar_collector_success', { collector: 'devices' })).toBe(0);
    expect(page.value('solar_device_listed')).toBe(0);
    expect(page.value('solar_station_devices')).toBe(1);
    expect(page.all('solar_pv_power_watts')).toHaveLength(1);
    for (let minute = 0; minute < 10; minute += 1) await scrapeAfter(MINUTE_MS);
    expect(log.messages('warn')).toEqual([
      'a page without a list: the list ends there',
      'collector failed',
    ]);
  },
);

test('a list of devices that is odd from the start is an empty one', async () => {
  const { simulator, log, scrape } = await startBoth({ now: FAULTS_NOW, flags: OFTEN });
  simulator.setFault('devices', { kind: 'data', data: { list: 'none' } });
  const page = await scrape();
  expect(page.value('solar_station_devices')).toBe(0);
  expect(page.requests('devices', 'SERVICE_PAYLOAD_INVALID')).toBeGreaterThan(0);
  expect(log.messages('warn')).toEqual(['a page without a list: the list ends there']);
});

test('a gzip bomb is never unpacked', async () => {
  const { simulator, scrape, scrapeAfter } = await startBoth({ now: FAULTS_NOW, flags: OFTEN });
  await scrape();
  simulator.setFault('readings', { kind: 'gzip-bomb', bytes: 1_000_000_000 });
  const before = process.resourceUsage().maxRSS;
  const page = await scrapeAfter(MINUTE_MS);
  expect(page.requests('readings', 'SERVICE_PAYLOAD_INVALID')).toBe(1);
  // Kilobytes: a gigabyte of text would need a gigabyte.
  expect(process.resourceUsage().maxRSS - before).toBeLessThan(300_000);
});

test.each([
  { expiry: 'no expiry', fields: '' },
  { expiry: 'an expiry long past', fields: '"accessTokenWillExpiredAt":"2001-01-01T00:00:00Z",' },
  {
    expiry: 'an absurd expiry',
    fields:
      '"accessTokenWillExpiredAt":"9999-12-31T23:59:59Z","accessTokenWillExpiredInMillis":"1e308",',
  },
  { expiry: 'a lifetime below zero', fields: '"accessTokenWillExpiredInMillis":"-1",' },
  { expiry: 'an expiry that is none', fields: '"accessTokenWillExpiredAt":{},' },
])('a token with $expiry works, and is renewed at most once an hour', async ({ fields }) => {
  const { simulator, scrape, scrapeAfter } = await startBoth({
    now: FAULTS_NOW,
    simulator: LIVE,
    flags: OFTEN,
  });
  const alter = (body: string): string =>
    body.replace(EXPIRIES, '').replace('"accessToken":', `${fields}"accessToken":`);
  simulator.setFault('login', { kind: 'altered', alter });
  simulator.setFault('refresh', { kind: 'altered', alter });
  expect((await scrape()).value('solar_up')).toBe(1);
  for (let minutes = 0; minutes < 180; minutes += 5)
    expect((await scrapeAfter(5 * MINUTE_MS)).value('solar_up')).toBe(1);
  expect(renewals(simulator)).toBeLessThanOrEqual(4);
});

test.each([1, 6, -1, -6])('a clock that jumps by %d h shows nothing old as live', async (hours) => {
  const both = await startBoth({ now: FAULTS_NOW, simulator: LIVE, flags: OFTEN });
  const { simulator, scrape, scrapeAfter, stationId } = both;
  await scrape();
  simulator.setFault('readings', { kind: 'status', status: 500 });
  const broken = await scrapeAfter(hours * HOUR_MS);
  expect(broken.status).toBe(200);
  expect(broken.value('solar_up', { station_id: stationId })).toBe(0);
  expect(broken.all('solar_pv_power_watts')).toEqual([]);
  simulator.setFault('readings', undefined);
  const before = simulator.requests();
  let page = await scrapeAfter(MINUTE_MS);
  expect(page.value('solar_up', { station_id: stationId })).toBe(1);
  expect(page.all('solar_pv_power_watts')).toHaveLength(1);
  for (let turn = 0; turn < 40; turn += 1) page = await scrapeAfter(15 * SECOND_MS);
  expect(page.value('solar_up', { station_id: stationId })).toBe(1);
  // Two a minute, the rest now and then.
  expect(simulator.requests() - before).toBeLessThanOrEqual(40);
});

test.each([
  { change: 'begins', now: '2026-03-28T23:30:00Z' },
  { change: 'ends', now: '2026-10-24T23:30:00Z' },
])(
  'while summer time $change in the zone of the station, every scrape is well',
  async ({ now }) => {
    const { scrapeAfter, simulator } = await startBoth({
      now,
      simulator: { ...LIVE, timeZone: 'Europe/Berlin' },
      flags: { ...OFTEN, 'cache.summary-ttl': '1m' },
    });
    for (let turn = 0; turn < 50; turn += 1) {
      const page = await scrapeAfter(5 * MINUTE_MS);
      expect(page.all('solar_collector_success').every(({ value }) => value === 1)).toBe(true);
      expect(page.all('solar_up').every(({ value }) => value === 1)).toBe(true);
      expect(page.all('solar_pv_power_watts')).toHaveLength(1);
      expect(page.all('solar_month_pv_generated_kwh')).toHaveLength(1);
    }
    // Each time its live readings, and those to count.
    expect(simulator.requests('readings')).toBe(2 * 50);
  },
);

function renewals(simulator: Simulator): number {
  return simulator.requests('login') + simulator.requests('refresh');
}
