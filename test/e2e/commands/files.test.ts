import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hasProgram } from '../../support/programs.ts';
import { temporaryDirectory } from '../../support/prometheus.ts';
import { RunningProcess } from '../../support/running-process.ts';

const CLI = new URL('../../../dist/cli.js', import.meta.url).pathname;

const NAMED_BY: readonly (readonly [file: string, variable: string])[] = [
  ['configuration', 'SOLAR_CONFIG_FILE'],
  ['password', 'SOLAR_PASSWORD_FILE'],
  ['dialect', 'SOLAR_DIALECT_FILE'],
  ['web configuration', 'SOLAR_WEB_CONFIG_FILE'],
];

/** Checks the configuration where one of its files is named so. */
async function checkedWith(variable: string, path: string) {
  const account = { SOLAR_ACCOUNT: 'me', SOLAR_APP_ID: 'id', SOLAR_APP_SECRET: 'text' };
  const password = variable === 'SOLAR_PASSWORD_FILE' ? {} : { SOLAR_PASSWORD: 'secret' };
  const env = { ...account, ...password, [variable]: path };
  const program = new RunningProcess(process.execPath, [CLI, 'config', '--check'], env);
  const { status } = await program.exited;
  return { status, complaint: program.stderr };
}

describe.each(NAMED_BY)('in the place of the %s file', (_, variable) => {
  test.runIf(hasProgram('mkfifo'))('a FIFO is refused at once', async () => {
    const path = join(temporaryDirectory(), 'fifo');
    execFileSync('mkfifo', [path]);
    const { status, complaint } = await checkedWith(variable, path);
    expect(status).toBe(2);
    expect(complaint).toContain('not a regular file');
  });

  test('a device that never ends is refused at once', async () => {
    const { status, complaint } = await checkedWith(variable, '/dev/zero');
    expect(status).toBe(2);
    expect(complaint).toContain('not a regular file');
  });
});
