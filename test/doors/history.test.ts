import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { SimulatorOptions } from '../../src/simulator/simulator.ts';
import { done, FakeProcess, refused, startProcess } from './commands/fake-process.ts';
import { eventually } from '../support/eventually.ts';
import { temporaryDirectory } from '../support/prometheus.ts';
import { DAY_MS, MINUTE_MS, SteeredClock } from './house.ts';
import { readOnlyDirectory, withoutPrivileges } from '../support/unprivileged.ts';

const NOW = '2026-01-02T04:00:00Z';
/** The last day of one month and the first of the next, in Manila. */
const RANGE = {
  SOLAR_FROM: '2025-11-30',
  SOLAR_TO: '2025-12-02',
  // The clock of these tests stands still, so that waits for a rate add up.
  SOLAR_REQUEST_RATE: '1000000',
  SOLAR_INTERVAL: '4m',
};

/** How the name of a file ends that has one of these days. */
const [NOVEMBER, DECEMBER] = [
  '20251129T160000Z-20251130T160000Z',
  '20251130T160000Z-20251201T160000Z',
];
/** Leaves the second day out. */
const NOVEMBER_ALONE = '--to=2025-12-01';

/** A process in which pauses last as long as they say, and a directory that does not exist yet. */
async function startHistory(options: Partial<SimulatorOptions> = {}) {
  // A day has more readings than a page.
  const sparse = { sampleIntervalMs: 15 * MINUTE_MS, mostPoints: 50 };
  const shellOf = new FakeProcess(new SteeredClock(NOW));
  const started = await startProcess({ ...sparse, ...options }, shellOf);
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
  test('writes each month once, and anew to the byte what is half written', async () => {
    const { run, output, simulator, stationId } = await startHistory();
    const names = [`solar-${stationId}-${NOVEMBER}.om`, `solar-${stationId}-${DECEMBER}.om`];
    const [november = '', december = ''] = names;
    expect(await run()).toEqual(
      done(`2025-11 of Station 1: 96 readings in ${november}
2025-12 of Station 1: 96 readings in ${december}
2 files written
`),
    );
    const files = filesIn(output);
    expect([...files.keys()]).toEqual(names);
    for (const text of files.values()) {
      expect(text.startsWith('# HELP solar_history To import this file.')).toBe(true);
      expect(text.endsWith('# EOF\n')).toBe(true);
      expect(text).toContain('job="solar",instance="localhost:9877"');
    }
    const asked = simulator.requests('readings');
    expect(await run()).toEqual(done('0 files written, 2 complete before\n'));
    expect(simulator.requests('readings')).toBe(asked);
    const path = join(output, december);
    renameSync(path, `${path}.partial`);
    writeFileSync(`${path.replace('-2025', '-2024')}.partial`, 'of a killed run');
    expect((await run()).out).toContain('1 file written, 1 complete before');
    expect(filesIn(output)).toEqual(files);
  });

  test('removes a file once another one has everything of it', async () => {
    const { run, output, stationId } = await startHistory();
    const namesAfter = async (from: string, to: string) => {
      const { out } = await run(`--from=${from}`, `--to=${to}`);
      const names = [...filesIn(output).keys()];
      return [out.split('\n').at(-2), ...names.map((name) => name.replace(/^.*-(20.*Z-)/, '$1'))];
    };
    const other = '20251109T160000Z-20251110T160000Z.om';
    const [one, both] = ['1 file written', '20251128T160000Z-20251130T160000Z.om'];
    expect(await namesAfter('2025-11-30', '2025-12-01')).toEqual([one, `${NOVEMBER}.om`]);
    expect(await namesAfter('2025-11-10', '2025-11-11')).toEqual([one, other, `${NOVEMBER}.om`]);
    expect(await namesAfter('2025-11-29', '2025-12-01')).toEqual([one, other, both]);
    const known = '0 files written, 1 complete before';
    expect(await namesAfter('2025-11-30', '2025-12-01')).toEqual([known, other, both]);
    expect(filesIn(output).has(`solar-${stationId}-${both}`)).toBe(true);
  });

  test('writes the present month anew, up to the last hour that arrived', async () => {
    const { run, shell, output, stationId } = await startHistory();
    shell.env = { ...shell.env, SOLAR_FROM: '2026-01-01' };
    const later = (hour: string) =>
      `; readings after 2026-01-02T${hour}:00:00.000Z may still be on their way`;
    const fileUntil = (hour: string) =>
      `solar-${stationId}-20251231T160000Z-20260102T${hour}0000Z.om`;
    for (const [to, minutes, hour, outcome] of [
      ['', 0, '02', `1 file written${later('02')}`],
      ['', 14, '02', `0 files written, 1 complete before${later('02')}`],
      ['', 1, '03', `1 file written${later('03')}`],
      ['2026-01-02', 0, '03', '0 files written, 1 complete before'],
    ] as const) {
      shell.clock.advance(minutes * MINUTE_MS);
      shell.env = { ...shell.env, SOLAR_TO: to };
      expect((await run()).out, `${to} ${minutes}`).toMatch(new RegExp(`${outcome}\n$`));
      const [[name, text] = ['', '']] = filesIn(output);
      expect([...filesIn(output).keys()]).toEqual([fileUntil(hour)]);
      const times = Array.from(text.matchAll(/^solar_pv_power_watts.* (\d+)$/gm), ([, at]) => at);
      const last = Date.parse(`2026-01-02T${hour}:00:00Z`) / 1000 - 4 * 60;
      expect(times.at(-1), name).toBe(String(last));
    }
    // The day before is of another year.
    expect([...filesIn(output).values()].join('')).toContain('\nsolar_energy_year_kwh{');
  });

  test('of one device writes that device alone', async () => {
    const { run, output, simulator, stationId } = await startHistory({ devicesPerStation: 2 });
    const [, second = ''] = simulator.deviceIds(stationId);
    expect((await run('--device=inverter 2', NOVEMBER_ALONE)).status).toBe(0);
    const [text = ''] = filesIn(output).values();
    const ids = [...text.matchAll(/device_id="(\d+)"/g)].map(([, id]) => id);
    expect(new Set(ids)).toEqual(new Set([second]));
    expect((await run(NOVEMBER_ALONE)).out).toContain('1 file written');
    expect([...filesIn(output).keys()]).toEqual([`solar-${stationId}-${NOVEMBER}.om`]);
    expect((await run('--device=inverter 2', NOVEMBER_ALONE)).out).toContain('0 files written');
  });

  test('counts the load of parallel inverters once, unless told otherwise', async () => {
    const system = { family: 'hpvinv02', devicesPerStation: 2, parallel: true } as const;
    const { run, output, stationId } = await startHistory(system);
    const past = async (...argv: readonly string[]) => {
      rmSync(output, { recursive: true, force: true });
      await run(NOVEMBER_ALONE, ...argv);
      const text = [...filesIn(output).values()].join('');
      const first = (of: string) => Number(new RegExp(`^${of}\\} (\\S+)`, 'm').exec(text)?.[1]);
      const load = first('solar_station_power_watts.*"load"') / first('solar_load_power_watts.*');
      return { load, hasImport: text.includes('solar_grid_import_power_watts{') };
    };
    expect(await past()).toEqual({ load: 1, hasImport: false });
    const each = { load: 2, hasImport: true };
    expect(await past(`--station.independent=${stationId}`)).toEqual(each);
  });

  test('of two stations writes each for itself, once, also as CSV', async () => {
    const { run, output, simulator } = await startHistory({ stations: 2 });
    const names = simulator.stationIds.map((stationId) => `solar-${stationId}-${NOVEMBER}.csv`);
    expect((await run(NOVEMBER_ALONE, '--format=csv')).out).toContain('2 files written');
    expect([...filesIn(output).keys()].sort()).toEqual(names.sort());
    for (const text of filesIn(output).values())
      expect(text).toMatch(/^time,station_id,device_id,/);
    expect(simulator.requests('summary')).toBe(2);
  });

  test('has the labels of the user, and asks for no unwanted energies', async () => {
    const { run, output, simulator } = await startHistory();
    const labels = ['--label=place=roof', '--label=instance='];
    expect((await run(NOVEMBER_ALONE, '--collect.energy=false', ...labels)).status).toBe(0);
    const [file = ''] = filesIn(output).values();
    expect(file).toMatch(/^solar_pv_power_watts\{job="solar",place="roof",station_id="/m);
    expect(file).not.toContain('_energy_');
    expect(simulator.requests('summary')).toBe(0);
  });

  test('waits out an outage, and says what to do without its directory', async () => {
    const { run, shell, simulator, output } = await startHistory();
    simulator.setFault('readings', { kind: 'reply', status: 503 });
    const ended = run();
    await eventually(() => expect(shell.complaints).toContain('trying again in 1 s'));
    rmSync(output, { recursive: true });
    simulator.setFault('readings', undefined);
    const { status, complaints } = await ended;
    expect(status).toBe(1);
    expect(complaints).toMatch(
      /solar-exporter: WRITE_FAILED: ".*\.om": ENOENT\n {2}→ the directory was removed meanwhile: run it again\n$/,
    );
  });

  test('believes that there is nothing of the months before the first reading', async () => {
    const { run, output, simulator, stationId, deviceId } = await startHistory();
    const nothing = { code: 0, data: { payload: { timeSeries: [], fields: {} } } };
    simulator.setFault('readings', { kind: 'reply', body: nothing });
    const names = [NOVEMBER, DECEMBER].map((name) => `solar-${stationId}-${name}.om`);
    const [november = '', december = ''] = names;
    const without = (month: string): string =>
      `solar-exporter: ${month} of Station 1 is not complete: the service answered without readings; the next run asks again\n`;
    expect(await run()).toEqual({
      status: 1,
      out: '0 files written\n',
      complaints: without('2025-11') + without('2025-12'),
    });
    expect([...filesIn(output).keys()]).toEqual(names.map((name) => `${name}.partial`));
    simulator.setFault('readings', undefined);
    const endOfNovemberMs = Date.parse('2025-12-01T00:00:00+08:00');
    simulator.setGap(deviceId, endOfNovemberMs - 2 * DAY_MS, endOfNovemberMs);
    expect((await run()).out).toContain(`2025-11 of Station 1: 0 readings in ${november}\n`);
    expect([...filesIn(output).keys()]).toEqual(names);
    rmSync(join(output, december));
    simulator.setGap(deviceId, endOfNovemberMs, endOfNovemberMs + 2 * DAY_MS);
    expect(await run()).toMatchObject({ status: 1, complaints: without('2025-12') });
  });

  test('locks its directory, and ends at once when it is stopped in a wait', async () => {
    const { run, shell, simulator, output } = await startHistory();
    const headers = { 'retry-after': '900' };
    simulator.setFault('readings', { kind: 'reply', status: 429, headers });
    const ended = run();
    await eventually(() => expect(shell.complaints).toContain('trying again in 15 minutes'));
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

  test('goes on without a refused device, asks again for what ends too early', async () => {
    const { run, output, simulator, stationId } = await startHistory({ devicesPerStation: 2 });
    const [first = '', second = ''] = simulator.deviceIds(stationId);
    const body = { code: 20_101, message: 'no' };
    const refusal = { kind: 'reply', body } as const;
    simulator.setFault('readings', { ...refusal, about: second });
    const { status, complaints } = await run(NOVEMBER_ALONE);
    expect(status).toBe(0);
    const leftOut = `solar-exporter: Inverter 2 (${second}) is left out of 2025-11:`;
    expect(complaints).toContain(`${leftOut} the service refuses its past: SERVICE_API_REFUSED: `);
    const [[name, text] = ['', '']] = filesIn(output);
    expect(text).toContain(first);
    expect(text).not.toContain(second);
    rmSync(output, { recursive: true });
    const alter = (answer: string, { bodyBytes }: { bodyBytes: Buffer }) =>
      bodyBytes.includes('"page":2') ? JSON.stringify(body) : answer;
    simulator.setFault('readings', { kind: 'altered', alter, about: second });
    const cut = await run(NOVEMBER_ALONE);
    expect(cut.status).toBe(1);
    expect(cut.complaints).toContain(
      `${leftOut} its past cannot be read to its end: SERVICE_API_REFUSED: `,
    );
    expect([...filesIn(output).keys()]).toEqual([`${name}.partial`]);
    simulator.setFault('readings', refusal);
    const without = await run();
    expect(without.status).toBe(1);
    // The next month is asked for all the same.
    expect(without.complaints).toContain('is left out of 2025-12');
    expect(without.complaints).toContain('2025-12 of Station 1 is not complete; the next run');
  });
});

describe('history that is asked for what cannot be', () => {
  test.each<readonly [string, readonly string[], string]>([
    ['no date', ['--from='], '--from: "" is not a date; accepted: a date such as'],
    ['the future', ['--from=2027-01-01', '--to=2027-01-02'], '"2027-01-01" is in the future'],
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

  test('because nothing says where to write, or from when, ends with 2', async () => {
    const { shell } = await startHistory();
    expect((await shell.run('history')).complaints).toContain('--output: is missing');
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

  test('because of an unknown device or other options writes nothing', async () => {
    const { run, output, simulator } = await startHistory();
    const { status, complaints } = await run('--device=Inverter 11');
    expect(status).toBe(2);
    expect(complaints).toContain('"Inverter 11": unknown device; did you mean');
    expect(filesIn(output)).toEqual(new Map());
    const asked = simulator.requests();
    const why = 'was filled with other options: see its settings.json';
    expect(await run('--interval=30s', '--label=job=pv')).toEqual(
      refused(
        `--output: ${JSON.stringify(output)} ${why}; accepted: another directory, or those options`,
      ),
    );
    expect(simulator.requests()).toBe(asked);
  });
});
