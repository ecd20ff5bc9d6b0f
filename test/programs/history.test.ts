import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { sumOf } from '../../src/model/units.ts';
import { credentialsFor, DAY_MS, HOUR_MS, MINUTE_MS, startService } from '../doors/house.ts';
import { ALL_QUERIES, substitute } from '../support/dashboard.ts';
import { hasProgram } from '../support/programs.ts';
import {
  instantQuery,
  startPrometheus,
  startVictoriaMetrics,
  temporaryDirectory,
} from '../support/prometheus.ts';
import { startProgram } from '../support/running-process.ts';

const STEP_MS = 4 * MINUTE_MS;
/** What a device that sends every five minutes may be silent for before it is shown no longer. */
const MAX_AGE_MS = 15 * MINUTE_MS;

/** Starts a service by the clock of this machine, as the program sees it. */
async function startPast(options: Parameters<typeof startService>[0]) {
  const service = await startService(options, systemClock);
  const { simulator, serviceUrl: url, deviceId } = service;
  const env = { SOLAR_BASE_URL: url, ...credentialsFor(simulator) };
  const run = async (...argv: readonly string[]) => {
    const program = startProgram(['history', '--request.rate=1000', ...argv], env);
    const { status } = await program.exited;
    return { status, said: program.stdout + program.stderr };
  };
  return { simulator, deviceId, run };
}

/** Spells a span as `--from` and `--to` take it, in whole seconds. */
function span(fromMs: number, toMs: number): readonly string[] {
  const instant = (atMs: number): string => new Date(atMs).toISOString().replace(/\.\d+Z$/, 'Z');
  return [`--from=${instant(fromMs)}`, `--to=${instant(toMs)}`];
}

const canRun = ['prometheus', 'promtool', 'victoria-metrics'].every(hasProgram);

test.runIf(canRun)(
  'what promtool and VictoriaMetrics import of the files is the truth',
  async () => {
    const toMs = Math.floor(Date.now() / DAY_MS) * DAY_MS - DAY_MS;
    const fromMs = toMs - 4 * DAY_MS;
    const { simulator, deviceId, run } = await startPast({ seed: 21, mostPoints: 700 });
    const gap = { fromMs: toMs - 30 * HOUR_MS, toMs: toMs - 26 * HOUR_MS };
    simulator.setGap(deviceId, gap.fromMs, gap.toMs);
    const victoriaMetricsUrl = await startVictoriaMetrics();
    const [files = '', storage = ''] = ['files', 'storage'].map((name) =>
      join(temporaryDirectory(), name),
    );
    const { status, said } = await run(...span(fromMs, toMs), '--interval=4m', `--output=${files}`);
    expect(status, said).toBe(0);
    let written = 0;
    for (const name of readdirSync(files).filter((file) => file.endsWith('.om'))) {
      const path = join(files, name);
      written += readFileSync(path, 'utf8').match(/^solar_/gm)?.length ?? 0;
      // As the header of a file says.
      const create = ['tsdb', 'create-blocks-from', 'openmetrics', '--quiet'];
      const own = ['--max-block-duration=1458h', path, storage];
      expect(execFileSync('promtool', [...create, ...own], { encoding: 'utf8' })).toBe('');
      const importUrl = `${victoriaMetricsUrl}/api/v1/import/prometheus`;
      const body = readFileSync(path);
      expect((await fetch(importUrl, { method: 'PUT', body })).status).toBe(204);
    }
    // Otherwise what was imported takes some seconds to be found.
    expect((await fetch(`${victoriaMetricsUrl}/internal/force_flush`)).status).toBe(200);
    const exported = await fetch(`${victoriaMetricsUrl}/api/v1/export?match[]={job="solar"}`);
    const lines = (await exported.text()).trimEnd().split('\n');
    const imported = lines.map(
      (line) => (JSON.parse(line) as { values: readonly number[] }).values.length,
    );
    expect(written).toBeGreaterThan(10_000);
    expect(sumOf(imported)).toBe(written);
    const prometheus = await startPrometheus('{}', storage);

    let absent = 0;
    for (let atMs = fromMs + HOUR_MS; atMs < toMs; atMs += 2 * HOUR_MS) {
      const stepMs = Math.floor(atMs / STEP_MS) * STEP_MS;
      let readAtMs = Math.floor(stepMs / (5 * MINUTE_MS)) * 5 * MINUTE_MS;
      if (readAtMs >= gap.fromMs && readAtMs < gap.toMs) readAtMs = gap.fromMs - 5 * MINUTE_MS;
      const { pvPowerWatts, batterySocRatio } = simulator.truth(deviceId, readAtMs);
      const isShown = stepMs - readAtMs <= MAX_AGE_MS;
      if (!isShown) absent += 1;
      for (const [metric, truth, tolerance] of [
        ['solar_pv_power_watts', pvPowerWatts, 0.5],
        ['solar_battery_soc_ratio', batterySocRatio, 0.005],
      ] as const) {
        // On no step, so that either database has one step behind it.
        const query = `last_over_time(${metric}{job="solar",instance="localhost:9877",device_id="${deviceId}"}[4m])`;
        const shown = [
          await prometheus.query(query, atMs + 1000),
          await instantQuery(victoriaMetricsUrl, query, atMs + 1000),
        ];
        for (const samples of shown) {
          expect(samples).toHaveLength(isShown ? 1 : 0);
          for (const { value } of samples)
            expect(Math.abs(value - truth)).toBeLessThanOrEqual(tolerance + 1e-6);
        }
      }
    }
    expect(absent).toBeGreaterThan(0);
    // What the dashboard asks: of noon in Manila, and of the hour before.
    const noonMs = toMs - 20 * HOUR_MS;
    const { pvPowerWatts, loadPowerWatts } = simulator.truth(deviceId, noonMs);
    const answer = async (panel: string) => {
      const { expression = '' } = ALL_QUERIES.find(({ name }) => name === panel) ?? {};
      return (await prometheus.query(substitute(expression), noonMs))[0]?.value;
    };
    expect(await answer('Power: PV')).toBeCloseTo(pvPowerWatts, 0);
    expect(await answer('Power: house')).toBeCloseTo(-loadPowerWatts, -1);
    expect(await answer('Energy by the hour: PV')).toBeCloseTo(pvPowerWatts / 1000, 0);
  },
);
