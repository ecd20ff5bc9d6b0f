import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { PairedRound } from './programs/load-client.ts';
import { benchProgram, SERVE, simulate, startCli, startNode } from './processes.ts';
import { rawAnswer } from './raw-answer.ts';
import { atLeast, judged, median, type Result, type Scope } from './result.ts';

const run = promisify(execFile);

const SIZES = [1, 100, 1000, 10_000];
const SHORT_SIZES = [1, 1000];
const LARGE = 3000;
const RATE_LIMIT = atLeast(0.85);

const FLAGS = [
  '--cache.readings-ttl=1h',
  '--cache.max-age=2h',
  // The devices of a fleet begin to be counted within a quarter of an hour, and the page changes with each.
  '--no-collect.energy',
  '--scrape.timeout=2m',
];

/** A page that needs no refresh, against bare node:http that sends the same bytes: requests per second. */
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
      results.push(await compare(page, encoding, devices, isShort));
    await exporter.stop();
  }
  return results;
}

async function compare(
  page: URL,
  encoding: string,
  devices: number,
  isShort: boolean,
): Promise<Result> {
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
  return judged(
    {
      name,
      value: ofAll(({ ours, bare }) => ours / bare),
      unit: 'of bare node:http',
      detail: `${ofAll(({ ours }) => ours).toFixed(0)} requests/s, ${(body.length / 1e3).toFixed(1)} kB`,
    },
    RATE_LIMIT,
  );
}
