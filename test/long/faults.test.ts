import { describe, expect, test } from 'vitest';
import { OPERATIONS } from '../../src/client/endpoints.ts';
import { MINUTE_MS, startBoth } from '../doors/house.ts';
import {
  ENDPOINT_PLANS,
  type FaultCase,
  FAULTS,
  FAULTS_NOW,
  FIRST_ASKED,
  meetFault,
  meetPatiently,
  NOT_REACHED,
  startWithFault,
} from '../support/faults.ts';

/** Meets all of these side by side: each has a service and an exporter of its own. */
async function meetAll<T>(places: readonly T[], meet: (place: T) => Promise<void>): Promise<void> {
  const ended = await Promise.allSettled(places.map(meet));
  const failures = ended.flatMap((end) => (end.status === 'rejected' ? [String(end.reason)] : []));
  expect(failures).toEqual([]);
}

test('every endpoint is met, or there is a reason why it is not', () => {
  const reached = ENDPOINT_PLANS.map(({ endpoint }) => endpoint);
  expect([...reached, ...Object.keys(NOT_REACHED)].sort()).toEqual([...OPERATIONS].sort());
});

describe.each(FAULTS)('where any endpoint answers $name', (faulty) => {
  test('an exporter at work says so, asks sparingly, withdraws and recovers', async () => {
    await meetAll(ENDPOINT_PLANS, (plan) => meetFault(plan, faulty));
  });

  test('an exporter that starts shows that, and recovers', async () => {
    await meetAll(FIRST_ASKED, (endpoint) => startWithFault(endpoint, faulty));
  });

  test('a device that is learnt without its catalogue fails nothing, and that is not asked for often', async () => {
    await learnWithoutCatalogue(faulty);
  });
});

/** The catalogue is asked for when a device that has to be learnt tells nothing of itself. */
function learnWithoutCatalogue({ fault, name, code }: FaultCase): Promise<void> {
  return meetPatiently(code, async (flags) => {
    const { simulator, scrape, scrapeAfter } = await startBoth({
      now: FAULTS_NOW,
      simulator: { family: 'techfine', sampleIntervalMs: 30_000 },
      flags,
    });
    simulator.setFault('latest-state', { kind: 'data', data: {} });
    simulator.setFault('attributes', fault);
    const isNothing = fault.kind === 'data-null' || name.includes('a list for data');
    const first = await scrape();
    expect(first.requests('attributes', isNothing ? 'ok' : code)).toBeGreaterThanOrEqual(1);
    for (let minutes = 0; minutes < 10; minutes += 2) {
      const page = await scrapeAfter(2 * MINUTE_MS);
      expect(page.all('solar_up').every(({ value }) => value === 1)).toBe(true);
      expect(page.all('solar_collector_success').every(({ value }) => value === 1)).toBe(true);
    }
    // The first look, one repeated after ten minutes, and each once more with a new token.
    expect(simulator.requests('attributes')).toBeLessThanOrEqual(4);
  });
}
