import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { hasProgram } from '../../support/programs.ts';
import { temporaryDirectory } from '../../support/prometheus.ts';
import { startAtTerminal, startProgram, startSimulate } from '../../support/running-process.ts';
import { SERVICE_PATHS } from '../../support/service-paths.ts';
import { Holding, startProxy } from '../../support/proxy.ts';

const DAY_MS = 86_400_000;

/** A day of the past, so many days ago. */
function daysAgo(days: number): string {
  return new Date(new Date().getTime() - days * DAY_MS).toISOString().slice(0, 10);
}

/** Parts of three months at least: one that is written, one in work, and one that is not begun. */
const RANGE = [`--from=${daysAgo(75)}`, `--to=${daysAgo(2)}`, '--interval=4m'];

const completeIn = (directory: string) =>
  readdirSync(directory).filter((name) => name.endsWith('.om'));

/** Starts a run that is slow enough to be met in the middle. */
async function startSlowly(
  start: typeof startAtTerminal = startProgram,
  through = (serviceUrl: string): Promise<string> => Promise.resolve(serviceUrl),
) {
  const { env: service } = await startSimulate();
  const env = { ...service, SOLAR_BASE_URL: await through(service['SOLAR_BASE_URL'] ?? '') };
  const output = join(temporaryDirectory(), 'past');
  const words = ['history', ...RANGE, `--output=${output}`];
  const program = start([...words, '--request.rate=2'], env);
  const goOn = () => startProgram([...words, '--request.rate=1000'], env);
  return { program, goOn, output, env };
}

/** Waits until so many files are complete. */
async function complete(output: string, count: number): Promise<void> {
  mkdirSync(output, { recursive: true });
  await eventually(() => expect(completeIn(output).length).toBeGreaterThanOrEqual(count));
}

describe('the program history', () => {
  test('ends after the file in work at Ctrl+C, and goes on when it is run again', async () => {
    const { program, goOn, output } = await startSlowly();
    await complete(output, 1);
    program.kill('SIGINT');
    expect(await program.exited).toEqual({ status: 130, signal: null });
    expect(program.stderr).toContain('stopping after what is in work; once more stops at once\n');
    expect(program.stdout).toMatch(/^\d files? written: /);
    expect(readdirSync(output).filter((name) => name.endsWith('.partial'))).toEqual([]);
    const second = goOn();
    expect(await second.exited).toEqual({ status: 0, signal: null });
    expect(second.stdout).toMatch(/files? complete before/);
  });

  test('ends at once at a second Ctrl+C, without a word', async () => {
    const proxy = new Holding();
    const { program, output } = await startSlowly(startProgram, (serviceUrl) =>
      startProxy(serviceUrl, proxy.pass),
    );
    await complete(output, 1);
    // What is in work must still be so at the second one, however busy the machine is.
    await proxy.reached(SERVICE_PATHS.readings, 'before the service is asked');
    program.kill('SIGINT');
    await program.printed('stderr', /once more stops at once/);
    program.kill('SIGINT');
    expect(await program.exited).toEqual({ status: 130, signal: null });
    expect(program.stdout).toBe('');
  });

  test('lets no other run use its directory', async () => {
    const { goOn, output } = await startSlowly();
    await complete(output, 1);
    const other = goOn();
    expect((await other.exited).status).toBe(2);
    expect(other.stderr).toContain('is in use by another run; accepted: another directory');
  });

  test.runIf(hasProgram('script'))('draws a bar on a terminal', async () => {
    const { program } = await startSlowly(startAtTerminal);
    await program.printed('stdout', /\d+ % \| \d+ of 73 days \| Station 1 \d{4}-\d\d \|/);
  });
});
