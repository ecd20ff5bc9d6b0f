import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { deriveSeed, seededUnit } from '../../../src/simulator/physics/seeded.ts';
import { hasProgram } from '../../support/programs.ts';
import {
  instantQuery,
  type QueriedSample,
  startConfigured,
  temporaryDirectory,
} from '../../support/prometheus.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../doors/house.ts';
import { flush, startVictoriaMetrics } from '../../support/victoria-metrics.ts';
import { importFiles } from './blocks.ts';
import {
  instant,
  outputDirectory,
  runHistory,
  type ServiceWithPast,
  startServiceWithPast,
} from './history-run.ts';
import { type Gap, QUANTITIES, shownReadingAtMs } from './truth.ts';

const STEP_MS = 4 * MINUTE_MS;
const INSTANTS = 200;
const METRICS = QUANTITIES.map(({ metric }) => metric.replace('solar_', '')).join('|');
const canRun = ['prometheus', 'promtool', 'victoria-metrics'].every(hasProgram);

interface Past extends ServiceWithPast {
  readonly gaps: readonly Gap[];
}

async function startPasts(toMs: number): Promise<readonly Past[]> {
  const classic = await startServiceWithPast({ seed: 21, mostPoints: 700, historyTotal: 'none' });
  const other = await startServiceWithPast({ seed: 22, family: 'hpvinv02', emptyPages: 0.3 });
  const gaps = [
    { fromMs: toMs - 40 * DAY_MS, toMs: toMs - 31 * DAY_MS },
    { fromMs: toMs - 3 * DAY_MS, toMs: toMs - 3 * DAY_MS + 20 * MINUTE_MS },
  ];
  for (const { fromMs, toMs: endMs } of gaps)
    classic.simulator.setGap(classic.deviceId, fromMs, endMs);
  return [
    { ...classic, gaps },
    { ...other, gaps: [] },
  ];
}

/** Draws instants that lie on no step, so that either database has one step behind each. */
function someInstants(fromMs: number, toMs: number): readonly number[] {
  const seed = deriveSeed(1, 'instants');
  return Array.from({ length: INSTANTS }, (_, index) => {
    const step = Math.floor((fromMs + seededUnit(seed, index) * (toMs - fromMs)) / STEP_MS);
    return step * STEP_MS + 1000 + Math.floor(seededUnit(seed, INSTANTS + index) * 200) * 1000;
  });
}

/** Compares what a database shows at an instant with the truth; returns how many values were absent. */
function compare(shown: readonly QueriedSample[], pasts: readonly Past[], atMs: number): number {
  const stepMs = Math.floor(atMs / STEP_MS) * STEP_MS;
  const expected = pasts.flatMap(({ simulator, stationId, deviceId, gaps }) => {
    const readAtMs = shownReadingAtMs(simulator, gaps, stepMs);
    if (readAtMs === undefined) return [];
    const state = simulator.truth(deviceId, readAtMs);
    return QUANTITIES.map(({ metric, truth, tolerance }) => ({
      labels: {
        __name__: metric,
        job: 'solar',
        instance: 'localhost:9877',
        station_id: stationId,
        device_id: deviceId,
      },
      truth: truth(state),
      tolerance,
    }));
  });
  const at = instant(atMs);
  expect(
    shown.map(({ metric }) => metric),
    at,
  ).toHaveLength(expected.length);
  for (const { labels, truth, tolerance } of expected) {
    const same = shown.filter(
      ({ metric }) =>
        metric['__name__'] === labels.__name__ && metric['device_id'] === labels.device_id,
    );
    expect(
      same.map(({ metric }) => metric),
      at,
    ).toEqual([labels]);
    const error = Math.abs((same[0]?.value ?? NaN) - truth);
    expect(error, `${labels.__name__} at ${at}`).toBeLessThanOrEqual(tolerance + 1e-6);
  }
  return pasts.length * QUANTITIES.length - expected.length;
}

describe.skipIf(!canRun)('105 days of two devices of different families', () => {
  test('are the truth at 200 instants, by promtool in Prometheus and pushed to VictoriaMetrics', async () => {
    const toMs = Math.floor(Date.now() / DAY_MS) * DAY_MS;
    const fromMs = toMs - 105 * DAY_MS;
    const pasts = await startPasts(toMs);
    const victoriaMetricsUrl = await startVictoriaMetrics();
    const storage = join(temporaryDirectory(), 'storage');

    const range = [`--from=${instant(fromMs)}`, `--to=${instant(toMs)}`, '--interval=4m'];
    const directories = await Promise.all(
      pasts.map(async ({ env }) => {
        const directory = outputDirectory();
        await runHistory(env, ...range, `--output=${directory}`);
        await runHistory(env, ...range, `--push=${victoriaMetricsUrl}`);
        return directory;
      }),
    );
    await flush(victoriaMetricsUrl);
    const files = directories.flatMap((directory) => importFiles(directory, storage));
    expect(files.length).toBeGreaterThanOrEqual(8);
    const prometheus = await startConfigured('{}', storage);

    let absent = 0;
    for (const atMs of someInstants(fromMs + HOUR_MS, toMs - HOUR_MS)) {
      const query = `last_over_time({__name__=~"solar_(${METRICS})"}[4m])`;
      absent += compare(await prometheus.query(query, atMs), pasts, atMs);
      compare(await instantQuery(victoriaMetricsUrl, query, atMs), pasts, atMs);
    }
    // Nine days of 105, of one of the two.
    expect(absent / QUANTITIES.length).toBeGreaterThan(5);
    expect(absent / QUANTITIES.length).toBeLessThan(40);
  });
});
