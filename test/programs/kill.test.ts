import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { credentialsFor, scrapePage, startService } from '../doors/house.ts';
import { temporaryDirectory } from '../support/prometheus.ts';
import type { Moment } from '../support/faulty-simulator.ts';
import { startServe } from '../support/running-process.ts';

/** An exporter that asks again at every scrape, and a service where one request can be stopped. */
async function startMachine(more: Readonly<Record<string, string>> = {}) {
  const { simulator, serviceUrl } = await startService();
  const flags = [
    `--base-url=${serviceUrl}`,
    `--state.dir=${join(temporaryDirectory(), 'state')}`,
    '--cache.readings-ttl=1ms',
  ];
  const start = () => startServe(flags, { ...credentialsFor(simulator), ...more });
  type Started = Awaited<ReturnType<typeof start>>;
  /** Kills it once a scrape has come as far as this moment of a request. */
  const killAt = async (
    { exporter, url }: Started,
    endpoint: 'login' | 'refresh',
    moment: Moment,
  ) => {
    const reached = simulator.hold(endpoint, moment);
    const scrape = scrapePage(url).catch(() => undefined);
    await reached;
    exporter.kill('SIGKILL');
    await Promise.all([scrape, exporter.exited]);
  };
  const renewals = () => [simulator.requests('login'), simulator.requests('refresh')];
  return { simulator, start, killAt, renewals };
}

describe('an exporter that is killed', () => {
  test.each<{ moment: Moment; refreshes: readonly number[] }>([
    { moment: 'before the service is asked', refreshes: [2] },
    // What the service handed out is lost, and what was kept is refused in both forms of a refresh.
    { moment: 'before its answer arrives', refreshes: [3] },
    { moment: 'once it arrived', refreshes: [1, 3] },
  ])('during a log-in and a refresh, $moment, logs in at most once more', async (row) => {
    const { simulator, start, killAt, renewals } = await startMachine();
    await killAt(await start(), 'login', row.moment);
    const [answered = 0] = renewals();
    const second = await start();
    expect((await scrapePage(second.url)).value('solar_up')).toBe(1);
    const [logIns = 0, refreshes] = renewals();
    expect(logIns - answered).toBeLessThanOrEqual(1);
    expect(refreshes).toBe(0);

    simulator.revokeTokens();
    await killAt(second, 'refresh', row.moment);
    const third = await start();
    const page = await scrapePage(third.url);
    expect(page.value('solar_up')).toBe(1);
    expect(page.value('solar_reauthentication_required')).toBe(0);
    const [lastLogIns = 0, lastRefreshes] = renewals();
    expect(lastLogIns - logIns).toBeLessThanOrEqual(1);
    expect(row.refreshes).toContain(lastRefreshes);
  });

  test('in every log-in with a wrong password makes two in three starts', async () => {
    const { simulator, start, killAt } = await startMachine({ SOLAR_PASSWORD: 'mistyped' });
    for (let round = 0; round < 2; round += 1)
      await killAt(await start(), 'login', 'before its answer arrives');
    const { url } = await start();
    const page = await scrapePage(url);
    expect(page.value('solar_up')).toBe(0);
    expect(page.value('solar_reauthentication_required')).toBe(1);
    expect(page.value('solar_login_blocked_until_timestamp_seconds')).toBeGreaterThan(0);
    expect(simulator.requests('login')).toBe(2);
  });
});
