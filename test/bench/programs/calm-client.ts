import { Agent, get, type OutgoingHttpHeaders } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { performance } from 'node:perf_hooks';

// A process of its own: asks for each path again and again, and prints how long each answer took.
const [, , address = '', durationMs = '1000', authorization = ''] = process.argv;
const EVERY_MS = 20;
/** How a probe asks: without a password, each time on a new connection. */
const PROBE = { headers: {}, keepAlive: false };
/** How Prometheus asks. */
const SCRAPER = { headers: { 'accept-encoding': 'gzip', authorization }, keepAlive: true };

/** What one request came to; status 0 when there was no answer. */
export interface Answered {
  readonly status: number;
  readonly latencyMs: number;
}

/** What this program prints. */
export interface Observed {
  readonly health: readonly Answered[];
  readonly scrapes: readonly Answered[];
  /** How late this program itself came to run, after each pause: what a busy machine adds to everything. */
  readonly latenessMs: readonly number[];
}

function ask(agent: Agent, path: string, headers: OutgoingHttpHeaders): Promise<Answered> {
  const startedAtMs = performance.now();
  return new Promise((resolve) => {
    const end = (status: number) => () =>
      resolve({ status, latencyMs: performance.now() - startedAtMs });
    get(new URL(path, address), { agent, headers, timeout: 10_000 }, (response) => {
      response.resume().once('end', end(response.statusCode ?? 0));
      response.once('error', end(0));
    })
      .once('timeout', end(0))
      .once('error', end(0));
  });
}

const latenessMs: number[] = [];

async function keepAsking(
  path: string,
  { headers, keepAlive }: typeof PROBE | typeof SCRAPER,
  untilMs: number,
): Promise<readonly Answered[]> {
  const agent = new Agent({ keepAlive });
  const answers: Answered[] = [];
  while (performance.now() < untilMs) {
    answers.push(await ask(agent, path, headers));
    const pausedAtMs = performance.now();
    await sleep(EVERY_MS);
    latenessMs.push(performance.now() - pausedAtMs - EVERY_MS);
  }
  agent.destroy();
  return answers;
}

// Both have to be let in, and have run before: the first time is nobody's fault.
await keepAsking('/-/healthy', PROBE, performance.now() + 200);
await keepAsking('/metrics', SCRAPER, performance.now() + 100);
latenessMs.length = 0;
const untilMs = performance.now() + Number(durationMs);
const [health, scrapes] = await Promise.all([
  keepAsking('/-/healthy', PROBE, untilMs),
  keepAsking('/metrics', SCRAPER, untilMs),
]);
const observed: Observed = { health, scrapes, latenessMs };
process.stdout.write(JSON.stringify(observed));
