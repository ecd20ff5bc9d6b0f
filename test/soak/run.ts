import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { startExporter } from './exporter-process.ts';
import { type Observation, judge } from './judgement.ts';
import { readProcess } from './process-reading.ts';
import { PrometheusLike } from './prometheus-like.ts';
import { startService } from './service-process.ts';
import { HEADING, row } from './table.ts';
import { visit } from './visitors.ts';

// Runs the built exporter for minutes against a service that misbehaves, and fails when anything grows.

const SCRAPE_INTERVAL_MS = 1000;
const SCRAPES_PER_OBSERVATION = 10;
const { SOAK_MINUTES = '10' } = process.env;
const minutes = Number(SOAK_MINUTES);
if (!(minutes > 0))
  throw new Error(`SOAK_MINUTES: "${SOAK_MINUTES}" is not a number of minutes; accepted: 10, 0.5`);

if (process.platform !== 'linux') throw new Error('/proc is read, which only Linux has');

const service = await startService();
const exporter = await startExporter(service.environment);
const prometheus = new PrometheusLike(exporter.url);
const observations: Observation[] = [];
const startedAtMs = performance.now();
process.stdout.write(`${HEADING}\n`);
for (let second = 1; second <= minutes * 60; second += 1) {
  await Promise.all([prometheus.scrape(), visit(exporter.url, second)]);
  if (second % SCRAPES_PER_OBSERVATION === 0) {
    const observation = await observe();
    observations.push(observation);
    process.stdout.write(`${row(observation)}\n`);
  }
  await sleep(startedAtMs + second * SCRAPE_INTERVAL_MS - performance.now());
}
prometheus.close();
const exitStatus = await exporter.stop();
service.stop();

const verdicts = judge({
  observations,
  failures: prometheus.failures,
  errors: exporter.errors,
  exitStatus,
});
for (const { name, value, limit, isWithin } of verdicts)
  process.stdout.write(`${isWithin ? 'ok  ' : 'OVER'}  ${name}: ${value} (${limit})\n`);
for (const line of [...new Set([...prometheus.failures, ...exporter.errors])])
  process.stdout.write(`${line}\n`);
process.exitCode = verdicts.every(({ isWithin }) => isWithin) ? 0 : 1;

async function observe(): Promise<Observation> {
  return {
    // First, before garbage is collected.
    ...readProcess(exporter.pid),
    minute: (performance.now() - startedAtMs) / 60_000,
    round: service.round,
    heapKibibytes: (await exporter.heapBytes()) / 1024,
    eventLoopLagSeconds: prometheus.value('nodejs_eventloop_lag_max_seconds') ?? Number.NaN,
    scrapes: prometheus.scrapes,
    failed: prometheus.failures.length,
    slowestMs: prometheus.slowestMs,
    requests: service.requests,
  };
}
