import { fileURLToPath } from 'node:url';
import { startCli, startNode } from './processes.ts';
import type { Result } from './result.ts';

const BARE_SERVER = fileURLToPath(new URL('bare-server.js', import.meta.url));
const SCRAPES = 1000;
const LIMIT_OVER_IDLE_MEBIBYTES = 45;
const LIMIT_1000_DEVICES_MEBIBYTES = 160;

/** Resident memory after 1,000 scrapes: over an idle node:http server, and with 1,000 devices. */
export async function memory(): Promise<readonly Result[]> {
  const idle = await startNode([BARE_SERVER]);
  await (await fetch(idle.url)).arrayBuffer();
  const idleMebibytes = idle.rssMebibytes();
  await idle.stop();

  const one = await rssAfterScrapes(1);
  const thousand = await rssAfterScrapes(1000);
  return [
    {
      name: `memory after ${SCRAPES} scrapes, 1 device`,
      value: one - idleMebibytes,
      unit: 'MiB over idle node:http',
      limit: `<= ${LIMIT_OVER_IDLE_MEBIBYTES}`,
      isWithin: one - idleMebibytes <= LIMIT_OVER_IDLE_MEBIBYTES,
      detail: `${one.toFixed(1)} MiB; idle ${idleMebibytes.toFixed(1)} MiB`,
    },
    {
      name: `memory after ${SCRAPES} scrapes, 1000 devices`,
      value: thousand,
      unit: 'MiB',
      limit: `< ${LIMIT_1000_DEVICES_MEBIBYTES}`,
      isWithin: thousand < LIMIT_1000_DEVICES_MEBIBYTES,
      detail: 'with a refresh about every 100 scrapes',
    },
  ];
}

async function rssAfterScrapes(devices: number): Promise<number> {
  const service = await startCli([
    'simulate',
    '--simulator.listen-address=127.0.0.1:0',
    `--simulator.devices=${devices}`,
  ]);
  const exporter = await startCli(
    [
      'serve',
      '--web.listen-address=127.0.0.1:0',
      '--cache.readings-ttl=2s',
      '--request.concurrency=32',
    ],
    service.environment,
  );
  const page = new URL('/metrics', exporter.url);
  for (let scrape = 0; scrape < SCRAPES; scrape += 1) {
    const answer = await fetch(page, { headers: { 'accept-encoding': 'gzip' } });
    await answer.arrayBuffer();
  }
  const rssMebibytes = exporter.rssMebibytes();
  await exporter.stop();
  await service.stop();
  return rssMebibytes;
}
