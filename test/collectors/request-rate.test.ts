import { describe, expect, test } from 'vitest';
import { limitConcurrency } from '../../src/base/concurrency.ts';
import { paceRequests } from '../../src/client/exchange/request-pace.ts';
import { greatestOf, leastOf } from '../../src/model/extremes.ts';
import { settled } from '../support/deferred.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { spending } from './budget-harness.ts';
import { createCollection, HOUR_MS } from './collection-harness.ts';

const CONCURRENCY = 8;

/** A collection whose requests wait for their turn, as a client's do. */
function createPaced(devices: number, ratePerSecond: number) {
  const clock = new FakeClock();
  const pace = paceRequests(ratePerSecond, clock);
  const limit = limitConcurrency(CONCURRENCY);
  let [sent, waiting, running, mostRunning] = [0, 0, 0, 0];
  const send = async () => {
    waiting += 1;
    await limit(async () => {
      running += 1;
      mostRunning = Math.max(mostRunning, running);
      await pace();
      running -= 1;
    });
    waiting -= 1;
    sent += 1;
  };
  const ids = Array.from({ length: devices }, (_, device) => `device-${device}`);
  const harness = createCollection({
    account: { house: ids },
    alarms: true,
    clock,
    allowance: () => ({ ratePerSecond, sentRequests: sent }),
    before: (api) => spending(api, send),
  });
  harness.api.month = { ...harness.api.month, endsAtMs: Infinity };
  return {
    ...harness,
    counts: () => ids.map((id) => harness.api.count(`readings ${id}`)),
    mostRunning: () => mostRunning,
    /** Scrapes every 15 seconds for an hour; returns the fewest and the most that waited. */
    hour: async () => {
      let [fewest, most] = [Infinity, 0];
      for (let passedMs = 0; passedMs < HOUR_MS; passedMs += 1000) {
        if (passedMs % 15_000 === 0) void harness.collection.refresh();
        clock.advance(1000);
        await settled();
        fewest = Math.min(fewest, waiting);
        most = Math.max(most, waiting);
      }
      return { fewest, most };
    },
  };
}

describe('a rate that is too small for all devices', () => {
  test('stretches the intervals, so that requests do not queue, and every device has its turn', async () => {
    const { collection, counts, hour, mostRunning } = createPaced(60, 0.25);
    await hour();
    for (let passed = 0; passed < 3; passed += 1) {
      const before = counts();
      const { fewest, most } = await hour();
      // Who is due is asked in one go; the queue is empty before they are due again.
      expect(fewest).toBe(0);
      expect(most).toBeLessThanOrEqual(60 + 4);
      const shares = counts().map((count, device) => count - (before[device] ?? 0));
      expect(greatestOf(shares) - leastOf(shares)).toBeLessThanOrEqual(1);
      // 900 requests an hour for 60 devices, and a few for the house.
      expect(leastOf(shares)).toBeGreaterThanOrEqual(12);
    }
    expect(mostRunning()).toBeLessThanOrEqual(CONCURRENCY);
    expect(collection.effectiveIntervalMs).toBeGreaterThan(240_000);
    expect(collection.effectiveIntervalMs).toBeLessThan(280_000);
  });

  test('does not delay devices for which it does', async () => {
    const { collection, counts, hour } = createPaced(10, 0.5);
    await hour();
    const before = counts();
    await hour();
    expect(collection.effectiveIntervalMs).toBe(60_000);
    for (const [device, count] of counts().entries())
      expect(count - (before[device] ?? 0)).toBeGreaterThanOrEqual(58);
  });
});
