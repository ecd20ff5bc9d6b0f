import { Agent, get } from 'node:http';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { quantile } from '../result.ts';

// A process of its own: from `begin` on, asks for /-/healthy as a probe does, again and again; at `end`,
// tells how long the answers took, and how late it came to run itself.
const [, , address = ''] = process.argv;
const EVERY_MS = 5;

/** How long answers took; what a busy machine adds to everything shows in how late the client itself was. */
export interface HealthSeen {
  readonly answers: number;
  readonly failures: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  readonly lateP99Ms: number;
  readonly lateMaxMs: number;
}

const agent = new Agent({ keepAlive: true });
let latenciesMs: number[] = [];
let latenessMs: number[] = [];
let failures = 0;

/** Whether it was answered with 200. */
function ask(): Promise<boolean> {
  return new Promise((resolve) => {
    get(new URL('/-/healthy', address), { agent, timeout: 10_000 }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode === 200));
    }).once('error', () => resolve(false));
  });
}

process.on('message', (word) => {
  if (word === 'begin') {
    [latenciesMs, latenessMs, failures] = [[], [], 0];
    process.send?.('begun');
    return;
  }
  const seen: HealthSeen = {
    answers: latenciesMs.length,
    failures,
    p99Ms: quantile(latenciesMs, 0.99),
    maxMs: quantile(latenciesMs, 1),
    lateP99Ms: quantile(latenessMs, 0.99),
    lateMaxMs: quantile(latenessMs, 1),
  };
  process.send?.(seen);
});

process.stdout.write(`asks ${address}\n`);
for (;;) {
  const startedAtMs = performance.now();
  if (!(await ask())) failures += 1;
  latenciesMs.push(performance.now() - startedAtMs);
  const pausedAtMs = performance.now();
  await sleep(EVERY_MS);
  latenessMs.push(performance.now() - pausedAtMs - EVERY_MS);
}
