import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { scrapePage } from '../../doors/house.ts';
import { type CommandRun, FakeProcess, startProcess } from '../../commands/command-harness.ts';

/** Starts a command that runs until it is stopped, and stops it with the test. */
function start(shell: FakeProcess, ...argv: readonly string[]): Promise<CommandRun> {
  shell.env = {
    SOLAR_WEB_LISTEN_ADDRESS: '127.0.0.1:0',
    SOLAR_SIMULATOR_LISTEN_ADDRESS: '127.0.0.1:0',
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

async function takenAddress(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('serve', () => {
  test.each([
    { by: 'its name', argv: ['serve'] },
    { by: 'no name at all', argv: [] },
  ])('by $by runs the exporter until it is asked to stop', async ({ argv }) => {
    const { shell } = await startProcess();
    const running = start(shell, ...argv);
    const { url } = await eventually(() => {
      const listening = shell.log.lines.find(({ message }) => message === 'listening');
      expect(listening).toBeDefined();
      return listening?.fields as { url: string };
    });
    expect((await scrapePage(url)).value('solar_up')).toBe(1);

    shell.requestStop();
    expect(await running).toEqual({ status: 0, out: '', complaints: '' });
    expect(shell.log.messages('info')).toContain('stopping');
    await expect(scrapePage(url)).rejects.toThrow();
  });

  test('logs at the level of the configuration', async () => {
    const { shell } = await startProcess();
    shell.env = { ...shell.env, SOLAR_LOG_FORMAT: 'pretty' };
    void start(shell, 'serve');
    await eventually(() => expect(shell.logOptions).toEqual(['info', 'pretty']));
  });
});

describe('simulate', () => {
  test('runs the service until it is asked to stop', async () => {
    const shell = new FakeProcess();
    const running = start(shell, 'simulate', '--simulator.speed=60');
    const url = await printed(shell, /answers at (\S+)/);
    expect((await fetch(url)).status).toBe(404);
    shell.requestStop();
    expect(await running).toMatchObject({ status: 0, complaints: '' });
    await expect(fetch(url)).rejects.toThrow();
  });

  test('prints credentials with which the other commands work', async () => {
    const service = new FakeProcess();
    void start(service, 'simulate');
    await printed(service, /Stop with/);
    const exports = [...service.out.matchAll(/export (\w+)=(.*)/g)];
    const client = new FakeProcess();
    client.env = Object.fromEntries(exports.map(([, name = '', value = '']) => [name, value]));
    expect((await client.run('check')).status).toBe(0);
  });

  test('that listens on every interface prints an address for this machine', async () => {
    const shell = new FakeProcess();
    void start(shell, 'simulate', '--simulator.listen-address=:0');
    expect(await printed(shell, /answers at (\S+)/)).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  });
});

describe('demo', () => {
  test('runs both until it is asked to stop, and needs no account', async () => {
    const shell = new FakeProcess();
    const running = start(shell, 'demo');
    const url = await printed(shell, /metrics +(\S+)/);
    expect(shell.out).toContain('a day passes in 4 minutes');
    const page = await scrapePage(url);
    expect(page.value('solar_up')).toBe(1);
    expect(page.all('solar_device_setting_enabled')).not.toEqual([]);
    shell.requestStop();
    expect(await running).toMatchObject({ status: 0, complaints: '' });
    await expect(scrapePage(url)).rejects.toThrow();
  });

  test('prefers the user’s values to its own', async () => {
    const shell = new FakeProcess();
    void start(
      shell,
      ...['demo', '--collect.settings=false', '--cache.readings-ttl=1h', '--cache.summary-ttl=1h'],
      // The energy counters ask for readings as well.
      '--collect.energy=false',
    );
    const url = await printed(shell, /metrics +(\S+)/);
    const first = await scrapePage(url);
    expect(first.all('solar_device_setting_enabled')).toEqual([]);
    shell.clock.advance(60_000);
    expect((await scrapePage(url)).requests('readings', 'ok')).toBe(1);
  });

  test('refreshes every two seconds unless configured otherwise', async () => {
    const shell = new FakeProcess();
    void start(shell, 'demo', '--collect.energy=false');
    const url = await printed(shell, /metrics +(\S+)/);
    await scrapePage(url);
    shell.clock.advance(2000);
    expect((await scrapePage(url)).requests('readings', 'ok')).toBe(2);
  });

  test('ignores the credentials of a real account', async () => {
    const shell = new FakeProcess();
    shell.env = { SOLAR_ACCOUNT: 'someone@example.org', SOLAR_STATION: '12345' };
    void start(shell, 'demo');
    const url = await printed(shell, /metrics +(\S+)/);
    expect((await scrapePage(url)).value('solar_up')).toBe(1);
  });

  test('stops its service when the exporter cannot listen', async () => {
    const shell = new FakeProcess();
    const taken = await takenAddress();
    const { status, complaints } = await shell.run(
      ...['demo', '--simulator.listen-address=127.0.0.1:0', `--web.listen-address=${taken}`],
    );
    expect(status).toBe(2);
    expect(complaints).toContain(`"${taken}" is in use by another program`);
  });
});

test.each(['simulate', 'demo'])('%s says when its service cannot listen', async (command) => {
  const taken = await takenAddress();
  const shell = new FakeProcess();
  const argv = [command, '--web.listen-address=127.0.0.1:0', `--simulator.listen-address=${taken}`];
  const { status, out, complaints } = await shell.run(...argv);
  expect({ status, out }).toEqual({ status: 2, out: '' });
  expect(complaints).toContain('cannot be listened on (EADDRINUSE)');
});
