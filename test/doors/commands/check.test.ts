import { describe, expect, test } from 'vitest';
import type { Fault, Simulator, SimulatorOptions } from '../../../src/simulator/simulator.ts';
import { type FakeProcess, startProcess } from './fake-process.ts';

const STEPS = ['log-in', 'stations', 'devices', 'readings', 'summary'];

interface Report {
  readonly ok: boolean;
  readonly steps: readonly {
    readonly step: string;
    readonly result: string;
    readonly detail: string;
    readonly code?: string;
    readonly remedy?: string;
  }[];
}

async function checkJson(shell: FakeProcess, ...flags: readonly string[]) {
  const { status, out, complaints } = await shell.run('check', '--json', ...flags);
  const report = JSON.parse(out) as Report;
  return {
    status,
    complaints,
    report,
    results: Object.fromEntries(report.steps.map(({ step, result }) => [step, result])),
    failure: report.steps.find(({ result }) => result === 'failed'),
  };
}

describe('check and the web configuration', () => {
  test('says how the exporter would be protected', async () => {
    const { shell } = await startProcess();
    shell.files = { 'web.yml': 'auth_excluded_paths: [/-/healthy]' };
    const { report } = await checkJson(shell, '--web.config.file=web.yml');
    expect(report.steps[0]).toEqual({
      step: 'web configuration',
      result: 'ok',
      detail: 'plain HTTP, no users',
    });
    expect(report.ok).toBe(true);
  });

  test('sends no request when the exporter would refuse the file', async () => {
    const { shell, simulator } = await startProcess();
    shell.files = { 'web.yml': 'basic_auth_users: {me: secret}' };
    const { status, out, complaints } = await shell.run('check', '--web.config.file=web.yml');
    expect({ status, out }).toEqual({ status: 2, out: '' });
    expect(complaints).toContain('--web.config.file: "web.yml": basic_auth_users');
    expect(complaints).not.toContain('secret');
    expect(simulator.requests('login')).toBe(0);
  });
});

describe('check says of a service', () => {
  test('that works: every step is ok, with as few requests as possible', async () => {
    const { shell, simulator, stationId, deviceId } = await startProcess({
      devicesPerStation: 120,
    });
    const { status, out, complaints } = await shell.run('check');
    expect({ status, complaints }).toEqual({ status: 0, complaints: '' });
    expect(out).toBe(
      [
        'step      result  detail',
        'log-in    ok      an access token is at hand',
        'stations  ok      1 in the account',
        `devices   ok      120 in station ${stationId}`,
        `readings  ok      device ${deviceId}: 7 values, family classic, read from history`,
        'summary   ok      values of this month',
        '',
      ].join('\n'),
    );
    expect(simulator.requests()).toBe(6);
    const { report } = await checkJson(shell);
    expect(report.ok).toBe(true);
    expect(report.steps).toHaveLength(5);
  });

  test.each<{ what: string; options: Partial<SimulatorOptions>; fault?: Fault; says: RegExp }>([
    {
      what: 'leaves the total out',
      options: { omitTotal: true, devicesPerStation: 3 },
      says: /^devices +ok +at least 1 in station \d+$/m,
    },
    {
      what: 'has no readings of the last hour',
      options: { sampleIntervalMs: 24 * 3_600_000 },
      says: /device \d+: the newest are from 2026-01-02T00:00:00\.000Z, too old/,
    },
    {
      what: 'has an empty summary',
      options: {},
      fault: { kind: 'oversize', bytes: 100 },
      says: /^summary +ok +empty this month$/m,
    },
  ])('that $what just that', async ({ options, fault, says }) => {
    const { shell, simulator } = await startProcess(options);
    if (fault !== undefined) simulator.setFault('summary', fault);
    const { status, out } = await shell.run('check');
    expect(status).toBe(0);
    expect(out).toMatch(says);
  });

  test.each<{ what: string; arrange: (simulator: Simulator) => void; results: readonly string[] }>([
    {
      what: 'no station',
      arrange: (simulator) => simulator.setStations(0),
      results: ['ok', 'ok', 'skipped', 'skipped', 'skipped'],
    },
    {
      what: 'devices that cannot be listed',
      arrange: (simulator) => simulator.setFault('devices', { kind: 'status', status: 500 }),
      results: ['ok', 'ok', 'failed', 'skipped', 'ok'],
    },
  ])('with $what that what needs one is skipped', async ({ arrange, results }) => {
    const { shell, simulator } = await startProcess();
    arrange(simulator);
    const { status, report } = await checkJson(shell);
    expect(status).toBe(1);
    expect(report.ok).toBe(false);
    expect(report.steps.map(({ step }) => step)).toEqual(STEPS);
    expect(report.steps.map(({ result }) => result)).toEqual(results);
  });

  test('with a configured station: the state of that one, without asking for others', async () => {
    const { shell, simulator, stationId } = await startProcess();
    const { status, results } = await checkJson(shell, `--station=${stationId}`);
    expect(status).toBe(0);
    expect(Object.keys(results)).toEqual(['log-in', 'devices', 'readings', 'summary']);
    expect(simulator.requests('stations')).toBe(0);
  });
});

describe('check names the failure and what to do about it', () => {
  test('in words', async () => {
    const { shell } = await startProcess();
    shell.env = { ...shell.env, SOLAR_PASSWORD: 'mistyped' };
    const { status, out, complaints } = await shell.run('check');
    expect({ status, complaints }).toEqual({ status: 1, complaints: '' });
    expect(out).toMatch(/^log-in +failed +.*code 7: the password was not accepted$/m);
    expect(out).toMatch(/^stations +skipped +needs what failed or is missing above$/m);
    expect(out).toContain('\nlog-in: SERVICE_AUTH_REJECTED\n  → check SOLAR_PASSWORD: ');
    expect(out).not.toContain('mistyped');
  });

  test.each([
    ['SOLAR_PASSWORD=mistyped', 'log-in', 'SERVICE_AUTH_REJECTED', 'SOLAR_PASSWORD', 'report it'],
    ...[
      ['SOLAR_APP_SECRET=mistyped', 'SOLAR_APP_SECRET'],
      ['SOLAR_APP_ID=mistyped', '--app-id'],
      ['SOLAR_ACCOUNT=mistyped@example.org', 'SOLAR_ACCOUNT'],
    ].map(([given = '', remedy = '']) => [
      ...[given, 'log-in', 'SERVICE_AUTH_REJECTED', remedy, 'SOLAR_PASSWORD'],
    ]),
    [
      'SOLAR_STATION=12345',
      'devices',
      'SERVICE_API_REFUSED',
      'a serial number is not an id',
      'bug',
    ],
    ['SOLAR_BASE_URL=http://solar.invalid', 'log-in', 'SERVICE_UNREACHABLE', 'name server', 'bug'],
    ['SOLAR_PATH_DEVICES=/nowhere', 'devices', 'SERVICE_REQUEST_REJECTED', '--path.*', 'bug'],
    [
      ...['SOLAR_BASE_URL=http://127.0.0.1:9', 'log-in', 'SERVICE_UNREACHABLE'],
      ...['nothing listens at that host and port: check --base-url', 'bug'],
    ],
  ])('for %s', async (given = '', step, code, remedy, silentAbout) => {
    const { shell } = await startProcess();
    const [name = '', value = ''] = given.split('=');
    shell.env = { ...shell.env, [name]: value };
    const { status, report, failure } = await checkJson(shell);
    expect(status).toBe(1);
    expect(report.ok).toBe(false);
    expect(failure).toMatchObject({ step, code });
    expect(failure?.remedy).toContain(remedy);
    expect(failure?.remedy).not.toContain(silentAbout);
    // The error names the host that was asked.
    const { SOLAR_BASE_URL: host = '' } = shell.env;
    expect(failure?.detail).toContain(`${host}/`);
  });

  test('even when it is a bug', async () => {
    const { shell } = await startProcess();
    shell.newNonce = () => {
      throw new TypeError('a bug');
    };
    const { status, failure } = await checkJson(shell);
    expect(status).toBe(1);
    expect(failure).toMatchObject({ step: 'log-in', code: 'UNEXPECTED', detail: 'a bug' });
    expect(failure?.remedy).toContain('please report it');
  });
});
