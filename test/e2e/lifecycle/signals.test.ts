import { describe, expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import {
  credentialsFor,
  scrapePage,
  type ScrapedPage,
  startService,
} from '../../doors/house.ts';
import { type RunningProcess, startProgram, startServe } from '../../support/running-process.ts';

const LONGEST_DRAIN_MS = 5000;

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

describe.each(['SIGTERM', 'SIGINT'] as const)('%s', (signal) => {
  test('lets the scrape under way be answered and then ends with 0', async () => {
    await eventually(async () => {
      const { exporter, scrape } = await startScraping('--scrape.timeout=500ms');
      await expectPrompt(async () => {
        exporter.kill(signal);
        const page = await scrape;
        expect(page.status).toBe(200);
        expect(page.value('solar_up')).toBe(0);
        expect(await exporter.exited).toEqual({ status: 0, signal: null });
      });
    });
  });

  test('ends an idle exporter with 0, and says so in the log', async () => {
    const { exporter } = await startServe([], { SOLAR_ACCESS_TOKEN: 'unused' });
    exporter.kill(signal);
    expect(await exporter.exited).toEqual({ status: 0, signal: null });
    expect(exporter.stderr).toContain('"msg":"stopping"');
  });

  test('twice ends at once', async () => {
    const { exporter, scrape } = await startScraping('--scrape.timeout=1h');
    const cutOff = expect(scrape).rejects.toThrow();
    exporter.kill(signal);
    await exporter.printed('stderr', /stopping/);
    exporter.kill(signal);
    expect(await exporter.exited).toEqual({ status: 130, signal: null });
    await cutOff;
  });
});

test.each(['SIGTERM', 'SIGINT'] as const)('%s ends at once what ends by itself', async (signal) => {
  const { simulator, serviceUrl } = await startService();
  simulator.setFault('*', { kind: 'hang' });
  const check = startProgram(['check', `--base-url=${serviceUrl}`], credentialsFor(simulator));
  await eventually(() => expect(simulator.requests()).toBe(1));
  check.kill(signal);
  expect(await check.exited).toEqual({ status: 130, signal: null });
});

test.each(['simulate', 'demo'])('Ctrl+C ends %s with 0', async (command) => {
  const program = startProgram([
    command,
    '--simulator.listen-address=127.0.0.1:0',
    '--web.listen-address=127.0.0.1:0',
  ]);
  await program.printed('stdout', /Stop with/);
  program.kill('SIGINT');
  expect(await program.exited).toEqual({ status: 0, signal: null });
});

test('a scrape that would outlast the limit does not keep the program from ending with 0', async () => {
  await eventually(async () => {
    const { exporter, scrape } = await startScraping('--scrape.timeout=1h');
    const cutOff = expect(scrape).rejects.toThrow();
    await expectPrompt(async () => {
      exporter.kill('SIGTERM');
      expect(await exporter.exited).toEqual({ status: 0, signal: null });
    });
    await cutOff;
  });
});
