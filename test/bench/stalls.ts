import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { HealthSeen } from './programs/health-client.ts';
import { type ObservedExporter, startExporter, startService } from './observed.ts';
import type { Usage } from './programs/observe-usage.ts';
import { benchProgram, type RunningProgram, startNode } from './processes.ts';
import { rawAnswer } from './raw-answer.ts';
import { atMost, judged, type Result } from './result.ts';
import type { Scope } from './scope.ts';

const DEVICES = 10_000;
/** Long enough for a few dozen probes, however quickly the phase is over. */
const LEAST_PHASE_MS = 500;
const LIMIT = atMost(50);

/** Nothing is refreshed twice while the pages are looked at; then everything is due at once. */
const AT_REST = 'cache: {readings-ttl: 1h}\n';
const ALL_DUE = 'cache: {readings-ttl: 1s}\n';

/** What an exporter does while it is watched. */
interface Phase {
  readonly what: string;
  readonly run: (exporter: RunningProgram) => Promise<unknown>;
  /** The configuration that it needs in place of the one before. */
  readonly config?: string;
}

/** In this order: each needs what those before it have left. */
const PHASES: readonly Phase[] = [
  { what: 'the first refresh', run: scrape('/metrics') },
  { what: 'a plain scrape', run: scrape('/metrics') },
  { what: 'a compressed scrape', run: scrape('/metrics', 'gzip') },
  { what: 'the status page', run: scrape('/') },
  { what: 'the status as JSON', run: scrape('/api/v1/status') },
  { what: '/sd', run: scrape('/sd') },
  { what: 'a steady refresh', run: scrape('/metrics', 'gzip'), config: ALL_DUE },
];

/** How long the exporter keeps everybody waiting while it does one thing, at 10,000 devices. */
export async function stalls({ kinds }: Scope): Promise<readonly Result[]> {
  const folder = mkdtempSync(join(tmpdir(), 'solar-bench-'));
  const configFile = join(folder, 'solar.yml');
  writeFileSync(configFile, AT_REST);
  const service = await startService(DEVICES);
  const exporter = await startExporter(
    service,
    `--config.file=${configFile}`,
    '--web.enable-lifecycle',
    '--scrape.timeout=5m',
    '--request.concurrency=64',
  );
  const client = await startNode([benchProgram('health-client'), exporter.url], {
    hasChannel: true,
  });
  const results: Result[] = [];
  for (const { what, run, config } of PHASES) {
    if (config !== undefined) {
      writeFileSync(configFile, config);
      await fetch(new URL('/-/reload', exporter.url), { method: 'POST' });
      await sleep(LEAST_PHASE_MS);
    }
    const { usage, seen } = await watched(exporter, client, () => run(exporter));
    if (kinds.length === 0 || kinds.includes(what)) results.push(...figures(what, usage, seen));
  }
  await client.stop();
  await exporter.stop();
  await service.stop();
  rmSync(folder, { recursive: true });
  return results;
}

async function watched(
  exporter: ObservedExporter,
  client: RunningProgram,
  run: () => Promise<unknown>,
): Promise<{ readonly usage: Usage; readonly seen: HealthSeen }> {
  await client.ask('begin');
  const usage = await exporter.during(() => Promise.all([run(), sleep(LEAST_PHASE_MS)]));
  return { usage, seen: (await client.ask('end')) as HealthSeen };
}

function figures(
  what: string,
  { cpuMs, delayP99Ms, delayMaxMs }: Usage,
  { answers, failures, p99Ms, maxMs, lateP99Ms, lateMaxMs }: HealthSeen,
): readonly Result[] {
  const late = `the client itself was late by p99 ${lateP99Ms.toFixed(1)}, at most ${lateMaxMs.toFixed(1)} ms`;
  return [
    judged(
      {
        name: `longest stall during ${what}, ${DEVICES} devices`,
        value: delayMaxMs,
        unit: 'ms',
        detail: `event-loop delay, p99 ${delayP99Ms.toFixed(1)} ms, ${cpuMs.toFixed(0)} ms of CPU; ${late}`,
      },
      LIMIT,
    ),
    judged(
      {
        name: `/-/healthy during ${what}, ${DEVICES} devices, p99`,
        value: p99Ms,
        unit: 'ms',
        detail: `at most ${maxMs.toFixed(1)} ms of ${answers}; ${late}`,
      },
      LIMIT,
      { text: 'all answered', isTrue: failures === 0 },
    ),
  ];
}

function scrape(path: string, encoding = 'identity') {
  return async ({ url }: RunningProgram): Promise<void> => {
    const { status } = await rawAnswer(new URL(path, url), { 'accept-encoding': encoding });
    if (status !== 200) throw new Error(`${path} was answered with ${status}`);
  };
}
