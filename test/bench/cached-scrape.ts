import { fileURLToPath } from 'node:url';
import { requestsPerSecond } from './load.ts';
import { type RunningProgram, startCli, startNode } from './processes.ts';
import { median, type Result } from './result.ts';

const BARE_SERVER = fileURLToPath(new URL('bare-server.js', import.meta.url));
const ROUNDS = 7;
const ROUND_MS = 700;
const LIMIT = 0.7;

/** Requests per second of a page that needs no refresh, as a share of what bare node:http reaches. */
export async function cachedScrape(): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (const devices of [1, 100]) {
    const service = await startCli([
      'simulate',
      '--simulator.listen-address=127.0.0.1:0',
      `--simulator.devices=${devices}`,
    ]);
    const exporter = await startCli(
      ['serve', '--web.listen-address=127.0.0.1:0', '--cache.readings-ttl=15m'],
      service.environment,
    );
    for (const encoding of ['identity', 'gzip']) {
      results.push(await compare(exporter, encoding, devices));
    }
    await exporter.stop();
    await service.stop();
  }
  return results;
}

async function compare(
  exporter: RunningProgram,
  encoding: string,
  devices: number,
): Promise<Result> {
  const page = new URL('/metrics', exporter.url);
  await (await fetch(page)).arrayBuffer(); // the one scrape that refreshes
  const bare = await startNode([BARE_SERVER, page.href, encoding]);
  const ours: number[] = [];
  const ratios: number[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const rate = await requestsPerSecond(page, encoding, ROUND_MS);
    const limit = await requestsPerSecond(new URL(bare.url), encoding, ROUND_MS);
    if (round === 0) continue; // warm-up
    ours.push(rate);
    ratios.push(rate / limit);
  }
  await bare.stop();
  const ratio = median(ratios);
  return {
    name: `cached scrape, ${devices} device${devices === 1 ? '' : 's'}, ${encoding}`,
    value: ratio,
    unit: 'of bare node:http',
    limit: `>= ${LIMIT}`,
    isWithin: ratio >= LIMIT,
    detail: `${Math.round(median(ours))} requests/s`,
  };
}
