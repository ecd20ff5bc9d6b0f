import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { hashSync } from 'bcryptjs';
import { systemClock } from '../../src/base/clock.ts';
import { createSimulator } from '../support/faulty-simulator.ts';
import type { Answered, LoggedIn, Seen } from './programs/calm-client.ts';
import {
  benchProgram,
  type RunningProgram,
  SERVE,
  startCli,
  startNode,
  temporaryFolder,
} from './processes.ts';
import { rawAnswer } from './raw-answer.ts';
import { atLeast, atMost, judged, quantile, type Result } from './result.ts';

const run = promisify(execFile);

/** One way to abuse the server; programs/abuser.ts does it. */
interface AbuseKind {
  readonly devices?: number;
  /** Whether passwords are asked for; the calm client has one. */
  readonly hasUsers?: boolean;
}

const ABUSES: Readonly<Record<string, AbuseKind>> = {
  calm: {},
  slow: {},
  guessing: { hasUsers: true },
  hoarding: {},
  // With so many, a page has 5 MB: more than loopback takes for a client that reads nothing. Elsewhere that is little.
  unread: { devices: 2300 },
};

/** How long one abuse lasts; it is under way before the calm client is watched, and outlasts it. */
const ABUSE_MS = 5000;
const MARGIN_MS = 700;
const CALM_EVERY_MS = '20';
const HEALTH_LIMIT = atMost(100);
const RIGHT = `Basic ${Buffer.from('prometheus:right').toString('base64')}`;
const USERS = `basic_auth_users: {prometheus: "${hashSync('right', 10)}"}\n`;

/** What a calm client sees of `/-/healthy` and `/metrics` while others abuse the server. */
export async function abuse(): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (const [name, kind] of Object.entries(ABUSES)) results.push(...(await measure(name, kind)));
  return results;
}

async function measure(
  name: string,
  { devices = 100, hasUsers = false }: AbuseKind,
): Promise<readonly Result[]> {
  const webConfig = join(temporaryFolder(), 'web.yml');
  writeFileSync(webConfig, hasUsers ? USERS : '');
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
  for (const encoding of ['identity', 'gzip'])
    for (const path of ['/metrics', '/']) await scrape(exporter, encoding, path);
  const words = [
    benchProgram('abuser'),
    exporter.url,
    name,
    String(hasUsers ? 3 * ABUSE_MS : ABUSE_MS),
  ];
  const abused = run(process.execPath, words);
  await sleep(MARGIN_MS);
  const calmClient = [benchProgram('calm-client'), exporter.url, CALM_EVERY_MS, RIGHT];
  const client = await startNode(calmClient, { hasChannel: true });
  // It has to be let in, and has to have run before: the first time is nobody's fault.
  const loggedIn = hasUsers ? ((await client.ask('log in')) as LoggedIn) : undefined;
  await sleep(MARGIN_MS);
  await client.ask('begin');
  await sleep(ABUSE_MS - 3 * MARGIN_MS);
  const { health, scrapes, latenessMs } = (await client.ask('end')) as Seen;
  await client.stop();
  const { stdout: answers } = await abused;
  await simulator.stop();
  await exporter.stop();
  const answered = scrapes.filter(({ status }) => status === 200).length / scrapes.length;
  return [
    judged(
      {
        name: `/-/healthy during ${name}, p99`,
        value: p99(health.map(({ latencyMs }) => latencyMs)),
        unit: 'ms',
        detail: `${devices} devices; ${Number(answers)} answers to the abuser; the client itself was late by p99 ${p99(latenessMs).toFixed(1)} ms`,
        holds: health.every(({ status }) => status === 200),
      },
      HEALTH_LIMIT,
    ),
    judged(
      {
        name: `scrapes answered 200 during ${name}`,
        value: answered,
        unit: 'of all',
        detail: statusesOf(scrapes),
      },
      atLeast(1),
    ),
    ...(loggedIn === undefined ? [] : [loggedIn]).map(({ afterMs, tries }) =>
      judged(
        {
          name: `first log-in during ${name}`,
          value: afterMs / 1000,
          unit: 's',
          detail: `${tries} tries`,
        },
        atMost(5),
      ),
    ),
  ];
}

const p99 = (values: readonly number[]): number => quantile(values, 0.99);

function scrape({ url }: RunningProgram, encoding: string, path: string) {
  return rawAnswer(new URL(path, url), { 'accept-encoding': encoding, authorization: RIGHT });
}

function statusesOf(answers: readonly Answered[]): string {
  return `answered with ${[...new Set(answers.map(({ status }) => status))].sort().join(', ')}`;
}
