import { describe, expect, test } from 'vitest';
import { MINUTE_MS, SECOND_MS, startBoth } from '../support/running-exporter.ts';
import {
  type FaultCase,
  type FaultyEndpoint,
  PATIENCE,
  PROMPT_CASES,
  recoveryMs,
  SLOW_CASES,
} from './fault-cases.ts';

const NOW = '2026-01-02T04:00:00Z';
/** Everything is due every minute, and nothing is served for longer than four. */
const SHORT_LIVES = {
  'cache.readings-ttl': '1m',
  'cache.summary-ttl': '1m',
  'cache.devices-ttl': '1m',
  'cache.max-age': '3m',
};

interface Loss {
  /** Of what the endpoint brings, one metric; absent for one that brings none. */
  readonly metric?: string;
  /** The collector whose success says so. */
  readonly collector: string;
  readonly isUp: boolean;
}

/** What is lost when an endpoint fails. Devices once found are asked whatever becomes of the lists. */
const LOSSES: Readonly<Record<FaultyEndpoint, Loss>> = {
  login: { metric: 'solar_pv_power_watts', collector: 'readings', isUp: false },
  stations: { collector: 'stations', isUp: true },
  devices: { metric: 'solar_device_info', collector: 'devices', isUp: true },
  readings: { metric: 'solar_pv_power_watts', collector: 'readings', isUp: false },
  summary: { metric: 'solar_month_pv_generated_kwh', collector: 'summary', isUp: true },
};

/** A reading is younger than those lives, at any instant. */
const OFTEN = { sampleIntervalMs: 30_000 };

async function losesAndRecovers(faultCase: FaultCase): Promise<void> {
  const { endpoint, fault, code } = faultCase;
  const { metric, collector, isUp } = LOSSES[endpoint];
  const { simulator, scrape, scrapeAfter } = await startBoth({
    now: NOW,
    simulator: OFTEN,
    flags: { ...SHORT_LIVES, ...(code === 'SERVICE_TIMEOUT' ? PATIENCE : {}) },
  });
  const healthy = await scrape();
  expect(healthy.value('solar_up')).toBe(1);

  simulator.setFault(endpoint, fault);
  if (endpoint === 'login') {
    // A session that works needs no login: take it away.
    simulator.revokeTokens();
    simulator.revokeRefreshTokens();
  }
  const broken = await scrapeAfter(MINUTE_MS);
  expect(broken.status).toBe(200);
  expect(broken.requests(endpoint, code)).toBeGreaterThanOrEqual(1);
  expect(broken.value('solar_up')).toBe(Number(isUp));
  expect(broken.value('solar_collector_success', { collector })).toBe(0);
  if (metric !== undefined) expect(broken.value(metric)).toBe(healthy.value(metric));

  const withdrawn = await scrapeAfter(3 * MINUTE_MS);
  expect(withdrawn.status).toBe(200);
  expect(withdrawn.value('solar_up')).toBe(Number(isUp));
  if (metric !== undefined) expect(withdrawn.all(metric)).toEqual([]);
  expect(withdrawn.all('solar_device_reporting')).toHaveLength(Number(isUp));

  simulator.setFault(endpoint, undefined);
  const repaired = await scrapeAfter(recoveryMs(faultCase, 2));
  expect(repaired.value('solar_up')).toBe(1);
  expect(repaired.value('solar_collector_success', { collector })).toBe(1);
  expect(repaired.value('solar_reauthentication_required')).toBe(0);
  if (metric !== undefined) expect(repaired.all(metric)).toHaveLength(1);
}

describe('an exporter at work, when', () => {
  test.each(PROMPT_CASES)(
    '$endpoint begins to answer $name, shows $code, keeps and withdraws values, and recovers',
    losesAndRecovers,
  );

  test.each(SLOW_CASES)(
    'any endpoint begins to answer $name, shows a time-out, keeps and withdraws values, and recovers',
    async ({ cases }) => {
      await Promise.all(cases.map(losesAndRecovers));
    },
  );

  test('everything fails, withdraws everything but how it itself is doing, and recovers', async () => {
    const { simulator, scrape, scrapeAfter } = await startBoth({
      now: NOW,
      flags: SHORT_LIVES,
      simulator: OFTEN,
    });
    await scrape();
    simulator.setFault('*', { kind: 'status', status: 502 });
    await scrapeAfter(MINUTE_MS);

    const withdrawn = await scrapeAfter(5 * MINUTE_MS);
    const names = new Set(withdrawn.samples.map(({ name }) => name));
    expect(
      [...names].filter(
        (name) => !/^solar_(up|collector|api|token|session|exporter|rea)/.test(name),
      ),
    ).toEqual([]);
    expect(withdrawn.value('solar_up')).toBe(0);

    simulator.setFault('*', undefined);
    expect((await scrapeAfter(MINUTE_MS)).value('solar_up')).toBe(1);
  });

  test('some readings of several devices fail, loses those alone', async () => {
    const { simulator, scrape, scrapeAfter, stationId } = await startBoth({
      now: NOW,
      flags: SHORT_LIVES,
      simulator: { ...OFTEN, devicesPerStation: 3 },
    });
    await scrape();
    simulator.setFault('readings', { kind: 'status', status: 500, times: 1 });

    const broken = await scrapeAfter(3 * MINUTE_MS);
    expect(broken.value('solar_up', { station_id: stationId })).toBe(0);
    expect(broken.all('solar_pv_power_watts')).toHaveLength(2);

    const repaired = await scrapeAfter(SECOND_MS);
    expect(repaired.value('solar_up', { station_id: stationId })).toBe(1);
    expect(repaired.all('solar_pv_power_watts')).toHaveLength(3);
    expect(repaired.requests('readings', 'ok')).toBe(6);
  });

  test('it is asked to stay away, stays away so long', async () => {
    const { simulator, scrape, scrapeAfter } = await startBoth({
      now: NOW,
      flags: SHORT_LIVES,
      simulator: OFTEN,
    });
    await scrape();
    const headers = { 'retry-after': '120' };
    simulator.setFault('readings', { kind: 'status', status: 429, headers, times: 1 });
    await scrapeAfter(MINUTE_MS);
    expect(simulator.requests('readings')).toBe(2);

    await scrapeAfter(2 * MINUTE_MS - 1);
    expect(simulator.requests('readings')).toBe(2);
    expect((await scrapeAfter(1)).value('solar_up')).toBe(1);
    expect(simulator.requests('readings')).toBe(3);
  });
});
