import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseConfig } from '../../../src/config/config.ts';
import { startExporter } from '../../../src/exporter/exporter.ts';
import { temporaryDirectory } from '../../support/prometheus.ts';
import {
  credentialsFor,
  HOUR_MS,
  MINUTE_MS,
  SECOND_MS,
  type ScrapedPage,
  scrapePage,
  startService,
  SteeredClock,
} from '../../doors/house.ts';
import { startServe } from '../../support/running-process.ts';
import { SilentLog } from '../../support/silent-log.ts';

const NOW = '2024-01-02T04:00:00Z';

/** A machine whose exporter is started again and again in this process; its directory stays. */
async function startMachine(env: Readonly<Record<string, string>> = {}) {
  const clock = new SteeredClock(NOW);
  const service = await startService({}, clock);
  const { simulator, serviceUrl } = service;
  const stateDir = join(temporaryDirectory(), 'state');
  const log = new SilentLog();
  /** Starts, lets it be used, and stops. */
  async function run<T>(
    use: (url: string) => Promise<T>,
    { env: changed = {}, machineClock = clock } = {},
  ): Promise<T> {
    const { config } = await parseConfig({
      flags: {
        'base-url': serviceUrl,
        'web.listen-address': '127.0.0.1:0',
        'state.dir': stateDir,
      },
      env: { ...credentialsFor(simulator), ...env, ...changed },
      readFile: () => '',
    });
    const exporter = await startExporter(config, {
      runtime: {
        clock: machineClock,
        random: () => 0.5,
        newNonce: () => randomBytes(16).toString('hex'),
      },
      build: { version: '1.2.3', revision: 'test', nodeVersion: '20.0.0' },
      log,
      readFile: () => '',
    });
    try {
      return await use(exporter.url);
    } finally {
      await exporter.stop();
    }
  }
  return { ...service, clock, stateDir, log, run, scrapeOnce: () => run(scrapePage) };
}

/** Starts, scrapes once and stops, `starts` times `everyMs`; tells after how many minutes there was a log-in. */
async function logInsAtMinutes(
  { simulator, clock, scrapeOnce }: Awaited<ReturnType<typeof startMachine>>,
  starts: number,
  everyMs: number,
  look: (page: ScrapedPage) => void,
): Promise<number[]> {
  const beganAtMs = clock.nowMs();
  const atMinutes: number[] = [];
  for (let start = 0; start < starts; start += 1) {
    const before = simulator.requests('login');
    look(await scrapeOnce());
    if (simulator.requests('login') > before)
      atMinutes.push((clock.nowMs() - beganAtMs) / MINUTE_MS);
    clock.advance(everyMs);
  }
  return atMinutes;
}

describe('an exporter that is restarted', () => {
  test('goes on with its session: no log-in, no refresh, started every hour', async () => {
    const { simulator, clock, scrapeOnce } = await startMachine();
    for (let start = 0; start < 10; start += 1) {
      const page = await scrapeOnce();
      expect(page.value('solar_up')).toBe(1);
      expect(page.value('solar_reauthentication_required')).toBe(0);
      clock.advance(HOUR_MS);
    }
    expect(simulator.requests('login')).toBe(1);
    // A token lives for two hours, less five minutes: after two, four, six and eight.
    expect(simulator.requests('refresh')).toBe(4);
  });

  test('logs in once when its tokens are worth nothing any more', async () => {
    const { simulator, clock, scrapeOnce } = await startMachine();
    await scrapeOnce();
    simulator.revokeTokens();
    simulator.revokeRefreshTokens();
    expect((await scrapeOnce()).value('solar_up')).toBe(1);
    expect(simulator.requests('login')).toBe(2);
    clock.advance(MINUTE_MS);
    expect((await scrapeOnce()).value('solar_up')).toBe(1);
    expect(simulator.requests('login')).toBe(2);
  });

  test.each([
    { what: 'nothing', text: '' },
    { what: 'half of a session', text: '{"version":1,"salt":"0123' },
    { what: 'a newer version', text: '{"version":2}' },
  ])('with $what in its file logs in once and says so', async ({ text }) => {
    const { simulator, stateDir, log, scrapeOnce } = await startMachine();
    mkdirSync(stateDir, { mode: 0o700 });
    writeFileSync(join(stateDir, 'session.json'), text);
    expect((await scrapeOnce()).value('solar_up')).toBe(1);
    expect((await scrapeOnce()).value('solar_up')).toBe(1);
    expect(simulator.requests('login')).toBe(1);
    expect(log.messages('warn')).toEqual(['the saved session cannot be used and was set aside']);
    expect(readFileSync(join(stateDir, 'session.json.unusable'), 'utf8')).toBe(text);
  });

  test('with a file that it may not read logs in once and says so', async () => {
    const { simulator, stateDir, log, scrapeOnce } = await startMachine();
    // Even root cannot read a directory.
    mkdirSync(join(stateDir, 'session.json'), { recursive: true });
    chmodSync(stateDir, 0o700);
    expect((await scrapeOnce()).value('solar_up')).toBe(1);
    expect((await scrapeOnce()).value('solar_up')).toBe(1);
    expect(simulator.requests('login')).toBe(1);
    expect(log.messages('warn')).toEqual(['the saved session cannot be used and was set aside']);
  });
});

test('an exporter that is stopped leaves its session and its energy counters behind, without account and password, and nothing else', async () => {
  const { simulator, stateDir, scrapeOnce } = await startMachine();
  await scrapeOnce();
  const files = ['energy-counters.json', 'session.json'];
  expect(readdirSync(stateDir).sort()).toEqual(files);
  const { account, password, appSecret } = simulator.options;
  for (const file of files) {
    const kept = readFileSync(join(stateDir, file), 'utf8');
    expect(kept).toContain('"version":1');
    for (const secret of [account, password, appSecret]) expect(kept).not.toContain(secret);
  }
});

describe('fifty starts', () => {
  test('with a wrong password, one a minute, log in after 0, 1, 6 and 36 minutes', async () => {
    const machine = await startMachine({ SOLAR_PASSWORD: 'mistyped' });
    const atMinutes = await logInsAtMinutes(machine, 50, MINUTE_MS, (page) => {
      expect(page.value('solar_up')).toBe(0);
      expect(page.value('solar_reauthentication_required')).toBe(1);
      const untilSeconds = page.value('solar_login_blocked_until_timestamp_seconds') ?? 0;
      expect(untilSeconds * 1000).toBeGreaterThan(machine.clock.nowMs());
    });
    expect(atMinutes).toEqual([0, 1, 6, 36]);
    expect(machine.simulator.requests()).toBe(4);
    // Put right, it does not have to wait.
    const { password } = machine.simulator.options;
    const page = await machine.run(scrapePage, { env: { SOLAR_PASSWORD: password } });
    expect(page.value('solar_up')).toBe(1);
    expect(page.value('solar_login_blocked_until_timestamp_seconds')).toBeUndefined();
  });

  test('of a service that asks for a quarter of an hour leave it alone for that long', async () => {
    const machine = await startMachine();
    const headers = { 'retry-after': '900' };
    machine.simulator.setFault('login', { kind: 'status', status: 429, headers });
    const atMinutes = await logInsAtMinutes(machine, 35, MINUTE_MS, (page) => {
      expect(page.value('solar_up')).toBe(0);
    });
    expect(atMinutes).toEqual([0, 15, 30]);
  });

  test('of a service that answers with 500, one a second, log in six times', async () => {
    const machine = await startMachine();
    machine.simulator.setFault('login', { kind: 'status', status: 500 });
    const atMinutes = await logInsAtMinutes(machine, 34, SECOND_MS, (page) => {
      expect(page.value('solar_up')).toBe(0);
    });
    expect(atMinutes.map((minutes) => Math.round(minutes * 60))).toEqual([0, 1, 3, 7, 15, 31]);
  });

  test('of a machine that begins in 1970, restarted every minute, log in no more often than the ladder lets them', async () => {
    const machine = await startMachine({ SOLAR_PASSWORD: 'mistyped' });
    const { simulator, run } = machine;
    for (let boot = 0; boot < 20; boot += 1) {
      const machineClock = new SteeredClock('1970-01-01T00:00:10Z');
      await run(
        async (url) => {
          await scrapePage(url);
          // Somebody tells it the time; it is restarted every minute.
          machineClock.advance(Date.parse(NOW) + boot * MINUTE_MS);
          await scrapePage(url);
        },
        { machineClock },
      );
    }
    // In 1970 once, and then as everybody: after 0, 1 and 6 minutes, with each pause one rung higher.
    expect(simulator.requests('login')).toBeLessThanOrEqual(4);
  });
});

test('a program that is killed and started again and again with a wrong password logs in once', async () => {
  const { simulator, serviceUrl } = await startService();
  const flags = [`--base-url=${serviceUrl}`, `--state.dir=${join(temporaryDirectory(), 'state')}`];
  const env = { ...credentialsFor(simulator), SOLAR_PASSWORD: 'mistyped' };
  const until = new Set<number | undefined>();
  for (let start = 0; start < 4; start += 1) {
    const { exporter, url } = await startServe(flags, env);
    const page = await scrapePage(url);
    expect(page.value('solar_reauthentication_required')).toBe(1);
    until.add(page.value('solar_login_blocked_until_timestamp_seconds'));
    exporter.kill('SIGKILL');
    await exporter.exited;
  }
  expect(simulator.requests('login')).toBe(1);
  expect(until.size).toBe(1);
  expect(until).not.toContain(undefined);
});
