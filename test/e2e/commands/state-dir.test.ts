import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openStateDirectory } from '../../../src/state/state-directory.ts';
import { temporaryDirectory } from '../../support/prometheus.ts';
import { startProcess } from '../../commands/command-harness.ts';

const MINUTE_MS = 60_000;

/** A process with a state directory of its own. */
async function startKeeping() {
  const started = await startProcess();
  const stateDir = join(temporaryDirectory(), 'state');
  started.shell.env = { ...started.shell.env, SOLAR_STATE_DIR: stateDir };
  return { ...started, stateDir };
}

describe('a command that ends', () => {
  test.each(['check', 'devices', 'readings', 'settings get'])(
    '(%s) continues the session of the command before, and releases the directory',
    async (command) => {
      const { shell, simulator, stateDir, deviceId } = await startKeeping();
      expect((await shell.run('check')).status).toBe(0);
      const line = [...command.split(' '), ...(command === 'settings get' ? [deviceId] : [])];
      const { status, complaints } = await shell.run(...line);
      expect({ status, complaints }).toEqual({ status: 0, complaints: '' });
      expect(simulator.requests('login')).toBe(1);
      expect(readdirSync(stateDir)).toEqual(['session.json']);
    },
  );

  test('says when an exporter holds the directory, and then uses a session of its own', async () => {
    const { shell, simulator, stateDir } = await startKeeping();
    await shell.run('check');
    const state = await openStateDirectory(stateDir, () => 'of-another');
    onTestFinished(() => state.close());
    const kept = await state.session.read();
    const { status, complaints } = await shell.run('check');
    expect({ status, complaints }).toEqual({
      status: 0,
      complaints:
        'solar-exporter: --state.dir is in use by a running exporter; this command has a session of its own\n',
    });
    expect(simulator.requests('login')).toBe(2);
    expect(await state.session.read()).toBe(kept);
  });

  test('does not try a wrong password again at once, however often it is run', async () => {
    const { shell, simulator } = await startKeeping();
    const right = shell.env;
    shell.env = { ...right, SOLAR_PASSWORD: 'mistyped' };
    for (let run = 0; run < 10; run += 1) expect((await shell.run('check')).status).toBe(1);
    expect(simulator.requests('login')).toBe(1);
    const { out, complaints } = await shell.run('check');
    expect(`${out}${complaints}`).toContain('no attempt before 2026-01-02T04:01:00.000Z');
    shell.clock.advance(MINUTE_MS);
    expect((await shell.run('check')).status).toBe(1);
    expect(simulator.requests('login')).toBe(2);
    shell.env = right;
    expect((await shell.run('check')).status).toBe(0);
    expect(simulator.requests('login')).toBe(3);
  });

  test('says that the directory cannot be used, and ends with 2', async () => {
    const { shell, simulator, stateDir } = await startKeeping();
    writeFileSync(stateDir, 'a file');
    expect(await shell.run('check')).toEqual({
      status: 2,
      out: '',
      complaints: `solar-exporter: --state.dir: "${stateDir}" is not a directory; accepted: a directory, which is made where it is missing\n`,
    });
    expect(simulator.requests()).toBe(0);
  });

  test('does not open the directory when it sends no request', async () => {
    const { shell, stateDir } = await startKeeping();
    expect((await shell.run('config')).status).toBe(0);
    expect(() => readdirSync(stateDir)).toThrow('ENOENT');
  });
});

test('an exporter says that another one holds its directory, and ends with 2', async () => {
  const { shell, stateDir } = await startKeeping();
  const state = await openStateDirectory(stateDir, () => 'of-another');
  onTestFinished(() => state.close());
  expect(await shell.run('serve', '--web.listen-address=127.0.0.1:0')).toEqual({
    status: 2,
    out: '',
    complaints: `solar-exporter: --state.dir: "${stateDir}" is in use by another solar-exporter; accepted: a directory of its own for each of them\n`,
  });
});
