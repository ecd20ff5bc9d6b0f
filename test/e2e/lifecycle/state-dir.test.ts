import { statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../../support/prometheus.ts';
import { credentialsFor, scrapePage, startService } from '../../doors/house.ts';
import { startProgram, startServe } from '../../support/running-process.ts';
import { SERVICE_PATHS } from '../../support/service-paths.ts';
import { Holding, startProxy } from '../../support/proxy.ts';

async function startMachine(...more: readonly string[]) {
  const { simulator, serviceUrl } = await startService();
  const proxy = new Holding();
  const stateDir = join(temporaryDirectory(), 'state');
  const flags = [
    `--base-url=${await startProxy(serviceUrl, proxy.pass)}`,
    `--state.dir=${stateDir}`,
    ...more,
  ];
  const env = credentialsFor(simulator);
  return { simulator, proxy, stateDir, flags, env };
}

describe('an exporter with a state directory', () => {
  test('lets nobody else read it, and no second exporter in', async () => {
    const { stateDir, flags, env } = await startMachine();
    const { url } = await startServe(flags, env);
    expect((await scrapePage(url)).value('solar_up')).toBe(1);
    const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
    expect(modeOf(stateDir)).toBe('700');
    expect(modeOf(join(stateDir, 'session.json'))).toBe('600');
    const second = startProgram(['serve', '--web.listen-address=127.0.0.1:0', ...flags], env);
    expect(await second.exited).toEqual({ status: 2, signal: null });
    expect(second.stderr).toBe(
      `solar-exporter: --state.dir: "${stateDir}" is in use by another solar-exporter; accepted: a directory of its own for each of them\n`,
    );
    expect((await scrapePage(url)).value('solar_up')).toBe(1);
  });

  test('keeps the tokens that are on their way when it is stopped', async () => {
    const { simulator, proxy, flags, env } = await startMachine('--cache.readings-ttl=1ms');
    const first = await startServe(flags, env);
    expect((await scrapePage(first.url)).value('solar_up')).toBe(1);
    first.exporter.kill('SIGTERM');
    await first.exporter.exited;

    simulator.revokeTokens();
    const second = await startServe([...flags, '--scrape.timeout=100ms'], env);
    const held = proxy.reached(SERVICE_PATHS.refresh, 'before it is let go');
    // Nobody waits for this refresh any more once the page is answered.
    await scrapePage(second.url);
    const letGo = await held;
    second.exporter.kill('SIGTERM');
    await second.exporter.printed('stderr', /stopping/);
    letGo();
    expect(await second.exporter.exited).toEqual({ status: 0, signal: null });

    const third = await startServe(flags, env);
    expect((await scrapePage(third.url)).value('solar_up')).toBe(1);
    expect(simulator.requests('refresh')).toBe(1);
    expect(simulator.requests('login')).toBe(1);
  });
});
