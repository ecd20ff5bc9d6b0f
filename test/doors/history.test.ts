import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { buffer } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openPush } from '../../src/history/push.ts';
import type { SimulatorOptions } from '../../src/simulator/simulator.ts';
import { done, FakeProcess, refused, startProcess } from './commands/fake-process.ts';
import { deferred } from '../support/deferred.ts';
import { eventually } from '../support/eventually.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { collected, partOf, pastReading } from '../unit/history/past-house.ts';
import { temporaryDirectory } from '../support/prometheus.ts';
import { MINUTE_MS, SteeredClock } from './house.ts';
import { readOnlyDirectory, withoutPrivileges } from '../support/unprivileged.ts';

const NOW = '2026-01-02T04:00:00Z';
/** The end of one month and the beginning of the next, in Manila. */
const RANGE = {
  SOLAR_FROM: '2025-11-29',
  SOLAR_TO: '2025-12-02',
  SOLAR_REQUEST_RATE: '1000',
  SOLAR_INTERVAL: '4m',
};

/** How the name of a file ends that has some days of that range, of Manila. */
const [NOVEMBER, ITS_FIRST_DAY, DECEMBER] = [
  '2025-11-part-20251128T160000Z-20251130T160000Z',
  '2025-11-part-20251128T160000Z-20251129T160000Z',
  '2025-12-part-20251130T160000Z-20251201T160000Z',
];

/** A process in which pauses last as long as they say, and a directory that does not exist yet. */
async function startHistory(options: Partial<SimulatorOptions> = {}) {
  const started = await startProcess(options, new FakeProcess(new SteeredClock(NOW)));
  const output = join(temporaryDirectory(), 'past');
  const { shell } = started;
  shell.env = { ...shell.env, ...RANGE };
  return {
    ...started,
    output,
    run: (...argv: readonly string[]) => shell.run('history', `--output=${output}`, ...argv),
  };
}

/** Every file of a directory, by its name, but that of the settings. */
function filesIn(directory: string): ReadonlyMap<string, string> {
  return new Map(
    readdirSync(directory)
      .filter((name) => name !== 'settings.json')
      .map((name) => [name, readFileSync(join(directory, name), 'utf8')]),
  );
}

describe('history into files', () => {
  test('writes a file for each month, and nothing again in a second run', async () => {
    const { run, output, simulator, stationId } = await startHistory();
    const names = [`solar-${stationId}-${NOVEMBER}.om`, `solar-${stationId}-${DECEMBER}.om`];
    const first = await run();
    expect(first).toMatchObject({ status: 0, complaints: '' });
    expect(first.out).toMatch(
      new RegExp(`^2 files written: [\\d,]+ samples, [\\d.]+ MB\n  ${names.join('\n  ')}\n$`),
    );
    const files = filesIn(output);
    expect([...files.keys()]).toEqual(names);
    for (const text of files.values()) {
      expect(text.startsWith('# HELP solar_')).toBe(true);
      expect(text.endsWith('# EOF\n')).toBe(true);
      expect(text).toContain('job="solar",instance="localhost:9877"');
    }
    const asked = simulator.requests('readings');
    expect(await run()).toEqual(
      done('0 files written: 0 samples, 0 bytes; 2 files complete before\n'),
    );
    expect(simulator.requests('readings')).toBe(asked);
    expect(filesIn(output)).toEqual(files);
  });

  test('writes anew what is missing or half written, to the byte', async () => {
    const { run, output, stationId } = await startHistory();
    const december = join(output, `solar-${stationId}-${DECEMBER}.om`);
    await run('--from=2025-12-01');
    const files = filesIn(output);
    for (const damage of [
      () => rmSync(december),
      () => renameSync(december, `${december}.partial`),
      () => writeFileSync(`${december.replace('-2025', '-2024')}.partial`, 'of a killed run'),
    ]) {
      damage();
      expect((await run('--from=2025-12-01')).status).toBe(0);
      expect(filesIn(output)).toEqual(files);
    }
  });

  test('removes the part of a month once the whole month is there', async () => {
    const { run, output, stationId } = await startHistory({ sampleIntervalMs: 30 * MINUTE_MS });
    await run('--to=2025-11-30');
    expect([...filesIn(output).keys()]).toEqual([`solar-${stationId}-${ITS_FIRST_DAY}.om`]);
    await run('--from=2025-11-01', '--to=2025-12-01');
    const whole = filesIn(output);
    expect([...whole.keys()]).toEqual([`solar-${stationId}-2025-11.om`]);
    expect((await run('--to=2025-11-30')).out).toContain('1 file complete before');
    expect(filesIn(output)).toEqual(whole);
  });

  test('has files of several parts of a month, but none of which another one has all', async () => {
    const { run, output, stationId } = await startHistory();
    await run('--to=2025-11-30');
    await run('--from=2025-11-10', '--to=2025-11-11');
    const other = `solar-${stationId}-2025-11-part-20251109T160000Z-20251110T160000Z.om`;
    expect([...filesIn(output).keys()]).toEqual([other, `solar-${stationId}-${ITS_FIRST_DAY}.om`]);
    await run('--to=2025-12-01');
    expect([...filesIn(output).keys()]).toEqual([other, `solar-${stationId}-${NOVEMBER}.om`]);
  });

  test('writes the present month again, whose last readings had not arrived', async () => {
    const { run, shell, output } = await startHistory();
    shell.env = { ...shell.env, SOLAR_FROM: '2026-01-01', SOLAR_TO: '' };
    expect((await run()).out).toContain('1 file written');
    expect((await run()).out).toContain('1 file written');
    expect((await run('--to=2026-01-02')).out).toContain('0 files written');
    // The day before is of another year.
    expect([...filesIn(output).values()].join('')).toContain('\nsolar_energy_year_kwh{');
  });

  test.each([
    ['csv', 'csv', /^time,station_id,device_id,/],
    ['json', 'jsonl', /^\{"metric":\{"__name__":"solar_station_info","job":"solar"/],
  ])('writes %s', async (format, extension, beginning) => {
    const { run, output, stationId } = await startHistory();
    expect((await run(`--format=${format}`, '--to=2025-11-30')).status).toBe(0);
    const text = filesIn(output).get(`solar-${stationId}-${ITS_FIRST_DAY}.${extension}`);
    expect(text).toMatch(beginning);
  });

  test('of one device writes that device alone', async () => {
    const { run, output, simulator, stationId } = await startHistory({ devicesPerStation: 2 });
    const [, second = ''] = simulator.deviceIds(stationId);
    expect((await run('--device=inverter 2', '--to=2025-11-30')).status).toBe(0);
    const [text = ''] = filesIn(output).values();
    const ids = [...text.matchAll(/device_id="(\d+)"/g)].map(([, id]) => id);
    expect(new Set(ids)).toEqual(new Set([second]));
    const both = await run('--to=2025-11-30');
    expect(both.out).toContain('1 file written');
    expect([...filesIn(output).keys()]).toEqual([`solar-${stationId}-${ITS_FIRST_DAY}.om`]);
    expect((await run('--device=inverter 2', '--to=2025-11-30')).out).toContain('0 files written');
  });

  test('counts the load of inverters in parallel once, unless the user says that each has its own', async () => {
    const system = { family: 'hpvinv02', devicesPerStation: 2, parallel: true } as const;
    const { run, output, stationId } = await startHistory(system);
    const past = async (...argv: readonly string[]) => {
      rmSync(output, { recursive: true, force: true });
      await run('--to=2025-11-30', ...argv);
      const text = [...filesIn(output).values()].join('');
      const first = (of: string) => Number(new RegExp(`^${of}\\} (\\S+)`, 'm').exec(text)?.[1]);
      const load = first('solar_station_power_watts.*"load"') / first('solar_load_power_watts.*');
      return { load, hasImport: text.includes('solar_grid_import_power_watts{') };
    };
    expect(await past()).toEqual({ load: 1, hasImport: false });
    const each = { load: 2, hasImport: true };
    expect(await past(`--station.independent=${stationId}`)).toEqual(each);
  });

  test('of two stations writes each for itself, once', async () => {
    const { run, output, simulator } = await startHistory({ stations: 2 });
    expect((await run('--to=2025-11-30')).out).toContain('2 files written');
    expect(filesIn(output).size).toBe(2);
    expect(simulator.requests('summary')).toBe(2);
    expect((await run('--to=2025-11-30')).out).toContain('0 files written');
  });

  test('has the labels of the user over its own, and asks for no energies where none are wanted', async () => {
    const { run, output, simulator } = await startHistory();
    const labels = ['--label=place=roof', '--label=instance='];
    expect((await run('--to=2025-11-30', '--collect.energy=false', ...labels)).status).toBe(0);
    const [file = ''] = filesIn(output).values();
    expect(file).toMatch(/^solar_pv_power_watts\{job="solar",place="roof",station_id="/m);
    expect(file).not.toContain('_energy_');
    expect(simulator.requests('summary')).toBe(0);
  });

  test('waits out an outage, and says so', async () => {
    const { run, shell, simulator } = await startHistory();
    simulator.setFault('readings', { kind: 'reply', status: 503 });
    const ended = run();
    await eventually(() => expect(shell.complaints).toContain('trying again in 1s'));
    simulator.setFault('readings', undefined);
    expect((await ended).out).toContain('2 files written');
  });

  test('says what to do when its directory is removed meanwhile', async () => {
    const { run, shell, simulator, output } = await startHistory();
    simulator.setFault('readings', { kind: 'reply', status: 503 });
    const ended = run();
    await eventually(() => expect(shell.complaints).toContain('trying again in 1s'));
    rmSync(output, { recursive: true });
    simulator.setFault('readings', undefined);
    const { status, complaints } = await ended;
    expect(status).toBe(1);
    expect(complaints).toMatch(
      /solar-exporter: WRITE_FAILED: ".*\.om": ENOENT\n {2}→ the directory was removed meanwhile: run it again\n$/,
    );
  });

  test('asks again for months of which the service said that it had nothing', async () => {
    const { run, output, simulator, stationId, deviceId } = await startHistory();
    const nothing = { code: 0, data: { payload: { timeSeries: [], fields: {} } } };
    simulator.setFault('readings', { kind: 'reply', body: nothing });
    const { status, out } = await run();
    expect(status).toBe(0);
    const names = [NOVEMBER, DECEMBER].map((name) => `solar-${stationId}-${name}.om`);
    expect(out).toContain('not complete, because the service answered without readings');
    expect([...filesIn(output).keys()]).toEqual(names.map((name) => `${name}.partial`));
    simulator.setFault('readings', undefined);
    expect((await run()).out).toContain('2 files written');
    expect([...filesIn(output).keys()]).toEqual(names);
    // Without readings behind a month that has some; and before one, where there were none yet.
    const [november = '', december = ''] = names;
    const [fromMs, untilMs, toMs] = [
      '2025-11-28T14:00:00Z',
      '2025-11-30T14:00:00Z',
      '2025-12-01T16:00:00Z',
    ].map((text) => Date.parse(text));
    simulator.setGap(deviceId, untilMs ?? 0, toMs ?? 0);
    rmSync(join(output, december));
    expect((await run()).out).toContain(`  ${december}.partial\n`);
    rmSync(join(output, november));
    simulator.setGap(deviceId, fromMs ?? 0, (untilMs ?? 0) + 2 * 3_600_000);
    expect((await run()).out).toContain(`  ${november}.partial\n  ${december}.partial\n`);
  });

  test('lets no other run into its directory, and ends at once when it is stopped while it waits, with nothing half written', async () => {
    const { run, shell, simulator, output } = await startHistory();
    simulator.setFault('readings', {
      ...{ kind: 'reply', status: 429, headers: { 'retry-after': '900' } },
    });
    const ended = run();
    await eventually(() => expect(shell.complaints).toContain('trying again in 15m'));
    const other = new FakeProcess(new SteeredClock(NOW));
    other.env = shell.env;
    const { status, complaints } = await other.run('history', `--output=${output}`);
    expect(status).toBe(2);
    expect(complaints).toContain('is in use by another run; accepted: another directory');
    shell.requestStop();
    expect(await ended).toMatchObject({
      status: 130,
      complaints: expect.stringContaining('once more stops at once') as unknown,
    });
    expect(filesIn(output)).toEqual(new Map());
  });

  test('goes on without a device whose past is refused, and fails without any other', async () => {
    const { run, output, simulator, stationId } = await startHistory({ devicesPerStation: 2 });
    const [first = '', second = ''] = simulator.deviceIds(stationId);
    const refusal = { kind: 'reply', body: { code: 20_101, message: 'no' } } as const;
    simulator.setFault('readings', { ...refusal, about: second });
    const { status, complaints } = await run('--to=2025-11-30');
    expect(status).toBe(0);
    expect(complaints).toContain(
      `solar-exporter: Inverter 2 (${second}) is left out of 2025-11: the service refuses its past: SERVICE_API_REFUSED: `,
    );
    for (const text of filesIn(output).values()) {
      expect(text).toContain(first);
      expect(text).not.toContain(second);
    }
    expect((await run('--to=2025-11-30')).out).toContain('0 files written');
    simulator.setFault('readings', refusal);
    expect((await run('--from=2025-11-28')).status).toBe(1);
  });
});

test('history writes into a directory whose path is too long for a lock', async () => {
  const { shell, output } = await startHistory();
  const path = join(output, 'a'.repeat(100), 'b'.repeat(100));
  const { status } = await shell.run('history', `--output=${path}`, '--to=2025-11-30');
  expect(status).toBe(0);
  expect(readdirSync(path).filter((name) => name.startsWith('solar-'))).toHaveLength(1);
  expect(readdirSync(path)).not.toContain('history.lock');
});

describe('history that is asked for what cannot be', () => {
  test.each<readonly [string, readonly string[], string]>([
    ['a missing date', ['--from='], '--from: "" is not a date; accepted: a date such as'],
    ['no date', ['--from=soon'], '--from: "soon" is not a date'],
    ['the future', ['--from=2027-01-01', '--to=2027-01-02'], '"2027-01-01" is in the future'],
    ['an end before its beginning', ['--to=2025-11-01'], '--from: "2025-11-29" is not before --to'],
    ['two targets', ['--push=http://127.0.0.1:9'], '--output and --push exclude each other'],
    ['a wide interval', ['--interval=5m'], '--interval: "5m" is not such a length'],
    ['a label of its own', ['--label=flow=x'], '--label: flow is a label of the metrics'],
  ])('because of %s ends with 2 and asks nothing', async (_, argv, problem) => {
    const { run, simulator, output } = await startHistory();
    const { status, out, complaints } = await run(...argv);
    expect({ status, out }).toEqual({ status: 2, out: '' });
    expect(complaints).toContain(problem);
    expect(simulator.requests()).toBe(0);
    expect(existsSync(output)).toBe(false);
  });

  test('because nothing says where to write ends with 2', async () => {
    const { shell } = await startHistory();
    expect((await shell.run('history')).complaints).toContain('--output: is missing');
    const pushed = await shell.run('history', '--push=http://127.0.0.1:9', '--format=csv');
    expect(pushed.complaints).toContain('--format: is about the files of --output');
    shell.env = { ...shell.env, SOLAR_FROM: '' };
    expect((await shell.run('history')).complaints).toContain('--from: is missing');
  });

  const OTHER = 'accepted: another directory, or';
  const UNUSABLE = `${OTHER} one of this machine that can be written`;
  const cases: readonly [when: string, make: () => string, problem: string][] = [
    [
      'it is a file',
      () => '/dev/null',
      `is not a directory; ${OTHER} a path where one can be made`,
    ],
    ['it may not be written', readOnlyDirectory, `cannot be used (EACCES); ${UNUSABLE}`],
    ['it cannot be made', () => '/proc/nothing/here', `cannot be used (ENOENT); ${UNUSABLE}`],
  ];
  // Elsewhere than on Linux, Node.js itself would try for ever to make it.
  test.each(cases.slice(0, process.platform === 'linux' ? 3 : 2))(
    'because of its directory ends with 2 and asks nothing when %s',
    async (_, make, problem) => {
      const { shell, simulator } = await startHistory();
      const output = make();
      const ended = await withoutPrivileges(() => shell.run('history', `--output=${output}`));
      expect(ended).toEqual(refused(`--output: ${JSON.stringify(output)} ${problem}`));
      expect(simulator.requests()).toBe(0);
    },
  );

  test('because the directory was filled with other options says where they are', async () => {
    const { run, output, simulator } = await startHistory();
    await run('--to=2025-11-30');
    const asked = simulator.requests();
    const why = 'was filled with other options: see its settings.json';
    expect(await run('--interval=30s', '--label=job=pv')).toEqual(
      refused(
        `--output: ${JSON.stringify(output)} ${why}; accepted: another directory, or those options`,
      ),
    );
    expect(simulator.requests()).toBe(asked);
  });

  test('because of an unknown device names the nearest, with nothing half written', async () => {
    const { run, output } = await startHistory();
    const { status, complaints } = await run('--device=Inverter 11');
    expect(status).toBe(2);
    expect(complaints).toContain('"Inverter 11": unknown device; did you mean');
    expect(filesIn(output)).toEqual(new Map());
  });
});

test('a dry run asks for the lists alone, and makes nothing', async () => {
  const { run, output, simulator, shell } = await startHistory();
  const { status, out } = await run('--dry-run');
  expect(status).toBe(0);
  expect(out).toBe(`1 device of 1 station, 2 months or parts of one
at most about, where the service has a reading every five minutes:
  requests  11, which take 1s at 1000 a second
  readings  864
  samples   38,880
  bytes     5.9 MB
`);
  expect(simulator.requests('readings')).toBe(0);
  expect(existsSync(output)).toBe(false);
  await run();
  expect((await run('--dry-run')).out).toMatch(/^0 devices.*; 2 parts complete before\n/);
  shell.env = { ...shell.env, SOLAR_REQUEST_RATE: '' };
  expect((await shell.run('history', '--dry-run')).out).toContain('at 1 a second');
});

/**
 * A database that answers with these statuses, or with a text in place of HTTP, one after the other, and then with
 * 204; and that says of itself what it has counted, or nothing.
 */
async function startDatabase(
  { counts = [] }: { readonly counts?: readonly string[] } = {},
  ...statuses: readonly (number | string)[]
) {
  const [left, countsLeft] = [[...statuses], [...counts]];
  const bodies: string[] = [];
  const asked = new Set<string>();
  const server = createServer((request, response) => {
    const { method = '', url = '', headers } = request;
    asked.add(`${method} ${url} ${headers.authorization ?? ''}`.trim());
    if (method === 'GET') {
      const metrics = countsLeft.shift();
      response.writeHead(metrics === undefined ? 404 : 200).end(metrics);
    } else
      void buffer(request).then((body) => {
        bodies.push(gunzipSync(body).toString());
        const status = left.shift() ?? 204;
        if (typeof status === 'string') request.socket.end(status);
        else response.writeHead(status, { 'retry-after': '300' }).end();
      });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { bodies, asked, port, push: `--push=http://127.0.0.1:${port}` };
}

/** The times of all samples of lines of JSON, in milliseconds. */
function samplesIn(bodies: readonly string[]): readonly number[] {
  const lines = bodies.join('').split('\n').filter(Boolean);
  return lines.flatMap((line) => (JSON.parse(line) as { timestamps: number[] }).timestamps);
}

describe('history into a database', () => {
  test('pushes what the files would hold', async () => {
    const { shell, run, output } = await startHistory();
    const { bodies, push } = await startDatabase();
    const { status, out, complaints } = await shell.run('history', push);
    expect({ status, complaints }).toEqual({ status: 0, complaints: '' });
    await run();
    const inFiles = [...filesIn(output).values()].join('').match(/^solar_.*$/gm) ?? [];
    const pushed = samplesIn(bodies);
    expect(pushed.length).toBe(inFiles.length);
    expect(bodies.join('')).toContain('"job":"solar","instance":"localhost:9877"');
    expect(out).toContain(`2 months written: ${pushed.length.toLocaleString('en-US')} samples`);
  });

  test('says up to when the database has all, also when the run is stopped', async () => {
    const { shell } = await startHistory();
    const done = await startDatabase();
    const last = (month: string, to: string) =>
      `the last that is complete: ${month} of Station 1, to ${to}T16:00:00.000Z\n`;
    expect((await shell.run('history', done.push)).out).toContain(last('2025-12', '2025-12-01'));
    // It takes an empty line and all of the first month, and then has too much to do.
    const taken = 1 + Math.ceil((done.bodies.length - 1) / 2);
    const busy = await startDatabase({}, ...Array.from({ length: taken }, () => 204), 429);
    const stopped = shell.run('history', busy.push);
    await eventually(() => expect(shell.complaints).toContain('HTTP 429; trying again in 5m'));
    shell.requestStop();
    const { status, out } = await stopped;
    expect(status).toBe(130);
    expect(out).toContain(last('2025-11', '2025-11-30'));
  });

  test('sends the user and the password of the database, and shows them nowhere', async () => {
    const { shell } = await startHistory();
    const { asked, push } = await startDatabase();
    const [user, password] = ['grafana', 'pa:ss wörd'];
    shell.env = { ...shell.env, SOLAR_PUSH_USER: user, SOLAR_PUSH_PASSWORD_FILE: '/run/x' };
    shell.files = { '/run/x': `${password}\n` };
    const ended = await shell.run('history', push, '--to=2025-11-30');
    expect(ended.status).toBe(0);
    const credentials = Buffer.from(`${user}:${password}`).toString('base64');
    expect(asked).toEqual(
      new Set([`POST /api/v1/import Basic ${credentials}`, `GET /metrics Basic ${credentials}`]),
    );
    expect(JSON.stringify(ended)).not.toMatch(/grafana|pa:ss|Basic/);
  });

  /** A database that begins an answer which never ends; it goes on as fast as it is read, or not at all. */
  async function startEndless(isFast: boolean) {
    let bytes = 0;
    const asked = deferred<undefined>();
    const server = createServer((_request, response) => {
      asked.resolve(undefined);
      response.writeHead(200).write('x');
      const write = (): void => {
        do bytes += 65_536;
        while (response.write('x'.repeat(65_536)));
      };
      if (isFast) response.on('drain', write);
      if (isFast) write();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    return { push: `--push=http://127.0.0.1:${port}`, asked, bytes: () => bytes };
  }

  test.each([
    ['is without end', true, '30s', 'UND_ERR_RES_EXCEEDED_MAX_SIZE'],
    ['stops in the middle', false, '100ms', 'no complete answer in time'],
  ])('whose answer %s is read up to a limit', async (_, isFast, timeout, reason) => {
    const { shell } = await startHistory();
    const { push, bytes } = await startEndless(isFast);
    const { status, complaints } = await shell.run('history', push, `--request.timeout=${timeout}`);
    expect(status).toBe(1);
    expect(complaints).toContain(`PUSH_UNREACHABLE: ${push.slice(7)}/api/v1/import: ${reason}`);
    // What the buffers of sockets hold besides.
    expect(bytes()).toBeLessThan(32 * 1024 * 1024);
  });

  test('that is being waited for is left at the first signal', async () => {
    const { shell } = await startHistory();
    const { push, asked } = await startEndless(false);
    const ended = shell.run('history', push);
    await asked.promise;
    shell.requestStop();
    expect((await ended).status).toBe(130);
  });

  test('is asked under its path', async () => {
    const { shell } = await startHistory();
    const { asked, push } = await startDatabase({}, 200);
    expect((await shell.run('history', `${push}/vm/`, '--to=2025-11-30')).status).toBe(0);
    expect(asked).toEqual(new Set(['POST /vm/api/v1/import', 'GET /vm/metrics']));
  });

  test.each([
    [404, 'PUSH_REFUSED', 'HTTP 404'],
    [500, 'PUSH_UNREACHABLE', 'HTTP 500'],
    ['hello\r\n\r\n', 'PUSH_UNREACHABLE', 'the answer is not HTTP'],
    ['', 'PUSH_UNREACHABLE', 'UND_ERR_SOCKET'],
  ])('that answers %j ends with 1, before the service is asked for anything', async (...row) => {
    const { shell, simulator } = await startHistory();
    const [answer, code, reason] = row;
    const { port, push } = await startDatabase({}, answer);
    const { status, out, complaints } = await shell.run('history', push);
    expect({ status, out }).toEqual({ status: 1, out: '' });
    expect(complaints).toContain(
      `solar-exporter: ${code}: http://127.0.0.1:${port}/api/v1/import: ${reason}\n  → check --push`,
    );
    expect(simulator.requests()).toBe(0);
  });

  /** Sends a month to a database; nobody waits with the test, time passes as fast as it is slept. */
  async function pushMonth(...statuses: readonly (number | string)[]) {
    const clock = new FakeClock(NOW);
    const startedAtMs = clock.nowMs();
    clock.sleep = (durationMs) => {
      clock.advance(durationMs);
      return Promise.resolve();
    };
    const { bodies, push } = await startDatabase({}, 204, ...statuses);
    const waits: string[] = [];
    const target = await openPush({
      ...{ address: push.slice(7), user: undefined, password: undefined, timeoutMs: 30_000 },
      ...{ labels: { job: 'solar' }, clock, random: () => 0.5, stop: new AbortController().signal },
      onWait: (reason) => waits.push(reason.replace(/^.*: /, '')),
    });
    onTestFinished(() => target.close());
    const month = await collected({ past: [pastReading('2026-08-01T00:00:00+08:00')] });
    const written = await target.write(partOf(), month).catch((error: unknown) => error);
    return { bodies, waits, written, waitedMs: clock.nowMs() - startedAtMs };
  }

  test('is sent the same again after an outage and too much load', async () => {
    const { bodies, waits, waitedMs, written } = await pushMonth('', 429);
    expect(written).toMatchObject({ samples: expect.any(Number) as unknown });
    expect(waits).toEqual(['UND_ERR_SOCKET', 'HTTP 429']);
    // As long as the database says, where it does.
    expect(waitedMs).toBe(1000 + 300_000);
    expect(bodies[1]).toContain('"job":"solar"');
    expect(new Set(bodies.slice(1))).toEqual(new Set([bodies[1]]));
  });

  test('is given up after ten minutes without success', async () => {
    const { written, waitedMs } = await pushMonth(...Array.from({ length: 99 }, () => ''));
    expect(written).toMatchObject({ code: 'PUSH_UNREACHABLE' });
    expect(waitedMs).toBe(10 * MINUTE_MS);
  });

  test('that acknowledges samples and throws them away ends with 1, once for the whole run', async () => {
    const { shell } = await startHistory();
    const says = (dropped: number): string =>
      `vm_rows_ignored_total{reason="small_timestamp"} ${dropped}\n`;
    const { push } = await startDatabase({ counts: [says(7), says(27)] });
    const first = await shell.run('history', push);
    expect(first.status).toBe(1);
    const dropped = 'threw away 20 samples of 2025-11 to 2025-12, although it acknowledged them';
    expect(first.complaints).toContain(`PUSH_DROPPED: ${push.slice(7)}/api/v1/import: ${dropped}`);
  });
});
