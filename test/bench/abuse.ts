import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { hashSync } from 'bcryptjs';
import { systemClock } from '../../src/base/clock.ts';
import { createSimulator } from '../../src/simulator/simulator.ts';
import type { Answered, Seen } from './programs/calm-client.ts';
import {
  benchProgram,
  type RunningProgram,
  SERVE,
  startCli,
  startNode,
  temporaryFolder,
} from './processes.ts';
import { rawAnswer } from './raw-answer.ts';
import { atLeast, atMost, judged, quantile, type Result, type Scope } from './result.ts';

const run = promisify(execFile);

/** One way to abuse the server; programs/abuser.ts does it. */
interface AbuseKind {
  /** What the load is, for people. */
  readonly what: string;
  readonly devices?: number;
  /** Whether passwords are asked for; the calm client has one. */
  readonly hasUsers?: boolean;
  /** Whether the service is silent, so that scrapes are waited for and turned away; else each has to be answered. */
  readonly isServiceSilent?: boolean;
}

/** With so many, a page is larger than what loopback takes for a client that reads nothing: elsewhere that is little. */
const LARGE_DEVICES = 2000;
const USUAL_DEVICES = 100;
const UNREAD = 'each pipelines 40 scrapes, reads nothing, and comes again when it is disconnected';

const ABUSES: Readonly<Record<string, AbuseKind>> = {
  calm: { what: 'nobody else asks' },
  scrapers: { what: '200 keep-alive clients, each a scrape every 100 ms' },
  slow: {
    what: '300 connections that send one byte every 50 ms: 100 of a head, 100 of a body, 100 nothing',
  },
  pipelining: { what: '10 clients, each 100 scrapes in one packet every 500 ms' },
  heads: { what: '20 clients, each a header of 1 MB every 100 ms' },
  status: { what: '20 clients, each the status page and its JSON every 200 ms', devices: 1000 },
  guessing: { what: '50 clients, each a wrong password every 20 ms', hasUsers: true },
  overload: {
    what: '80 clients that scrape while the service is silent, every 100 ms',
    isServiceSilent: true,
  },
  hoarding: { what: '520 connections, each a request every second; the calm client comes last' },
  unread: { what: `8 connections, ${UNREAD}`, devices: LARGE_DEVICES },
  'unread-many': { what: `560 connections, ${UNREAD}`, devices: LARGE_DEVICES },
  'slow-readers': {
    what: '100 clients, each pipelines 8 scrapes and reads 300 bytes of them a second',
    devices: LARGE_DEVICES,
  },
};

/** How long one abuse lasts; it is under way before the calm client is watched, and outlasts it. */
const ABUSE_MS = 5000;
const MARGIN_MS = 700;
const CALM_EVERY_MS = '20';
const HEALTH_LIMIT = atMost(50);
const RIGHT = `Basic ${Buffer.from('prometheus:right').toString('base64')}`;

/** Memory after an abuse may exceed what it was before it by so much, for what Node.js keeps for the next load. */
const LIMIT_MEBIBYTES = 30;
/** How long the exporter is given to get back to its memory, with a scrape every so often. */
const RECOVERY_MS = 10_000;
const RECOVERY_EVERY_MS = 100;

/** What a calm client sees of `/-/healthy` and `/metrics` while others abuse the server, and what memory is left. */
export async function abuse({ kinds }: Scope): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (const [name, kind] of Object.entries(ABUSES))
    if (kinds.length === 0 || kinds.includes(name)) results.push(...(await measure(name, kind)));
  return results;
}

async function measure(
  name: string,
  { what, devices = USUAL_DEVICES, hasUsers = false, isServiceSilent = false }: AbuseKind,
): Promise<readonly Result[]> {
  const webConfig = join(temporaryFolder(), 'web.yml');
  const users = `basic_auth_users: {prometheus: "${hashSync('right', 10)}"}\nauth_excluded_paths: [/-/healthy]\n`;
  writeFileSync(webConfig, hasUsers ? users : '');
  const simulator = createSimulator({ devicesPerStation: devices }, systemClock);
  const baseUrl = await simulator.start();
  const { account, password, appId, appSecret } = simulator.options;
  // What a refresh of thousands of devices costs is measured elsewhere.
  const flags = [`--web.config.file=${webConfig}`, '--cache.readings-ttl=10m'];
  const exporter = await startCli([...SERVE, ...flags], {
    SOLAR_BASE_URL: baseUrl,
    SOLAR_ACCOUNT: account,
    SOLAR_PASSWORD: password,
    SOLAR_APP_ID: appId,
    SOLAR_APP_SECRET: appSecret,
  });
  if (isServiceSilent) simulator.setFault('*', { kind: 'hang' });
  else
    for (const encoding of ['identity', 'gzip'])
      for (const path of ['/metrics', '/']) await scrape(exporter, encoding, path);
  const memory = watchMemory(exporter);
  const abused = run(process.execPath, [
    benchProgram('abuser'),
    exporter.url,
    name,
    String(ABUSE_MS),
  ]);
  await sleep(MARGIN_MS);
  const client = await startNode(
    [benchProgram('calm-client'), exporter.url, CALM_EVERY_MS, RIGHT],
    { hasChannel: true },
  );
  // It has to be let in, and has to have run before: the first time is nobody's fault.
  await sleep(MARGIN_MS);
  await client.ask('begin');
  await sleep(ABUSE_MS - 3 * MARGIN_MS);
  const { health, scrapes, latenessMs } = (await client.ask('end')) as Seen;
  const loadAverage = loadavg()[0] ?? 0;
  await client.stop();
  const { stdout: abuserAnswers } = await abused;
  const { before, peak, after } = await memory.recovered();
  await simulator.stop();
  await exporter.stop();
  const isScraped = scrapes.filter(({ status }) => status === 200);
  return [
    judged(
      {
        name: `/-/healthy during ${name}, p99`,
        value: quantile(times(health), 0.99),
        unit: 'ms',
        detail: [
          `${what}, ${ABUSE_MS / 1000} s, ${Number(abuserAnswers)} answers; ${devices} devices`,
          figures(health),
          `load average ${loadAverage.toFixed(1)}, by which the client itself was late: p99 ${quantile(latenessMs, 0.99).toFixed(1)} ms`,
        ].join('; '),
      },
      HEALTH_LIMIT,
      { text: 'all answered', isTrue: health.every(({ status }) => status === 200) },
    ),
    judged(
      {
        name: `scrapes answered 200 during ${name}`,
        value: isServiceSilent ? 1 : isScraped.length / scrapes.length,
        unit: 'of all',
        // While the service is silent, there is nothing to scrape.
        detail: isServiceSilent ? 'not counted' : figures(scrapes),
      },
      atLeast(1),
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
        await scrape(exporter, 'gzip').catch(() => undefined);
      }
      clearInterval(timer);
      return { before, peak, after: exporter.rssMebibytes() };
    },
  };
}

function scrape({ url }: RunningProgram, encoding: string, path = '/metrics') {
  return rawAnswer(new URL(path, url), { 'accept-encoding': encoding, authorization: RIGHT });
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
