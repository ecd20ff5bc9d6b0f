import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { calendarOf } from '../../src/base/time-zone.ts';
import { sumOf } from '../../src/model/units.ts';
import { FakeProcess, startProcess } from '../doors/commands/fake-process.ts';
import {
  credentialsFor,
  DAY_MS,
  HOUR_MS,
  MINUTE_MS,
  startService,
  SteeredClock,
} from '../doors/house.ts';
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

/** Imports every file of a directory as its header says, and starts a Prometheus with that. */
async function prometheusOf(files: string) {
  const storage = join(temporaryDirectory(), 'storage');
  const create = ['tsdb', 'create-blocks-from', 'openmetrics', '--quiet'];
  for (const name of readdirSync(files).filter((file) => file.endsWith('.om'))) {
    const own = ['--max-block-duration=1458h', join(files, name), storage];
    expect(execFileSync('promtool', [...create, ...own], { encoding: 'utf8' })).toBe('');
  }
  return startPrometheus('{}', storage);
}

/** The query of a panel of the dashboard. */
function queryOf(panel: string): string {
  const { expression = '' } = ALL_QUERIES.find(({ name }) => name === panel) ?? {};
  return substitute(expression);
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
    const files = join(temporaryDirectory(), 'files');
    const { status, said } = await run(...span(fromMs, toMs), '--interval=4m', `--output=${files}`);
    expect(status, said).toBe(0);
    let written = 0;
    for (const name of readdirSync(files).filter((file) => file.endsWith('.om'))) {
      const path = join(files, name);
      written += readFileSync(path, 'utf8').match(/^solar_/gm)?.length ?? 0;
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
    const prometheus = await prometheusOf(files);

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
    const answer = async (panel: string) =>
      (await prometheus.query(queryOf(panel), noonMs))[0]?.value;
    expect(await answer('Power: PV')).toBeCloseTo(pvPowerWatts, 0);
    expect(await answer('Power: house')).toBeCloseTo(-loadPowerWatts, -1);
    expect(await answer('Energy by the hour: PV')).toBeCloseTo(pvPowerWatts / 1000, 0);
  },
);

test.runIf(canRun)('imported months are whole in the dashboard', async () => {
  // In July, when the clocks have changed since February.
  const [now, timeZone, hoursWest] = ['2026-07-20T12:00:00Z', 'America/Los_Angeles', 7];
  const simulated = { timeZone, sampleIntervalMs: 30 * MINUTE_MS };
  const { shell } = await startProcess(simulated, new FakeProcess(new SteeredClock(now)));
  const files = join(temporaryDirectory(), 'files');
  for (const [from, to] of [
    ['2026-02-27', '2026-03-02'],
    ['2026-06-29', '2026-07-02'],
  ]) {
    const argv = [`--from=${from}`, `--to=${to}`, '--interval=4m', '--request.rate=1000'];
    const ran = await shell.run('history', `--output=${files}`, ...argv);
    expect(ran, ran.complaints).toMatchObject({ status: 0 });
  }
  const prometheus = await prometheusOf(files);
  const calendar = calendarOf(timeZone);
  for (const first of ['2026-03-01', '2026-07-01']) {
    const endsAtMs = calendar.instantAt(Date.parse(first));
    const kwhOf = async (query: string, atMs: number) => {
      const samples = await prometheus.query(query, atMs);
      const kwhs = samples.map(({ metric, value }) => [metric['flow'], value] as const);
      return Object.fromEntries(kwhs) as Partial<Record<string, number>>;
    };
    const dayStartsAtMs = calendar.dayPeriod(endsAtMs - 1).startsAtMs;
    const before = await kwhOf('max_over_time(solar_energy_month_kwh[2h])', dayStartsAtMs);
    const lastDay = await kwhOf('max_over_time(solar_energy_today_kwh[2h])', endsAtMs);
    // Grafana asks at midnights by the present offset of the browser's zone.
    const midnightMs = Date.parse(first) + hoursWest * HOUR_MS;
    const shown = await kwhOf(queryOf('The last 12 months: {{flow}}'), midnightMs);
    expect(Object.keys(shown)).toHaveLength(6);
    for (const [flow, kwh = NaN] of Object.entries(shown))
      expect(kwh, `${flow} until ${first}`).toBeCloseTo(
        (before[flow] ?? NaN) + (lastDay[flow] ?? NaN),
        0,
      );
  }
});
