import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { credentialsFor, DAY_MS, scrapePage, startService } from '../doors/house.ts';
import { deferred } from '../support/deferred.ts';
import { temporaryDirectory } from '../support/prometheus.ts';
import { Holding, type Moment, startProxy } from '../support/proxy.ts';
import { startProgram, startServe } from '../support/running-process.ts';
import { SERVICE_PATHS } from '../support/service-paths.ts';

/** An exporter that asks again at every scrape, and a service between which one request can be stopped. */
async function startMachine(more: Readonly<Record<string, string>> = {}) {
  const { simulator, serviceUrl } = await startService();
  const proxy = new Holding();
  const flags = [
    `--base-url=${await startProxy(serviceUrl, proxy.pass)}`,
    `--state.dir=${join(temporaryDirectory(), 'state')}`,
    '--cache.readings-ttl=1ms',
  ];
  const start = () => startServe(flags, { ...credentialsFor(simulator), ...more });
  type Started = Awaited<ReturnType<typeof start>>;
  /** Kills it once a scrape has come as far as this moment of a request. */
  const killAt = async ({ exporter, url }: Started, path: string, moment: Moment) => {
    const reached = proxy.reached(path, moment);
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
    { moment: 'before the service is asked', refreshes: [1] },
    // What the service handed out is lost, and what was kept is refused in both forms of a refresh.
    { moment: 'before its answer arrives', refreshes: [3] },
    { moment: 'once it arrived', refreshes: [1, 3] },
  ])('during a log-in and a refresh, $moment, logs in at most once more', async (row) => {
    const { simulator, start, killAt, renewals } = await startMachine();
    await killAt(await start(), SERVICE_PATHS.login, row.moment);
    const [answered = 0] = renewals();
    const second = await start();
    expect((await scrapePage(second.url)).value('solar_up')).toBe(1);
    const [logIns = 0, refreshes] = renewals();
    expect(logIns - answered).toBeLessThanOrEqual(1);
    expect(refreshes).toBe(0);

    simulator.revokeTokens();
    await killAt(second, SERVICE_PATHS.refresh, row.moment);
    const third = await start();
    const page = await scrapePage(third.url);
    expect(page.value('solar_up')).toBe(1);
    expect(page.value('solar_reauthentication_required')).toBe(0);
    const [lastLogIns = 0, lastRefreshes] = renewals();
    expect(lastLogIns - logIns).toBeLessThanOrEqual(1);
    expect(row.refreshes).toContain(lastRefreshes);
  });

  test('in every log-in with a wrong password makes two in four starts', async () => {
    const { simulator, start, killAt } = await startMachine({ SOLAR_PASSWORD: 'mistyped' });
    for (let round = 0; round < 2; round += 1)
      await killAt(await start(), SERVICE_PATHS.login, 'before its answer arrives');
    for (let round = 0; round < 2; round += 1) {
      const { exporter, url } = await start();
      const page = await scrapePage(url);
      expect(page.value('solar_up')).toBe(0);
      expect(page.value('solar_reauthentication_required')).toBe(1);
      expect(page.value('solar_login_blocked_until_timestamp_seconds')).toBeGreaterThan(0);
      exporter.kill('SIGKILL');
      await exporter.exited;
    }
    expect(simulator.requests('login')).toBe(2);
  });
});

test('a history run that is killed is gone on with', async () => {
  const { simulator, serviceUrl } = await startService({}, systemClock);
  const toMs = Math.floor(Date.now() / DAY_MS) * DAY_MS - 3 * DAY_MS;
  const reached = deferred<undefined>();
  let isHeld = true;
  const [directory, undisturbed] = [temporaryDirectory(), temporaryDirectory()];
  // Once a file is complete, no readings come to the first run any more.
  const url = await startProxy(serviceUrl, ({ path }, forward) => {
    const isHolding = isHeld && path === SERVICE_PATHS.readings;
    if (!isHolding || Object.keys(complete()).length === 0) return forward();
    reached.resolve(undefined);
    return new Promise(() => undefined);
  });
  const env = { SOLAR_BASE_URL: url, ...credentialsFor(simulator) };
  const day = (atMs: number): string => new Date(atMs).toISOString().slice(0, 10);
  const range = [`--from=${day(toMs - 40 * DAY_MS)}`, `--to=${day(toMs)}`, '--interval=4m'];
  const start = (directory: string) =>
    startProgram(['history', '--request.rate=1000', ...range, `--output=${directory}`], env);
  /** The complete files, with what another write of them would change. */
  const complete = (): Readonly<Record<string, string>> => {
    const names = readdirSync(directory).filter((name) => name.endsWith('.om'));
    return Object.fromEntries(
      names.map((name) => {
        const { ino, mtimeNs, size } = statSync(join(directory, name), { bigint: true });
        return [name, `${ino} ${mtimeNs} ${size}`];
      }),
    );
  };

  const killed = start(directory);
  await reached.promise;
  killed.kill('SIGKILL');
  await killed.exited;
  isHeld = false;
  const before = complete();
  expect(Object.keys(before)).not.toEqual([]);
  for (const path of [directory, undisturbed])
    expect(await start(path).exited).toEqual({ status: 0, signal: null });
  expect(complete()).toMatchObject(before);
  const contents = (path: string) =>
    readdirSync(path)
      .filter((name) => name !== 'history.lock')
      .map((name) => [name, readFileSync(join(path, name), 'utf8')]);
  expect(contents(directory)).toEqual(contents(undisturbed));
});
