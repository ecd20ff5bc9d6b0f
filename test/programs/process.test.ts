import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { credentialsFor, scrapePage, startService } from '../doors/house.ts';
import { eventually } from '../support/eventually.ts';
import { hasProgram } from '../support/programs.ts';
import { temporaryDirectory } from '../support/prometheus.ts';
import { readText } from '../support/repository.ts';
import { CLI, RunningProcess, startProgram, startServe } from '../support/running-process.ts';

const LONGEST_DRAIN_MS = 5000;
const FREE = ['--simulator.listen-address=127.0.0.1:0', '--web.listen-address=127.0.0.1:0'];
const END = { status: 0, signal: null };

test('a signal lets a scrape end; one beyond the limit keeps nothing running', async () => {
  const { simulator, serviceUrl } = await startService();
  simulator.setFault('stations', { kind: 'hang' });
  // Until a stop was prompt: a busy machine makes some of them late, a program without a limit all of them.
  await eventually(async () => {
    const before = simulator.requests('stations');
    const { exporter, url } = await startServe(
      [`--base-url=${serviceUrl}`, '--scrape.timeout=1h'],
      credentialsFor(simulator),
    );
    const cutOff = expect(scrapePage(url)).rejects.toThrow();
    await eventually(() => expect(simulator.requests('stations')).toBe(before + 1));
    const scrape = scrapePage(url, { 'x-prometheus-scrape-timeout-seconds': '1.5' });
    // An answer on another connection says that the server has seen that one.
    expect((await fetch(new URL('/-/healthy', url))).status).toBe(200);
    const startedAtMs = performance.now();
    exporter.kill('SIGTERM');
    const page = await scrape;
    expect(page.status).toBe(200);
    expect(page.all('solar_up')).toEqual([]);
    expect(await exporter.exited).toEqual(END);
    expect(performance.now() - startedAtMs).toBeLessThan(LONGEST_DRAIN_MS);
    await cutOff;
    expect(exporter.stderr).toContain('"msg":"stopping"');
  });
});

test('a signal ends at once what ends by itself', async () => {
  const { simulator, serviceUrl } = await startService();
  simulator.setFault('*', { kind: 'hang' });
  const check = startProgram(['check', `--base-url=${serviceUrl}`], credentialsFor(simulator));
  await eventually(() => expect(simulator.requests()).toBe(1));
  check.kill('SIGINT');
  expect(await check.exited).toEqual({ status: 130, signal: null });
});

test('what nobody reads any more ends no program with an error', () => {
  const piped = `'${process.execPath}' '${CLI}' --help-all | :; echo "${'${PIPESTATUS[0]}'}"`;
  expect(execFileSync('bash', ['-c', piped], { encoding: 'utf8' })).toBe('0\n');
});

test.runIf(hasProgram('mkfifo'))('a file that never ends is refused at once', async () => {
  const fifo = join(temporaryDirectory(), 'fifo');
  execFileSync('mkfifo', [fifo]);
  const files = { SOLAR_CONFIG_FILE: fifo, SOLAR_PASSWORD_FILE: '/dev/zero' };
  const program = startProgram(['config', '--check'], { SOLAR_ACCESS_TOKEN: 'a-token', ...files });
  expect((await program.exited).status).toBe(2);
  expect(program.stderr.match(/not a regular file/g)).toHaveLength(2);
});

test('SIGHUP takes up changed files, many times; SIGUSR1 opens no debugger', async () => {
  const { simulator, serviceUrl } = await startService();
  const directory = temporaryDirectory();
  const [password, config] = [join(directory, 'password'), join(directory, 'exporter.yaml')];
  writeFileSync(password, 'mistyped\n');
  writeFileSync(config, '');
  const { exporter, url } = await startServe(
    [`--base-url=${serviceUrl}`, `--config.file=${config}`],
    { ...credentialsFor(simulator), SOLAR_PASSWORD: '', SOLAR_PASSWORD_FILE: password },
  );
  exporter.kill('SIGUSR1');
  const first = await scrapePage(url);
  expect(first.value('solar_reauthentication_required')).toBe(1);
  const { version } = JSON.parse(readText('package.json')) as { readonly version: string };
  expect(first.value('solar_exporter_build_info', { version })).toBe(1);
  writeFileSync(password, simulator.options.password);
  for (let times = 0; times < 50; times += 1) exporter.kill('SIGHUP');
  await exporter.printed('stderr', /"msg":"configuration reloaded"/);
  expect((await scrapePage(url)).value('solar_up')).toBe(1);
  expect(simulator.requests('login')).toBe(2);
  writeFileSync(config, 'log.level: error\ncollect.process: true\n');
  exporter.kill('SIGHUP');
  await eventually(async () => {
    const page = await scrapePage(url);
    expect(page.value('process_cpu_seconds_total')).toBeGreaterThan(0);
  });
  exporter.kill('SIGTERM');
  expect(await exporter.exited).toEqual(END);
  expect(exporter.stderr).not.toMatch(/"msg":"stopping"|debugger/i);
});

test.each([
  { why: 'its log is on a full disk', isFull: true },
  { why: 'nothing reads its log any more', isFull: false },
])('an exporter goes on although $why, and counts the lines', async ({ isFull }) => {
  const words = [process.execPath, CLI, 'demo', '--log.level=debug', ...FREE].join("' '");
  const log = isFull ? '2>/dev/full' : '2> >(:)';
  const demo = new RunningProcess('bash', ['-c', `exec '${words}' ${log}`], {});
  await demo.printed('stdout', /Stop with/);
  const url = await demo.printed('stdout', /metrics +(http\S+)\/metrics/);
  await eventually(async () => {
    const page = await scrapePage(url);
    expect(page.value('solar_log_lines_dropped_total')).toBeGreaterThan(0);
  });
  demo.kill('SIGINT');
  expect(await demo.exited).toEqual(END);
});
