import { describe, expect, test } from 'vitest';
import { type FakeProcess, startProcess } from './fake-process.ts';

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
  test('that works: every step is ok', async () => {
    const { shell, stationId, deviceId } = await startProcess();
    const { status, out, complaints } = await shell.run('check');
    expect({ status, complaints }).toEqual({ status: 0, complaints: '' });
    expect(out).toBe(
      [
        'step      result  detail',
        'log-in    ok      an access token is at hand',
        'stations  ok      1 in the account',
        `devices   ok      1 in station ${stationId}`,
        `readings  ok      device ${deviceId}: 7 values, family classic, read from history`,
        'summary   ok      values of this month',
        '',
      ].join('\n'),
    );
  });

  test('that works, with as few requests as possible', async () => {
    const { shell, simulator } = await startProcess({ devicesPerStation: 120 });
    await shell.run('check');
    expect(simulator.requests()).toBe(6);
  });

  test('that leaves the total out: how many devices there are at least', async () => {
    const { shell, stationId } = await startProcess({ omitTotal: true, devicesPerStation: 3 });
    expect((await shell.run('check')).out).toContain(`at least 1 in station ${stationId}`);
  });

  test('without readings in the last hour: there are none', async () => {
    const { shell, deviceId } = await startProcess({ sampleIntervalMs: 24 * 3_600_000 });
    const { status, out } = await shell.run('check');
    expect(status).toBe(0);
    expect(out).toContain(
      `device ${deviceId}: the newest are from 2026-01-02T00:00:00.000Z, too old`,
    );
  });

  test('with an empty summary: it is empty', async () => {
    const { shell, simulator } = await startProcess();
    simulator.setFault('summary', { kind: 'oversize', bytes: 100 });
    const { status, out } = await shell.run('check');
    expect(status).toBe(0);
    expect(out).toMatch(/^summary +ok +empty this month$/m);
  });

  test('without stations: the steps that need one are skipped', async () => {
    const { shell, simulator } = await startProcess();
    simulator.setStations(0);
    const { status, results } = await checkJson(shell);
    expect(status).toBe(1);
    expect(results).toEqual({
      'log-in': 'ok',
      stations: 'ok',
      devices: 'skipped',
      readings: 'skipped',
      summary: 'skipped',
    });
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
    {
      what: 'a wrong password',
      env: { SOLAR_PASSWORD: 'mistyped' },
      step: 'log-in',
      code: 'SERVICE_AUTH_REJECTED',
      remedy: 'SOLAR_PASSWORD',
    },
    {
      what: 'a wrong application secret',
      env: { SOLAR_APP_SECRET: 'mistyped' },
      step: 'log-in',
      code: 'SERVICE_AUTH_REJECTED',
      remedy: 'SOLAR_APP_SECRET',
      silentAbout: 'SOLAR_PASSWORD',
    },
    {
      what: 'a wrong application id',
      env: { SOLAR_APP_ID: 'mistyped' },
      step: 'log-in',
      code: 'SERVICE_AUTH_REJECTED',
      remedy: '--app-id',
      silentAbout: 'SOLAR_PASSWORD',
    },
    {
      what: 'an unknown account',
      env: { SOLAR_ACCOUNT: 'mistyped@example.org' },
      step: 'log-in',
      code: 'SERVICE_AUTH_REJECTED',
      remedy: 'SOLAR_ACCOUNT',
      silentAbout: 'SOLAR_PASSWORD',
    },
    {
      what: 'a wrong station id',
      env: { SOLAR_STATION: '12345' },
      step: 'devices',
      code: 'SERVICE_API_REFUSED',
      remedy: 'a serial number is not an id',
    },
    {
      what: 'a host that no name server knows',
      env: { SOLAR_BASE_URL: 'http://solar.invalid' },
      step: 'log-in',
      code: 'SERVICE_UNREACHABLE',
      remedy: 'name server',
    },
    {
      what: 'a wrong path',
      env: { SOLAR_PATH_DEVICES: '/nowhere' },
      step: 'devices',
      code: 'SERVICE_REQUEST_REJECTED',
      remedy: '--path.*',
    },
    {
      what: 'a service that is not there',
      env: { SOLAR_BASE_URL: 'http://127.0.0.1:9' },
      step: 'log-in',
      code: 'SERVICE_UNREACHABLE',
      remedy: 'nothing listens at that host and port: check --base-url',
    },
  ])('for $what', async ({ env, step, code, remedy, silentAbout = 'report it' }) => {
    const { shell } = await startProcess();
    shell.env = { ...shell.env, ...env };
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

  test('and still tries the steps that do not need the failed one', async () => {
    const { shell, simulator } = await startProcess();
    simulator.setFault('devices', { kind: 'status', status: 500 });
    const { status, results } = await checkJson(shell);
    expect(status).toBe(1);
    expect(results).toEqual({
      'log-in': 'ok',
      stations: 'ok',
      devices: 'failed',
      readings: 'skipped',
      summary: 'ok',
    });
  });
});

test('check --json prints one JSON document and nothing else', async () => {
  const { shell } = await startProcess();
  const { report, complaints } = await checkJson(shell);
  expect(report.ok).toBe(true);
  expect(report.steps).toHaveLength(5);
  expect(complaints).toBe('');
});
