import { describe, expect, test, vi } from 'vitest';
import { SnapshotCache } from '../../src/collectors/snapshot-cache.ts';
import { ServiceError } from '../../src/base/errors.ts';
import { deferred } from '../support/deferred.ts';
import { FakeClock } from '../support/fake-clock.ts';

const TTL_MS = 60_000;
const SERVED_FOR_MS = 900_000;

function createCache(random = () => 0.5) {
  const clock = new FakeClock();
  const fetchValue = vi.fn(() => Promise.resolve('value'));
  const changed = vi.fn();
  const cache = new SnapshotCache(
    { fetchValue, changed },
    {
      lifetime: () => ({ ttlMs: TTL_MS, servedForMs: SERVED_FOR_MS }),
      clock,
      random,
    },
  );
  const pauseMs = () => cache.nextFetchAtMs - clock.nowMs();
  return { cache, clock, fetchValue, changed, pauseMs };
}

describe('a snapshot cache', () => {
  test('fetches nothing on its own, and is due from the start', () => {
    const { cache, fetchValue, changed } = createCache();
    expect(cache.isDue()).toBe(true);
    expect(cache.servable()).toBeUndefined();
    expect(cache.latest()).toBeUndefined();
    expect(fetchValue).not.toHaveBeenCalled();
    expect(changed).not.toHaveBeenCalled();
  });

  test.each([
    { when: 'one millisecond before the TTL ends', afterMs: TTL_MS - 1, fetches: 1 },
    { when: 'when the TTL ends', afterMs: TTL_MS, fetches: 2 },
  ])('has fetched $fetches times $when', async ({ afterMs, fetches }) => {
    const { cache, clock, fetchValue } = createCache();
    await cache.refreshIfDue();
    clock.advance(afterMs);
    await cache.refreshIfDue();
    expect(fetchValue).toHaveBeenCalledTimes(fetches);
  });

  test.each([
    { when: 'one millisecond before its time is up', afterMs: SERVED_FOR_MS - 1, served: 'value' },
    { when: 'when its time is up', afterMs: SERVED_FOR_MS, served: undefined },
  ])('serves $served $when, and always knows the latest', async ({ afterMs, served }) => {
    const { cache, clock } = createCache();
    await cache.refreshIfDue();
    clock.advance(afterMs);
    expect(cache.servable()?.value).toBe(served);
    expect(cache.latest()?.value).toBe('value');
  });

  test('counts age from when the service was asked, not from when it answered', async () => {
    const { cache, clock, fetchValue } = createCache();
    const reply = deferred<string>();
    fetchValue.mockReturnValue(reply.promise);
    const askedAtMs = clock.nowMs();

    const refreshed = cache.refreshIfDue();
    clock.advance(25_000);
    reply.resolve('slow');
    await refreshed;

    expect(cache.latest()).toEqual({ value: 'slow', fetchedAtMs: askedAtMs });
    expect(cache.nextFetchAtMs).toBe(askedAtMs + TTL_MS);
    expect(cache.withdrawnAtMs).toBe(askedAtMs + SERVED_FOR_MS);
  });

  test('shares one fetch among overlapping requests', async () => {
    const { cache, fetchValue } = createCache();
    const reply = deferred<string>();
    fetchValue.mockReturnValue(reply.promise);

    const refreshes = Promise.all([cache.refreshIfDue(), cache.refreshIfDue()]);
    reply.resolve('once');
    await refreshes;

    expect(fetchValue).toHaveBeenCalledTimes(1);
  });

  test('goes on serving the last good value after a failure, and tells why it failed', async () => {
    const { cache, clock, fetchValue } = createCache();
    const error = new ServiceError('SERVICE_TIMEOUT', 'too slow');
    await cache.refreshIfDue();
    clock.advance(TTL_MS);
    fetchValue.mockRejectedValueOnce(error);
    await cache.refreshIfDue();

    expect(cache.servable()?.value).toBe('value');
    expect(cache.lastError).toBe(error);
  });

  test('reports every fetch, failed ones included', async () => {
    const { cache, clock, fetchValue, changed } = createCache();
    await cache.refreshIfDue();
    clock.advance(TTL_MS);
    fetchValue.mockRejectedValueOnce(new Error('a bug'));
    await cache.refreshIfDue();
    expect(changed).toHaveBeenCalledTimes(2);
  });
});

describe('the back-off of a snapshot cache', () => {
  test('starts at a second, doubles, and stops at a minute', async () => {
    const { cache, clock, fetchValue, pauseMs } = createCache();
    fetchValue.mockRejectedValue(new ServiceError('SERVICE_SERVER_ERROR', 'HTTP 500'));
    const pausesMs: number[] = [];
    for (let failure = 1; failure <= 9; failure += 1) {
      await cache.refreshIfDue();
      pausesMs.push(pauseMs());
      clock.advance(pauseMs());
    }
    expect(pausesMs).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000]);
    expect(fetchValue).toHaveBeenCalledTimes(9);
  });

  test('asks nothing before the pause is over', async () => {
    const { cache, clock, fetchValue } = createCache();
    fetchValue.mockRejectedValue(new ServiceError('SERVICE_SERVER_ERROR', 'HTTP 500'));
    await cache.refreshIfDue();
    clock.advance(999);
    await cache.refreshIfDue();
    expect(fetchValue).toHaveBeenCalledTimes(1);
  });

  test.each([
    { random: 0, failures: 1, expectedMs: 800 },
    { random: 1, failures: 1, expectedMs: 1200 },
    { random: 0, failures: 7, expectedMs: 48_000 },
    { random: 1, failures: 7, expectedMs: 60_000 },
  ])(
    'spreads by a fifth, never over a minute: $expectedMs ms for $random after $failures failures',
    async ({ random, failures, expectedMs }) => {
      const { cache, clock, fetchValue, pauseMs } = createCache(() => random);
      fetchValue.mockRejectedValue(new ServiceError('SERVICE_UNREACHABLE', 'refused'));
      for (let failure = 1; failure <= failures; failure += 1) {
        if (failure > 1) clock.advance(pauseMs());
        await cache.refreshIfDue();
      }
      expect(pauseMs()).toBeCloseTo(expectedMs);
    },
  );

  test('starts over after a success', async () => {
    const { cache, clock, fetchValue, pauseMs } = createCache();
    const failure = new ServiceError('SERVICE_TIMEOUT', 'too slow');
    fetchValue.mockRejectedValueOnce(failure).mockRejectedValueOnce(failure);
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      await cache.refreshIfDue();
      clock.advance(pauseMs());
    }
    expect(cache.lastError).toBeUndefined();

    fetchValue.mockRejectedValueOnce(failure);
    await cache.refreshIfDue();
    expect(pauseMs()).toBe(1000);
  });

  test.each([
    { asked: 'a longer pause', retryAfterMs: 300_000 },
    { asked: 'a shorter pause', retryAfterMs: 10 },
  ])('yields to the service asking for $asked', async ({ retryAfterMs }) => {
    const { cache, fetchValue, pauseMs } = createCache();
    fetchValue.mockRejectedValue(
      new ServiceError('SERVICE_RATE_LIMITED', 'slow down', { retryAfterMs }),
    );
    await cache.refreshIfDue();
    expect(pauseMs()).toBe(retryAfterMs);
  });

  test('counts from the failure, not from the question', async () => {
    const { cache, clock, fetchValue, pauseMs } = createCache();
    const reply = deferred<string>();
    fetchValue.mockReturnValue(reply.promise);
    const refreshed = cache.refreshIfDue();
    clock.advance(30_000);
    reply.reject(new ServiceError('SERVICE_TIMEOUT', 'too slow'));
    await refreshed;
    expect(pauseMs()).toBe(1000);
  });
});

test('a value that is due at a certain time is fetched then, and the next fetch knows it', async () => {
  const clock = new FakeClock();
  const startedAtMs = clock.nowMs();
  const fetchValue = vi.fn((previous: number | undefined) => Promise.resolve((previous ?? 0) + 1));
  const cache = new SnapshotCache(
    { fetchValue, changed: () => undefined },
    {
      lifetime: () => ({ ttlMs: 3_600_000, servedForMs: 4_000_000 }),
      dueAtMs: (_value, fetchedAtMs) =>
        fetchedAtMs === startedAtMs ? startedAtMs + 600_000 : Infinity,
      clock,
      random: () => 0.5,
    },
  );
  await cache.refreshIfDue();
  expect(cache.nextFetchAtMs).toBe(startedAtMs + 600_000);
  clock.advance(600_000);
  await cache.refreshIfDue();
  expect(fetchValue).toHaveBeenLastCalledWith(1);
  expect(cache.nextFetchAtMs).toBe(startedAtMs + 4_200_000);
});

test('a value with a problem is kept, with the problem as the error, and is due like any other', async () => {
  const clock = new FakeClock();
  const fetchValue = vi.fn(() => Promise.resolve('half'));
  const problem = new ServiceError('SERVICE_PAYLOAD_INVALID', 'half of it is missing');
  const cache = new SnapshotCache(
    { fetchValue, changed: () => undefined },
    {
      lifetime: () => ({ ttlMs: TTL_MS, servedForMs: SERVED_FOR_MS }),
      problemOf: (value) => (value === 'half' ? problem : undefined),
      clock,
      random: () => 0.5,
    },
  );
  await cache.refreshIfDue();
  expect(cache.lastError).toBe(problem);
  expect(cache.servable()?.value).toBe('half');
  expect(cache.nextFetchAtMs - clock.nowMs()).toBe(TTL_MS);
  fetchValue.mockResolvedValueOnce('whole');
  clock.advance(TTL_MS);
  await cache.refreshIfDue();
  expect(cache.lastError).toBeUndefined();
});

test('a doubtful value is fetched again after one, two and four minutes', async () => {
  const clock = new FakeClock();
  const fetchValue = vi.fn(() => Promise.resolve<readonly string[]>([]));
  const cache = new SnapshotCache(
    { fetchValue, changed: () => undefined },
    {
      lifetime: () => ({ ttlMs: 3_600_000, servedForMs: 4_000_000 }),
      isDoubtful: (value) => value.length === 0,
      clock,
      random: () => 0.5,
    },
  );
  await cache.refreshIfDue();
  for (const minutes of [1, 2, 4, 8, 16, 32, 60, 60]) {
    clock.advance(minutes * 60_000 - 1);
    expect(cache.isDue()).toBe(false);
    clock.advance(1);
    await cache.refreshIfDue();
  }
  fetchValue.mockResolvedValueOnce(['inverter']);
  clock.advance(3_600_000);
  await cache.refreshIfDue();
  clock.advance(3_600_000 - 1);
  expect(cache.isDue()).toBe(false);
});
