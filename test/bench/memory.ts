import { setTimeout as sleep } from 'node:timers/promises';
import { benchProgram, SERVE, simulate, startCli, startNode } from './processes.ts';
import { rawAnswer } from './raw-answer.ts';
import { atMost, judged, type Result, type Scope } from './result.ts';

const ONE = 1;
const MOST = 10_000;
const BETWEEN = [1000, 3000];
const REFRESHES = 3;
const SHORT_REFRESHES = 1;
/** Scrapes after each refresh, plain and compressed by turns. */
const SCRAPES = 20;
/** Readings are fresh for so long that the scrapes after a refresh start no other one. */
const readingsTtlMs = (devices: number): number => 1000 + 3 * devices;

const OVER_BARE_LIMIT = atMost(35);
const MOST_LIMIT = atMost(250);
/** The heap grows in steps, and is not at the same place of its step at every size. */
const LINE_LIMIT = atMost(1.2);

/** Resident memory after a few refreshes: over a bare server, with 10,000 devices, and on the way there. */
export async function memory({ isShort }: Scope): Promise<readonly Result[]> {
  const refreshes = isShort ? SHORT_REFRESHES : REFRESHES;
  const bare = await startNode([benchProgram('bare-server')]);
  for (let scrape = 0; scrape < SCRAPES * refreshes; scrape += 1) await rawAnswer(bare.url);
  const bareMebibytes = bare.rssMebibytes();
  await bare.stop();

  const one = await rssMebibytes(ONE, refreshes);
  const most = await rssMebibytes(MOST, refreshes);
  const detail = `refreshes: ${refreshes}, each with ${SCRAPES} scrapes`;
  const results = [
    judged(
      {
        name: 'memory, 1 device',
        value: one - bareMebibytes,
        unit: 'MiB over bare node:http',
        detail: `${one.toFixed(1)} MiB, bare ${bareMebibytes.toFixed(1)} MiB; ${detail}`,
      },
      OVER_BARE_LIMIT,
    ),
    judged({ name: `memory, ${MOST} devices`, value: most, unit: 'MiB', detail }, MOST_LIMIT),
  ];
  if (isShort) return results;
  for (const devices of BETWEEN) {
    const mebibytes = await rssMebibytes(devices, refreshes);
    const line = one + ((most - one) * (devices - ONE)) / (MOST - ONE);
    const name = `memory, ${devices} devices`;
    const onLine = `${mebibytes.toFixed(1)} MiB, the line ${line.toFixed(1)} MiB`;
    const unit = `x the line from ${ONE} to ${MOST}`;
    results.push(judged({ name, value: mebibytes / line, unit, detail: onLine }, LINE_LIMIT));
  }
  return results;
}

async function rssMebibytes(devices: number, refreshes: number): Promise<number> {
  const service = await startCli(simulate(devices));
  const exporter = await startCli(
    [
      ...SERVE,
      '--scrape.timeout=5m',
      `--cache.readings-ttl=${readingsTtlMs(devices)}ms`,
      '--request.concurrency=64',
    ],
    service.environment,
  );
  for (let refresh = 0; refresh < refreshes; refresh += 1) {
    if (refresh > 0) await sleep(readingsTtlMs(devices));
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
