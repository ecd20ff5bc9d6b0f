import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { createSimulator } from '../../../src/simulator/simulator.ts';
import { temporaryDirectory } from '../../support/prometheus.ts';
import { scrapePage } from '../../doors/house.ts';
import { startProgram, startServe } from '../../support/running-process.ts';
import { entryOf, fileOf } from '../../doors/two-accounts.ts';

/** A running exporter of two accounts that has scraped once, and commands beside it with the same file. */
async function startBeside(annexPassword?: string) {
  const start = async (name: string, seed: number) => {
    const simulator = createSimulator({ seed }, systemClock);
    const url = await simulator.start();
    onTestFinished(() => simulator.stop());
    return { simulator, entry: entryOf(name, simulator, url) };
  };
  const [roof, annex] = [await start('roof', 1), await start('annex', 2)];
  const directory = temporaryDirectory();
  const file = join(directory, 'solar.yaml');
  const password = annexPassword ?? annex.entry['password'];
  writeFileSync(file, fileOf([roof.entry, { ...annex.entry, password }]), { mode: 0o600 });
  const flags = [`--config.file=${file}`, `--state.dir=${join(directory, 'state')}`];
  const { url } = await startServe(flags, {});
  await scrapePage(url);
  const logIns = () => [roof, annex].map(({ simulator }) => simulator.requests('login'));
  return {
    roof: roof.simulator,
    annex: annex.simulator,
    logIns,
    run: async (...line: readonly string[]) => {
      const program = startProgram([...line, ...flags], {});
      const { status } = await program.exited;
      return { status, stdout: program.stdout, stderr: program.stderr };
    },
  };
}

describe('a command beside an exporter of two accounts', () => {
  test('uses the session of the account it is about, and logs in nowhere', async () => {
    const { roof, annex, logIns, run } = await startBeside();
    expect(logIns()).toEqual([1, 1]);
    for (const command of ['devices', 'readings'])
      for (const [name, asked, other] of [
        ['roof', roof, annex],
        ['annex', annex, roof],
      ] as const) {
        const before = { asked: asked.requests(), other: other.requests() };
        const ran = await run(command, `--use-account=${name}`);
        expect(ran).toMatchObject({ status: 0, stderr: '' });
        expect(ran.stdout).toContain(asked.deviceIds(asked.stationIds[0] ?? '')[0]);
        expect(asked.requests()).toBeGreaterThan(before.asked);
        expect(other.requests()).toBe(before.other);
      }
    const checked = await run('check');
    expect(checked).toMatchObject({ status: 0, stderr: '' });
    for (const name of ['roof', 'annex'])
      expect(checked.stdout).toMatch(new RegExp(`^${name} +summary +ok`, 'm'));
    expect(logIns()).toEqual([1, 1]);
    expect([roof, annex].map((service) => service.requests('refresh'))).toEqual([0, 0]);
  });

  test('fails as its account does, which is refused and pauses, and the other works', async () => {
    const { annex, logIns, run } = await startBeside('mistyped');
    expect(logIns()).toEqual([1, 1]);
    const refused = await run('devices', '--use-account=annex');
    expect(refused).toMatchObject({ status: 1, stdout: '' });
    expect(refused.stderr).toContain('the service refused the running exporter');
    expect(await run('devices', '--use-account=roof')).toMatchObject({ status: 0, stderr: '' });
    expect(logIns()).toEqual([1, 1]);
    expect(annex.requests()).toBe(1);
  });
});
