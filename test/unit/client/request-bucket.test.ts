import { describe, expect, test } from 'vitest';
import { RequestBucket } from '../../../src/client/exchange/request-bucket.ts';
import { SpentRequests } from '../../../src/client/exchange/spent-requests.ts';
import { deferred, settled } from '../../support/deferred.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../support/durations.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { SilentLog } from '../../support/silent-log.ts';

interface Limits {
  readonly ratePerSecond?: number;
  readonly dailyBudget?: number;
}

function openBucket(limits: Limits, now = '2026-08-24T00:00:00Z') {
  const clock = new FakeClock(now);
  const log = new SilentLog();
  const spent = new SpentRequests({ clock, log });
  const bucket = new RequestBucket({ ...limits, spent, clock, log });
  const fetch = async (requests = 1): Promise<void> => {
    for (let sent = 0; sent < requests; sent += 1) await bucket.spend();
  };
  /** Starts fetches of so many requests each until one gets no token; resolves to how many started. */
  const startAll = async (requests = 1, most = 10_000): Promise<number> => {
    let started = 0;
    while (started < most) {
      const running = bucket.start(() => fetch(requests));
      if (running === undefined) break;
      started += 1;
      await running;
    }
    return started;
  };
  return { bucket, spent, clock, log, fetch, startAll };
}

describe('a bucket of requests', () => {
  test('lets everything start that is due without a limit', async () => {
    const { bucket, startAll } = openBucket({});
    expect(await startAll(1, 500)).toBe(500);
    expect([bucket.perSecond, bucket.waitMs, bucket.budget()]).toEqual([Infinity, 0, undefined]);
  });

  test.each<[Limits, number, number, number]>([
    // At once, then every minute, then after a day of silence.
    [{ ratePerSecond: 1 }, 5, 5, 5],
    [{ ratePerSecond: 0.05 }, 1, 1, 1],
    [{ dailyBudget: 4800 }, 196, 3, 196],
    [{ dailyBudget: 24 }, 1, 0, 1],
    [{ ratePerSecond: 0.1, dailyBudget: 4800 }, 1, 1, 1],
    [{ ratePerSecond: 100, dailyBudget: 480 }, 19, 0, 19],
  ])('of %j has a small burst, and no more however long nobody asks', async (...row) => {
    const [limits, atOnce, aMinuteLater, aDayLater] = row;
    const { clock, startAll } = openBucket(limits);
    expect(await startAll()).toBe(atOnce);
    expect(await startAll()).toBe(0);
    clock.advance(MINUTE_MS);
    expect(await startAll()).toBe(aMinuteLater);
    clock.advance(DAY_MS);
    expect(await startAll()).toBe(aDayLater);
  });

  test.each<[Limits, number]>([
    [{ ratePerSecond: 1 }, 1000],
    [{ ratePerSecond: 0.2 }, 5000],
    [{ dailyBudget: 24 }, HOUR_MS],
    [{ ratePerSecond: 1e-300 }, 24 * DAY_MS],
  ])('of %j says how long the next token takes', async (limits, waitMs) => {
    const { bucket, clock, startAll } = openBucket(limits);
    await startAll();
    expect(Math.abs(bucket.waitMs - waitMs)).toBeLessThan(waitMs / 10);
    clock.advance(bucket.waitMs);
    expect(await startAll()).toBe(waitMs > DAY_MS ? 0 : 1);
  });

  test('owes what a fetch sends beside its token, and gives back what it does not send', async () => {
    const { bucket, startAll, fetch } = openBucket({ ratePerSecond: 1 });
    expect(await startAll(3)).toBe(2);
    expect(bucket.waitMs).toBe(2000);
    await fetch();
    expect(bucket.waitMs).toBe(3000);
    const idle = openBucket({ ratePerSecond: 1 });
    expect(await idle.startAll(0, 100)).toBe(100);
  });

  test('does not start more while the first request of others is on its way', async () => {
    const { bucket } = openBucket({ ratePerSecond: 1 });
    const answered = deferred<undefined>();
    const start = () => bucket.start(() => answered.promise.then(() => bucket.spend()));
    const running = Array.from({ length: 7 }, start);
    expect(running.filter((fetch) => fetch !== undefined)).toHaveLength(5);
    answered.resolve(undefined);
    await Promise.all(running);
    expect(bucket.waitMs).toBe(1000);
  });

  test('lets what nobody planned wait only while the debt is large', async () => {
    const { bucket, clock } = openBucket({ ratePerSecond: 1 });
    let sent = 0;
    const sendAll = async () => {
      for (;;) {
        await bucket.settle();
        await bucket.spend();
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
    expect(sentBy).toEqual([11, 12, 13, 14, 15]);
  });
});

describe('a budget', () => {
  test.each([
    ['every minute', MINUTE_MS, 1],
    ['every five hours', 5 * HOUR_MS, 1],
    ['every minute, in fetches of three', MINUTE_MS, 3],
  ])('is not exceeded on any day by who asks %s, nor used up', async (_, everyMs, requests) => {
    const { bucket, spent, clock, startAll } = openBucket({ dailyBudget: 1000 });
    for (let day = 0; day < 3; day += 1) {
      for (let passedMs = 0; passedMs < DAY_MS; passedMs += everyMs) {
        await startAll(requests);
        if (passedMs + everyMs < DAY_MS) clock.advance(everyMs);
      }
      expect(spent.today).toBeLessThanOrEqual(1000);
      expect(bucket.budget()?.remainingRequests).toBeGreaterThan(0);
      if (everyMs === MINUTE_MS) expect(spent.today).toBeGreaterThan(950);
      clock.advance((bucket.budget()?.resetsAtMs ?? 0) - clock.nowMs());
    }
  });

  test('of which another program took most is spread over the rest of the day', async () => {
    const { bucket, spent, clock, startAll } = openBucket({ dailyBudget: 4800 });
    await startAll();
    for (let other = 0; other < 4500; other += 1) await spent.spend(4800);
    clock.advance(12 * HOUR_MS);
    expect(bucket.perSecond).toBeCloseTo(100 / (12 * 3600));
    expect(await startAll()).toBeLessThan(6);
  });

  test('refuses a request once it is used up, logs that once, and goes on the next day', async () => {
    const { bucket, clock, log, fetch } = openBucket({ dailyBudget: 1 }, '2026-08-24T08:00:00Z');
    await bucket.spend();
    const resetsAtMs = Date.parse('2026-08-25T00:00:00Z');
    expect(bucket.budget()).toEqual({ dailyRequests: 1, remainingRequests: 0, resetsAtMs });
    expect(() => bucket.check()).toThrow('the 1 requests of the day (--request.daily-budget)');
    // So everybody sees it.
    await expect(bucket.start(fetch)).rejects.toMatchObject({
      code: 'SERVICE_BUDGET_USED_UP',
      retryAfterMs: 16 * HOUR_MS,
    });
    clock.advance(16 * HOUR_MS);
    bucket.check();
    await bucket.spend();
    expect(log.lines).toMatchObject([
      { level: 'warn', fields: { dailyRequests: 1, until: '2026-08-25T00:00:00.000Z' } },
      { level: 'info', message: 'the service is asked again: a new day' },
    ]);
  });

  test('that becomes smaller than what was sent has nothing left', async () => {
    const { spent, clock, log } = openBucket({});
    for (let sent = 0; sent < 5; sent += 1) await spent.spend(1000);
    const left = [3, 7].map(
      (dailyBudget) =>
        new RequestBucket({ dailyBudget, spent, clock, log }).budget()?.remainingRequests,
    );
    expect(left).toEqual([0, 2]);
  });
});
