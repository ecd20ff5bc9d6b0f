import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { hasProgram } from '../../support/programs.ts';
import { temporaryDirectory } from '../../support/prometheus.ts';
import { RunningProcess, startSimulate } from '../../support/running-process.ts';
import { readText } from '../../stack/repository.ts';
import { parseUnitFile, type UnitFile } from '../stack/unit-file.ts';
import { buildPackage, canInstall, DEBIAN_13, folderOfBlock, packProgram } from './build.ts';
import { CleanRoot } from './clean-root.ts';
import { describeLifecycle } from './lifecycle.ts';

const { version, engines } = JSON.parse(readText('package.json')) as {
  version: string;
  engines: { node: string };
};
const UNIT_FILE = 'usr/lib/systemd/system/solar-exporter.service';

describe.skipIf(!canInstall())('the Debian package', () => {
  const folder = folderOfBlock();
  const root = new CleanRoot(folderOfBlock(), DEBIAN_13);
  let built = '';
  let unit: UnitFile;
  beforeAll(() => {
    built = buildPackage(folder);
    expect(root.dpkg('--install', built)).toMatchObject({ status: 0 });
    unit = parseUnitFile(root.read(UNIT_FILE));
  });
  const all = (directive: string) => unit.get('Service')?.get(directive) ?? [];

  test('has the version of the exporter, and is for every machine', () => {
    const fields = execFileSync('dpkg-deb', ['--field', built], { encoding: 'utf8' });
    expect(built).toMatch(new RegExp(`/solar-exporter_${version}-1_all\\.deb$`));
    expect(fields).toContain(`\nVersion: ${version}-1\nArchitecture: all\n`);
    expect(fields).toContain(`nodejs (${engines.node.replace('>=', '>= ')})`);
  });

  test('is the same, byte for byte, wherever it is built', () => {
    const again = buildPackage(temporaryDirectory(), undefined, { TZ: 'Asia/Tokyo' });
    const sum = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');
    expect(sum(again)).toBe(sum(built));
  });

  test('of a release candidate is older than that of the release', () => {
    const other = temporaryDirectory();
    execFileSync('tar', ['-xzf', packProgram(other), '-C', other]);
    const path = join(other, 'package/package.json');
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, text.replace(`"version": "${version}"`, '"version": "2.0.0-rc.1"'));
    const archive = join(other, 'candidate.tgz');
    execFileSync('tar', ['-czf', archive, '-C', other, 'package']);
    const candidate = buildPackage(other, archive);
    const field = ['--field', candidate, 'Version'];
    const found = execFileSync('dpkg-deb', field, { encoding: 'utf8' }).trim();
    const compared = spawnSync('dpkg', ['--compare-versions', found, 'lt', '2.0.0-1']);
    expect({ found, status: compared.status }).toEqual({ found: '2.0.0~rc.1-1', status: 0 });
  });

  test.skipIf(!hasProgram('lintian'))('has nothing that lintian complains of', () => {
    const { status, stdout } = spawnSync('lintian', [built], { encoding: 'utf8' });
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
  });

  test('has the libraries that the lock file names, and says their licences', () => {
    const { packages } = JSON.parse(readText('package-lock.json')) as {
      packages: Record<string, { version?: string; dev?: boolean }>;
    };
    const locked = Object.entries(packages).filter(([path, { dev }]) => path !== '' && !dev);
    expect(locked.length).toBeGreaterThan(30);
    const copyright = root.read('usr/share/doc/solar-exporter/copyright');
    for (const [path, expected] of locked) {
      const text = root.read(`usr/lib/solar-exporter/${path}/package.json`);
      expect((JSON.parse(text) as { version: string }).version, path).toBe(expected.version);
      expect(copyright).toContain(`Files: ./usr/lib/solar-exporter/${path}/*\n`);
    }
    expect(copyright).not.toContain('undefined');
  });

  test('is started with the computer, but not before both secrets are there', () => {
    const wanted = root.path('etc/systemd/system/multi-user.target.wants/solar-exporter.service');
    expect(execFileSync('readlink', [wanted], { encoding: 'utf8' })).toBe(`/${UNIT_FILE}\n`);
    const conditions = unit.get('Unit')?.get('ConditionFileNotEmpty') ?? [];
    expect(conditions).toEqual(all('LoadCredential').map((line) => line.replace(/^.*:/, '')));
    for (const path of conditions) expect(root.read(path)).toBe('');
  });

  test('has the unit of the project, but for its folder, its user and its conditions', () => {
    const lines = new Set(readText('deploy/systemd/solar-exporter.service').split('\n'));
    const own = root.read(UNIT_FILE).split('\n');
    expect(own.filter((line) => !lines.has(line) && !line.startsWith('#'))).toEqual([
      'ConditionFileNotEmpty=/etc/solar-exporter/password',
      'ConditionFileNotEmpty=/etc/solar-exporter/app-secret',
      'ExecStart=/usr/bin/node /usr/lib/solar-exporter/dist/cli.js serve --log.format=json',
      'User=solar-exporter',
      'Group=solar-exporter',
    ]);
  });

  test.skipIf(!hasProgram('systemd-analyze'))('has a unit without a fault, and confined', () => {
    const path = join(temporaryDirectory(), 'solar-exporter.service');
    const text = root.read(UNIT_FILE).replace('/usr/bin/node', process.execPath);
    writeFileSync(path, text);
    const analyze = (...arguments_: string[]) =>
      spawnSync('systemd-analyze', [...arguments_, path], { encoding: 'utf8' });
    expect(analyze('verify')).toMatchObject({ status: 0, stdout: '', stderr: '' });
    expect(analyze('security', '--offline=true', '--threshold=15').status).toBe(0);
  });

  test('can be run by its name', () => {
    const said = execFileSync(root.path('usr/bin/solar-exporter'), ['--version'], {
      encoding: 'utf8',
    });
    expect(said).toContain(version);
  });

  test('serves as the unit starts it, as its own user', async () => {
    const { env: given } = await startSimulate();
    const { SOLAR_PASSWORD: password = '', SOLAR_APP_SECRET: appSecret = '', ...open } = given;
    const user = root.numberOf('passwd', 'solar-exporter') ?? 0;
    const owned = ['-o', `${user}`, '-g', `${user}`];
    // What systemd does: it makes the state directory, and copies the secrets for the user.
    const [state, credentials] = [
      root.path('var/lib/solar-exporter'),
      root.path('run/credentials'),
    ];
    execFileSync('install', ['-d', '-m', '0700', ...owned, state, credentials]);
    const secrets = new Map([
      ['password', password],
      ['app-secret', appSecret],
    ]);
    for (const [name = '', path = ''] of all('LoadCredential').map((line) => line.split(':'))) {
      root.write(path, secrets.get(name) ?? '');
      execFileSync('install', ['-m', '0400', ...owned, root.path(path), join(credentials, name)]);
    }
    const environment = all('Environment').map((line) =>
      line.replace('%d', credentials).replace('%S', root.path('var/lib')).split('='),
    );
    const [, script = '', ...flags] = (all('ExecStart')[0] ?? '').split(' ');
    const asUser = [`--reuid=${user}`, `--regid=${user}`, '--clear-groups', '--no-new-privs'];
    const exporter = new RunningProcess(
      'setpriv',
      [...asUser, process.execPath, root.path(script), ...flags],
      {
        ...open,
        ...(Object.fromEntries(environment) as Record<string, string>),
        SOLAR_WEB_LISTEN_ADDRESS: '127.0.0.1:0',
      },
    );
    const url = await exporter.printed('stderr', /"url":"([^"]+)"/);
    const page = await (await fetch(new URL('/metrics', url))).text();
    expect(page).toMatch(/^solar_up\{.*\} 1$/m);
    expect(page).toContain(`version="${version}"`);
    const session = root.ownerOf('var/lib/solar-exporter/session.json');
    expect(session).toMatchObject({ user, mode: '600' });
    exporter.kill('SIGTERM');
    expect(await exporter.exited).toEqual({ status: 0, signal: null });
  });

  describeLifecycle(() => built);
});
