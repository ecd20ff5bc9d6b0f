import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { PairedRound } from './programs/load-client.ts';
import { benchProgram, SERVE, simulate, startCli, startNode } from './processes.ts';
import { rawAnswer } from './raw-answer.ts';
import { atLeast, atMost, judged, median, type Result, type Scope } from './result.ts';

const run = promisify(execFile);

const SIZES = [1, 100, 1000, 10_000];
const SHORT_SIZES = [1, 1000];
const ROUNDS = 9;
const SHORT_ROUNDS = 5;
const ROUND_MS = 600;
/** Of a page of megabytes, only so many fit into a round. */
const ROUND_MS_OF_LARGE = 1500;
const LARGE = 3000;
const CONNECTIONS = 8;
/** Of more, an exporter would disconnect some: their answers together are more than may wait to be taken. */
const CONNECTIONS_OF_LARGE = 2;
const RATE_LIMIT = atLeast(0.85);
const P99_LIMIT = atMost(1.5);

/** A page that needs no refresh, against bare node:http that sends the same bytes: requests per second, and p99. */
export async function cachedScrape({ isShort, kinds }: Scope): Promise<readonly Result[]> {
  const sizes = isShort ? SHORT_SIZES : SIZES;
  const results: Result[] = [];
  for (const devices of sizes) {
    if (kinds.length > 0 && !kinds.includes(String(devices))) continue;
    const service = await startCli(simulate(devices));
    const exporter = await startCli(
      [
        ...SERVE,
        '--cache.readings-ttl=1h',
        '--cache.max-age=2h',
        // The devices of a fleet begin to be counted within a quarter of an hour, and the page changes with each.
        '--no-collect.energy',
        '--scrape.timeout=2m',
      ],
      service.environment,
    );
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
  const bare = await startNode([benchProgram('bare-server'), page.href, encoding]);
  const roundMs = devices >= LARGE ? ROUND_MS_OF_LARGE : ROUND_MS;
  const { stdout } = await run(process.execPath, [
    benchProgram('load-client'),
    page.href,
    bare.url,
    encoding,
    String(roundMs),
    String(isShort ? SHORT_ROUNDS : ROUNDS),
    String(devices >= LARGE ? CONNECTIONS_OF_LARGE : CONNECTIONS),
  ]);
  await bare.stop();
  const rounds = JSON.parse(stdout) as readonly PairedRound[];
  const ofAll = (figure: (round: PairedRound) => number): number => median(rounds.map(figure));
  const name = `cached scrape, ${devices} device${devices === 1 ? '' : 's'}, ${encoding}`;
  const pageSize = `${(body.length / 1e3).toFixed(1)} kB`;
  const lowest = (which: 'ours' | 'bare') => Math.min(...rounds.map((it) => it[which].p99Ms));
  const pairedP99 = ofAll(({ ours, bare }) => ours.p99Ms / bare.p99Ms);
  const rate = judged(
    {
      name,
      value: ofAll(({ ours, bare }) => ours.requestsPerSecond / bare.requestsPerSecond),
      unit: 'of bare node:http',
      detail: `${ofAll(({ ours }) => ours.requestsPerSecond).toFixed(0)} of ${ofAll(({ bare }) => bare.requestsPerSecond).toFixed(0)} requests/s, ${pageSize}`,
    },
    RATE_LIMIT,
  );
  // The slowest hundredth says nothing on a machine that has other things to do.
  if (isShort) return [rate];
  return [
    rate,
    judged(
      {
        name: `${name}, p99`,
        value: pairedP99,
        unit: 'x bare node:http',
        detail: `median of the rounds; ${lowest('ours').toFixed(2)} ms at best, bare ${lowest('bare').toFixed(2)} ms`,
      },
      P99_LIMIT,
    ),
  ];
}
