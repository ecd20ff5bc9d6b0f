import { describe, expect, test } from 'vitest';
import { CLASSIC, deviceList, history, type Script, stationList } from '../scripted-service.ts';
import { seriesOf } from '../device-answers.ts';
import { done, type FakeProcess, startProcess, startScriptedProcess } from './fake-process.ts';

interface Report {
  readonly ok: boolean;
  readonly problems: readonly Readonly<Record<'what' | 'level', string>>[];
  readonly steps: readonly Readonly<Record<'step' | 'result' | 'detail', string>>[];
}

async function checkJson(shell: FakeProcess, ...flags: readonly string[]) {
  const { status, out } = await shell.run('check', '--json', ...flags);
  const { ok, problems, steps } = JSON.parse(out) as Report;
  expect(status).toBe(ok ? 0 : 1);
  return {
    problems: problems.map(({ what }) => what),
    results: steps.map(({ step, result }) => `${step} ${result}`),
    failure: steps.find(({ result }) => result === 'failed'),
  };
}

describe('check and the web configuration', () => {
  test('says how the exporter would be protected', async () => {
    const { shell } = await startScriptedProcess({});
    shell.files = { 'web.yml': 'basic_auth_users:' };
    const { status, out } = await shell.run('check', '--web.config.file=web.yml');
    expect(status).toBe(0);
    expect(out).toMatch(/\nweb configuration +ok +plain HTTP, no users\n/);
  });

  test('sends no request when the exporter would refuse the file', async () => {
    const { shell, requests } = await startScriptedProcess({});
    shell.files = { 'web.yml': 'basic_auth_users: {me: secret}' };
    const { status, out, complaints } = await shell.run('check', '--web.config.file=web.yml');
    expect({ status, out }).toEqual({ status: 2, out: '' });
    expect(complaints).toContain('--web.config.file: "web.yml": basic_auth_users');
    expect(complaints).not.toContain('secret');
    expect(requests).toEqual([]);
  });
});

const SUN: Script = { readings: seriesOf(CLASSIC) };

describe('check says of a service', () => {
  test('that works: every step is ok, with as few requests as possible', async () => {
    const { shell, simulator, stationId, deviceId } = await startProcess({
      devicesPerStation: 120,
    });
    expect(await shell.run('check')).toEqual(
      done(`all is well

step      result  detail
log-in    ok      logged in as the account
stations  ok      1 in the account
devices   ok      120 in station ${stationId}
readings  ok      device ${deviceId}: 7 values, family classic, read from history
summary   ok      values of this month

What next:
  start   solar-exporter serve, under systemd or Docker so that it outlives this terminal; set SOLAR_STATE_DIR, or each restart logs in again
  scrape  localhost:9877/metrics by Prometheus, as prometheus/scrape.example.yml says
  look    import the dashboard, grafana/dashboards/solar.json, into Grafana
`),
    );
    expect(simulator.requests()).toBe(6);
  });

  test('that works what is next, for its address and its stations', async () => {
    const { shell, answers } = await startScriptedProcess({ stations: stationList('1') });
    const env = { SOLAR_WEB_LISTEN_ADDRESS: '[::1]:80', SOLAR_WEB_TELEMETRY_PATH: '/m' };
    shell.env = { ...shell.env, ...env };
    const { out } = await shell.run('check');
    expect(out).toContain('\n  scrape  [::1]:80/m by Prometheus, as ');
    expect(out).toContain('scrape.example.yml says\n');
    answers.stations = stationList('1', '2', '3', '4', '5', '6');
    expect((await shell.run('check')).out).toContain(
      'scrape.example.yml says; docs/fleet.md has a target for each station\n',
    );
    answers.devices = { status: 500 };
    expect((await shell.run('check')).out).not.toContain('What next');
  });

  test.each<[says: string, script: Script]>([
    [
      'devices   ok      at least 1 in station 100000000000000003',
      { devices: { data: { list: [{ id: '7' }] } } },
    ],
    [
      'device 100000000000000001: the newest are from 2026-08-24T00:00:00.000Z, too old to show; family classic, read from history',
      { readings: history(CLASSIC, ['2026-08-24T00:00:00Z']) },
    ],
    ['device 100000000000000001: none in the last hour', { readings: history({}, []) }],
  ])('%s', async (says, script) => {
    const { shell } = await startScriptedProcess(script);
    const { status, out } = await shell.run('check');
    expect(status).toBe(0);
    expect(out).toContain(`${says}\n`);
  });

  test.each<[first: string, script: Script]>([
    ['Garage inverter: battery low', { readings: seriesOf({ ...CLASSIC, batterySOC: 19 }) }],
    [
      "Garage inverter: dated 3 h ahead of the service's clock: the logger's clock or zone is wrong",
      { readings: seriesOf(CLASSIC, '2026-08-24T11:00:00Z') },
    ],
    ['Home: cannot be read', { readings: { status: 500 } }],
    ['Home: cannot be refreshed: summary', { ...SUN, summary: { status: 500 } }],
    ['Home: no devices', { devices: deviceList() }],
    ['no station can be read', { stations: { status: 500 } }],
    ['credentials refused and 1 more', { stations: { status: 401 } }],
  ])('first in the words of the page: %s', async (first, script) => {
    const { shell } = await startScriptedProcess(script);
    expect((await shell.run('check')).out.split('\n')[0]).toBe(first);
  });

  test.each<[results: string, problems: readonly string[], script: Script]>([
    ['ok ok skipped skipped skipped', ['no stations'], { stations: stationList() }],
    [
      'ok ok failed skipped ok',
      ['cannot be read', 'cannot be refreshed: devices'],
      { devices: { status: 500 } },
    ],
    ['ok ok ok ok ok', [], SUN],
  ])('%s: what needs a failed step is skipped', async (results, problems, script) => {
    const { shell } = await startScriptedProcess(script);
    const steps = ['log-in', 'stations', 'devices', 'readings', 'summary'];
    const expected = results.split(' ').map((result, index) => `${steps[index]} ${result}`);
    expect(await checkJson(shell)).toMatchObject({ results: expected, problems });
  });

  test('with a configured station: the state of that one alone', async () => {
    const { shell, asked } = await startScriptedProcess({});
    const { results } = await checkJson(shell, '--station=7');
    expect(results).toEqual(['log-in ok', 'devices ok', 'readings ok', 'summary ok']);
    expect(asked('stations')).toEqual([]);
    expect(asked('summary')[0]?.headers['iot-time-zone']).toBe('Europe/Kyiv');
    await checkJson(shell, '--time-zone=Asia/Tokyo');
    expect(asked('readings').at(-1)?.headers['iot-time-zone']).toBe('Asia/Tokyo');
    expect(asked('summary').at(-1)?.headers['iot-time-zone']).toBe('Asia/Tokyo');
  });
});

describe('check names the failure and what to do about it', () => {
  test('in words', async () => {
    const { shell } = await startProcess();
    shell.env = { ...shell.env, SOLAR_PASSWORD: 'mistyped' };
    const { status, out, complaints } = await shell.run('check');
    expect({ status, complaints }).toEqual({ status: 1, complaints: '' });
    expect(out).toMatch(/^log-in +failed +.*code 7: the password was not accepted$/m);
    expect(out).toMatch(
      /^stations +skipped +not tried, because an earlier step did not find what it needs$/m,
    );
    expect(out).toContain('\nlog-in: SERVICE_AUTH_REJECTED\n  → check SOLAR_PASSWORD: ');
    expect(out).not.toContain('mistyped');
    const { results } = await checkJson(shell, '--station=7');
    const others = ['devices', 'readings', 'summary'].map((step) => `${step} skipped`);
    expect(results).toEqual(['log-in failed', ...others]);
  });

  test.each([
    ['SOLAR_STATION', '12345', 'devices', 'SERVICE_API_REFUSED', 'a serial number is not an id'],
    ['SOLAR_BASE_URL', 'http://127.0.0.1:9', 'log-in', 'SERVICE_UNREACHABLE', 'check --base-url'],
  ])('for %s=%s', async (name, value, step, code, remedy) => {
    const { shell } = await startProcess();
    shell.env = { ...shell.env, [name]: value };
    const { failure } = await checkJson(shell);
    // The error names the host that was asked.
    const detail = expect.stringContaining(`${shell.env['SOLAR_BASE_URL'] ?? ''}/`) as unknown;
    expect(failure).toMatchObject({ step, code, detail });
    expect(failure).toHaveProperty('remedy', expect.stringContaining(remedy));
  });

  test('even when it is a bug', async () => {
    const { shell } = await startProcess();
    shell.newNonce = () => {
      throw new TypeError('a bug');
    };
    const { failure } = await checkJson(shell);
    expect(failure).toMatchObject({ step: 'log-in', code: 'UNEXPECTED', detail: 'a bug' });
    expect(failure).toHaveProperty('remedy', expect.stringContaining('please report it'));
  });
});
