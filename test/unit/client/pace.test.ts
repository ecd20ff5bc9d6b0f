import { describe, expect, test } from 'vitest';
import { RequestPace } from '../../../src/client/exchange/pace.ts';
import { deferred, settled } from '../../support/deferred.ts';
import { DAY_MS, MINUTE_MS } from '../../support/durations.ts';
import { FakeClock } from '../../support/fake-clock.ts';

function openPace(perSecond?: number) {
  const clock = new FakeClock('2026-08-24T00:00:00Z');
  const pace = new RequestPace(clock);
  pace.limit(perSecond);
  const fetch = async (requests = 1): Promise<void> => {
    for (let sent = 0; sent < requests; sent += 1) await pace.spend();
  };
  /** Starts fetches of so many requests each until one gets no token; resolves to how many started. */
  const startAll = async (requests = 1, most = 10_000): Promise<number> => {
    let started = 0;
    while (started < most) {
      const running = pace.start(() => fetch(requests));
      if (running === undefined) break;
      started += 1;
      await running;
    }
    return started;
  };
  return { pace, clock, fetch, startAll };
}

describe('a pace of requests', () => {
  test('lets everything start that is due without a limit', async () => {
    const { pace, startAll } = openPace();
    expect(await startAll(1, 500)).toBe(500);
    expect([pace.perSecond, pace.waitMs]).toEqual([Infinity, 0]);
  });

  test.each([
    // At once, a minute later, then after a day of silence.
    [1, 10, 10, 10],
    [0.05, 10, 3, 10],
  ])('of %d a second has a burst of ten, however long nobody asks', async (...row) => {
    const [perSecond, atOnce, aMinuteLater, aDayLater] = row;
    const { clock, startAll } = openPace(perSecond);
    expect(await startAll()).toBe(atOnce);
    expect(await startAll()).toBe(0);
    clock.advance(MINUTE_MS);
    expect(await startAll()).toBe(aMinuteLater);
    clock.advance(DAY_MS);
    expect(await startAll()).toBe(aDayLater);
  });

  test('says how long the next token takes', async () => {
    const { pace, clock, startAll } = openPace(0.2);
    await startAll();
    expect(pace.waitMs).toBe(5000);
    clock.advance(pace.waitMs);
    expect(await startAll()).toBe(1);
  });

  test('that is set anew does not give back what was spent', async () => {
    const { pace, startAll } = openPace(1);
    await startAll();
    pace.limit(2);
    expect(pace.waitMs).toBe(500);
    pace.limit();
    expect(pace.waitMs).toBe(0);
  });

  test('owes what a fetch sends beside its token, and gives back the rest', async () => {
    const { pace, startAll, fetch } = openPace(1);
    expect(await startAll(3)).toBe(4);
    expect(pace.waitMs).toBe(3000);
    await fetch();
    expect(pace.waitMs).toBe(4000);
    // A scrape may wait for a fetch, so that no fetch waits for its own debt.
    const large = openPace(1).startAll(20);
    expect(await Promise.race([large, settled()])).toBe(1);
    const idle = openPace(1);
    expect(await idle.startAll(0, 100)).toBe(100);
  });

  test('does not start more while the first request of others is on its way', async () => {
    const { pace } = openPace(1);
    const answered = deferred<undefined>();
    const start = () => pace.start(() => answered.promise.then(() => pace.spend()));
    const running = Array.from({ length: 12 }, start);
    expect(running.filter((fetch) => fetch !== undefined)).toHaveLength(10);
    answered.resolve(undefined);
    await Promise.all(running);
    expect(pace.waitMs).toBe(1000);
  });

  test('lets what nobody planned wait only while the debt is large', async () => {
    const { pace, clock } = openPace(1);
    let sent = 0;
    const sendAll = async () => {
      for (;;) {
        await pace.spend();
        sent += 1;
      }
    };
    void sendAll();
    const sentBy: number[] = [];
    for (let second = 0; second < 5; second += 1) {
      await settled();
      sentBy.push(sent);
      clock.advance(1000);
    }
    expect(sentBy).toEqual([21, 22, 23, 24, 25]);
  });
});
