import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { scrapePage } from '../../doors/house.ts';

const CLI = new URL('../../../dist/cli.js', import.meta.url).pathname;

/** Starts a demo, which prints its address on standard output, with this as standard error. */
async function startDemoLoggingTo(
  stderr: number | 'pipe',
): Promise<{ demo: ChildProcess; metricsUrl: string }> {
  const words = ['--web.listen-address=127.0.0.1:0', '--simulator.listen-address=127.0.0.1:0'];
  const demo = spawn(
    process.execPath,
    [CLI, 'demo', '--log.level=debug', '--log.format=json', ...words],
    {
      env: { PATH: process.env['PATH'] },
      stdio: ['ignore', 'pipe', stderr],
    },
  );
  onTestFinished(() => void demo.kill('SIGKILL'));
  if (demo.stdout === null) throw new Error('no standard output');
  let printed = '';
  // Leaving the loop must not close the pipe.
  for await (const chunk of demo.stdout.iterator({ destroyOnReturn: false })) {
    printed += String(chunk);
    const metricsUrl = /metrics +(http\S+)[^]*Stop with/.exec(printed)?.[1];
    if (metricsUrl !== undefined) return { demo, metricsUrl };
  }
  throw new Error(`the demo ended: ${printed}`);
}

async function expectDroppedLines(metricsUrl: string, atLeast: number): Promise<void> {
  await eventually(async () => {
    const page = await scrapePage(metricsUrl);
    expect(page.value('solar_log_lines_dropped_total')).toBeGreaterThanOrEqual(atLeast);
  });
}

test('an exporter starts and goes on although its log is on a full disk', async () => {
  const full = openSync('/dev/full', 'w');
  const { demo, metricsUrl } = await startDemoLoggingTo(full);
  closeSync(full);
  await expectDroppedLines(metricsUrl, 2);
  expect(demo.exitCode).toBeNull();
});

test('an exporter goes on when nothing reads its log any more', async () => {
  const { demo, metricsUrl } = await startDemoLoggingTo('pipe');
  demo.stderr?.destroy();
  await expectDroppedLines(metricsUrl, 1);
  expect(demo.exitCode).toBeNull();
});
