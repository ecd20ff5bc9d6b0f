import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../../support/prometheus.ts';
import { startServe } from '../../support/running-process.ts';
import { entryOf, fileOf, type Entry } from '../accounts/two-accounts.ts';
import { formsOf, leaksIn, startPlantedService } from './planted.ts';
import { type Printed, runCommand } from './run.ts';

const MISTYPED = 'planted-mistyped-password-81f3';

/** Two services, each with credentials of its own, and a configuration file for both. */
async function startTwo() {
  const services = [await startPlantedService(), await startPlantedService()] as const;
  const entries = services.map((service, index) =>
    entryOf(index === 0 ? 'roof' : 'annex', service.simulator, service.url),
  );
  const directory = temporaryDirectory();
  const file = join(directory, 'solar.yaml');
  const write = (text: string) => writeFileSync(file, text, { mode: 0o600 });
  return {
    services,
    entries,
    directory,
    flags: [`--config.file=${file}`],
    write,
    secrets: () => [...services.flatMap((service) => service.secrets()), ...formsOf([MISTYPED])],
  };
}

function printed(name: string, { stdout, stderr }: Pick<Printed, 'stdout' | 'stderr'>) {
  return { [`stdout of ${name}`]: stdout, [`stderr of ${name}`]: stderr };
}

describe('no secret of several accounts is shown', () => {
  test('by an exporter and the commands, whether an account is refused or not', async () => {
    const { services, entries, directory, flags, write, secrets } = await startTwo();
    const [roof = {}, annex = {}] = entries;
    write(fileOf([roof, { ...annex, password: MISTYPED }]));
    const state = `--state.dir=${join(directory, 'state')}`;
    const { exporter, url } = await startServe([...flags, state, '--log.level=trace'], {});
    const target = services[0].stationId;
    const texts: Record<string, string> = {};
    for (const path of [
      'metrics',
      'metrics/self',
      '',
      'api/v1/status',
      'sd',
      `probe?target=${target}`,
      'probe?target=1&account=nobody',
    ])
      texts[path] = await (await fetch(`${url}/${path}`)).text();
    for (const line of [['check', '--json', '--log.level=trace'], ['config'], ['config', '--json']])
      Object.assign(texts, printed(line.join(' '), await runCommand([...line, ...flags], {})));
    exporter.kill('SIGTERM');
    await exporter.exited;
    Object.assign(texts, printed('serve', exporter));

    expect(texts['metrics']).toMatch(/^solar_up\{.*account="roof".*\} 1$/m);
    expect(texts['metrics']).toMatch(/^solar_reauthentication_required\{.*"annex".*\} 1$/m);
    expect(texts['stdout of config']).toMatch(/^accounts\.annex\.password +\[secret\] +file$/m);
    expect(services[0].tokens.size).toBeGreaterThan(0);
    expect(services.map((service) => service.signedCount() > 0)).toEqual([true, true]);
    expect(leaksIn(texts, secrets())).toEqual([]);
  });

  test.each<{ mistake: string; broken: (entry: Entry, other: Entry) => string }>([
    { mistake: 'one of them twice', broken: (entry) => fileOf([entry, { ...entry, name: 'b' }]) },
    {
      mistake: 'a password beside the list',
      broken: (entry, other) => fileOf([entry, other], { password: entry['password'] }),
    },
    {
      mistake: 'a password in an address',
      broken: (entry, other) =>
        fileOf([entry, { ...other, 'base-url': `https://me:${entry['password']}@example.org` }]),
    },
    {
      mistake: 'a mistyped key',
      broken: (entry, other) => fileOf([entry, { ...other, passwrd: other['password'] }]),
    },
    {
      mistake: 'a key without the space after it',
      broken: (entry, other) => fileOf([entry, other]).replaceAll('password: ', 'password:'),
    },
    {
      mistake: 'a secret in place of the name of its file',
      broken: (entry, other) =>
        fileOf([entry, { ...other, password: undefined, 'password-file': other['password'] }]),
    },
    {
      mistake: 'two forms of a secret',
      broken: (entry, other) =>
        fileOf([entry, { ...other, 'app-secret-encrypted': other['app-secret'] }]),
    },
    {
      mistake: 'a list that is no YAML',
      broken: (entry, other) => `${fileOf([entry, other])}  - password: "${entry['password']}\n`,
    },
  ])('by the message about $mistake', async ({ broken }) => {
    const { services, entries, flags, write, secrets } = await startTwo();
    const [entry = {}, other = {}] = entries;
    write(broken(entry, other));
    for (const line of [['config', '--check'], ['check'], ['serve']]) {
      const ran = await runCommand([...line, ...flags], {});
      expect(ran.status).toBe(2);
      expect(ran.stderr).not.toBe('');
      expect(leaksIn(printed(line.join(' '), ran), secrets())).toEqual([]);
    }
    expect(services.map(({ simulator }) => simulator.requests())).toEqual([0, 0]);
  });
});
