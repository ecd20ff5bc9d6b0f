import { describe, expect, onTestFinished, test } from 'vitest';
import { createSimulator, type SimulatorOptions } from '../../../src/simulator/simulator.ts';
import { FakeProcess } from '../../doors/commands/fake-process.ts';
import { entryOf, fileOf } from '../../doors/two-accounts.ts';

/** A process whose configuration file has two accounts, `roof` and `annex`. */
async function startShell(annexPassword?: string) {
  const shell = new FakeProcess();
  const start = async (name: string, options: Partial<SimulatorOptions>) => {
    const simulator = createSimulator(options, shell.clock);
    const url = await simulator.start();
    onTestFinished(() => simulator.stop());
    return { simulator, entry: entryOf(name, simulator, url) };
  };
  const roof = await start('roof', { seed: 1 });
  const annex = await start('annex', { seed: 2 });
  const password = annexPassword ?? annex.entry['password'];
  shell.files = { 'solar.yaml': fileOf([roof.entry, { ...annex.entry, password }]) };
  shell.env = { SOLAR_CONFIG_FILE: 'solar.yaml' };
  return { shell, roof: roof.simulator, annex: annex.simulator };
}

describe('a command about one of several accounts', () => {
  test.each([
    [['devices']],
    [['readings']],
    [['settings', 'get', '1']],
    [['settings', 'set', '1', 'a=b', '--yes']],
    [['history', '--from=2026-01-01', '--dry-run']],
  ])('names the accounts when none is chosen: %j', async (argv) => {
    const { shell, roof, annex } = await startShell();
    const { status, complaints } = await shell.run(...argv);
    expect([status, complaints]).toEqual([
      2,
      'solar-exporter: --use-account: is missing, and there are several accounts; accepted: roof, annex\n',
    ]);
    expect([roof.requests(), annex.requests()]).toEqual([0, 0]);
  });

  test('asks that account alone', async () => {
    const { shell, roof, annex } = await startShell();
    const { status, out } = await shell.run('devices', '--use-account=annex');
    expect(status).toBe(0);
    expect(out).toContain(annex.stationIds[0]);
    expect(roof.requests()).toBe(0);
  });

  test('finds no account of another name', async () => {
    const { shell } = await startShell();
    const { status, complaints } = await shell.run('devices', '--use-account=anex');
    expect([status, complaints]).toEqual([
      2,
      'solar-exporter: --use-account: "anex" is no account; did you mean annex? accepted: roof, annex\n',
    ]);
  });

  test('takes no name where there is a single account', async () => {
    const { shell } = await startShell();
    shell.env = { SOLAR_ACCESS_TOKEN: 'planted' };
    const { status, complaints } = await shell.run('devices', '--use-account=roof');
    expect(status).toBe(2);
    expect(complaints).toContain('"roof" is no account');
  });

  test('is no command that runs for all of them', async () => {
    const { shell } = await startShell();
    const { status, complaints } = await shell.run('serve', '--use-account=roof');
    expect(status).toBe(2);
    expect(complaints).toContain('--use-account belongs to check, devices, readings');
  });
});

describe('check', () => {
  test('tries every account, whatever becomes of the others', async () => {
    const { shell } = await startShell('wrong');
    const { status, out } = await shell.run('check');
    expect(status).toBe(1);
    expect(out).toMatch(/^account +step +result/);
    expect(out).toMatch(/^roof +summary +ok/m);
    expect(out).toMatch(/^annex +log-in +failed/m);
    expect(out).toContain('log-in of annex: SERVICE_AUTH_REJECTED');
    const { steps } = JSON.parse((await shell.run('check', '--json')).out) as {
      steps: readonly { readonly account: string }[];
    };
    expect(new Set(steps.map(({ account }) => account))).toEqual(new Set(['roof', 'annex']));
  });

  test('tries the one that is chosen', async () => {
    const { shell, annex } = await startShell('wrong');
    const { status } = await shell.run('check', '--use-account=roof');
    expect(status).toBe(0);
    expect(annex.requests()).toBe(0);
  });
});

describe('config', () => {
  test('prints what holds for each account, without secrets', async () => {
    const { shell, roof } = await startShell();
    const { status, out } = await shell.run('config');
    expect(status).toBe(0);
    expect(out).toMatch(/^accounts\.roof\.account +\[secret\] +file$/m);
    expect(out).toMatch(/^accounts\.annex\.request\.concurrency +8 +default$/m);
    const { accounts } = JSON.parse((await shell.run('config', '--json')).out) as {
      accounts: readonly { readonly name: string }[];
    };
    expect(accounts.map(({ name }) => name)).toEqual(['roof', 'annex']);
    for (const secret of [roof.options.account, roof.options.password, roof.options.appSecret])
      expect(out).not.toContain(secret);
    expect((await shell.run('config', '--check')).out).toBe('The configuration is valid.\n');
  });
});
