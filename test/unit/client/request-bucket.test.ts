import { describe, expect, test } from 'vitest';
import { RequestBucket, type RequestLimits } from '../../../src/client/exchange/request-bucket.ts';
import { deferred, settled } from '../../support/deferred.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../support/durations.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { MemoryFile } from '../../support/memory-file.ts';
import { SilentLog } from '../../support/silent-log.ts';

function openBucket(limits: RequestLimits, now = '2026-08-24T00:00:00Z') {
  const clock = new FakeClock(now);
  const log = new SilentLog();
  const bucket = new RequestBucket(clock, log);
  bucket.limit(limits);
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
  return { bucket, clock, log, fetch, startAll };
}

describe('a bucket of requests', () => {
  test('lets everything start that is due without a limit', async () => {
    const { bucket, startAll } = openBucket({});
    expect(await startAll(1, 500)).toBe(500);
    expect([bucket.perSecond, bucket.waitMs, bucket.left]).toEqual([Infinity, 0, undefined]);
  });

  test.each<[RequestLimits, number, number, number]>([
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

  test.each([1, 2, 100])(
    'goes on with what was left when a reload sets its limits again: %d per second',
    async (ratePerSecond) => {
      const { bucket, clock, startAll } = openBucket({ ratePerSecond: 1 });
      expect(await startAll()).toBe(5);
      bucket.limit({ ratePerSecond });
      expect(await startAll()).toBe(0);
      clock.advance(1000 / ratePerSecond);
      expect(await startAll()).toBe(1);
    },
  );

  test.each<[RequestLimits, number]>([
    [{ ratePerSecond: 1 }, 1000],
    [{ ratePerSecond: 0.2 }, 5000],
    [{ dailyBudget: 24 }, HOUR_MS],
    [{ ratePerSecond: 1e-300 }, DAY_MS],
  ])('of %j says how long the next token takes', async (limits, waitMs) => {
    const { bucket, clock, startAll } = openBucket(limits);
    await startAll();
    expect(Math.abs(bucket.waitMs - waitMs)).toBeLessThan(waitMs / 10);
    clock.advance(bucket.waitMs);
    expect(await startAll()).toBe(waitMs < DAY_MS ? 1 : 0);
  });

  test('owes what a fetch sends beside its token, and gives back what it does not send', async () => {
    const { bucket, startAll, fetch } = openBucket({ ratePerSecond: 1 });
    expect(await startAll(3)).toBe(2);
    expect(bucket.waitMs).toBe(2000);
    await fetch();
    expect(bucket.waitMs).toBe(3000);
    // A scrape may wait for a fetch, so that no fetch waits for its own debt.
    const large = openBucket({ ratePerSecond: 1 }).startAll(20);
    expect(await Promise.race([large, settled()])).toBe(1);
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
  test('of which another program took most is spread over the rest of the day', async () => {
    const { bucket, clock, startAll, fetch } = openBucket({ dailyBudget: 4800 });
    await startAll();
    await fetch(4500);
    clock.advance(12 * HOUR_MS);
    expect(bucket.perSecond).toBeCloseTo(100 / (12 * 3600));
    expect(await startAll()).toBeLessThan(6);
  });

  test('that is used up refuses requests, which says so to whoever starts a fetch, and lasts a day', async () => {
    const { bucket, fetch } = openBucket({ dailyBudget: 1 }, '2026-08-24T08:00:00Z');
    await bucket.spend();
    expect(() => bucket.check()).toThrow('the 1 requests of the day (--request.daily-budget)');
    const refusal = { code: 'SERVICE_BUDGET_USED_UP', retryAfterMs: 16 * HOUR_MS };
    await expect(bucket.start(fetch)).rejects.toMatchObject(refusal);
  });

  test('of which nothing more may be planned lets what is due wait until midnight', async () => {
    const { bucket, fetch } = openBucket({ dailyBudget: 100 }, '2026-08-24T15:00:00Z');
    // What nobody took until now comes no faster before midnight.
    expect(bucket.perSecond).toBeCloseTo(100 / (DAY_MS / 1000), 4);
    await fetch(98);
    expect([bucket.left, bucket.waitMs]).toEqual([2, 9 * HOUR_MS]);
  });
});

async function open(file = new MemoryFile(), clock = new FakeClock(), dailyBudget = 1000) {
  const log = new SilentLog();
  const bucket = await RequestBucket.open(clock, log, file);
  bucket.limit({ dailyBudget });
  /** Sends so many, and resolves to how many of them were allowed. */
  const spend = async (times: number) => {
    let allowed = 0;
    for (let sent = 0; sent < times; sent += 1)
      allowed += await bucket.spend().then(
        () => 1,
        () => 0,
      );
    return allowed;
  };
  return { bucket, spend, file, clock, log };
}

describe('the count of requests', () => {
  test('writes nothing without a limit, and holds where one is set', async () => {
    const { bucket, spend, file } = await open();
    bucket.limit({});
    expect(await spend(50)).toBe(50);
    await bucket.close();
    expect(file.writes).toEqual([]);
    bucket.limit({ dailyBudget: 1000 });
    expect(bucket.left).toBe(950);
  });

  test('is in the file before a request goes out', async () => {
    const { bucket, file } = await open();
    const written = deferred<undefined>();
    const texts: string[] = [];
    file.write = async (text) => {
      texts.push(text);
      await written.promise;
    };
    let isSent = false;
    void bucket.spend().then(() => (isSent = true));
    await settled();
    expect({ isSent, writes: texts.length }).toEqual({ isSent: false, writes: 1 });
    expect(JSON.parse(texts[0] ?? '')).toMatchObject({ spent: 5 });
    written.resolve(undefined);
    await settled();
    expect(isSent).toBe(true);
  });

  test('never allows more than the limit to a program that is killed again and again', async () => {
    const file = new MemoryFile();
    const clock = new FakeClock();
    let sent = 0;
    let starts = 0;
    for (let allowed = 1; allowed > 0; starts += 1) {
      allowed = await (await open(file, clock)).spend(7);
      sent += allowed;
    }
    expect(sent).toBeLessThanOrEqual(1000);
    // A kill costs a part of the budget, and not much of it.
    expect(sent).toBeGreaterThan(1000 - starts * 6);
  });

  test('writes some two hundred times a day, whatever the budget', async () => {
    const { spend, file } = await open(undefined, undefined, 100_000);
    await spend(100_000);
    expect(file.writes.length).toBeLessThanOrEqual(201);
  });

  test('is that of all programs with the same file, none of which takes what another has', async () => {
    const file = new MemoryFile();
    const exporter = await open(file);
    await exporter.spend(7);
    const command = await open(file);
    // The exporter has taken ten, in two blocks.
    expect(command.bucket.left).toBe(990);
    expect(await command.spend(3)).toBe(3);
    await command.bucket.close();
    expect(JSON.parse(file.text ?? '')).toMatchObject({ spent: 13 });
    await exporter.spend(4);
    expect(exporter.bucket.left).toBe(1000 - 7 - 4 - 3);
    let sent = 7 + 4 + 3;
    const other = await open(file);
    for (let allowed = 1; allowed > 0; sent += allowed)
      allowed = (await exporter.spend(13)) + (await other.spend(7));
    expect(sent).toBe(1000);
  });

  test('remembers over restarts that the clock was set back, so that nobody waits for long', async () => {
    const first = await open();
    await first.spend(1000);
    await first.bucket.close();
    const clock = new FakeClock('2026-03-01T22:00:00Z');
    const second = await open(first.file, clock);
    expect(await second.spend(1)).toBe(0);
    clock.advance(3 * HOUR_MS);
    const third = await open(first.file, clock);
    expect(await third.spend(1)).toBe(1);
  });

  test('goes on in memory while the file cannot be written, and says so', async () => {
    const { spend, file, log } = await open();
    const { write } = file;
    file.write = () => Promise.reject(new Error('full'));
    expect(await spend(100)).toBe(100);
    file.write = write;
    expect(await spend(1000)).toBe(900);
    expect(log.lines.map(({ message }) => message)).toEqual([
      'the count of requests cannot be kept in --state.dir: a restart begins it anew',
      'the count of requests is kept in --state.dir again',
      'the requests of the day are used up: the service is not asked',
    ]);
  });

  test('begins at 0 where the file says a day to come, which is set aside', async () => {
    const text = '{"version":1,"startsAtMs":1e99,"spent":1}';
    const { bucket, log } = await open(new MemoryFile(text));
    expect(bucket.left).toBe(1000);
    const said = 'the count of requests cannot be used, was set aside and begins at 0';
    expect(log.messages('warn')).toEqual([said]);
  });
});
