import { describe, expect, test, vi } from 'vitest';
import { singleFlight } from '../src/single-flight.ts';
import { deferred } from './support/deferred.ts';

describe('singleFlight', () => {
  test('overlapping calls share one run and its answer', async () => {
    const answer = deferred<string>();
    const run = vi.fn(() => answer.promise);
    const fly = singleFlight(run);

    const calls = Promise.all([fly(), fly(), fly()]);
    answer.resolve('landed');

    expect(await calls).toEqual(['landed', 'landed', 'landed']);
    expect(run).toHaveBeenCalledTimes(1);
  });

  test('overlapping calls share one failure', async () => {
    const answer = deferred<string>();
    const run = vi.fn(() => answer.promise);
    const fly = singleFlight(run);

    const calls = Promise.allSettled([fly(), fly()]);
    answer.reject(new Error('lost'));

    expect((await calls).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(run).toHaveBeenCalledTimes(1);
  });

  test.each([
    { how: 'succeeded', run: () => Promise.resolve() },
    { how: 'failed', run: () => Promise.reject(new Error('lost')) },
  ])('a call after one that $how starts afresh', async ({ run }) => {
    const spy = vi.fn(run);
    const fly = singleFlight(spy);

    await fly().catch(() => undefined);
    await fly().catch(() => undefined);

    expect(spy).toHaveBeenCalledTimes(2);
  });
});
