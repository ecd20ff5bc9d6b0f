import { performance } from 'node:perf_hooks';
import { startCli } from './processes.ts';
import { median, type Result } from './result.ts';

const DEVICES = 1000;
const PAGE_SIZE = 50;
/** Its readings and, once a day, the units that it states for them. */
const REQUESTS_PER_DEVICE = 2;
const LATENCY_MS = 50;
const CONCURRENCY = 32;
const ROUNDS = 3;
const LIMIT = 1.2;

/** The first scrape of 1,000 devices behind a slow service, as a multiple of the unavoidable waiting. */
export async function coldRefresh(): Promise<readonly Result[]> {
  const service = await startCli([
    'simulate',
    '--simulator.listen-address=127.0.0.1:0',
    `--simulator.devices=${DEVICES}`,
    `--simulator.latency=${LATENCY_MS}ms`,
  ]);
  const rounds = Math.ceil((DEVICES * REQUESTS_PER_DEVICE) / CONCURRENCY);
  const idealMs = (DEVICES / PAGE_SIZE + rounds) * LATENCY_MS;
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const exporter = await startCli(
      [
        'serve',
        '--web.listen-address=127.0.0.1:0',
        '--scrape.timeout=60s',
        `--request.concurrency=${CONCURRENCY}`,
      ],
      service.environment,
    );
    const startedAtMs = performance.now();
    const page = await (await fetch(new URL('/metrics', exporter.url))).text();
    times.push(performance.now() - startedAtMs);
    await exporter.stop();
    const served = page.match(/^solar_device_reporting\{.*\} 1$/gm)?.length ?? 0;
    if (served !== DEVICES) throw new Error(`${served} of ${DEVICES} devices are on the page`);
  }
  await service.stop();
  const ratio = median(times) / idealMs;
  return [
    {
      name: `cold refresh, ${DEVICES} devices, latency ${LATENCY_MS} ms, concurrency ${CONCURRENCY}`,
      value: ratio,
      unit: 'x ideal',
      limit: `<= ${LIMIT}`,
      isWithin: ratio <= LIMIT,
      detail: `${Math.round(median(times))} ms, log-in and station list included; ideal ${idealMs} ms`,
    },
  ];
}
