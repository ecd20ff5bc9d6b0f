import { gunzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { startExporter } from '../../../src/exporter/exporter.ts';
import type { ExporterOptions } from '../../../src/exporter/options.ts';
import { Secret } from '../../../src/base/secret.ts';
import { createSimulator, type SimulatorOptions } from '../../../src/simulator/simulator.ts';
import { LIFETIMES } from '../../collectors/collection-harness.ts';
import { clientOf } from '../../support/running-server.ts';
import { samplesOf } from '../../metrics/exposition.ts';
import { SERVICE_PATHS } from '../../support/service-paths.ts';
import { SilentLog } from '../../support/silent-log.ts';

const BUILD = { version: '1.2.3', revision: 'abc1234', nodeVersion: 'v20.19.0' };
const MIDSUMMER_NOON_MS = Date.parse('2026-06-21T04:00:00Z'); // in Manila

/** Starts an exporter of the simulated service, both on loopback, at noon in June. */
async function createExporter(
  changes: Partial<ExporterOptions> = {},
  service: Partial<SimulatorOptions> = {},
) {
  let nowMs = MIDSUMMER_NOON_MS;
  const clock = { ...systemClock, nowMs: () => nowMs };
  const simulator = createSimulator({ stations: 2, ...service }, clock);
  const baseUrl = await simulator.start();
  onTestFinished(() => simulator.stop());
  const { account, password, appId, appSecret } = simulator.options;
  const log = new SilentLog();
  let nonces = 0;
  const exporter = await startExporter(
    {
      baseUrl,
      authUrl: baseUrl,
      paths: SERVICE_PATHS,
      account,
      password: new Secret(password),
      appId,
      appSecret: new Secret(appSecret),
      request: { timeoutMs: 5000, concurrency: 8 },
      stationIds: [],
      collect: { settings: false, alarms: false, energy: false, process: false },
      cache: LIFETIMES,
      scrapeTimeoutMs: 5000,
      limit: { series: 500_000 },
      web: {
        listenAddress: { host: '127.0.0.1', port: 0 },
        telemetryPath: '/metrics',
        isLifecycleEnabled: false,
        maxRequests: 40,
      },
      ...changes,
    },
    {
      runtime: {
        clock,
        random: () => 0.5,
        newNonce: () => String((nonces += 1)).padStart(32, '0'),
      },
      build: BUILD,
      log,
      readFile: () => '',
    },
  );
  onTestFinished(() => exporter.stop());
  const { ask } = clientOf(exporter);
  const samples = async () => samplesOf((await ask('/metrics')).body.toString('utf8'));
  const advance = (durationMs: number) => (nowMs += durationMs);
  return { simulator, exporter, log, ask, samples, advance };
}

describe('the exporter', () => {
  test('sends no request before the first scrape, which has values', async () => {
    const { simulator, samples } = await createExporter();
    expect(simulator.requests()).toBe(0);
    const page = await samples();
    for (const stationId of simulator.stationIds) {
      const [deviceId = ''] = simulator.deviceIds(stationId);
      const labels = { station_id: stationId, device_id: deviceId };
      expect(page).toContainEqual({
        name: 'solar_up',
        labels: { station_id: stationId },
        value: 1,
      });
      expect(page).toContainEqual({ name: 'solar_device_reporting', labels, value: 1 });
      const pvPower = page.find(
        ({ name, labels: { device_id } }) =>
          name === 'solar_pv_power_watts' && device_id === deviceId,
      );
      expect(pvPower?.value).toBeGreaterThan(0);
    }
  });

  test('logs in once and sends each request once for scrapes that overlap', async () => {
    const { simulator, ask } = await createExporter();
    await Promise.all([ask('/metrics'), ask('/metrics'), ask('/metrics')]);
    await ask('/metrics');
    expect(simulator.requests('login')).toBe(1);
    expect(simulator.requests('stations')).toBe(1);
    expect(simulator.requests('readings')).toBe(2);
  });

  test('shows its build, its session and its own requests', async () => {
    const { samples } = await createExporter();
    const page = await samples();
    expect(page).toContainEqual({
      name: 'solar_exporter_build_info',
      labels: { version: '1.2.3', revision: 'abc1234', node_version: 'v20.19.0' },
      value: 1,
    });
    expect(page).toContainEqual({
      name: 'solar_token_expiry_timestamp_seconds',
      labels: {},
      value: MIDSUMMER_NOON_MS / 1000 + 7200,
    });
    expect(page).toContainEqual({
      name: 'solar_api_requests_total',
      labels: { operation: 'readings', outcome: 'ok' },
      value: 2,
    });
    expect(page.filter(({ name }) => /^(process|nodejs)_/.test(name))).toEqual([]);
  });

  test('answers 200 and down while the service fails, and recovers with it', async () => {
    const { simulator, samples, ask, advance, log } = await createExporter();
    simulator.setFault('*', { kind: 'status', status: 503 });
    expect((await ask('/metrics')).status).toBe(200);
    expect(await samples()).toContainEqual({ name: 'solar_up', labels: {}, value: 0 });

    simulator.setFault('*', undefined);
    advance(2000);
    const [stationId = ''] = simulator.stationIds;
    const labels = { station_id: stationId };
    expect(await samples()).toContainEqual({ name: 'solar_up', labels, value: 1 });
    expect(log.lines.map(({ message }) => message)).toEqual([
      'listening',
      'session not renewed',
      'collector failed',
      'session renewed',
      'collector recovered',
    ]);
  });

  test('collects the stations that are configured, in the time zone that is configured', async () => {
    const [stationId = ''] = createSimulator({ stations: 2 }, systemClock).stationIds;
    const { simulator, samples } = await createExporter({
      stationIds: [stationId],
      timeZone: 'Europe/Berlin',
    });
    const page = await samples();
    expect(simulator.requests('stations')).toBe(0);
    const stations = page.filter(({ name }) => name === 'solar_station_info');
    expect(stations.map(({ labels }) => [labels['station_id'], labels['time_zone']])).toEqual([
      [stationId, 'Europe/Berlin'],
    ]);
  });

  test('shows settings and the process when asked to, under the path it was told', async () => {
    const { ask } = await createExporter({
      collect: { settings: true, alarms: false, energy: false, process: true },
      web: {
        listenAddress: { host: '127.0.0.1', port: 0 },
        telemetryPath: '/solar',
        isLifecycleEnabled: false,
        maxRequests: 40,
      },
    });
    const { body } = await ask('/solar', { headers: { 'accept-encoding': 'gzip' } });
    const names = new Set(samplesOf(gunzipSync(body).toString('utf8')).map(({ name }) => name));
    expect(names).toContain('solar_device_setting_info');
    expect(names).toContain('process_resident_memory_bytes');
    expect((await ask('/')).body.toString('utf8')).toContain('version 1.2.3');
  });

  test('says where it listens', async () => {
    const { exporter, log } = await createExporter();
    expect(log.lines).toEqual([
      { level: 'info', fields: { url: exporter.url, version: '1.2.3' }, message: 'listening' },
    ]);
  });

  test('refuses to start on a port that is taken', async () => {
    const { exporter } = await createExporter();
    const port = Number(new URL(exporter.url).port);
    const started = createExporter({
      web: {
        listenAddress: { host: '127.0.0.1', port },
        telemetryPath: '/metrics',
        isLifecycleEnabled: false,
        maxRequests: 40,
      },
    });
    await expect(started).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });

  test('does not answer once it is stopped', async () => {
    const { exporter, ask } = await createExporter();
    await ask('/metrics');
    await exporter.stop();
    await expect(ask('/metrics')).rejects.toThrow(/ECONNREFUSED|ECONNRESET|socket hang up/);
  });
});
