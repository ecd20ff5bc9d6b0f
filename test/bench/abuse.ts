import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { hashSync } from 'bcryptjs';
import { systemClock } from '../../src/base/clock.ts';
import { createSimulator } from '../../src/simulator/simulator.ts';
import { type Abuse, ABUSE_MS, type AbuseKind, ABUSES } from './abuse-kinds.ts';
import type { Answered, Observed } from './programs/calm-client.ts';
import { benchProgram, type RunningProgram, startCli } from './processes.ts';
import { atLeast, atMost, judged, quantile, type Result } from './result.ts';
import type { Scope } from './scope.ts';

const run = promisify(execFile);

const USUAL_DEVICES = 100;
/** The abuse is under way before the calm client comes, and outlasts it. */
const MARGIN_MS = 700;
const HEALTH_LIMIT = atMost(50);
const RIGHT = `Basic ${Buffer.from('prometheus:right').toString('base64')}`;

/** Memory after an abuse may exceed what it was before it by so much, for what Node.js keeps for the next load. */
const LIMIT_MEBIBYTES = 30;
/** How long the exporter is given to get back to its memory, with a scrape every so often. */
const RECOVERY_MS = 10_000;
const RECOVERY_EVERY_MS = 100;

/** What a calm client sees of `/-/healthy` and `/metrics` while others abuse the server, and what memory is left. */
export async function abuse({ kinds }: Scope): Promise<readonly Result[]> {
  const chosen = (Object.keys(ABUSES) as Abuse[]).filter(
    (kind) => kinds.length === 0 || kinds.includes(kind),
  );
  const results: Result[] = [];
  for (const kind of chosen) results.push(...(await measure(kind, ABUSES[kind])));
  return results;
}

async function measure(
  name: Abuse,
  { what, devices = USUAL_DEVICES, hasUsers = false, isServiceSilent = false }: AbuseKind,
): Promise<readonly Result[]> {
  const folder = mkdtempSync(join(tmpdir(), 'solar-bench-'));
  const webConfig = join(folder, 'web.yml');
  const users = `basic_auth_users: {prometheus: "${hashSync('right', 10)}"}\nauth_excluded_paths: [/-/healthy]\n`;
  writeFileSync(webConfig, hasUsers ? users : '');
  const simulator = createSimulator({ devicesPerStation: devices }, systemClock);
  const baseUrl = await simulator.start();
  const { account, password, appId, appSecret } = simulator.options;
  const exporter = await startCli(
    [
      'serve',
      '--web.listen-address=127.0.0.1:0',
      `--web.config.file=${webConfig}`,
      // What a refresh of thousands of devices costs is measured elsewhere.
      '--cache.readings-ttl=10m',
    ],
    {
      SOLAR_BASE_URL: baseUrl,
      SOLAR_ACCOUNT: account,
      SOLAR_PASSWORD: password,
      SOLAR_APP_ID: appId,
      SOLAR_APP_SECRET: appSecret,
    },
  );
  if (isServiceSilent) simulator.setFault('*', { kind: 'hang' });
  else await fillCaches(exporter);
  const memory = watchMemory(exporter);
  const abused = run(process.execPath, [benchProgram('abuser'), exporter.url, name]);
  await sleep(MARGIN_MS);
  const calm = [benchProgram('calm-client'), exporter.url, String(ABUSE_MS - 3 * MARGIN_MS), RIGHT];
  const { stdout } = await run(process.execPath, calm, { maxBuffer: 16_000_000 });
  const loadAverage = loadavg()[0] ?? 0;
  const { stdout: abuserAnswers } = await abused;
  const { before, peak, after } = await memory.recovered();
  await simulator.stop();
  await exporter.stop();
  rmSync(folder, { recursive: true });
  const { health, scrapes, latenessMs } = JSON.parse(stdout) as Observed;
  const p99Ms = quantile(times(health), 0.99);
  const scrapedRatio = scrapes.filter(({ status }) => status === 200).length / scrapes.length;
  const isAnswered = health.every(({ status }) => status === 200);
  return [
    judged(
      {
        name: `/-/healthy during ${name}, p99`,
        value: p99Ms,
        unit: 'ms',
        detail: [
          `${what}, ${ABUSE_MS / 1000} s, ${Number(abuserAnswers)} answers; ${devices} devices`,
          figures(health),
          `load average ${loadAverage.toFixed(1)}, by which the client itself was late: p99 ${quantile(latenessMs, 0.99).toFixed(1)} ms`,
        ].join('; '),
      },
      HEALTH_LIMIT,
      { text: 'all answered', isTrue: isAnswered },
    ),
    judged(
      {
        name: `scrapes answered 200 during ${name}`,
        value: scrapedRatio,
        unit: 'of all',
        detail: figures(scrapes),
      },
      // While the service is silent, there is nothing to scrape.
      atLeast(isServiceSilent ? 0 : 1),
    ),
    judged(
      {
        name: `memory after ${name}`,
        value: after - before,
        unit: 'MiB more than before',
        detail: `before ${before.toFixed(0)}, peak ${peak.toFixed(0)}, after ${after.toFixed(0)} MiB`,
      },
      atMost(LIMIT_MEBIBYTES),
    ),
  ];
}

/** Watches the resident memory of a program from now on. */
function watchMemory(exporter: RunningProgram) {
  const before = exporter.rssMebibytes();
  let peak = before;
  const timer = setInterval(() => (peak = Math.max(peak, exporter.rssMebibytes())), 50);
  return {
    /** Waits until the program has had time to let go of what the abuse cost, scraped as always. */
    recovered: async () => {
      const endsAtMs = performance.now() + RECOVERY_MS;
      while (performance.now() < endsAtMs && exporter.rssMebibytes() - before > LIMIT_MEBIBYTES) {
        await sleep(RECOVERY_EVERY_MS);
        const headers = { 'accept-encoding': 'gzip', authorization: RIGHT };
        await fetch(new URL('/metrics', exporter.url), { headers })
          .then((answer) => answer.arrayBuffer())
          .catch(() => undefined);
      }
      clearInterval(timer);
      return { before, peak, after: exporter.rssMebibytes() };
    },
  };
}

/** Every page is made before the abuse begins, plain and compressed. */
async function fillCaches({ url }: RunningProgram): Promise<void> {
  for (const encoding of ['identity', 'gzip']) {
    const headers = { 'accept-encoding': encoding, authorization: RIGHT };
    for (const path of ['/metrics', '/'])
      await (await fetch(new URL(path, url), { headers })).arrayBuffer();
  }
}

function figures(answers: readonly Answered[]): string {
  const shares = [0.5, 0.99, 1].map((share) => quantile(times(answers), share).toFixed(1));
  const statuses = [...new Set(answers.map(({ status }) => status))];
  const counts = statuses.map((status) => {
    const count = answers.filter((answer) => answer.status === status).length;
    return `${count} x ${status === 0 ? 'no answer' : status}`;
  });
  return `p50/p99/max ${shares.join('/')} ms (${counts.join(', ')})`;
}

const times = (answers: readonly Answered[]) => answers.map(({ latencyMs }) => latencyMs);
