import { describe, expect, test, vi } from 'vitest';
import {
  credentialsFor,
  scrapePage,
  type ScrapedPage,
  startService,
} from '../support/running-exporter.ts';
import { type RunningProcess, startProgram, startServe } from '../support/running-process.ts';

const LONGEST_DRAIN_MS = 5000;

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
  await vi.waitFor(() => expect(simulator.requests('stations')).toBe(1), 10_000);
  return { exporter, scrape };
}

describe.each(['SIGTERM', 'SIGINT'] as const)('%s', (signal) => {
  test('lets the scrape under way be answered and then ends with 0', async () => {
    const { exporter, scrape } = await startScraping('--scrape.timeout=500ms');
    const signalledAtMs = performance.now();
    exporter.kill(signal);
    const page = await scrape;
    expect(page.status).toBe(200);
    expect(page.value('solar_up')).toBe(0);
    expect(await exporter.exited).toEqual({ status: 0, signal: null });
    expect(performance.now() - signalledAtMs).toBeLessThan(LONGEST_DRAIN_MS);
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
  await vi.waitFor(() => expect(simulator.requests()).toBe(1), 10_000);
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
  const { exporter, scrape } = await startScraping('--scrape.timeout=1h');
  const cutOff = expect(scrape).rejects.toThrow();
  const signalledAtMs = performance.now();
  exporter.kill('SIGTERM');
  expect(await exporter.exited).toEqual({ status: 0, signal: null });
  expect(performance.now() - signalledAtMs).toBeLessThan(LONGEST_DRAIN_MS);
  await cutOff;
});
