import { join } from 'node:path';
import { expect, test } from 'vitest';
import { credentialsFor, scrapePage, startService } from '../doors/house.ts';
import { temporaryDirectory } from '../support/prometheus.ts';
import type { Moment } from '../support/faulty-simulator.ts';
import { startServe } from '../support/running-process.ts';

/** The pauses between attempts that are killed are a table of test/unit/client/session.test.ts. */
test('an exporter killed in a log-in and a refresh logs in once more at most', async () => {
  const { simulator, serviceUrl } = await startService();
  const flags = [
    `--base-url=${serviceUrl}`,
    `--state.dir=${join(temporaryDirectory(), 'state')}`,
    // It asks again at every scrape.
    '--cache.readings-ttl=1ms',
  ];
  const start = () => startServe(flags, credentialsFor(simulator));
  /** Kills it once a scrape has come as far as this moment of a request. */
  const killAt = async (
    { exporter, url }: Awaited<ReturnType<typeof start>>,
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

  await killAt(await start(), 'login', 'once it arrived');
  const second = await start();
  expect((await scrapePage(second.url)).value('solar_up')).toBe(1);
  const [logIns = 0, refreshes] = renewals();
  expect(logIns).toBeLessThanOrEqual(2);
  expect(refreshes).toBe(0);

  simulator.revokeTokens();
  // What the service handed out is lost, and what was kept is refused in both forms of a refresh.
  await killAt(second, 'refresh', 'before its answer arrives');
  const third = await start();
  const page = await scrapePage(third.url);
  expect(page.value('solar_up')).toBe(1);
  expect(page.value('solar_reauthentication_required')).toBe(0);
  expect(renewals()).toEqual([logIns + 1, 3]);
});
