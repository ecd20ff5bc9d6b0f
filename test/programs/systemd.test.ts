import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseConfig } from '../../src/config/config.ts';
import { OPTION_BY_FLAG, OPTIONS } from '../../src/config/options.ts';
import { hasProgram } from '../support/programs.ts';
import { temporaryDirectory } from '../support/prometheus.ts';
import { readAssignments, readText } from '../support/repository.ts';

const TEXT = readText('deploy/systemd/solar-exporter.service');
const OFFERED = readAssignments('deploy/systemd/solar-exporter.env.example');

/** Every value that the unit gives a directive. */
const all = (directive: string): readonly string[] =>
  [...TEXT.matchAll(new RegExp(`^${directive}=(.*)$`, 'gm'))].map(([, value = '']) => value);
const [program = '', script, command, ...flags] = (all('ExecStart')[0] ?? '').split(' ');

describe('the unit', () => {
  test('starts with options that exist, and offers no secret as variable', () => {
    expect([script, command]).toEqual(['/opt/solar-exporter/dist/cli.js', 'serve']);
    expect(flags).not.toEqual([]);
    for (const flag of flags)
      expect(OPTION_BY_FLAG.has(/^--([\w.-]+)=/.exec(flag)?.[1] ?? ''), flag).toBe(true);
    const open = OPTIONS.filter(({ secret }) => secret !== true).map(({ env }) => env);
    for (const name of OFFERED.keys()) expect(open).toContain(name);
    expect(OFFERED.get('SOLAR_ACCOUNT')).toBe('');
  });

  test('gives the exporter its credentials as files', async () => {
    const loaded = all('LoadCredential').map((line) => line.split(':')[0]);
    const own = all('Environment').map((line) => line.replace('%d', '/credentials').split('='));
    const { config, warnings } = await parseConfig({
      flags: {},
      env: {
        ...Object.fromEntries(OFFERED),
        ...(Object.fromEntries(own) as Record<string, string>),
        SOLAR_ACCOUNT: 'you@example.org',
        SOLAR_APP_ID: 'made-up',
      },
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

  test('starts again slowly, and has little memory and few rights', () => {
    const said = {
      Restart: ['on-failure'],
      // Not at all with a wrong configuration.
      RestartPreventExitStatus: ['2'],
      RestartSec: ['1min'],
      StartLimitIntervalSec: ['0'],
      MemoryMax: ['512M'],
      MemorySwapMax: ['0'],
      TasksMax: ['64'],
      // V8 executes memory that it has written.
      MemoryDenyWriteExecute: [],
      SystemCallFilter: ['@system-service @pkey', '~@privileged @resources'],
    };
    expect(Object.fromEntries(Object.keys(said).map((name) => [name, all(name)]))).toEqual(said);
  });
});

test('the template unit differs from the unit by its instance alone', () => {
  const template = readText('deploy/systemd/solar-exporter@.service');
  const directives = (text: string): string => text.slice(text.indexOf('[Unit]'));
  expect(directives(template).replaceAll(/\/%i|, account %i/g, '')).toBe(directives(TEXT));
});

test.skipIf(!hasProgram('systemd-analyze')).each([
  ['no fault in the unit', ['verify'], /^$/],
  [
    'an exposure of 1.5 of 10 at most',
    ['security', '--offline=true', '--threshold=15'],
    /Overall exposure level/,
  ],
])('systemd-analyze finds %s', (_, words, says) => {
  const file = join(temporaryDirectory(), 'solar-exporter.service');
  // The Node.js of this computer in place of the one that the unit names.
  writeFileSync(file, TEXT.replace(program, process.execPath));
  const { status, stdout, stderr } = spawnSync('systemd-analyze', [...words, file], {
    encoding: 'utf8',
  });
  expect(stdout + stderr).toMatch(says);
  expect(status).toBe(0);
});
