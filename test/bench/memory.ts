import { setTimeout as sleep } from 'node:timers/promises';
import { benchProgram, SERVE, simulate, startCli, startNode } from './processes.ts';
import { rawAnswer } from './raw-answer.ts';
import { atMost, judged, type Result, type Scope } from './result.ts';

const MANY = 1000;
/** Scrapes after each refresh, plain and compressed by turns. */
const SCRAPES = 20;
const ONE_LIMIT = atMost(60);
/** V8 lets the garbage of a first refresh grow: 31 MB are in use after it. */
const MANY_LIMIT = atMost(120, 190);

/** Resident memory after a few refreshes: over a bare server, of one device and of many. */
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
  const many = await rssMebibytes(MANY, refreshes);
  const againstMany = `${many.toFixed(1)} MiB; ${detail}`;
  return [
    judged({ name: 'memory, 1 device', value: one - bare, unit, detail: against }, ONE_LIMIT),
    judged(
      { name: `memory, ${MANY} devices`, value: many - bare, unit, detail: againstMany },
      MANY_LIMIT,
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
