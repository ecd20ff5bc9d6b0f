import { describe, expect, test } from 'vitest';
import {
  credentialsFor,
  MINUTE_MS,
  SECOND_MS,
  startBoth,
  startExporterFor,
  startService,
  SteeredClock,
} from '../../doors/house.ts';
import { FAULTS_NOW } from './fault-cases.ts';
import { NAME, resolvingLoopback, startStranger, type Ways } from './ways.ts';

/** No label of a name may be so long: it is refused without anyone being asked. */
const UNRESOLVABLE = `http://${'x'.repeat(64)}.invalid`;
const COLLECTORS = [
  'stations',
  'devices',
  'summary',
  'summary-days',
  'summary-years',
  'alarms',
  'readings',
  'energy-counters',
  'settings',
];
const OFTEN = {
  'cache.readings-ttl': '1m',
  // Years are asked for a quarter as often as the other summaries.
  'cache.summary-ttl': '15s',
  'cache.devices-ttl': '1m',
  'cache.alarms-ttl': '1m',
  'cache.settings-ttl': '1m',
  'cache.max-age': '3m',
  'collect.settings': 'true',
};
const OPERATIONS = [
  'stations',
  'devices',
  'summary',
  'summary-days',
  'summary-years',
  'alarms',
  'readings',
  'settings-get',
];

/** What is wrong with the way to the service, and how a log-in there ends. */
async function firstFailure(baseUrl: (serviceUrl: string) => string): Promise<string> {
  const clock = new SteeredClock(FAULTS_NOW);
  const { simulator, serviceUrl } = await startService({}, clock);
  const { scrape, log } = await startExporterFor(simulator, baseUrl(serviceUrl), clock);
  const page = await scrape();
  expect(page.status).toBe(200);
  expect(page.value('solar_up')).toBe(0);
  expect(page.requests('login', 'SERVICE_UNREACHABLE')).toBe(1);
  for (let passedMs = 0; passedMs < 10 * MINUTE_MS; passedMs += 20 * SECOND_MS) {
    clock.advance(20 * SECOND_MS);
    expect((await scrape()).status).toBe(200);
  }
  expect((await scrape()).requests('login', 'SERVICE_UNREACHABLE')).toBeLessThanOrEqual(15);
  expect(simulator.requests()).toBe(0);
  const failed = log.lines.find(({ message }) => message === 'collector failed');
  return (failed?.fields['err'] as Error).message;
}

describe('a service that cannot be reached says why:', () => {
  test.each([
    {
      why: 'its name is not known',
      urlOf: () => UNRESOLVABLE,
      message: /^http:\/\/[\w.]+\/apis\/login\/account: (ENOTFOUND|EAI_\w+|EINVAL)$/,
    },
    {
      why: 'it speaks no TLS',
      urlOf: (url: string) => url.replace('http:', 'https:'),
      message: /^https:\/\/[\d.:]+\/apis\/login\/account: (ERR_SSL_\w+|EPROTO|ECONNRESET)$/,
    },
  ])('$why', async ({ urlOf, message }) => {
    expect(await firstFailure(urlOf)).toMatch(message);
  });

  test('nobody has signed its certificate, and it is told nothing', async () => {
    const stranger = await startStranger();
    expect(await firstFailure(() => stranger.url)).toBe(
      `${stranger.url}/apis/login/account: DEPTH_ZERO_SELF_SIGNED_CERT`,
    );
    expect(stranger.requests()).toBe(0);
  });
});

describe.each([
  {
    when: 'the service is gone',
    code: 'ECONNREFUSED',
    break: async ({ stop }: Ways) => stop(),
    mend: async ({ start }: Ways) => start(),
  },
  {
    when: 'its name is no longer known',
    code: 'ENOTFOUND',
    // A connection that stands needs no name: it has to be made anew.
    break: async ({ stop, start, forget }: Ways) => {
      forget();
      await stop();
      await start();
    },
    mend: ({ remember }: Ways) => {
      remember();
      return Promise.resolve();
    },
  },
])('an exporter at work, when $when,', ({ code, ...ways }) => {
  test('says so of every collector, withdraws all, asks sparingly and recovers', async () => {
    const names = resolvingLoopback();
    const clock = new SteeredClock(FAULTS_NOW);
    const { simulator, serviceUrl, deviceId } = await startService(
      { sampleIntervalMs: 30_000 },
      clock,
    );
    simulator.setAlarms(deviceId, [{ key: 'lineLoss', level: 2 }]);
    const named = serviceUrl.replace('127.0.0.1', NAME);
    const { scrape, scrapeAfter, log } = await startExporterFor(simulator, named, clock, {
      flags: OFTEN,
    });
    const healthy = await scrape();
    const all = healthy.all('solar_collector_success');
    expect(all.map(({ labels, value }) => [labels['collector'], value]).sort()).toEqual(
      COLLECTORS.map((collector) => [collector, 1]).sort(),
    );

    const control: Ways = {
      ...names,
      stop: () => simulator.stop(),
      start: async () => {
        await simulator.start();
      },
    };
    await ways.break(control);
    const before = simulator.requests();
    let page = await scrapeAfter(MINUTE_MS);
    expect(page.value('solar_pv_power_watts')).toBe(healthy.value('solar_pv_power_watts'));
    for (let passedMs = 0; passedMs < 10 * MINUTE_MS; passedMs += 15 * SECOND_MS) {
      page = await scrapeAfter(15 * SECOND_MS);
      expect(page.status).toBe(200);
      expect(page.all('solar_up').map(({ value }) => value)).toEqual([0]);
      expect(page.all('solar_collector_success').map(({ value }) => value)).toEqual(
        COLLECTORS.map(() => 0),
      );
    }
    expect(page.all('solar_device_info')).toEqual([]);
    expect(page.all('solar_pv_power_watts')).toEqual([]);
    for (const operation of OPERATIONS) {
      const asked = page.requests(operation, 'SERVICE_UNREACHABLE');
      expect(asked, operation).toBeGreaterThanOrEqual(1);
      // Readings are asked for by two collectors: live ones, and those to count.
      expect(asked, operation).toBeLessThanOrEqual(operation === 'readings' ? 2 * 15 : 15);
    }
    expect(simulator.requests()).toBe(before);
    const failed = log.lines.filter(({ message }) => message === 'collector failed');
    expect(failed).toHaveLength(COLLECTORS.length);
    for (const { fields } of failed)
      expect((fields['err'] as Error).message).toContain(`: ${code}`);

    await ways.mend(control);
    const repaired = await scrapeAfter(MINUTE_MS);
    expect(repaired.all('solar_collector_success')).toEqual(all);
    expect(repaired.value('solar_pv_power_watts')).toBeGreaterThan(0);
  });
});

test('a log-in at another host that is gone leaves the data host alone, and recovers', async () => {
  const { simulator, clock, serviceUrl } = await startBoth({ now: FAULTS_NOW });
  const other = await startService({}, clock);
  const { scrape, scrapeAfter } = await startExporterFor(simulator, serviceUrl, clock, {
    flags: { 'auth-url': other.serviceUrl },
    env: credentialsFor(other.simulator),
  });
  await other.simulator.stop();
  const broken = await scrape();
  expect(broken.status).toBe(200);
  expect(broken.requests('login', 'SERVICE_UNREACHABLE')).toBe(1);
  expect(simulator.requests()).toBe(0);
  await other.simulator.start();
  expect((await scrapeAfter(MINUTE_MS)).requests('login', 'ok')).toBe(1);
});
