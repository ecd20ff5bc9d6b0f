import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { CATALOGUE } from '../../../src/metrics/definitions.ts';
import type { Status } from '../../../src/status/status.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { eventually } from '../../support/eventually.ts';
import { MINUTE_MS, scrapePage } from '../house.ts';
import { type CommandRun, done, FakeProcess, startProcess } from './fake-process.ts';

/** Starts a command that runs until it is stopped, and stops it with the test. */
function start(shell: FakeProcess, ...argv: readonly string[]): Promise<CommandRun> {
  shell.env = {
    SOLAR_WEB_LISTEN_ADDRESS: '127.0.0.1:0',
    ...(/demo|simulate/.test(argv[0] ?? '') && { SOLAR_SIMULATOR_LISTEN_ADDRESS: '127.0.0.1:0' }),
    ...shell.env,
  };
  const running = shell.run(...argv);
  onTestFinished(async () => {
    shell.requestStop();
    await running;
  });
  return running;
}

/** Waits for output of the command, and returns it. */
function printed(shell: FakeProcess, pattern: RegExp): Promise<string> {
  return eventually(() => {
    expect(shell.out).toMatch(pattern);
    return pattern.exec(shell.out)?.[1] ?? '';
  });
}

async function takenAddress(port = 0): Promise<string> {
  const server = createServer();
  // Somebody else may have the port already: then it is taken as well.
  await new Promise<void>((resolve) => {
    server.once('error', () => resolve()).listen(port, '127.0.0.1', () => resolve());
  });
  onTestFinished(() => void server.close());
  return `127.0.0.1:${(server.address() as AddressInfo | null)?.port ?? port}`;
}

test('without a command, the exporter runs until it is asked to stop', async () => {
  const { shell } = await startProcess();
  shell.env = { ...shell.env, SOLAR_LOG_FORMAT: 'pretty' };
  const running = start(shell);
  const url = await shell.listening();
  expect(shell.logOptions).toEqual(['info', 'pretty']);
  expect((await scrapePage(url)).value('solar_up')).toBe(1);
  shell.requestStop();
  expect(await running).toEqual(done(''));
  expect(shell.log.messages('info')).toContain('stopping');
  await expect(scrapePage(url)).rejects.toThrow();
});

test('serve reloads a changed file, and nothing of one that is refused', async () => {
  const FILE = 'exporter.yaml';
  const REFUSED = 'configuration not reloaded: the one before goes on';
  const TAKEN = 'configuration reloaded';
  const { shell } = await startProcess();
  shell.files = { [FILE]: 'web.max-requests: 9\n', 'mine.yml': '[]' };
  const setLevel = vi.fn();
  Object.assign(shell.log, { setLevel });
  void start(shell, 'serve', `--config.file=${FILE}`);
  const url = await shell.listening();
  const valueOf = async (name: string) => (await scrapePage(url)).value(name);
  const counts = { [TAKEN]: 0, [REFUSED]: 0 };
  /** Rewrites the file and asks to reload; resolves to what the log says when that ended so. */
  const reloadWith = (text: string | undefined, message: keyof typeof counts) => {
    shell.files = text === undefined ? { 'mine.yml': '[]' } : { ...shell.files, [FILE]: text };
    shell.requestReload();
    return shell.logged(message, (counts[message] += 1));
  };

  await reloadWith('web.max-requests: 9\ncollect.process: true\nlog.level: debug\n', TAKEN);
  expect(await valueOf('process_cpu_seconds_total')).toBeGreaterThan(0);
  expect(setLevel.mock.calls).toEqual([['debug']]);

  await reloadWith('log.level: error\ncache.max-age: soon\n', REFUSED);
  const fixed = [
    'state.dir: "/state" in place of ""',
    'web.telemetry-path: "/m" in place of "/metrics"',
    'web.config.file: "web.yml" in place of ""',
    'web.max-requests: "8" in place of "9"',
    'web.enable-lifecycle: "true" in place of "false"',
    'log.format: "pretty" in place of ""',
  ];
  const text = fixed.map((line) => line.replace(/ in place.*/, '\n')).join('');
  const { err } = await reloadWith(`${text}collect.process: false\n`, REFUSED);
  expect((err as Error).message.split('\n')).toEqual(
    fixed.map((line) => `${line} takes a restart; accepted: a reload that leaves it as it is`),
  );
  await reloadWith(undefined, REFUSED);
  expect(await valueOf('solar_config_last_reload_successful')).toBe(0);
  expect(await valueOf('process_cpu_seconds_total')).toBeGreaterThan(0);
  expect(setLevel).toHaveBeenCalledOnce();

  // All others need no restart.
  await reloadWith(
    'web.max-requests: 9\nstation: [1]\ntime-zone: Europe/Berlin\ndialect.file: mine.yml\npath: {readings: /elsewhere}\ncollect: {settings: true, process: false}\ncache: {readings-ttl: 1m, max-age: 1m}\nscrape.timeout: 1s\nrequest: {timeout: 1s, concurrency: 1, rate: 0.5}\n',
    TAKEN,
  );
  expect(setLevel.mock.calls.at(-1)).toEqual(['info']);
  expect(shell.log.messages('warn')).toEqual([
    expect.stringContaining('cache.max-age: 1m is less than the five minutes'),
  ]);
  expect(await valueOf('solar_config_last_reload_successful')).toBe(1);
});

test('simulate runs a service with valid credentials, until it is stopped', async () => {
  const service = new FakeProcess();
  const flags = ['--simulator.stations=2', '--simulator.devices=3', '--simulator.speed=60'];
  // It listens on every interface, and prints an address for this machine.
  const address = '--simulator.listen-address=:0';
  const running = start(service, 'simulate', ...flags, address, '--time-zone=Atlantic/Azores');
  const url = await printed(service, /answers at (\S+)[^]*Stop with/);
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  const exports = [...service.out.matchAll(/export (\w+)=(.*)/g)];
  const client = new FakeProcess();
  client.env = Object.fromEntries(exports.map(([, name = '', value = '']) => [name, value]));
  const { status, out } = await client.run('devices', '--json');
  expect(status).toBe(0);
  expect(out.match(/"deviceId"/g)).toHaveLength(6);
  expect(out.match(/"timeZone": "Atlantic\/Azores"/g)).toHaveLength(6);
  service.requestStop();
  expect(await running).toMatchObject({ status: 0, complaints: '' });
  await expect(fetch(client.env['SOLAR_BASE_URL'] ?? '')).rejects.toThrow();
});

/**
 * What the specified family does not measure, or lack; families.test.ts shows the families that do.
 * And nobody is refused here, has a file of prices, or wants every number of an inverter.
 */
const ELSEWHERE =
  /^solar_(?:battery_(?:soh|temperature|bms)|grid_(?:voltage|frequency)|ac_output_(?:voltage|frequency)|pv_string|device_(?:temperature|working_mode|alarm|field)|month_(?:grid_feed_in|battery|quantity_assumed)|device_quantity_missing|login_blocked_until|tariff)(?:_|$)/;

describe('demo', () => {
  async function startDemo(shell: FakeProcess, ...flags: readonly string[]) {
    const running = start(shell, 'demo', ...flags);
    const url = await printed(shell, /metrics +(\S+)[^]*Stop with/);
    return { running, url };
  }

  test('serves every metric of the specified family, and says it is simulated', async () => {
    const shell = new FakeProcess();
    const { running, url } = await startDemo(shell);
    expect(shell.out).toContain('a day passes in 4 minutes');
    expect(shell.out).toContain('--drain');
    await scrapePage(url);
    shell.clock.advance(2000);
    const page = await eventually(async () => {
      const scraped = await scrapePage(url);
      expect(scraped.value('solar_device_energy_kwh_total')).toBeDefined();
      return scraped;
    });
    const shown = [...page.text.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name);
    const expected = CATALOGUE.filter(({ name }) => !ELSEWHERE.test(name));
    expect(shown).toEqual(expected.map(({ name }) => name));
    expect(page.value('solar_simulated')).toBe(1);
    expect(page.value('solar_pv_power_watts')).toBeGreaterThan(0);
    const status = (await (await fetch(new URL('/api/v1/status', url))).json()) as Status;
    const { startsAtMs = 0, endsAtMs = 0, stepMs = 0 } = status.stations[0]?.curve ?? {};
    expect(endsAtMs - startsAtMs).toBe(4 * MINUTE_MS);
    expect(stepMs).toBeCloseTo((4 * MINUTE_MS) / 288);
    expect(page.requests('readings', 'ok')).toBeGreaterThan(1);
    shell.requestStop();
    expect(await running).toMatchObject({ status: 0, complaints: '' });
    await expect(scrapePage(url)).rejects.toThrow();
  });

  test('takes values of the user, and a free port, but no account', async () => {
    const shell = new FakeProcess();
    const account = { SOLAR_ACCOUNT: 'you@example.org', SOLAR_PASSWORD: 'planted' };
    shell.env = {
      ...account,
      SOLAR_STATION: '1',
      SOLAR_STATE_DIR: '/proc/nothing',
      SOLAR_SIMULATOR_LISTEN_ADDRESS: '',
    };
    await takenAddress(9878);
    const ttls = ['--cache.readings-ttl=1h', '--cache.summary-ttl=1h', '--cache.devices-ttl=1h'];
    // The energy counters ask for readings as well.
    const off = ['--collect.settings=false', '--collect.energy=false'];
    const { url } = await startDemo(shell, ...off, ...ttls);
    expect(shell.out).toMatch(/service +http:\/\/127\.0\.0\.1:(?!9878)\d+\n/);
    expect(shell.complaints).toMatch(
      /^solar-exporter: an account or tokens are configured, but .*demo/,
    );
    const first = await scrapePage(url);
    expect(first.value('solar_up')).toBe(1);
    expect(first.all('solar_device_setting_enabled')).toEqual([]);
    shell.clock.advance(MINUTE_MS);
    const page = await scrapePage(url);
    for (const operation of ['readings', 'summary', 'devices'])
      expect(page.requests(operation, 'ok')).toBe(1);
    const html = await (await fetch(new URL('/', url))).text();
    expect(html).toMatch(/<p id="simulated"[^>]*><strong>Simulated/);
    expect(html).toContain('Your account is not used.');
    expect(`${shell.complaints}${html}`).not.toMatch(/you@example|planted/);
  });

  test('of a draining battery announces its alerts, and falls', async () => {
    const shell = new FakeProcess(new FakeClock('2026-01-02T10:00:00Z'));
    // The energy counters would read a day of its points.
    const { url } = await startDemo(shell, '--drain', '--collect.energy=false');
    expect(shell.out).toMatch(/SolarBatteryLow and\s+SolarBatteryCritical within ten minutes/);
    expect(shell.out).toContain('http://localhost:9090/alerts');
    const charge = async () => (await scrapePage(url)).value('solar_battery_soc_ratio') ?? 1;
    const first = await charge();
    expect(first).toBeLessThanOrEqual(0.25);
    // Three points a minute.
    shell.clock.advance(MINUTE_MS);
    expect(await charge()).toBeLessThan(first);
  });
});

test.each([
  ['serve', 'web.listen-address'],
  ['demo', 'web.listen-address'],
  ['demo', 'simulator.listen-address'],
  ['simulate', 'simulator.listen-address'],
])('%s says in one line that the port of --%s is taken', async (command, flag) => {
  const shell = new FakeProcess();
  const taken = await takenAddress();
  if (command === 'serve') shell.env = { SOLAR_ACCESS_TOKEN: 'unused' };
  const { status, out, complaints } = await start(shell, command, `--${flag}=${taken}`);
  expect({ status, out }).toEqual({ status: 2, out: '' });
  const port = taken.split(':')[1] ?? '';
  expect(complaints).toBe(
    `solar-exporter: --${flag}: port ${port} is in use. Stop the other program or choose another port.\n`,
  );
});
