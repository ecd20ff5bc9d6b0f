import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openStateDirectory } from '../../../src/state/state-directory.ts';
import { eventually } from '../../support/eventually.ts';
import { temporaryDirectory } from '../../support/prometheus.ts';
import { scrapePage } from '../house.ts';
import { FakeProcess, refused, startProcess } from './fake-process.ts';
import { MINUTE_MS } from '../../support/durations.ts';

const REMEDY =
  'a scrape makes the exporter renew its session: open its /metrics, or let Prometheus do so; without a running exporter, this command renews the session itself';
/** What a command says beside an exporter that has no token for it. */
const lacking = (what: string): string =>
  `solar-exporter: SERVICE_AUTH_REJECTED: the running exporter that uses --state.dir ${what}: is it scraped? Scrape it, or stop it\n  → ${REMEDY}\n`;

/** A process with a state directory of its own. */
async function startKeeping(options: Parameters<typeof startProcess>[0] = {}) {
  const started = await startProcess(options);
  const stateDir = join(temporaryDirectory(), 'state');
  started.shell.env = { ...started.shell.env, SOLAR_STATE_DIR: stateDir };
  return { ...started, stateDir };
}

/** Holds a directory as a running exporter does, until the end of the test; returns its session. */
async function holdDirectory(stateDir: string) {
  const state = await openStateDirectory(stateDir, () => 'of-another');
  onTestFinished(() => state.close());
  return state.files.session;
}

describe('a command that ends', () => {
  test('continues the session of the command before, also of an exporter', async () => {
    const { shell, simulator, stateDir, deviceId } = await startKeeping();
    for (const line of ['check', 'readings'])
      expect(await shell.run(line)).toMatchObject({ status: 0, complaints: '' });
    expect(readdirSync(stateDir)).toEqual(['session.json']);
    const session = await holdDirectory(stateDir);
    const kept = await session.read();
    for (const line of ['devices', `settings get ${deviceId}`])
      expect(await shell.run(...line.split(' '))).toMatchObject({ status: 0, complaints: '' });
    expect([simulator.requests('login'), simulator.requests('refresh')]).toEqual([1, 0]);
    expect(await session.read()).toBe(kept);
  });

  test('says what a running exporter has not done, until it has', async () => {
    const { shell, simulator } = await startKeeping({ portal: true });
    const exporter = new FakeProcess(shell.clock);
    exporter.env = { ...shell.env, SOLAR_WEB_LISTEN_ADDRESS: '127.0.0.1:0' };
    const serving = exporter.run('serve', '--cache.readings-ttl=1ms');
    const url = await exporter.listening();
    const without = (lack: string) => ({ status: 1, out: '', complaints: lacking(lack) });
    expect(await shell.run('readings')).toEqual(without('has not logged in'));
    await scrapePage(url);
    simulator.revokeTokens();
    expect(await shell.run('readings')).toEqual(without('has not renewed its session'));
    expect(simulator.requests('refresh')).toBe(0);
    shell.clock.advance(1);
    expect((await scrapePage(url)).value('solar_up')).toBe(1);
    expect(await shell.run('readings')).toMatchObject({ status: 0, complaints: '' });
    expect(simulator.requests('login')).toBe(1);
    // The portal refuses the first form of a refresh.
    expect(simulator.requests('refresh')).toBe(2);
    exporter.requestStop();
    expect((await serving).status).toBe(0);
  });

  test('waits for the exporter beside it only while that is renewing', async () => {
    const { shell, simulator, stateDir } = await startKeeping();
    await shell.run('check');
    const session = await holdDirectory(stateDir);
    simulator.revokeTokens();
    const { env } = shell;
    const elsewhere = temporaryDirectory();
    shell.env = { ...env, SOLAR_STATE_DIR: elsewhere };
    await shell.run('check');
    shell.env = env;
    const kept = (await session.read()) ?? '';
    await session.write(kept.replace('"unfinished":0', '"unfinished":1'));
    const ran = shell.run('readings');
    await eventually(() => expect(shell.clock.sleeperCount).toBe(1));
    await session.write(readFileSync(join(elsewhere, 'session.json'), 'utf8'));
    shell.clock.advance(2000);
    expect(await ran).toMatchObject({ status: 0, complaints: '' });
    expect(simulator.requests('login')).toBe(2);
  });

  test('has its own session beside an exporter with other credentials', async () => {
    const { shell, simulator, stateDir } = await startKeeping();
    const right = shell.env;
    shell.env = { ...right, SOLAR_PASSWORD: 'of the exporter' };
    await shell.run('check');
    const session = await holdDirectory(stateDir);
    const kept = await session.read();
    shell.env = right;
    expect(await shell.run('check')).toMatchObject({
      status: 0,
      complaints:
        'solar-exporter: --state.dir is in use by a running exporter with other credentials; this command has a session of its own\n',
    });
    expect(simulator.requests('login')).toBe(2);
    expect(await session.read()).toBe(kept);
  });

  test('fails as the exporter beside it does, which was refused and pauses', async () => {
    const { shell, simulator, stateDir } = await startKeeping();
    shell.env = { ...shell.env, SOLAR_PASSWORD: 'mistyped' };
    await shell.run('check');
    await holdDirectory(stateDir);
    expect(await shell.run('devices')).toEqual({
      status: 1,
      out: '',
      complaints:
        'solar-exporter: SERVICE_AUTH_REJECTED: the service refused the running exporter. Its next try is in 60 s.\n  → check SOLAR_ACCOUNT and SOLAR_PASSWORD, or give a new SOLAR_ACCESS_TOKEN; do not try often\n',
    });
    expect(simulator.requests('login')).toBe(1);
  });

  test('says how the last attempt of the exporter beside it ended in an outage', async () => {
    const { shell, simulator, stateDir } = await startKeeping();
    simulator.setFault('login', { kind: 'reset' });
    await shell.run('check');
    await holdDirectory(stateDir);
    expect(await shell.run('devices')).toMatchObject({
      complaints: lacking('has not logged in, and its last attempt ended with SERVICE_UNREACHABLE'),
    });
  });

  test('does not try a wrong password again at once, however often it is run', async () => {
    const { shell, simulator } = await startKeeping();
    const right = shell.env;
    shell.env = { ...right, SOLAR_PASSWORD: 'mistyped' };
    for (let run = 0; run < 3; run += 1) expect((await shell.run('check')).status).toBe(1);
    expect(simulator.requests('login')).toBe(1);
    const { out, complaints } = await shell.run('check');
    expect(`${out}${complaints}`).toContain(
      'Next try in 60 s; changed credentials are tried at once.',
    );
    shell.clock.advance(MINUTE_MS);
    expect((await shell.run('check')).status).toBe(1);
    expect(simulator.requests('login')).toBe(2);
    shell.env = right;
    expect((await shell.run('check')).status).toBe(0);
    expect(simulator.requests('login')).toBe(3);
  });
});

test('an exporter says that another one holds its directory, and ends with 2', async () => {
  const { shell, stateDir } = await startKeeping();
  await holdDirectory(stateDir);
  expect(await shell.run('serve', '--web.listen-address=127.0.0.1:0')).toEqual(
    refused(
      `--state.dir: "${stateDir}" is in use by another solar-exporter; accepted: a directory of its own for each of them`,
    ),
  );
});
