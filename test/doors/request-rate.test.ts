import { describe, expect, test } from 'vitest';
import { deferred, type Deferred } from '../support/deferred.ts';
import { eventually } from '../support/eventually.ts';
import {
  MINUTE_MS,
  SECOND_MS,
  startExporterFor,
  startService,
  SteeredClock,
} from './house.ts';

/** Less than four devices want: their readings are then a minute and a half apart. */
const RATE = '0.05';
const GAP_MS = 20 * SECOND_MS;

/** Lets the test end each gap between two requests; everything else waits as long as it says. */
class GapClock extends SteeredClock {
  /** Whether no gap lasts. */
  isOpen = true;
  #gap: Deferred<undefined> = deferred();

  override async sleep(durationMs: number, signal?: AbortSignal): Promise<void> {
    if (durationMs !== GAP_MS) return super.sleep(durationMs, signal);
    if (this.isOpen) return;
    await this.#gap.promise;
  }

  /** Ends the gap that lasts now. */
  endGap(): void {
    this.#gap.resolve(undefined);
    this.#gap = deferred();
  }

  open(): void {
    this.isOpen = true;
    this.endGap();
  }
}

async function startSlowly(flags: Readonly<Record<string, string>>) {
  const clock = new GapClock();
  const service = await startService({ devicesPerStation: 4 }, clock);
  const exporter = await startExporterFor(service.simulator, service.serviceUrl, clock, {
    flags: {
      'request.rate': RATE,
      'collect.energy': 'false',
      'cache.readings-ttl': '1m',
      ...flags,
    },
  });
  return { ...service, ...exporter, clock };
}

describe('a scrape of an exporter with --request.rate', () => {
  test('is answered in time with the last good values, while requests wait for their turn', async () => {
    const { simulator, scrape, clock } = await startSlowly({ 'scrape.timeout': '200ms' });
    const healthy = await eventually(async () => {
      const page = await scrape();
      expect(page.all('solar_pv_power_watts')).toHaveLength(4);
      return page;
    });
    const readings = simulator.requests('readings');

    clock.isOpen = false;
    clock.advance(2 * MINUTE_MS);
    const late = await scrape();
    expect(late.status).toBe(200);
    expect(late.all('solar_pv_power_watts')).toEqual(healthy.all('solar_pv_power_watts'));
    expect(late.value('solar_up')).toBe(1);

    // More scrapes ask for nothing more: the devices that wait are asked once each, in turn.
    await scrape();
    await scrape();
    expect(simulator.requests('readings') - readings).toBeLessThanOrEqual(1);
    clock.open();
    await eventually(() => expect(simulator.requests('readings')).toBe(readings + 4));
    await eventually(async () => expect((await scrape()).value('solar_up')).toBe(1));
    expect(simulator.requests('readings')).toBe(readings + 4);
  });

  test('has nothing of a service that it may not ask yet, and says so', async () => {
    const { simulator, scrape, clock } = await startSlowly({ 'scrape.timeout': '200ms' });
    clock.isOpen = false;
    const page = await scrape();
    expect(page.status).toBe(200);
    expect(page.all('solar_pv_power_watts')).toEqual([]);
    await eventually(() => expect(simulator.requests()).toBe(2));
    expect(simulator.requests('login')).toBe(1);
    clock.open();
    await eventually(async () =>
      expect((await scrape()).all('solar_pv_power_watts')).toHaveLength(4),
    );
  });
});
