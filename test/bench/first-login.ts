import { writeFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { hashSync } from 'bcryptjs';
import { SERVE, startCli, temporaryFolder } from './processes.ts';
import { atMost, judged, type Result } from './result.ts';

const GUESSERS = 9;
const MOST_TRIES = 60;
const PAUSE_MS = 250;
/** The guessing is under way before the client with the right password comes. */
const HEAD_START_MS = 1000;
const LIMIT = atMost(3);

/** Who guesses: from which address of this machine, and whether each guess has a connection of its own. */
const GUESSINGS = [
  { who: 'of another address', localAddress: '127.0.0.2', keepAlive: true },
  { who: 'of the same address', localAddress: '127.0.0.1', keepAlive: true },
  {
    who: 'of the same address, each guess on a connection of its own',
    localAddress: '127.0.0.1',
    keepAlive: false,
  },
] as const;

/** How many tries the right password takes when it comes for the first time while others guess. */
export async function firstLogin(): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (const guessing of GUESSINGS) results.push(await measure(guessing));
  return results;
}

async function measure({ who, localAddress, keepAlive }: (typeof GUESSINGS)[number]) {
  const webConfig = join(temporaryFolder(), 'web.yml');
  writeFileSync(webConfig, `basic_auth_users: {prometheus: "${hashSync('right', 10)}"}\n`);
  const exporter = await startCli(
    [...SERVE, `--web.config.file=${webConfig}`],
    // Nobody is asked for anything: a path without a route says whether the password was accepted.
    { SOLAR_BASE_URL: 'http://127.0.0.1:9', SOLAR_ACCESS_TOKEN: 'none' },
  );
  let guesses = 0;
  let refused = 0;
  let isOver = false;
  const guess = async (): Promise<void> => {
    const agent = new Agent({ keepAlive });
    while (!isOver) {
      guesses += 1;
      if ((await ask(exporter.url, `guess ${guesses}`, agent, localAddress)) === 401) refused += 1;
    }
    agent.destroy();
  };
  const guessers = Array.from({ length: GUESSERS }, guess);
  await sleep(HEAD_START_MS);
  const [guessesBefore, startedAtMs] = [refused, performance.now()];
  let [tries, status] = [0, 0];
  while (status !== 404 && tries < MOST_TRIES) {
    if (tries > 0) await sleep(PAUSE_MS);
    tries += 1;
    status = await ask(exporter.url, 'right', new Agent(), '127.0.0.1');
  }
  const tookMs = performance.now() - startedAtMs;
  const guessesPerSecond = ((refused - guessesBefore) * 1000) / tookMs;
  isOver = true;
  await Promise.all(guessers);
  await exporter.stop();
  return judged(
    {
      name: `first log-in while ${GUESSERS} clients ${who} guess`,
      value: tries,
      unit: tries === 1 ? 'try' : 'tries',
      detail: `${status === 404 ? 'let in' : 'kept out'} after ${Math.round(tookMs)} ms; meanwhile ${guessesPerSecond.toFixed(1)} guesses a second were compared`,
    },
    LIMIT,
    { text: 'let in', isTrue: status === 404 },
  );
}

/** Returns the status of the answer; 0 when there is none. */
function ask(url: string, password: string, agent: Agent, localAddress: string): Promise<number> {
  const authorization = `Basic ${Buffer.from(`prometheus:${password}`).toString('base64')}`;
  return new Promise((resolve) => {
    get(
      new URL('/nowhere', url),
      { agent, localAddress, headers: { authorization } },
      (response) => {
        response.resume().once('end', () => resolve(response.statusCode ?? 0));
      },
    ).once('error', () => resolve(0));
  });
}
