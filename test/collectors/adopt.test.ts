import { DropLog } from '../../src/base/drop-log.ts';
import { describe, expect, test } from 'vitest';
import { Collection } from '../../src/collectors/collection.ts';
import type { CollectorSwitches } from '../../src/collectors/index.ts';
import type { CacheLifetimes } from '../../src/collectors/collector.ts';
import { SilentLog } from '../support/silent-log.ts';
import {
  createCollection,
  HOUR_MS,
  LIFETIMES,
  MINUTE_MS,
  SECOND_MS,
  samplesOf,
} from './collection-harness.ts';

type Before = ReturnType<typeof createCollection>;

interface Changes {
  readonly stationIds?: readonly string[];
  readonly lifetimes?: Partial<CacheLifetimes>;
  readonly collect?: Partial<CollectorSwitches>;
  readonly isRetrying?: boolean;
}

/** A collection that goes on from another one, before the same service. */
function adopting({ api, clock, collection }: Before, changes: Changes = {}) {
  const { stationIds = [], lifetimes = {}, collect = {}, isRetrying = false } = changes;
  const next = new Collection({
    api,
    clock,
    log: new SilentLog(),
    drops: new DropLog(new SilentLog(), () => undefined),
    random: () => 0.5,
    stationIds,
    collect: { settings: false, alarms: false, energy: false, ...collect },
    lifetimes: { ...LIFETIMES, ...lifetimes },
  });
  next.adopt(collection, isRetrying);
  const asked = api.questions.length;
  return {
    next,
    /** What it has asked itself. */
    questions: () => api.questions.slice(asked),
    samples: () => samplesOf(next),
  };
}

const READINGS = 'readings inverter';

describe('a collection that goes on from another one', () => {
  test('shows the same, and asks nothing before it is due', async () => {
    const before = createCollection();
    await before.scrape();
    const { next, questions, samples } = adopting(before);
    expect(samples().length).toBeGreaterThan(5);
    expect(samples()).toEqual(samplesOf(before.collection));
    expect(next.status()).toEqual(before.collection.status());
    expect(next.stations).toEqual(before.collection.stations);
    expect(next.isDiscovered).toBe(true);
    expect(next.nextFetchAtMs).toBe(before.collection.nextFetchAtMs);
    expect(next.nextWithdrawalAtMs).toBe(before.collection.nextWithdrawalAtMs);
    before.clock.advance(MINUTE_MS - 1);
    await next.refresh();
    expect(questions()).toEqual([]);
    before.clock.advance(1);
    await next.refresh();
    expect(questions()).toEqual([READINGS]);
  });

  test('asks for everything when the previous collection holds nothing', async () => {
    const { next, questions } = adopting(createCollection());
    expect(next.isDiscovered).toBe(false);
    await next.refresh();
    expect(questions()).toContain('stations');
    expect(questions()).toContain(READINGS);
  });

  test('keeps what the lists lack, and lets it go when its hour is over', async () => {
    const before = createCollection({ account: { house: ['inverter'], barn: ['small'] } });
    await before.scrape();
    before.api.stations = [{ stationId: 'house' }];
    before.api.devices.set('barn', []);
    before.api.fail('readings small', 'SERVICE_API_REFUSED');
    await before.scrapeAfter(HOUR_MS);
    const { next, samples } = adopting(before);
    const listed = (): readonly unknown[] =>
      samples().filter(({ name, value }) => name === 'solar_device_listed' && value === 0);
    expect(listed()).toHaveLength(1);
    before.clock.advance(HOUR_MS);
    await next.refresh();
    expect(listed()).toEqual([]);
    expect(next.stations).toHaveLength(1);
  });

  test('leaves the other one as it is', async () => {
    const before = createCollection();
    const series = await before.scrape();
    const { next } = adopting(before);
    before.clock.advance(MINUTE_MS);
    before.api.readings = { pvPowerWatts: 1 };
    await next.refresh();
    expect(before.series()).toEqual(series);
  });

  test.each([
    { what: 'shorter', ttlMs: 30 * SECOND_MS, dueAfterMs: 30 * SECOND_MS },
    { what: 'longer', ttlMs: 5 * MINUTE_MS, dueAfterMs: MINUTE_MS },
    { what: 'over already', ttlMs: 1, dueAfterMs: 10 * SECOND_MS },
  ])('with a lifetime that is $what asks in time', async ({ ttlMs, dueAfterMs }) => {
    const before = createCollection();
    await before.scrape();
    before.clock.advance(10 * SECOND_MS);
    const { next, questions } = adopting(before, { lifetimes: { readingsTtlMs: ttlMs } });
    before.clock.advance(dueAfterMs - 10 * SECOND_MS - 1);
    if (dueAfterMs > 10 * SECOND_MS) {
      await next.refresh();
      expect(questions()).toEqual([]);
    }
    before.clock.advance(1);
    await next.refresh();
    expect(questions()).toEqual([READINGS]);
  });

  test('withdraws values by its own lifetime', async () => {
    const before = createCollection();
    await before.scrape();
    before.clock.advance(2 * MINUTE_MS);
    const { samples } = adopting(before, { lifetimes: { maxAgeMs: MINUTE_MS } });
    expect(samples().some(({ name }) => name === 'solar_pv_power_watts')).toBe(false);
    expect(before.names().join()).toContain('solar_pv_power_watts');
  });

  test('keeps what was learned of how often a device has readings', async () => {
    const auto = { lifetimes: { maxAgeMs: 'auto' } } as const;
    const before = createCollection(auto);
    const answer = () => {
      before.api.readings = { pvPowerWatts: 1, measuredAtMs: before.clock.nowMs() - 4 * MINUTE_MS };
    };
    answer();
    await before.scrape();
    for (let reading = 0; reading < 2; reading += 1) {
      before.clock.advance(10 * MINUTE_MS);
      answer();
      await before.scrape();
    }
    const { next, samples } = adopting(before, auto);
    before.clock.advance(10 * MINUTE_MS);
    answer();
    await next.refresh();
    const maxAge = samples().find(({ name }) => name === 'solar_device_reading_max_age_seconds');
    expect(maxAge?.value).toBe(26 * 60);
  });

  test('shows only the stations that it is told of', async () => {
    const before = createCollection({ account: { house: ['inverter'], barn: ['small'] } });
    await before.scrape();
    const { next, questions, samples } = adopting(before, { stationIds: ['barn'] });
    await next.refresh();
    expect(questions()).toEqual([]);
    expect(new Set(samples().map(({ labels }) => labels['station_id']))).toEqual(new Set(['barn']));
  });

  test('asks for a station that is new', async () => {
    const before = createCollection({
      stationIds: ['house'],
      account: { house: ['inverter'], barn: ['small'] },
    });
    await before.scrape();
    const { next, questions } = adopting(before, { stationIds: ['house', 'barn'] });
    await next.refresh();
    expect(questions().filter((question) => /house|inverter/.test(question))).toEqual([]);
    expect(questions()).toContain('devices barn');
    expect(questions()).toContain('readings small');
  });

  test('asks for what was not collected before, and shows no more what no longer is', async () => {
    const before = createCollection({ alarms: true });
    await before.scrape();
    const { next, questions, samples } = adopting(before, { collect: { settings: true } });
    await next.refresh();
    expect(questions()).toEqual(['settings-get inverter']);
    expect(samples().some(({ name }) => name.includes('alarm'))).toBe(false);
    expect(samples().some(({ name }) => name.includes('setting'))).toBe(true);
  });
});

describe('what failed before', () => {
  async function failed(retryAfterMs?: number): Promise<Before> {
    const before = createCollection();
    await before.scrape();
    before.api.fail(READINGS, 'SERVICE_RATE_LIMITED', retryAfterMs);
    await before.scrapeAfter(MINUTE_MS);
    return before;
  }

  test.each([
    { asked: undefined, pauseMs: SECOND_MS },
    { asked: 5 * MINUTE_MS, pauseMs: 5 * MINUTE_MS },
  ])('waits for its pause of $pauseMs ms, and is still shown', async ({ asked, pauseMs }) => {
    const before = await failed(asked);
    const { next, questions, samples } = adopting(before);
    expect(samples()).toEqual(samplesOf(before.collection));
    expect(next.status()).toEqual(before.collection.status());
    before.clock.advance(pauseMs - 1);
    await next.refresh();
    expect(questions()).toEqual([]);
    before.clock.advance(1);
    await next.refresh();
    expect(questions()).toEqual([READINGS]);
  });

  test('is retried at once on a new connection', async () => {
    const before = await failed(5 * MINUTE_MS);
    const { next, questions } = adopting(before, { isRetrying: true });
    expect(next.status()).toEqual(before.collection.status());
    await next.refresh();
    expect(questions()).toEqual([READINGS]);
  });

  test('pauses longer when it fails again', async () => {
    const before = await failed();
    const { next, questions } = adopting(before);
    before.clock.advance(SECOND_MS);
    await next.refresh();
    expect(next.nextFetchAtMs).toBe(before.clock.nowMs() + 2 * SECOND_MS);
    expect(questions()).toEqual([READINGS]);
  });
});
