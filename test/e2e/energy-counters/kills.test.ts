import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { decodeCounts } from '../../../src/collectors/energy-counts/counts-file.ts';
import { PATIENCE_MS } from '../../support/eventually.ts';
import { temporaryDirectory } from '../../support/prometheus.ts';
import {
  credentialsFor,
  HOUR_MS,
  MINUTE_MS,
  scrapePage,
  startService,
  SteeredClock,
} from '../../doors/house.ts';
import { startServe } from '../../support/running-process.ts';
import { countedKwh, lineKwh } from './counting-house.ts';

const ROUNDS = 4;

test('an exporter that is killed between counting and showing never lets a counter fall', async () => {
  const clock = new SteeredClock('2026-06-21T00:00:00Z');
  const { simulator, serviceUrl, deviceId } = await startService({}, clock);
  const startMs = clock.nowMs();
  const stateDir = join(temporaryDirectory(), 'state');
  const path = join(stateDir, 'energy-counters.json');
  const start = () =>
    startServe(
      [
        `--base-url=${serviceUrl}`,
        `--state.dir=${stateDir}`,
        '--cache.readings-ttl=1ms',
        '--cache.summary-ttl=1ms',
      ],
      credentialsFor(simulator),
    );
  /** What is in the file of the load, in kWh. */
  const keptKwh = (): number => {
    if (!existsSync(path)) return 0;
    const counts = decodeCounts(readFileSync(path, 'utf8'));
    return counts?.devices.get(deviceId)?.count.energies.consumptionKwh ?? NaN;
  };

  const first = await start();
  expect(countedKwh(await scrapePage(first.url))['load']).toBe(0);
  first.exporter.kill('SIGKILL');
  await first.exporter.exited;

  let shownKwh = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    clock.advance(HOUR_MS);
    const before = keptKwh();
    const killed = await start();
    const scraped = scrapePage(killed.url).then(countedKwh, () => undefined);
    await vi.waitUntil(() => keptKwh() > before, { interval: 1, timeout: PATIENCE_MS });
    killed.exporter.kill('SIGKILL');
    const [seen] = await Promise.all([scraped, killed.exporter.exited]);
    // At most what is in the file was shown; the page has mWh.
    expect(seen?.['load'] ?? 0).toBeLessThanOrEqual(keptKwh() + 1e-6);
    shownKwh = Math.max(shownKwh, seen?.['load'] ?? 0);

    const next = await start();
    const { load = NaN } = countedKwh(await scrapePage(next.url));
    expect(load).toBeGreaterThanOrEqual(shownKwh);
    expect(load).toBeGreaterThan(before);
    expect(load).toBeCloseTo(keptKwh(), 6);
    shownKwh = load;
    next.exporter.kill('SIGKILL');
    await next.exporter.exited;
  }
  // Nothing was lost, and nothing was counted twice.
  const hours = [{ fromMs: startMs, toMs: clock.nowMs() }];
  const { load: trueKwh = NaN } = lineKwh(simulator, deviceId, hours, 5 * MINUTE_MS);
  expect(Math.abs(shownKwh - trueKwh)).toBeLessThanOrEqual(0.005 * trueKwh);
});
