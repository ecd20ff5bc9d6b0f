import { describe, expect, test } from 'vitest';
import { MINUTE_MS, startBoth } from '../doors/house.ts';
import {
  ENDPOINT_PLANS,
  FAULTS,
  FAULTS_NOW,
  FIRST_ASKED,
  meetFault,
  meetPatiently,
  startWithFault,
} from '../support/faults.ts';

describe.each(FAULTS)('where any endpoint answers $name', (faulty) => {
  // Side by side: each meeting has a service and an exporter of its own.
  test('an exporter at work says so, asks sparingly, withdraws and recovers', async () => {
    await Promise.all(ENDPOINT_PLANS.map((plan) => meetFault(plan, faulty)));
  });

  test('an exporter that starts shows that, and recovers', async () => {
    await Promise.all(FIRST_ASKED.map((endpoint) => startWithFault(endpoint, faulty)));
  });

  test('a device that is learnt without its catalogue fails nothing', async () => {
    const { fault, name, code } = faulty;
    await meetPatiently(code, async (flags) => {
      const { simulator, scrape, scrapeAfter } = await startBoth({
        now: FAULTS_NOW,
        simulator: { family: 'hpvinv02', sampleIntervalMs: 30_000 },
        flags,
      });
      // The catalogue is asked for when a device that has to be learnt tells nothing of itself.
      simulator.setFault('latest-state', { kind: 'reply', body: { code: 0, data: {} } });
      simulator.setFault('attributes', fault);
      const isNothing = /^success (without|with a list for) data$/.test(name);
      const learnt = await scrape();
      expect(learnt.requests('attributes', isNothing ? 'ok' : code)).toBeGreaterThanOrEqual(1);
      for (let minutes = 0; minutes < 10; minutes += 2) {
        const page = await scrapeAfter(2 * MINUTE_MS);
        expect(page.all('solar_up').every(({ value }) => value === 1)).toBe(true);
        expect(page.all('solar_collector_success').every(({ value }) => value === 1)).toBe(true);
      }
      // The first look, one repeated after ten minutes, and each once more with a new token.
      expect(simulator.requests('attributes')).toBeLessThanOrEqual(4);
    });
  });
});
