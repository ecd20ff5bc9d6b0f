import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { credentialsFor, scrapePage, type ScrapedPage, startService } from '../doors/house.ts';
import { eventually } from '../support/eventually.ts';
import { hasProgram } from '../support/programs.ts';
import { temporaryDirectory } from '../support/prometheus.ts';
import { CLI, RunningProcess, startProgram, startServe } from '../support/running-process.ts';

const LONGEST_DRAIN_MS = 5000;
const FREE_SERVICE = '--simulator.listen-address=127.0.0.1:0';
const FREE = [FREE_SERVICE, '--web.listen-address=127.0.0.1:0'];

/**
 * Expects that a stop is prompt. Its callers repeat themselves until one was: a busy machine makes some
 * of them late, a program that waits for its limit all of them.
 */
async function expectPrompt(stop: () => Promise<void>): Promise<void> {
  const startedAtMs = performance.now();
  await stop();
  expect(performance.now() - startedAtMs).toBeLessThan(LONGEST_DRAIN_MS);
}

/** An exporter in the middle of a scrape, because its service is silent. */
async function startScraping(...flags: readonly string[]): Promise<{
  exporter: RunningProcess;
  scrape: Promise<ScrapedPage>;
}> {
  const { simulator, serviceUrl } = await startService();
  simulator.setFault('stations', { kind: 'hang' });
  const { exporter, url } = await startServe(
    [`--base-url=${serviceUrl}`, ...flags],
    credentialsFor(simulator),
  );
  const scrape = scrapePage(url);
  await eventually(() => expect(simulator.requests('stations')).toBe(1));
  return { exporter, scrape };
}

const END = { status: 0, signal: null };

describe('a signal', () => {
  test('lets the scrape under way be answered and then ends with 0', async () => {
    await eventually(async () => {
      const { exporter, scrape } = await startScraping('--scrape.timeout=500ms');
      await expectPrompt(async () => {
        exporter.kill('SIGTERM');
        const page = await scrape;
        expect(page.status).toBe(200);
        expect(page.all('solar_up')).toEqual([]);
        expect(await exporter.exited).toEqual(END);
      });
      expect(exporter.stderr).toContain('"msg":"stopping"');
    });
  });

  test('twice ends at once', async () => {
    const { exporter, scrape } = await startScraping('--scrape.timeout=1h');
    const cutOff = expect(scrape).rejects.toThrow();
    exporter.kill('SIGTERM');
    await exporter.printed('stderr', /stopping/);
    exporter.kill('SIGTERM');
    expect(await exporter.exited).toEqual({ status: 130, signal: null });
    await cutOff;
  });

  test('ends at once what ends by itself', async () => {
    const { simulator, serviceUrl } = await startService();
    simulator.setFault('*', { kind: 'hang' });
    const check = startProgram(['check', `--base-url=${serviceUrl}`], credentialsFor(simulator));
    await eventually(() => expect(simulator.requests()).toBe(1));
    check.kill('SIGINT');
    expect(await check.exited).toEqual({ status: 130, signal: null });
  });
});

test('Ctrl+C ends simulate with 0', async () => {
  const program = startProgram(['simulate', FREE_SERVICE]);
  await program.printed('stdout', /Stop with/);
  program.kill('SIGINT');
  expect(await program.exited).toEqual(END);
});

test('a scrape that would outlast the limit keeps no program running', async () => {
  await eventually(async () => {
    const { exporter, scrape } = await startScraping('--scrape.timeout=1h');
    const cutOff = expect(scrape).rejects.toThrow();
    await expectPrompt(async () => {
      exporter.kill('SIGTERM');
      expect(await exporter.exited).toEqual(END);
    });
    await cutOff;
  });
});

test('Ctrl+C ends demo with 0; the debugger stays shut to whoever sends a signal', async () => {
  const program = startProgram(['demo', ...FREE]);
  const url = await program.printed('stdout', /metrics +(http\S+)/);
  program.kill('SIGUSR1');
  expect((await scrapePage(url)).status).toBe(200);
  program.kill('SIGINT');
  expect(await program.exited).toEqual(END);
  expect(program.stderr).not.toMatch(/debugger/i);
});

test('the program says its version, and prints for whoever reads no further', async () => {
  const packed = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  const { version } = JSON.parse(packed) as { version: string };
  const program = startProgram(['--version']);
  expect(await program.exited).toEqual(END);
  expect(program.stdout).toBe(`${version}\n`);
  expect(program.stderr).toBe('');
  const piped = `"${process.execPath}" "${CLI}" --help-all | head -1; echo "$?"`;
  expect(execFileSync('sh', ['-c', piped], { encoding: 'utf8' })).toBe(
    'Prometheus exporter for a solar monitoring service\n0\n',
  );
});

test.runIf(hasProgram('mkfifo'))('a file that never ends is refused at once', async () => {
  const fifo = join(temporaryDirectory(), 'fifo');
  execFileSync('mkfifo', [fifo]);
  for (const env of [
    { SOLAR_CONFIG_FILE: fifo, SOLAR_PASSWORD_FILE: '/dev/zero', SOLAR_DIALECT_FILE: fifo },
    { SOLAR_WEB_CONFIG_FILE: fifo },
  ]) {
    const program = startProgram(['config', '--check'], { SOLAR_ACCESS_TOKEN: 'a-token', ...env });
    expect((await program.exited).status).toBe(2);
    expect(program.stderr.match(/not a regular file/g)).toHaveLength(Object.keys(env).length);
  }
});

test('SIGHUP takes up changed files, many times at once', async () => {
  const { simulator, serviceUrl } = await startService();
  const directory = temporaryDirectory();
  const [password, config] = [join(directory, 'password'), join(directory, 'exporter.yaml')];
  writeFileSync(password, 'mistyped\n');
  writeFileSync(config, '');
  const { exporter, url } = await startServe(
    [`--base-url=${serviceUrl}`, `--config.file=${config}`],
    { ...credentialsFor(simulator), SOLAR_PASSWORD: '', SOLAR_PASSWORD_FILE: password },
  );
  expect((await scrapePage(url)).value('solar_reauthentication_required')).toBe(1);
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
  expect(exporter.stderr).not.toContain('"msg":"stopping"');
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
