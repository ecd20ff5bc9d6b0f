import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { parseConfig } from '../../src/config/config.ts';
import { type RunningExporter, startExporter } from '../../src/exporter/exporter.ts';
import type {
  InverterState,
  Simulator,
  SimulatorOptions,
} from '../../src/simulator/simulator.ts';
import { temporaryDirectory } from '../support/prometheus.ts';
import {
  credentialsFor,
  HOUR_MS,
  MINUTE_MS,
  type ScrapedPage,
  scrapePage,
  startService,
  SteeredClock,
} from '../doors/house.ts';
import { SilentLog } from '../support/silent-log.ts';

/** The power of each flow, by its label. */
export const FLOWS: Readonly<Record<string, (state: InverterState) => number>> = {
  pv: (state) => state.pvPowerWatts,
  load: (state) => state.loadPowerWatts,
  grid_import: (state) => state.gridImportPowerWatts,
  grid_feed_in: (state) => state.gridFeedInPowerWatts,
  battery_charge: (state) => Math.max(0, -state.batteryPowerWatts),
  battery_discharge: (state) => Math.max(0, state.batteryPowerWatts),
};

/** From one instant up to another. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Energy in kWh, by flow. */
export type ByFlow = Readonly<Record<string, number>>;

/** A simulated house with one device, and an exporter that is started again and again; its directory stays. */
export async function startHouse(now: string, options: Partial<SimulatorOptions> = {}) {
  const clock = new SteeredClock(now);
  const { simulator, serviceUrl, deviceId } = await startService(options, clock);
  const stateDir = join(temporaryDirectory(), 'state');
  const log = new SilentLog();
  let exporter: RunningExporter | undefined;
  const stop = async (): Promise<void> => {
    await exporter?.stop();
    exporter = undefined;
  };
  onTestFinished(stop);
  async function start(): Promise<RunningExporter> {
    const { config } = await parseConfig({
      flags: {
        'base-url': serviceUrl,
        'web.listen-address': '127.0.0.1:0',
        'scrape.timeout': '5m',
        'state.dir': stateDir,
      },
      env: credentialsFor(simulator),
      readFile: () => '',
    });
    return startExporter(config, {
      runtime: { clock, random: () => 0.5, newNonce: () => randomBytes(16).toString('hex') },
      build: { version: '1.2.3', revision: 'test', nodeVersion: '20.0.0' },
      log,
      readFile: () => '',
    });
  }
  /** Scrapes once, after starting the exporter where it does not run. */
  async function scrape(): Promise<ScrapedPage> {
    exporter ??= await start();
    return scrapePage(exporter.url);
  }
  return { clock, simulator, deviceId, log, stop, scrape };
}

/** What the counters of a page say. */
export function countedKwh(page: ScrapedPage): ByFlow {
  const samples = page.all('solar_device_energy_kwh_total');
  return Object.fromEntries(samples.map(({ labels, value }) => [labels['flow'] ?? '', value]));
}

/** What flowed in these spans, in kWh, minute by minute as the simulator has it. */
export function truthKwh(simulator: Simulator, deviceId: string, spans: readonly Span[]): ByFlow {
  const wattMinutes = Object.fromEntries(Object.keys(FLOWS).map((flow) => [flow, 0]));
  for (const { fromMs, toMs } of spans)
    for (let atMs = fromMs; atMs < toMs; atMs += MINUTE_MS) {
      const state = simulator.truth(deviceId, atMs);
      for (const [flow, watts] of Object.entries(FLOWS))
        wattMinutes[flow] = (wattMinutes[flow] ?? 0) + watts(state);
    }
  return Object.fromEntries(
    Object.entries(wattMinutes).map(([flow, sum]) => [flow, (sum * MINUTE_MS) / HOUR_MS / 1000]),
  );
}

/** How finely the line between two points is summed up. */
const PARTS = 20;

/** What flowed in these spans, in kWh, if every power went in a straight line from point to point. */
export function lineKwh(
  simulator: Simulator,
  deviceId: string,
  spans: readonly Span[],
  intervalMs: number,
): ByFlow {
  const powers = (atMs: number): readonly number[] => {
    const state = simulator.truth(deviceId, atMs);
    const grid = state.gridImportPowerWatts - state.gridFeedInPowerWatts;
    return [state.pvPowerWatts, state.loadPowerWatts, grid, state.batteryPowerWatts];
  };
  const sums: Record<string, number> = {};
  const add = (flow: string, watts: number): void => {
    const hours = intervalMs / HOUR_MS / PARTS;
    sums[flow] = (sums[flow] ?? 0) + (Math.max(0, watts) * hours) / 1000;
  };
  for (const { fromMs, toMs } of spans) {
    let before = powers(fromMs);
    for (let atMs = fromMs + intervalMs; atMs <= toMs; atMs += intervalMs) {
      const after = powers(atMs);
      for (let part = 0; part < PARTS; part += 1) {
        const share = (part + 0.5) / PARTS;
        const [pv = 0, load = 0, grid = 0, battery = 0] = before.map(
          (watts, index) => watts + share * ((after[index] ?? NaN) - watts),
        );
        add('pv', pv);
        add('load', load);
        add('grid_import', grid);
        add('grid_feed_in', -grid);
        add('battery_discharge', battery);
        add('battery_charge', -battery);
      }
      before = after;
    }
  }
  return sums;
}
