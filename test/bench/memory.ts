import { setTimeout as sleep } from 'node:timers/promises';
import { benchProgram, SERVE, simulate, startCli, startNode } from './processes.ts';
import { rawAnswer } from './raw-answer.ts';
import { atMost, judged, type Result, type Scope } from './result.ts';

const MOST = 10_000;
/** Scrapes after each refresh, plain and compressed by turns. */
const SCRAPES = 20;
const OVER_BARE_LIMIT = atMost(40);
const MOST_LIMIT = atMost(400);

/** Resident memory after a few refreshes: over a bare server, and with 10,000 devices. */
export async function memory({ isShort }: Scope): Promise<readonly Result[]> {
  const refreshes = isShort ? 1 : 3;
  const server = await startNode([benchProgram('bare-server')]);
  for (let scrape = 0; scrape < SCRAPES * refreshes; scrape += 1) await rawAnswer(server.url);
  const bare = server.rssMebibytes();
  await server.stop();
  const one = await rssMebibytes(1, refreshes);
  const unit = 'MiB over bare node:http';
  const detail = `refreshes: ${refreshes}, each with ${SCRAPES} scrapes`;
  const against = `${one.toFixed(1)} MiB, bare ${bare.toFixed(1)} MiB; ${detail}`;
  const most = await rssMebibytes(MOST, refreshes);
  const againstMost = `${most.toFixed(1)} MiB; ${detail}`;
  return [
    judged({ name: 'memory, 1 device', value: one - bare, unit, detail: against }, OVER_BARE_LIMIT),
    judged(
      { name: `memory, ${MOST} devices`, value: most - bare, unit, detail: againstMost },
      MOST_LIMIT,
    ),
  ];
}

async function rssMebibytes(devices: number, refreshes: number): Promise<number> {
  // Readings are fresh for so long that the scrapes after a refresh start no other one.
  const ttlMs = 1000 + 3 * devices;
  const service = await startCli(simulate(devices));
  const flags = ['--scrape.timeout=5m', `--cache.readings-ttl=${ttlMs}ms`];
  const exporter = await startCli(
    [...SERVE, ...flags, '--request.concurrency=64'],
    service.environment,
  );
  for (let refresh = 0; refresh < refreshes; refresh += 1) {
    if (refresh > 0) await sleep(ttlMs);
    for (let at = 0; at < SCRAPES; at += 1) {
      const headers = { 'accept-encoding': at % 2 === 0 ? 'gzip' : 'identity' };
      await rawAnswer(new URL('/metrics', exporter.url), headers);
    }
  }
  const mebibytes = exporter.rssMebibytes();
  await exporter.stop();
  await service.stop();
  return mebibytes;
}
