import http, { type Agent, type OutgoingHttpHeaders } from 'node:http';
import https from 'node:https';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

// A process of its own: asks for /-/healthy as a probe does and, where it is told what to send as its
// password, for /metrics as Prometheus does. Asked over the channel to `begin`, it notes how long each
// answer takes from then on; asked to `end`, it tells.
const [, , address = '', everyMs = '5', authorization] = process.argv;

/** What one request came to; status 0 when there was no answer. */
export interface Answered {
  readonly status: number;
  readonly latencyMs: number;
}

/** What this program tells. */
export interface Seen {
  readonly health: readonly Answered[];
  readonly scrapes: readonly Answered[];
  /** How late this program itself came to run, after each pause: what a busy machine adds to everything. */
  readonly latenessMs: readonly number[];
}

/** How its first log-in went. */
export interface LoggedIn {
  readonly afterMs: number;
  readonly tries: number;
}

const client = address.startsWith('https:') ? https : http;
let seen = { health: [] as Answered[], scrapes: [] as Answered[], latenessMs: [] as number[] };

function ask(agent: Agent, path: string, headers: OutgoingHttpHeaders): Promise<Answered> {
  const startedAtMs = performance.now();
  return new Promise((resolve) => {
    const end = (status: number) => () =>
      resolve({ status, latencyMs: performance.now() - startedAtMs });
    client
      .get(new URL(path, address), { agent, headers, timeout: 10_000 }, (response) => {
        response.resume().once('end', end(response.statusCode ?? 0));
        response.once('error', end(0));
      })
      .once('timeout', end(0))
      .once('error', end(0));
  });
}

async function keepAsking(
  path: string,
  headers: OutgoingHttpHeaders,
  note: (answer: Answered) => void,
): Promise<never> {
  // A probe has a new connection each time, Prometheus keeps its own.
  const agent = new client.Agent({ keepAlive: path === '/metrics', rejectUnauthorized: false });
  for (;;) {
    note(await ask(agent, path, headers));
    const pausedAtMs = performance.now();
    await sleep(Number(everyMs));
    seen.latenessMs.push(performance.now() - pausedAtMs - Number(everyMs));
  }
}

let tries = 0;
const beganAtMs = performance.now();
let letIn: (how: LoggedIn) => void;
const loggedIn = new Promise<LoggedIn>((resolve) => (letIn = resolve));

process.on('message', (word) => {
  if (word === 'log in') {
    void loggedIn.then((how) => process.send?.(how));
    return;
  }
  process.send?.(word === 'begin' ? 'begun' : (seen satisfies Seen));
  seen = { health: [], scrapes: [], latenessMs: [] };
});

process.stdout.write(`asks ${address}\n`);
void keepAsking('/-/healthy', {}, (answer) => seen.health.push(answer));
if (authorization !== undefined)
  void keepAsking('/metrics', { 'accept-encoding': 'gzip', authorization }, (answer) => {
    tries += 1;
    if (answer.status === 200) letIn({ afterMs: performance.now() - beganAtMs, tries });
    seen.scrapes.push(answer);
  });
