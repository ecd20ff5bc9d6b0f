import { describe, expect, test } from 'vitest';
import type { Endpoint, Fault } from '../../../src/simulator/simulator.ts';
import { MINUTE_MS, type ScrapedPage, SECOND_MS, startBoth } from '../../doors/house.ts';
import { FAULTS_NOW } from './fault-cases.ts';
import { type Patience, withPatience } from './patience.ts';

const OFTEN = {
  'cache.readings-ttl': '1m',
  'cache.summary-ttl': '1m',
  'cache.devices-ttl': '1m',
  'cache.alarms-ttl': '1m',
  'cache.settings-ttl': '1m',
  'cache.max-age': '3m',
  'collect.settings': 'true',
};
const FAULTS: readonly Fault[] = [
  { kind: 'status', status: 500 },
  { kind: 'status', status: 401 },
  { kind: 'status', status: 429, headers: { 'retry-after': '3600' } },
  { kind: 'truncated' },
  { kind: 'refuse' },
];
/** What names a station or a device, and the collector that says how it went. */
const STRUCK: readonly { readonly endpoint: Endpoint; readonly collector: string }[] = [
  { endpoint: 'devices', collector: 'devices' },
  { endpoint: 'summary', collector: 'summary' },
  { endpoint: 'alarms', collector: 'alarms' },
  { endpoint: 'readings', collector: 'readings' },
  { endpoint: 'settings-get', collector: 'settings' },
];

async function strikeOne(
  { endpoint, collector }: (typeof STRUCK)[number],
  fault: Fault,
  flags: Patience = {},
  durationMs = 5 * MINUTE_MS,
): Promise<void> {
  const { simulator, scrape, scrapeAfter } = await startBoth({
    now: FAULTS_NOW,
    simulator: { stations: 2, sampleIntervalMs: 30_000 },
    flags: { ...OFTEN, ...flags },
  });
  const healthy = await scrape();
  const [struck = '', other = ''] = simulator.stationIds;
  const [device = ''] = simulator.deviceIds(struck);
  const about = endpoint === 'readings' || endpoint === 'settings-get' ? device : struck;
  simulator.setFault(endpoint, { ...fault, about });
  await scrapeAfter(MINUTE_MS);
  for (let passedMs = 0; passedMs < durationMs; passedMs += 30 * SECOND_MS) {
    const page = await scrapeAfter(30 * SECOND_MS);
    expect(page.value('solar_collector_success', { station_id: struck, collector })).toBe(0);
    expect(page.value('solar_up', { station_id: other })).toBe(1);
    expect(stateOf(page, other)).toEqual(stateOf(healthy, other));
  }
  const lastSuccess = { station_id: other, collector };
  const page = await scrape();
  const atSeconds = page.value('solar_collector_last_success_timestamp_seconds', lastSuccess) ?? 0;
  expect(atSeconds * 1000).toBeGreaterThanOrEqual(Date.parse(FAULTS_NOW) + durationMs);
}

/** Which series a station has, and how its collectors are doing. */
function stateOf(page: ScrapedPage, stationId: string): readonly string[] {
  return page.samples
    .filter(({ labels }) => labels['station_id'] === stationId)
    .filter(({ name }) => !name.includes('working_mode'))
    .map(({ name, labels, value }) => {
      const series = `${name} ${JSON.stringify(labels)}`;
      return name === 'solar_collector_success' ? `${series} ${value}` : series;
    });
}

describe.each(STRUCK)('$endpoint of one station of two', (struck) => {
  test.each(FAULTS)('fails with $kind $status, and the other does not notice', async (fault) => {
    await strikeOne(struck, fault);
  });
});

test('whatever of one station says nothing, the other does not notice', async () => {
  const few = STRUCK.map((struck) =>
    withPatience((patience) => strikeOne(struck, { kind: 'hang' }, patience, 90 * SECOND_MS)),
  );
  await Promise.all(few);
});
