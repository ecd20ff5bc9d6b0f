import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ENDPOINT_PATHS, type EndpointName, operationOf } from '../../src/base/service-names.ts';
import type { Endpoint } from '../../src/simulator/simulator.ts';
import type { Fault } from '../support/faulty-simulator.ts';
import {
  ENDPOINT_PLANS,
  FAULTS,
  FAULTS_NOW,
  FIRST_ASKED,
  meetFault,
  NOT_REACHED,
  startWithFault,
} from '../support/faults.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { identity } from '../support/tls-harness.ts';
import { FakeProcess } from './commands/fake-process.ts';
import {
  MINUTE_MS,
  openHouse,
  type PageSample,
  type ScrapedPage,
  scrapePage,
  SECOND_MS,
  startBoth,
  startExporterFor,
  startService,
  SteeredClock,
} from './house.ts';
import { CLASSIC, deviceList, history, NOW, stationList } from './scripted-service.ts';

test('every endpoint is met, or there is a reason why it is not', () => {
  const reached = ENDPOINT_PLANS.map(({ endpoint }) => endpoint);
  const operations = (Object.keys(ENDPOINT_PATHS) as EndpointName[]).map(operationOf);
  expect([...reached, ...Object.keys(NOT_REACHED)].sort()).toEqual(operations.sort());
});

/** Everything is due every minute. */
const OFTEN = {
  'cache.readings-ttl': '1m',
  // Years are asked for a twelfth as often as the other summaries.
  'cache.summary-ttl': '5s',
  'cache.devices-ttl': '1m',
  'cache.alarms-ttl': '1m',
  'cache.settings-ttl': '1m',
  'cache.max-age': '3m',
  'collect.settings': 'true',
};
/** A reading is younger than those lives, at any instant. */
const LIVE = { sampleIntervalMs: MINUTE_MS };

/**
 * The whole matrix is in long/faults.test.ts: here each endpoint meets one fault, and each fault is met once. The
 * endpoints that come first meet those that are left over.
 */
const MET_AT_WORK = ENDPOINT_PLANS.flatMap((plan, index) => {
  const faulty = FAULTS[index];
  return faulty ? [{ faulty, plan, name: faulty.name, at: plan.endpoint }] : [];
});
const MET = FIRST_ASKED.flatMap((first, index) => {
  const faulty = FAULTS[FAULTS.length - FIRST_ASKED.length + index];
  return faulty ? [{ faulty, first, name: faulty.name }] : [];
});

test.each(MET_AT_WORK)(
  'an exporter at work where $at answers $name says so and recovers',
  async ({ plan, faulty }) => {
    await meetFault(plan, faulty);
  },
);

test.each(MET)(
  'an exporter starts while $first answers $name, and recovers',
  async ({ first, faulty }) => {
    await startWithFault(first, faulty);
  },
);

/** Which series a station has, and how its collectors are doing. */
function seriesOf(page: ScrapedPage, stationId: string): readonly string[] {
  return page.samples
    .filter(({ labels }) => labels['station_id'] === stationId)
    .filter(({ name }) => !name.includes('working_mode'))
    .map(({ name, labels, value }) =>
      [name, JSON.stringify(labels), name === 'solar_collector_success' ? value : ''].join(' '),
    );
}

test('of two stations, one does not notice that all about the other fails', async () => {
  const faults: Partial<Record<Endpoint, Fault>> = {
    devices: { kind: 'reply', status: 429, headers: { 'retry-after': '3600' } },
    summary: { kind: 'reply' },
    readings: { kind: 'reply', body: '{"code":0,"da' },
    'settings-get': { kind: 'reset' },
  };
  const { simulator, scrape, scrapeAfter } = await startBoth({
    now: FAULTS_NOW,
    simulator: { ...LIVE, stations: 2 },
    flags: { ...OFTEN, 'cache.summary-ttl': '1m' },
  });
  const healthy = await scrape();
  const [struck = '', other = ''] = simulator.stationIds;
  const [device = ''] = simulator.deviceIds(struck);
  const struckEndpoints = Object.entries(faults) as (readonly [Endpoint, Fault])[];
  for (const [endpoint, fault] of struckEndpoints)
    simulator.setFault(endpoint, { ...fault, about: [struck, device] });
  await scrapeAfter(MINUTE_MS);
  const startedAtMs = Date.parse(FAULTS_NOW);
  for (let minute = 2; minute <= 4; minute += 1) {
    const page = await scrapeAfter(MINUTE_MS);
    expect(page.value('solar_up', { station_id: other })).toBe(1);
    expect(seriesOf(page, other)).toEqual(seriesOf(healthy, other));
    for (const [endpoint] of struckEndpoints) {
      const collector = endpoint === 'settings-get' ? 'settings' : endpoint;
      const success = 'solar_collector_success';
      expect(page.value(success, { station_id: struck, collector }), endpoint).toBe(0);
      const lastSuccess = 'solar_collector_last_success_timestamp_seconds';
      const lastAt = page.value(lastSuccess, { station_id: other, collector });
      expect(lastAt, endpoint).toBe((startedAtMs + minute * MINUTE_MS) / SECOND_MS);
    }
  }
});

/** No label of a name may be so long: it is refused without anyone being asked. */
const UNRESOLVABLE = `http://${'x'.repeat(64)}.invalid`;

/** Somebody who speaks TLS, with a certificate of their own making. */
async function startStranger(): Promise<string> {
  const server = createServer(identity('server-ec'));
  server.on('request', () => expect.unreachable('a stranger is told nothing'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('a service that cannot be reached says why:', () => {
  test.each<[why: string, says: RegExp, urlOf: (serviceUrl: string) => string | Promise<string>]>([
    ['its name is not known', /ENOTFOUND|EAI_|EINVAL/, () => UNRESOLVABLE],
    ['it speaks no TLS', /ERR_SSL_|EPROTO|ECONNRESET/, (url) => url.replace('http:', 'https:')],
    ['nobody has signed its certificate', /DEPTH_ZERO_SELF_SIGNED_CERT/, startStranger],
  ])('%s, and it is not asked often', async (_why, says, urlOf) => {
    const clock = new SteeredClock(FAULTS_NOW);
    const { simulator, serviceUrl } = await startService({}, clock);
    const url = await urlOf(serviceUrl);
    const { scrape, keepScraping, log } = await startExporterFor(simulator, url, clock);
    await keepScraping(5 * MINUTE_MS, 20 * SECOND_MS, (page) => {
      expect(page.status).toBe(200);
      expect(page.value('solar_up')).toBe(0);
    });
    const failures = (await scrape()).requests('login', 'SERVICE_UNREACHABLE');
    expect(failures).toBeGreaterThanOrEqual(5);
    expect(failures).toBeLessThanOrEqual(10);
    expect(simulator.requests()).toBe(0);
    const failed = log.lines.find(({ message }) => message === 'collector failed');
    const { message } = failed?.fields['err'] as Error;
    expect(message.startsWith(`${url}/apis/login/account: `)).toBe(true);
    expect(message).toMatch(says);
  });
});

test('an exporter whose service is gone says so, withdraws and recovers', async () => {
  const { simulator, scrape, scrapeAfter, keepScraping, log, deviceId } = await startBoth({
    now: FAULTS_NOW,
    simulator: LIVE,
    flags: OFTEN,
  });
  simulator.setAlarms(deviceId, [{ key: 'lineLoss', level: 2 }]);
  const healthy = await scrape();
  const all = healthy.all('solar_collector_success');
  expect(all.length).toBeGreaterThanOrEqual(8);
  expect(all.every(({ value }) => value === 1)).toBe(true);

  await simulator.stop();
  const first = await scrapeAfter(MINUTE_MS);
  expect(first.value('solar_pv_power_watts')).toBe(healthy.value('solar_pv_power_watts'));
  await scrapeAfter(15 * SECOND_MS);
  await keepScraping(10 * MINUTE_MS, MINUTE_MS, (page) => {
    expect(page.all('solar_up').map(({ value }) => value)).toEqual([0]);
    expect(page.all('solar_collector_success').every(({ value }) => value === 0)).toBe(true);
  });
  const page = await scrape();
  const own =
    /^solar_(up|collector|api|token|session|exporter|config|rea|simulated|log|series|stations_unread|problem)/;
  const names = new Set(page.samples.map(({ name }) => name));
  // What was counted up to now stays true, for a day, and so do names and what needs no reading.
  expect([...names].filter((name) => !own.test(name))).toEqual([
    'solar_station_info',
    'solar_station_devices',
    'solar_device_info',
    'solar_device_listed',
    'solar_device_rated_power_watts',
    'solar_station_devices_missing',
    'solar_day_start_timestamp_seconds',
    'solar_device_energy_kwh_total',
    'solar_device_energy_gap_seconds_total',
  ]);
  const failed = page
    .all('solar_api_requests_total')
    .filter(({ labels }) => labels['outcome'] === 'SERVICE_UNREACHABLE');
  expect(failed.length).toBeGreaterThanOrEqual(all.length);
  for (const { labels, value } of failed)
    expect(value, labels['operation']).toBeLessThanOrEqual(15);
  const lines = log.lines.filter(({ message }) => message === 'collector failed');
  expect(lines).toHaveLength(all.length);
  for (const { fields } of lines)
    expect((fields['err'] as Error).message).toContain(': ECONNREFUSED');

  await simulator.start();
  const repaired = await scrapeAfter(MINUTE_MS);
  expect(repaired.all('solar_collector_success')).toEqual(all);
  expect(repaired.value('solar_pv_power_watts')).toBeGreaterThan(0);
});

test('a log-in host that is gone leaves the data host alone', async () => {
  const clock = new SteeredClock(FAULTS_NOW);
  const { simulator, serviceUrl } = await startService({}, clock);
  const other = await startService({}, clock);
  const { scrape, scrapeAfter } = await startExporterFor(other.simulator, serviceUrl, clock, {
    flags: { 'auth-url': other.serviceUrl },
  });
  await other.simulator.stop();
  const broken = await scrape();
  expect(broken.status).toBe(200);
  expect(broken.requests('login', 'SERVICE_UNREACHABLE')).toBe(1);
  expect(simulator.requests()).toBe(0);
  await other.simulator.start();
  expect((await scrapeAfter(MINUTE_MS)).requests('login', 'ok')).toBe(1);
});

describe('a service that lists all its devices at each of its stations', () => {
  const STATIONS = ['3000', '3001', '3002', '3003', '3004'];
  const DEVICES = STATIONS.map((id) => `1${id}`);
  const ONCE_EACH = { stations: 1, devices: 5, readings: 5 };
  const pairsOf = (samples: readonly PageSample[]) =>
    samples.map(({ labels }) => `${labels['station_id']} ${labels['device_id']}`).toSorted();

  test.each([
    ['that name their station', STATIONS, STATIONS, STATIONS],
    ['that name none', [], STATIONS.map(() => '3000'), STATIONS.map(() => '3004')],
  ])('has each once, in records %s: on pages, in the status, in commands', async (...row) => {
    const [, named, first, last] = row;
    const script = {
      stations: stationList(...STATIONS),
      devices: deviceList(...DEVICES.map((id, index) => ({ id, stationId: named[index] }))),
      readings: history(CLASSIC),
    };
    const at = DEVICES.map((id, index) => `${first[index]} ${id}`);
    // Counting asks for readings as well, for itself.
    const flags = { 'collect.energy': 'false' };
    const house = await openHouse(script, { flags });
    const counts = () => ({
      stations: house.asked('stations').length,
      devices: house.asked('devices').length,
      readings: house.asked('readings').length,
    });
    const page = await house.scrape();
    expect(pairsOf(page.all('solar_pv_power_watts'))).toEqual(at);
    expect(page.all('solar_up').map(({ value }) => value)).toEqual(STATIONS.map(() => 1));
    const { stations } = await house.status();
    const inStatus = stations.flatMap(({ stationId, devices }) =>
      devices.map(({ deviceId }) => `${stationId} ${deviceId}`),
    );
    expect(inStatus).toEqual(at);
    expect(counts()).toEqual(ONCE_EACH);

    const shell = new FakeProcess(new FakeClock(NOW));
    shell.env = { SOLAR_ACCESS_TOKEN: 'made-up-token', SOLAR_BASE_URL: house.serviceUrl };
    for (const command of ['devices', 'readings']) {
      house.requests.length = 0;
      const { devices } = JSON.parse((await shell.run(command, '--json')).out) as {
        devices: readonly { readonly stationId: string; readonly deviceId: string }[];
      };
      expect(devices.map(({ stationId, deviceId }) => `${stationId} ${deviceId}`)).toEqual(at);
      expect(counts()).toEqual({ ...ONCE_EACH, readings: command === 'devices' ? 0 : 5 });
    }

    const other = await openHouse(script, { flags });
    const samples: PageSample[] = [];
    for (const stationId of STATIONS.toReversed()) {
      const probed = await scrapePage(other.url, {}, `/probe?target=${stationId}`);
      samples.push(...probed.all('solar_pv_power_watts'));
    }
    expect(pairsOf(samples)).toEqual(DEVICES.map((id, index) => `${last[index]} ${id}`));
    expect(other.asked('readings')).toHaveLength(5);
  });
});
