import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../../src/base/clock.ts';
import { createSimulator, type Endpoint } from '../../src/simulator/simulator.ts';
import { startCli } from './processes.ts';
import { exactly, judged, type Result } from './result.ts';

const SCRAPES = 4;
const INTERVAL_MS = 15_000;
const ENDPOINTS: readonly Endpoint[] = [
  'login',
  'stations',
  'devices',
  'readings',
  'latest-state',
  'alarms',
  'summary',
  'summary-days',
  'summary-years',
];

/** One of each kind, and one for the readings that the energy counters count. */
const REQUESTS = ENDPOINTS.length + 1;

/** What the service is asked in a minute of scrapes every 15 s from two Prometheis: once each. */
export async function upstreamRequests(): Promise<readonly Result[]> {
  const simulator = createSimulator({}, systemClock);
  const url = await simulator.start();
  const { account, password, appId, appSecret } = simulator.options;
  const exporter = await startCli(['serve', '--web.listen-address=127.0.0.1:0'], {
    SOLAR_BASE_URL: url,
    SOLAR_ACCOUNT: account,
    SOLAR_PASSWORD: password,
    SOLAR_APP_ID: appId,
    SOLAR_APP_SECRET: appSecret,
  });
  const page = new URL('/metrics', exporter.url);
  for (let scrape = 0; scrape < SCRAPES; scrape += 1) {
    await Promise.all([fetch(page), fetch(page)].map(async (answer) => (await answer).text()));
    await sleep(INTERVAL_MS - 100);
  }
  const counts = ENDPOINTS.map((endpoint) => `${endpoint} ${simulator.requests(endpoint)}`);
  const total = simulator.requests();
  await exporter.stop();
  await simulator.stop();
  return [
    judged(
      {
        name: 'upstream requests in a minute of 2 x 4 scrapes',
        value: total,
        unit: 'requests',
        detail: `the TTLs: one of each kind, and readings to count; ${counts.join(', ')}`,
      },
      exactly(REQUESTS),
    ),
  ];
}
