import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { OPTIONS } from '../../src/config/options.ts';
import { startProgram } from '../support/running-process.ts';

const { version } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { version: string };

interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

async function runProgram(
  arguments_: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const program = startProgram(arguments_, env);
  const { status } = await program.exited;
  return { status, stdout: program.stdout, stderr: program.stderr };
}

/** A port of the loopback that somebody else listens on. */
async function takenAddress(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('an address in use', () => {
  test.each([
    { command: 'serve', taken: 'web.listen-address' },
    { command: 'demo', taken: 'web.listen-address' },
    { command: 'demo', taken: 'simulator.listen-address' },
    { command: 'simulate', taken: 'simulator.listen-address' },
  ])('ends $command with 2 and one line about --$taken', async ({ command, taken }) => {
    const address = await takenAddress();
    const { status, stdout, stderr } = await runProgram([command, `--${taken}=${address}`], {
      SOLAR_ACCESS_TOKEN: 'unused',
      // Not every command takes both as flags.
      SOLAR_WEB_LISTEN_ADDRESS: '127.0.0.1:0',
      SOLAR_SIMULATOR_LISTEN_ADDRESS: '127.0.0.1:0',
    });
    expect(status).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toMatch(new RegExp(`^solar-exporter: --${taken}: [^\\n]+accepted: [^\\n]+\\n$`));
    expect(stderr).toContain(address.split(':')[1]);
  });
});

describe('a wrong command line', () => {
  test('is told all that is wrong at once, without a stack', async () => {
    const { status, stdout, stderr } = await runProgram(
      ['--cache.max-agee=1h', '--request.timeout=soon', '--collect.settings=maybe'],
      { SOLAR_TIME_ZONE: 'Mars/Olympus', SOLAR_ACCOUNT: 'someone' },
    );
    expect(status).toBe(2);
    expect(stdout).toBe('');
    const lines = stderr.trimEnd().split('\n');
    expect(lines).toHaveLength(5);
    expect(lines.every((line) => line.startsWith('solar-exporter: '))).toBe(true);
    expect(stderr).toContain('--cache.max-agee: unknown option; did you mean --cache.max-age?');
    for (const named of [
      '--request.timeout',
      '--collect.settings',
      'SOLAR_TIME_ZONE',
      'SOLAR_PASSWORD',
    ])
      expect(stderr).toContain(named);
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  test('with an unknown command names the nearest one', async () => {
    const { status, stderr } = await runProgram(['chek']);
    expect(status).toBe(2);
    expect(stderr).toContain('"chek": unknown command; did you mean check?');
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  test('with a secret in it points to the environment and does not repeat it', async () => {
    const { status, stderr } = await runProgram(['--password=planted-password-81f3']);
    expect(status).toBe(2);
    expect(stderr).toContain('SOLAR_PASSWORD or SOLAR_PASSWORD_FILE');
    expect(stderr).not.toContain('planted');
  });
});

test('--version prints the version of the package', async () => {
  expect(await runProgram(['--version'])).toEqual({
    status: 0,
    stdout: `${version}\n`,
    stderr: '',
  });
});

test('--help-all lists every option but the secret ones, which it names as variables', async () => {
  const { status, stdout, stderr } = await runProgram(['--help-all']);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  for (const { flag, env, secret } of OPTIONS) {
    if (secret === true) {
      expect(stdout).not.toContain(`--${flag} `);
      expect(stdout).toContain(env);
    } else expect(stdout).toContain(`--${flag}`);
  }
});
