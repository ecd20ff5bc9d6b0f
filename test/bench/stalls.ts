import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Seen } from './programs/calm-client.ts';
import {
  benchProgram,
  SERVE,
  simulate,
  startCli,
  startNode,
  startObserved,
  temporaryFolder,
} from './processes.ts';
import { rawAnswer } from './raw-answer.ts';
import { atMost, judged, quantile, type Result } from './result.ts';

const DEVICES = 10_000;
/** Long enough for a few dozen probes, however quickly the phase is over. */
const LEAST_PHASE_MS = 500;
const LIMIT = atMost(150);

/** Nothing is refreshed twice while the pages are looked at; then everything is due at once. */
const AT_REST = 'cache: {readings-ttl: 1h}\n';
const ALL_DUE = 'cache: {readings-ttl: 1s}\n';

/** What an exporter does while it is watched, in this order: each needs what those before it have left. */
const PHASES: readonly (readonly [what: string, path: string, encoding: string])[] = [
  ['the first refresh', '/metrics', 'identity'],
  ['a plain scrape', '/metrics', 'identity'],
  ['a compressed scrape', '/metrics', 'gzip'],
  ['the status page', '/', 'identity'],
  ['the status as JSON', '/api/v1/status', 'identity'],
  ['/sd', '/sd', 'identity'],
  ['a steady refresh', '/metrics', 'gzip'],
];

/** How long the exporter keeps everybody waiting while it does one thing, at 10,000 devices. */
export async function stalls(): Promise<readonly Result[]> {
  const configFile = join(temporaryFolder(), 'solar.yml');
  writeFileSync(configFile, AT_REST);
  const service = await startCli(simulate(DEVICES));
  const flags = ['--web.enable-lifecycle', '--scrape.timeout=5m', '--request.concurrency=64'];
  const exporter = await startObserved(
    [...SERVE, `--config.file=${configFile}`, ...flags],
    service.environment,
  );
  const client = await startNode([benchProgram('calm-client'), exporter.url], { hasChannel: true });
  const results: Result[] = [];
  for (const [what, path, encoding] of PHASES) {
    if (what === 'a steady refresh') {
      writeFileSync(configFile, ALL_DUE);
      await fetch(new URL('/-/reload', exporter.url), { method: 'POST' });
      await sleep(LEAST_PHASE_MS);
    }
    const run = async (): Promise<void> => {
      const headers = { 'accept-encoding': encoding };
      const { status } = await rawAnswer(new URL(path, exporter.url), headers);
      if (status !== 200) throw new Error(`${path} was answered with ${status}`);
    };
    await client.ask('begin');
    const used = await exporter.during(() => Promise.all([run(), sleep(LEAST_PHASE_MS)]));
    const { health, latenessMs } = (await client.ask('end')) as Seen;
    const detail = `${used.cpuMs.toFixed(0)} ms of CPU; the client itself was late by p99 ${quantile(latenessMs, 0.99).toFixed(1)} ms`;
    const during = `during ${what}, ${DEVICES} devices`;
    const p99Ms = quantile(
      health.map(({ latencyMs }) => latencyMs),
      0.99,
    );
    const holds = health.every(({ status }) => status === 200);
    results.push(
      judged(
        { name: `longest stall ${during}`, value: used.delayMaxMs, unit: 'ms', detail },
        LIMIT,
      ),
      judged({ name: `/-/healthy ${during}, p99`, value: p99Ms, unit: 'ms', detail, holds }, LIMIT),
    );
  }
  for (const program of [client, exporter, service]) await program.stop();
  return results;
}
