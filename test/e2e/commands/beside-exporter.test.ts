import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { createSimulator, type SimulatorOptions } from '../../../src/simulator/simulator.ts';
import { temporaryDirectory } from '../../support/prometheus.ts';
import { credentialsFor, scrapePage, SECOND_MS } from '../../doors/house.ts';
import { startProgram, startServe } from '../../support/running-process.ts';

const WAITING = /waiting for the running exporter to renew its session/;

/** A running exporter with a state directory, and commands beside it that use the same directory. */
async function startExporter(options: Partial<SimulatorOptions> = {}) {
  const simulator = createSimulator(options, systemClock);
  const serviceUrl = await simulator.start();
  onTestFinished(() => simulator.stop());
  const [deviceId = ''] = simulator.deviceIds(simulator.stationIds[0] ?? '');
  const flags = [
    `--base-url=${serviceUrl}`,
    `--state.dir=${join(temporaryDirectory(), 'state')}`,
    '--cache.readings-ttl=1ms',
  ];
  const env = credentialsFor(simulator);
  const { url } = await startServe(flags, env);
  const start = (command: string) => startProgram([command, ...flags], env);
  return { simulator, deviceId, scrape: () => scrapePage(url), start };
}

describe('a command beside a running exporter', () => {
  test('uses its session over many renewals, and neither logs in nor refreshes', async () => {
    const { simulator, deviceId, scrape, start } = await startExporter({
      tokenLifetimeMs: 2 * SECOND_MS,
      latencyMs: 20,
    });
    expect((await scrape()).value('solar_up')).toBe(1);
    let isDone = false;
    const keepScraping = async () => {
      while (!isDone) await scrape();
    };
    const runCommands = async () => {
      const runs: string[] = [];
      while (runs.length < 8 || simulator.requests('refresh') < 5) {
        const command = runs.length % 2 === 0 ? 'devices' : 'readings';
        const process = start(command);
        const { status } = await process.exited;
        // It may have had to wait for the next renewal.
        const complaints = process.stderr.replaceAll(/.*waiting for the running exporter.*\n/g, '');
        runs.push(`${command} ${status ?? ''}${complaints}`);
        expect(process.stdout).toContain(deviceId);
      }
      return runs;
    };
    const [runs] = await Promise.all([
      runCommands().finally(() => (isDone = true)),
      keepScraping(),
    ]);
    expect(new Set(runs)).toEqual(new Set(['devices 0', 'readings 0']));
    expect(simulator.requests('login')).toBe(1);
    const page = await scrape();
    const renewed = page.value('solar_token_renewals_total', { method: 'refresh', outcome: 'ok' });
    expect(renewed).toBe(simulator.requests('refresh'));
    expect(renewed).toBeGreaterThanOrEqual(5);
    expect(page.value('solar_up')).toBe(1);
  });

  test.each([
    { portal: false, refreshes: 1 },
    // The portal refuses the first form of a refresh.
    { portal: true, refreshes: 2 },
  ])('waits until a revoked token is replaced (portal: $portal)', async ({ portal, refreshes }) => {
    const { simulator, deviceId, scrape, start } = await startExporter({ portal });
    await scrape();
    simulator.revokeTokens();
    const command = start('readings');
    await command.printed('stderr', WAITING);
    expect(simulator.requests('refresh')).toBe(0);
    expect((await scrape()).value('solar_up')).toBe(1);
    expect(await command.exited).toEqual({ status: 0, signal: null });
    expect(command.stdout).toContain(deviceId);
    expect(simulator.requests('login')).toBe(1);
    expect(simulator.requests('refresh')).toBe(refreshes);
  });

  test('waits until the exporter has logged in', async () => {
    const { simulator, scrape, start } = await startExporter();
    const commands = [start('devices'), start('readings'), start('check')];
    await Promise.all(commands.map((command) => command.printed('stderr', WAITING)));
    expect(simulator.requests()).toBe(0);
    await scrape();
    for (const { exited } of commands) expect(await exited).toEqual({ status: 0, signal: null });
    expect(simulator.requests('login')).toBe(1);
    expect(simulator.requests('refresh')).toBe(0);
  });
});
