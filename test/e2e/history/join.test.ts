import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CATALOGUE } from '../../../src/metrics/definitions.ts';
import { eventually } from '../../support/eventually.ts';
import { hasProgram } from '../../support/programs.ts';
import {
  type RunningPrometheus,
  startConfigured,
  storedSamples,
  type StoredSeries,
  temporaryDirectory,
} from '../../support/prometheus.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../doors/house.ts';
import { startServe } from '../../support/running-process.ts';
import { importFiles } from './blocks.ts';
import { instant, outputDirectory, runHistory, startServiceWithPast } from './history-run.ts';
import { QUANTITIES } from './truth.ts';

const SAMPLE_INTERVAL_MS = 10 * SECOND_MS;
const SCRAPES = 25;
const canRun = ['prometheus', 'promtool'].every(hasProgram);

/** The example configuration in a hurry: the label that an owner sees is that of the address there. */
function configurationFor(url: string): string {
  return JSON.stringify({
    global: { scrape_interval: '1s', scrape_timeout: '1s' },
    scrape_configs: [
      {
        job_name: 'solar',
        static_configs: [{ targets: [new URL(url).host], labels: { instance: 'localhost:9877' } }],
      },
    ],
  });
}

async function stored(
  prometheus: RunningPrometheus,
  selector: string,
): Promise<readonly StoredSeries[]> {
  return storedSamples(prometheus.url, `${selector}[2h]`, Date.now());
}

/** What makes a series what it is for an owner, who did not choose `job` and `instance`. */
function identityOf({ metric }: StoredSeries): string {
  const labels = Object.entries(metric).filter(([name]) => name !== 'job' && name !== 'instance');
  return JSON.stringify(labels.toSorted());
}

function isOnThePage(series = ''): boolean {
  return CATALOGUE.some(({ name }) => name === series);
}

function isLive({ samples }: StoredSeries, beganAtMs: number): boolean {
  return (samples.at(-1)?.atMs ?? 0) >= beganAtMs;
}

describe.skipIf(!canRun)('the past beside live scrapes', () => {
  test('is one series with them, without a step and without a sample that is there twice', async () => {
    const { simulator, env, deviceId } = await startServiceWithPast({
      sampleIntervalMs: SAMPLE_INTERVAL_MS,
    });
    const { url } = await startServe(['--cache.readings-ttl=1s'], env);
    const storage = join(temporaryDirectory(), 'storage');
    const live = await startConfigured(configurationFor(url), storage);
    const liveSeries = await eventually(async () => {
      const series = await stored(live, 'solar_pv_power_watts');
      expect(series[0]?.samples.length).toBeGreaterThan(SCRAPES);
      return stored(live, '{job="solar"}');
    });
    const beganAtMs = Math.min(
      ...liveSeries
        .filter(({ metric }) => metric['__name__'] === 'solar_pv_power_watts')
        .flatMap(({ samples }) => samples.map(({ atMs }) => atMs)),
    );
    expect(await live.stop()).toBe(0);

    const directory = outputDirectory();
    const from = `--from=${instant(beganAtMs - HOUR_MS)}`;
    await runHistory(
      env,
      from,
      `--to=${instant(beganAtMs)}`,
      '--interval=5s',
      `--output=${directory}`,
    );
    importFiles(directory, storage);
    const prometheus = await startConfigured(configurationFor(url), storage);
    const series = await stored(prometheus, '{job="solar"}');

    // One series each: what has a past and goes on has the labels that it had.
    expect(new Set(series.map(identityOf)).size).toBe(series.length);
    const past = series.filter(
      ({ samples }) => (samples[0]?.atMs ?? Infinity) < beganAtMs - MINUTE_MS,
    );
    const ended = past.filter(
      (one) => isOnThePage(one.metric['__name__']) && !isLive(one, beganAtMs),
    );
    expect(past.length).toBeGreaterThan(15);
    expect(ended.map(({ metric }) => metric)).toEqual([]);

    for (const { metric, truth, tolerance } of QUANTITIES) {
      const [values, ...others] = series.filter((one) => one.metric['__name__'] === metric);
      expect(others, metric).toEqual([]);
      const times = series.find(
        (one) => one.metric['__name__'] === 'solar_reading_timestamp_seconds',
      );
      const readAtMs = new Map(times?.samples.map(({ atMs, value }) => [atMs, value * 1000]));
      const samples = values?.samples ?? [];
      expect(samples.length).toBeGreaterThan(HOUR_MS / (5 * SECOND_MS) + SCRAPES - 5);
      for (const [index, { atMs, value }] of samples.entries()) {
        const state = simulator.truth(deviceId, readAtMs.get(atMs) ?? NaN);
        expect(Math.abs(value - truth(state)), metric).toBeLessThanOrEqual(tolerance + 1e-6);
        const before = samples[index - 1];
        if (before === undefined) continue;
        expect(atMs).toBeGreaterThan(before.atMs);
        // The restart in the middle is no gap of the past.
        if (before.atMs < beganAtMs) expect(atMs - before.atMs).toBeLessThanOrEqual(MINUTE_MS);
      }
    }
  });
});
