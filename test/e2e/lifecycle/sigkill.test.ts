import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../../support/prometheus.ts';
import { credentialsFor, scrapePage, startService } from '../../doors/house.ts';
import { startServe } from '../../support/running-process.ts';
import { SERVICE_PATHS } from '../../support/service-paths.ts';
import { Holding, type Moment, startProxy } from '../../support/proxy.ts';

/** An exporter that asks again at every scrape, and a service between which one request can be stopped. */
async function startMachine() {
  const { simulator, serviceUrl } = await startService();
  const proxy = new Holding();
  const flags = [
    `--base-url=${await startProxy(serviceUrl, proxy.pass)}`,
    `--state.dir=${join(temporaryDirectory(), 'state')}`,
    '--cache.readings-ttl=1ms',
  ];
  const start = () => startServe(flags, credentialsFor(simulator));
  return { simulator, proxy, start };
}

const MOMENTS = [
  'before the service is asked',
  'before its answer arrives',
  'once it arrived',
] as const satisfies readonly Moment[];

describe('killed during a log-in', () => {
  test.each(MOMENTS)('%s, the next start logs in once', async (moment) => {
    const { simulator, proxy, start } = await startMachine();
    const first = await start();
    const reached = proxy.reached(SERVICE_PATHS.login, moment);
    const scrape = scrapePage(first.url).catch(() => undefined);
    await reached;
    first.exporter.kill('SIGKILL');
    await Promise.all([scrape, first.exporter.exited]);

    const answered = simulator.requests('login');
    const second = await start();
    const page = await scrapePage(second.url);
    expect(page.value('solar_up')).toBe(1);
    expect(page.value('solar_reauthentication_required')).toBe(0);
    expect(simulator.requests('login') - answered).toBeLessThanOrEqual(1);
    expect(simulator.requests('refresh')).toBe(0);
  });
});

describe('killed during a refresh', () => {
  test.each([
    { moment: MOMENTS[0], logIns: [1], refreshes: [1] },
    // What the service handed out is lost, and what was kept is refused in both forms of a refresh.
    { moment: MOMENTS[1], logIns: [2], refreshes: [3] },
    { moment: MOMENTS[2], logIns: [1, 2], refreshes: [1, 3] },
  ])('$moment, the next start logs in at most once, and the one after goes on', async (row) => {
    const { simulator, proxy, start } = await startMachine();
    const first = await start();
    expect((await scrapePage(first.url)).value('solar_up')).toBe(1);
    simulator.revokeTokens();
    const reached = proxy.reached(SERVICE_PATHS.refresh, row.moment);
    const scrape = scrapePage(first.url).catch(() => undefined);
    await reached;
    first.exporter.kill('SIGKILL');
    await Promise.all([scrape, first.exporter.exited]);

    const second = await start();
    const page = await scrapePage(second.url);
    expect(page.value('solar_up')).toBe(1);
    expect(page.value('solar_reauthentication_required')).toBe(0);
    expect(row.logIns).toContain(simulator.requests('login'));
    expect(row.refreshes).toContain(simulator.requests('refresh'));
    second.exporter.kill('SIGKILL');
    await second.exporter.exited;

    const renewals = simulator.requests('login') + simulator.requests('refresh');
    const third = await start();
    expect((await scrapePage(third.url)).value('solar_up')).toBe(1);
    expect(simulator.requests('login') + simulator.requests('refresh')).toBe(renewals);
  });
});

test('killed in the middle of every log-in with a wrong password, four starts make two', async () => {
  const { simulator, serviceUrl } = await startService();
  const proxy = new Holding();
  const flags = [
    `--base-url=${await startProxy(serviceUrl, proxy.pass)}`,
    `--state.dir=${join(temporaryDirectory(), 'state')}`,
  ];
  const env = { ...credentialsFor(simulator), SOLAR_PASSWORD: 'mistyped' };
  for (let round = 0; round < 4; round += 1) {
    const { exporter, url } = await startServe(flags, env);
    const reached = proxy.reached(SERVICE_PATHS.login, 'before its answer arrives');
    const scraped = scrapePage(url).catch(() => undefined);
    const page = await Promise.race([scraped, reached.then(() => undefined)]);
    if (round >= 2) {
      expect(page?.value('solar_up')).toBe(0);
      expect(page?.value('solar_reauthentication_required')).toBe(1);
      expect(page?.value('solar_login_blocked_until_timestamp_seconds')).toBeGreaterThan(0);
    } else expect(page).toBeUndefined();
    exporter.kill('SIGKILL');
    await Promise.all([scraped, exporter.exited]);
  }
  expect(simulator.requests('login')).toBe(2);
});
