import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { PairedRound } from './programs/load-client.ts';
import { benchProgram, SERVE, simulate, startCli, startNode } from './processes.ts';
import { rawAnswer } from './raw-answer.ts';
import { atLeast, atMost, judged, median, type Result, type Scope } from './result.ts';

const run = promisify(execFile);

const SIZES = [1, 100, 1000, 10_000];
const SHORT_SIZES = [1, 1000];
const LARGE = 3000;
const RATE_LIMIT = atLeast(0.85);
const P99_LIMIT = atMost(1.5);

const FLAGS = [
  '--cache.readings-ttl=1h',
  '--cache.max-age=2h',
  // The devices of a fleet begin to be counted within a quarter of an hour, and the page changes with each.
  '--no-collect.energy',
  '--scrape.timeout=2m',
];

/** A page that needs no refresh, against bare node:http that sends the same bytes: requests per second, and p99. */
export async function cachedScrape({ isShort }: Scope): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (const devices of isShort ? SHORT_SIZES : SIZES) {
    const service = await startCli(simulate(devices));
    const exporter = await startCli([...SERVE, ...FLAGS], service.environment);
    const page = new URL('/metrics', exporter.url);
    // The one scrape that refreshes; nothing is asked of the service after it.
    await rawAnswer(page);
    await service.stop();
    for (const encoding of ['identity', 'gzip'])
      results.push(...(await compare(page, encoding, devices, isShort)));
    await exporter.stop();
  }
  return results;
}

async function compare(
  page: URL,
  encoding: string,
  devices: number,
  isShort: boolean,
): Promise<readonly Result[]> {
  const { body } = await rawAnswer(page, { 'accept-encoding': encoding });
  const server = await startNode([benchProgram('bare-server'), page.href, encoding]);
  // Of a page of megabytes, only so many fit into a round; and of more connections, an exporter would disconnect
  // some: their answers together are more than may wait to be taken.
  const [roundMs, connections] = devices >= LARGE ? ['1500', '2'] : ['600', '8'];
  const rounds = isShort ? '5' : '9';
  const client = [benchProgram('load-client'), page.href, server.url, encoding];
  const { stdout } = await run(process.execPath, [...client, roundMs, rounds, connections]);
  await server.stop();
  const measured = JSON.parse(stdout) as readonly PairedRound[];
  const ofAll = (figure: (round: PairedRound) => number): number => median(measured.map(figure));
  const name = `cached scrape, ${devices} devices, ${encoding}`;
  const rate = judged(
    {
      name,
      value: ofAll(({ ours, bare }) => ours.requestsPerSecond / bare.requestsPerSecond),
      unit: 'of bare node:http',
      detail: `${ofAll(({ ours }) => ours.requestsPerSecond).toFixed(0)} requests/s, ${(body.length / 1e3).toFixed(1)} kB`,
    },
    RATE_LIMIT,
  );
  // The slowest hundredth says nothing on a machine that has other things to do.
  if (isShort) return [rate];
  const p99 = judged(
    {
      name: `${name}, p99`,
      value: ofAll(({ ours, bare }) => ours.p99Ms / bare.p99Ms),
      unit: 'x bare node:http',
      detail: `median of the rounds; ${Math.min(...measured.map(({ ours }) => ours.p99Ms)).toFixed(2)} ms at best`,
    },
    P99_LIMIT,
  );
  return [rate, p99];
}
