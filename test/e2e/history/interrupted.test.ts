import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { DAY_MS } from '../../doors/house.ts';
import {
  digestsOf,
  filesIn,
  instant,
  outputDirectory,
  runHistory,
  startHistory,
  startServiceWithPast,
} from './history-run.ts';

const COMPLETE = /^solar-\d+-\d{4}-\d\d(-part)?\.om$/;

/** Forty days that ended three days ago, so that what the service sums up of them is final. */
function range(): readonly string[] {
  const toMs = Math.floor(Date.now() / DAY_MS) * DAY_MS - 3 * DAY_MS;
  return [`--from=${instant(toMs - 40 * DAY_MS)}`, `--to=${instant(toMs)}`, '--interval=4m'];
}

/** Slow enough to be interrupted between two files. */
const SLOWLY = '--request.rate=4';

/** What a file is on the disk: another write of it, or another file in its place, is another value. */
function identityOf(path: string): string {
  const { ino, mtimeNs, size } = statSync(path, { bigint: true });
  return `${ino} ${mtimeNs} ${size}`;
}

/** Returns the files that the index says are complete: one that it does not name yet is written again. */
function completeFiles(directory: string): readonly string[] {
  const path = join(directory, 'history.json');
  if (!existsSync(path)) return [];
  const { files } = JSON.parse(readFileSync(path, 'utf8')) as { files: { name: string }[] };
  return files.map(({ name }) => name);
}

function firstFile(directory: string): Promise<string> {
  return eventually(() => {
    const [first] = completeFiles(directory);
    if (first === undefined) throw new Error('no file yet');
    return first;
  });
}

describe('a run that is killed in the middle', () => {
  test('is gone on with: complete files stay as they are, and all are as if nothing had happened', async () => {
    const { env } = await startServiceWithPast();
    const [directory, undisturbed] = [outputDirectory(), outputDirectory()];
    const killed = startHistory(env, ...range(), `--output=${directory}`, SLOWLY);
    await firstFile(directory);
    killed.kill('SIGKILL');
    expect(await killed.exited).toEqual({ status: null, signal: 'SIGKILL' });

    const complete = completeFiles(directory);
    expect(complete).not.toEqual([]);
    const before = complete.map((file) => identityOf(join(directory, file)));
    await runHistory(env, ...range(), `--output=${directory}`);
    await runHistory(env, ...range(), `--output=${undisturbed}`);

    expect(complete.map((file) => identityOf(join(directory, file)))).toEqual(before);
    expect(digestsOf(directory)).toEqual(digestsOf(undisturbed));
    const files = filesIn(undisturbed, COMPLETE);
    expect(files.length).toBeGreaterThan(complete.length);
    expect(files.filter((file) => file.includes('-part'))).toEqual([files[0], files.at(-1)]);
    expect(Object.keys(digestsOf(undisturbed))).toEqual(['history.json', ...files]);
  });
});

describe('a service that fails in the middle', () => {
  test('is waited for: too many requests, an outage, and tokens that are no longer taken', async () => {
    const { simulator, env } = await startServiceWithPast({ tokenLifetimeMs: DAY_MS });
    const [directory, undisturbed] = [outputDirectory(), outputDirectory()];
    await runHistory(env, ...range(), `--output=${undisturbed}`);

    const disturbed = startHistory(env, ...range(), `--output=${directory}`, SLOWLY);
    await firstFile(directory);
    const logins = simulator.requests('login');
    simulator.revokeTokens();
    simulator.setFault('readings', {
      kind: 'status',
      status: 429,
      headers: { 'retry-after': '1' },
      times: 2,
    });
    const faultedAt = simulator.requests('readings');
    await disturbed.printed('stderr', /SERVICE_RATE_LIMITED.*; trying again in 1s/);
    await eventually(() => expect(simulator.requests('readings')).toBeGreaterThan(faultedAt + 2));
    await simulator.stop();
    await disturbed.printed('stderr', /SERVICE_UNREACHABLE.*; trying again in /);
    await simulator.start();

    expect(await disturbed.exited, disturbed.stderr).toEqual({ status: 0, signal: null });
    expect(simulator.requests('login') + simulator.requests('refresh')).toBeGreaterThan(logins);
    expect(digestsOf(directory)).toEqual(digestsOf(undisturbed));
  });
});
