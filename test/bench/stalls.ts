import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Seen } from './programs/calm-client.ts';
import type { Observed } from './programs/observer.ts';
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
import { atMost, judged, quantile, type Result, type Scope } from './result.ts';

const DEVICES = 10_000;
/** Long enough for a few dozen probes, however quickly the phase is over. */
const LEAST_PHASE_MS = 500;
const LIMIT = atMost(50);

/** Nothing is refreshed twice while the pages are looked at; then everything is due at once. */
const AT_REST = 'cache: {readings-ttl: 1h}\n';
const ALL_DUE = 'cache: {readings-ttl: 1s}\n';

/** What an exporter does while it is watched, in this order: each needs what those before it have left. */
const PHASES: readonly {
  readonly what: string;
  readonly path: string;
  readonly encoding?: string;
  /** The configuration that it needs in place of the one before. */
  readonly config?: string;
}[] = [
  { what: 'the first refresh', path: '/metrics' },
  { what: 'a plain scrape', path: '/metrics' },
  { what: 'a compressed scrape', path: '/metrics', encoding: 'gzip' },
  { what: 'the status page', path: '/' },
  { what: 'the status as JSON', path: '/api/v1/status' },
  { what: '/sd', path: '/sd' },
  { what: 'a steady refresh', path: '/metrics', encoding: 'gzip', config: ALL_DUE },
];

/** How long the exporter keeps everybody waiting while it does one thing, at 10,000 devices. */
export async function stalls({ kinds }: Scope): Promise<readonly Result[]> {
  const configFile = join(temporaryFolder(), 'solar.yml');
  writeFileSync(configFile, AT_REST);
  const service = await startCli(simulate(DEVICES));
  const exporter = await startObserved(
    [
      ...SERVE,
      `--config.file=${configFile}`,
      '--web.enable-lifecycle',
      '--scrape.timeout=5m',
      '--request.concurrency=64',
    ],
    service.environment,
  );
  const client = await startNode([benchProgram('calm-client'), exporter.url], { hasChannel: true });
  const results: Result[] = [];
  for (const { what, path, encoding = 'identity', config } of PHASES) {
    if (config !== undefined) {
      writeFileSync(configFile, config);
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
    const seen = (await client.ask('end')) as Seen;
    if (kinds.length === 0 || kinds.includes(what)) results.push(...figures(what, used, seen));
  }
  for (const program of [client, exporter, service]) await program.stop();
  return results;
}

function figures(
  what: string,
  { cpuMs, delayP99Ms, delayMaxMs }: Observed,
  { health, latenessMs }: Seen,
): readonly Result[] {
  const late = [0.99, 1].map((share) => quantile(latenessMs, share).toFixed(1));
  const detail = `the client itself was late by p99 ${late[0]}, at most ${late[1]} ms`;
  const times = health.map(({ latencyMs }) => latencyMs);
  return [
    judged(
      {
        name: `longest stall during ${what}, ${DEVICES} devices`,
        value: delayMaxMs,
        unit: 'ms',
        detail: `event-loop delay, p99 ${delayP99Ms.toFixed(1)} ms, ${cpuMs.toFixed(0)} ms of CPU; ${detail}`,
      },
      LIMIT,
    ),
    judged(
      {
        name: `/-/healthy during ${what}, ${DEVICES} devices, p99`,
        value: quantile(times, 0.99),
        unit: 'ms',
        detail: `at most ${quantile(times, 1).toFixed(1)} ms of ${times.length}; ${detail}`,
      },
      LIMIT,
      { text: 'all answered', isTrue: health.every(({ status }) => status === 200) },
    ),
  ];
}
