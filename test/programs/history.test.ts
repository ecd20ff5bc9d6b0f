import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { calendarOf } from '../../src/base/time-zone.ts';
import { sumOf } from '../../src/model/units.ts';
import { FakeProcess, startProcess } from '../doors/commands/fake-process.ts';
import { HOUR_MS, MINUTE_MS, SteeredClock } from '../doors/house.ts';
import { queryNamed } from '../support/dashboard.ts';
import { hasProgram } from '../support/programs.ts';
import {
  instantQuery,
  startPrometheus,
  startVictoriaMetrics,
  temporaryDirectory,
} from '../support/prometheus.ts';

const STEP_MS = 4 * MINUTE_MS;
/** What a device that sends every five minutes may be silent for before it is shown no longer. */
const MAX_AGE_MS = 15 * MINUTE_MS;
const canRun = ['prometheus', 'promtool', 'victoria-metrics'].every(hasProgram);

test.runIf(canRun)('what databases import of the files is the truth, in whole months', async () => {
  // In July, when the clocks have changed since February.
  const [now, timeZone, hoursWest] = ['2025-07-20T12:00:00Z', 'America/Los_Angeles', 7];
  const calendar = calendarOf(timeZone);
  const startOf = (day: string): number => calendar.instantAt(Date.parse(day));
  const simulated = { timeZone, seed: 21, mostPoints: 700 };
  const shell = new FakeProcess(new SteeredClock(now));
  const { simulator, deviceId } = await startProcess(simulated, shell);
  const [fromMs, toMs] = [startOf('2025-06-29'), startOf('2025-07-02')];
  const gap = { fromMs: toMs - 38 * HOUR_MS, toMs: toMs - 34 * HOUR_MS };
  simulator.setGap(deviceId, gap.fromMs, gap.toMs);
  const files = join(temporaryDirectory(), 'files');
  for (const [from, to] of [
    ['2025-02-27', '2025-03-02'],
    ['2025-06-29', '2025-07-02'],
  ]) {
    const argv = [`--from=${from}`, `--to=${to}`, '--interval=4m', '--request.rate=1000'];
    const ran = await shell.run('history', `--output=${files}`, ...argv);
    expect(ran, ran.complaints).toMatchObject({ status: 0 });
  }
  const [prometheus, victoriaMetricsUrl] = [await prometheusOf(files), await victoriaOf(files)];

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

  // What the dashboard asks: of noon, and of the hour before.
  const noonMs = toMs - 12 * HOUR_MS;
  const { pvPowerWatts, loadPowerWatts } = simulator.truth(deviceId, noonMs);
  const answer = async (panel: string) =>
    (await prometheus.query(queryNamed(panel), noonMs))[0]?.value;
  expect(await answer('Power: PV')).toBeCloseTo(pvPowerWatts, 0);
  expect(await answer('Power: house')).toBeCloseTo(-loadPowerWatts, -1);
  expect(await answer('Energy by the hour: PV')).toBeCloseTo(pvPowerWatts / 1000, 0);
  for (const first of ['2025-03-01', '2025-07-01']) {
    const endsAtMs = startOf(first);
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
    const shown = await kwhOf(queryNamed('The last 12 months: {{flow}}'), midnightMs);
    expect(Object.keys(shown)).toHaveLength(6);
    for (const [flow, kwh = NaN] of Object.entries(shown))
      expect(kwh, `${flow} until ${first}`).toBeCloseTo(
        (before[flow] ?? NaN) + (lastDay[flow] ?? NaN),
        0,
      );
  }
});

/** The files of a directory that databases import. */
const importedOf = (files: string): readonly string[] =>
  readdirSync(files)
    .filter((file) => file.endsWith('.om'))
    .map((name) => join(files, name));

/** Imports every file of a directory as its header says, and starts a Prometheus with that. */
async function prometheusOf(files: string) {
  const storage = join(temporaryDirectory(), 'storage');
  const create = ['tsdb', 'create-blocks-from', 'openmetrics', '--quiet'];
  for (const path of importedOf(files)) {
    const own = ['--max-block-duration=1458h', path, storage];
    expect(execFileSync('promtool', [...create, ...own], { encoding: 'utf8' })).toBe('');
  }
  return startPrometheus('{}', storage);
}

/** Lets a VictoriaMetrics import the same, and expects that it has every value; resolves to its URL. */
async function victoriaOf(files: string): Promise<string> {
  const url = await startVictoriaMetrics();
  let written = 0;
  for (const path of importedOf(files)) {
    const body = readFileSync(path);
    written += String(body).match(/^solar_/gm)?.length ?? 0;
    const imported = await fetch(`${url}/api/v1/import/prometheus`, { method: 'PUT', body });
    expect(imported.status).toBe(204);
  }
  // Otherwise what was imported takes some seconds to be found.
  expect((await fetch(`${url}/internal/force_flush`)).status).toBe(200);
  const exported = await fetch(`${url}/api/v1/export?match[]={job="solar"}`);
  const lines = (await exported.text()).trimEnd().split('\n');
  const counts = lines.map(
    (line) => (JSON.parse(line) as { values: readonly number[] }).values.length,
  );
  expect(written).toBeGreaterThan(10_000);
  expect(sumOf(counts)).toBe(written);
  return url;
}
