import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { MINUTE_MS, startBoth } from './house.ts';

test.each<[when: string, limit: string, headers: Readonly<Record<string, string>>]>([
  ['the configured limit has passed', '100ms', {}],
  ['Prometheus will not wait much longer', '1h', { 'x-prometheus-scrape-timeout-seconds': '0.6' }],
])(
  'a scrape shows the last good values when %s, the fetch goes on',
  async (_when, limit, headers) => {
    const { simulator, scrape, clock } = await startBoth({
      flags: {
        'scrape.timeout': limit,
        'request.timeout': '1h',
        'cache.readings-ttl': '1m',
        // Counting asks the same endpoint, and could meet the hang instead.
        'collect.energy': 'false',
      },
    });
    // The first fetch of all may take longer than these short deadlines.
    const power = await eventually(async () => {
      const watts = (await scrape()).value('solar_pv_power_watts');
      expect(watts).toBeDefined();
      return watts;
    });
    simulator.setFault('readings', { kind: 'hang', times: 1 });
    clock.advance(2 * MINUTE_MS);

    // The service is waited for in the background for an hour, which no test lasts.
    const late = await scrape(headers);
    expect(late.status).toBe(200);
    expect(late.value('solar_pv_power_watts')).toBe(power);
    expect(late.value('solar_up')).toBe(1);

    // The next scrape joins the fetch under way instead of asking again.
    await scrape(headers);
    expect(simulator.requests('readings')).toBe(2);
    await simulator.stop();
    await eventually(async () => expect((await scrape()).value('solar_up')).toBe(0));
  },
);
