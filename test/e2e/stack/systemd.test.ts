import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseConfig } from '../../../src/config/config.ts';
import { OPTION_BY_FLAG, OPTIONS } from '../../../src/config/options.ts';
import { hasProgram } from '../../support/programs.ts';
import { temporaryDirectory } from '../../support/prometheus.ts';
import { readAssignments, readText } from '../../stack/repository.ts';
import { parseUnitFile } from './unit-file.ts';

const TEXT = readText('deploy/systemd/solar-exporter.service');
const unit = parseUnitFile(TEXT);
const all = (directive: string) => unit.get('Service')?.get(directive) ?? [];
const one = (directive: string) => all(directive)[0];
const offered = readAssignments('deploy/systemd/solar-exporter.env.example');
const [program = '', script, command, ...flags] = (one('ExecStart') ?? '').split(' ');

/** The environment that systemd makes of the unit, with its credentials in `/credentials`. */
function unitEnvironment(): Record<string, string> {
  const own = all('Environment').map((line) => line.replace('%d', '/credentials').split('='));
  return { ...Object.fromEntries(offered), ...(Object.fromEntries(own) as Record<string, string>) };
}

test('starts the exporter with options that exist', () => {
  expect([script, command]).toEqual(['/opt/solar-exporter/dist/cli.js', 'serve']);
  expect(flags).not.toEqual([]);
  for (const flag of flags)
    expect(OPTION_BY_FLAG.has(/^--([\w.-]+)=/.exec(flag)?.[1] ?? ''), flag).toBe(true);
});

test('the exporter accepts what the unit and its variables give it', async () => {
  const loaded = all('LoadCredential').map((line) => line.split(':')[0]);
  const { config, warnings } = await parseConfig({
    flags: {},
    env: { ...unitEnvironment(), SOLAR_ACCOUNT: 'you@example.org', SOLAR_APP_ID: 'made-up' },
    readFile: (path) => {
      const [, name] = /^\/credentials\/(.+)$/.exec(path) ?? [];
      if (!loaded.includes(name)) throw new Error(`no credential ${path}`);
      return `${name}\n`;
    },
  });
  expect(warnings).toEqual([]);
  expect(config.password?.reveal()).toBe('password');
  expect(config.appSecret?.reveal()).toBe('app-secret');
});

test('offers only variables that exist, and no secret', () => {
  const open = OPTIONS.filter(({ secret }) => secret !== true).map(({ env }) => env);
  for (const name of offered.keys()) expect(open).toContain(name);
  expect(offered.get('SOLAR_ACCOUNT')).toBe('');
});

test('restarts as long as it takes, slowly, and not at all with a wrong configuration', () => {
  expect(one('Restart')).toBe('on-failure');
  expect(one('RestartPreventExitStatus')).toBe('2');
  expect(one('RestartSec')).toBe('1min');
  expect(unit.get('Unit')?.get('StartLimitIntervalSec')).toEqual(['0']);
  expect(unit.get('Unit')?.has('StartLimitBurst')).toBe(false);
});

test('may take so much memory and so many processes, and swaps nothing', () => {
  expect(one('MemoryMax')).toBe('512M');
  expect(one('MemorySwapMax')).toBe('0');
  expect(one('TasksMax')).toBe('64');
});

test('leaves V8 the memory that it executes', () => {
  expect(all('MemoryDenyWriteExecute')).toEqual([]);
  expect(all('SystemCallFilter')).toEqual(['@system-service @pkey', '~@privileged @resources']);
});

describe.skipIf(!hasProgram('systemd-analyze'))('systemd-analyze', () => {
  /** Runs it on the unit, with the Node.js of this computer in place of the one it names. */
  function analyze(...arguments_: string[]) {
    const file = join(temporaryDirectory(), 'solar-exporter.service');
    writeFileSync(file, TEXT.replace(program, process.execPath));
    const { status, stdout, stderr } = spawnSync('systemd-analyze', [...arguments_, file], {
      encoding: 'utf8',
    });
    return { status, said: stdout + stderr };
  }

  test('finds no fault in the unit', () => {
    expect(analyze('verify')).toEqual({ status: 0, said: '' });
  });

  test('rates its exposure at 1.5 of 10 at most', () => {
    const { status, said } = analyze('security', '--offline=true', '--threshold=15');
    expect(said).toContain('Overall exposure level');
    expect(status).toBe(0);
  });
});
