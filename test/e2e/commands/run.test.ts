import { describe, expect, test } from 'vitest';
import type { Fault } from '../../../src/simulator/simulator.ts';
import { FakeProcess, startProcess } from '../../commands/command-harness.ts';

describe('a run with wrong arguments', () => {
  test('names the problem of the command line, and points to the help', async () => {
    expect(await new FakeProcess().run('chek')).toEqual({
      status: 2,
      out: '',
      complaints: expect.stringMatching(
        /^solar-exporter: "chek": unknown command.*\nTry: solar-exporter --help\n$/,
      ) as unknown,
    });
  });

  test.each([
    'serve',
    'check',
    'devices',
    'readings',
    'settings get 1',
    'settings set 1 a=b --yes',
  ])('%s needs credentials', async (command) => {
    const { status, complaints } = await new FakeProcess().run(...command.split(' '));
    expect(status).toBe(2);
    expect(complaints).toMatch(/^solar-exporter: no credentials: give SOLAR_ACCOUNT/);
  });

  test('lists every problem of the configuration, each on a line of its own', async () => {
    const shell = new FakeProcess();
    shell.env = { SOLAR_TIME_ZONE: 'Mars/Olympus', SOLAR_ACCESS_TOKEN: 'token' };
    const { status, complaints } = await shell.run('--cache.max-age=soon', '--cash.max-age=1h');
    expect(status).toBe(2);
    const lines = complaints.trimEnd().split('\n');
    expect(lines).toHaveLength(3);
    expect(lines.every((line) => line.startsWith('solar-exporter: '))).toBe(true);
  });

  test('with an application secret that does not decrypt says so', async () => {
    const { shell } = await startProcess();
    shell.env = { ...shell.env, SOLAR_APP_SECRET: '', SOLAR_APP_SECRET_ENCRYPTED: 'bm90IGl0' };
    const { status, complaints } = await shell.run('check');
    expect(status).toBe(2);
    expect(complaints).toContain('SOLAR_APP_SECRET_ENCRYPTED');
    expect(complaints).not.toContain('bm90IGl0');
  });
});

describe('a run that fails', () => {
  test.each<{ code: string; fault: Fault }>([
    { code: 'SERVICE_UNREACHABLE', fault: { kind: 'refuse' } },
    { code: 'SERVICE_SERVER_ERROR', fault: { kind: 'status', status: 500 } },
    { code: 'SERVICE_REQUEST_REJECTED', fault: { kind: 'status', status: 404 } },
    { code: 'SERVICE_AUTH_REJECTED', fault: { kind: 'status', status: 401 } },
    { code: 'SERVICE_RATE_LIMITED', fault: { kind: 'status', status: 429 } },
    { code: 'SERVICE_API_REFUSED', fault: { kind: 'envelope', code: 20_101, message: 'no' } },
    { code: 'SERVICE_PAYLOAD_INVALID', fault: { kind: 'html' } },
    { code: 'SERVICE_TIMEOUT', fault: { kind: 'hang' } },
  ])('with $code ends with 1, the code and a remedy', async ({ code, fault }) => {
    const { shell, simulator } = await startProcess();
    simulator.setFault('stations', fault);
    const flags = fault.kind === 'hang' ? ['--request.timeout=300ms'] : [];
    const { status, out, complaints } = await shell.run('devices', ...flags);
    expect({ status, out }).toEqual({ status: 1, out: '' });
    expect(complaints).toMatch(new RegExp(`^solar-exporter: ${code}: [^\\n]+\\n  → [^\\n]+\\n$`));
  });

  test('because of a bug prints the stack', async () => {
    const { shell } = await startProcess();
    shell.newNonce = () => {
      throw new TypeError('a bug');
    };
    const { status, complaints } = await shell.run('readings', '1');
    expect(status).toBe(1);
    expect(complaints).toMatch(/^solar-exporter: UNEXPECTED: TypeError: a bug\n +at /);
  });
});

describe('a run', () => {
  test('warns of variables that look mistyped, and goes on', async () => {
    const { shell } = await startProcess();
    shell.env = { ...shell.env, SOLAR_STATIONS: '1' };
    const { status, complaints } = await shell.run('check');
    expect(status).toBe(0);
    expect(complaints).toBe(
      'solar-exporter: SOLAR_STATIONS: unknown environment variable, ignored; did you mean SOLAR_STATION?\n',
    );
  });

  test.each([
    { argv: ['check'], options: ['error', undefined] },
    { argv: ['check', '--log.level=debug'], options: ['debug', undefined] },
    { argv: ['check', '--log.format=json'], options: ['error', 'json'] },
  ])('of $argv logs no more than it is asked to', async ({ argv, options }) => {
    const { shell } = await startProcess();
    await shell.run(...argv);
    expect(shell.logOptions).toEqual(options);
  });

  test('for the version or the help does not read the configuration', async () => {
    const shell = new FakeProcess();
    shell.env = { SOLAR_CACHE_MAX_AGE: 'soon' };
    expect(await shell.run('--version')).toEqual({ status: 0, out: '1.2.3\n', complaints: '' });
    expect(await shell.run('--help')).toMatchObject({ status: 0, complaints: '' });
  });
});
