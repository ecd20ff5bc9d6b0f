import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import {
  limitConcurrency,
  oneAtATime,
  singleFlight,
  startEach,
} from '../../src/base/concurrency.ts';
import { deferred, settled } from '../support/deferred.ts';

describe('oneAtATime', () => {
  test('calls made during a run share the next one, with the argument of the last', async () => {
    const answers = [deferred<string>(), deferred<string>()];
    const run = vi.fn(async (wanted: string) => `${await answers.shift()?.promise} for ${wanted}`);
    const [one, two] = answers;
    const call = oneAtATime(run);
    const first = call('a');
    await settled();
    const others = Promise.all([call('b'), call('c')]);
    await settled();
    expect(run.mock.calls).toEqual([['a']]);
    one?.resolve('1');
    two?.resolve('2');
    expect(await first).toBe('1 for a');
    expect(await others).toEqual(['2 for c', '2 for c']);
    expect(run.mock.calls).toEqual([['a'], ['c']]);
  });

  test('a run that fails is no reason not to run again', async () => {
    const run = vi.fn(() => Promise.reject(new Error('lost')));
    const call = oneAtATime(run);
    await expect(Promise.all([call(), call()])).rejects.toThrow('lost');
    await expect(call()).rejects.toThrow('lost');
    expect(run).toHaveBeenCalledTimes(2);
  });
});

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

describe('limitConcurrency', () => {
  test('starts as many tasks as the limit and then, in order, one for each that ends', async () => {
    const limit = limitConcurrency(2);
    const started: number[] = [];
    const gates = [0, 1, 2, 3, 4].map(() => deferred<undefined>());
    const all = Promise.allSettled(
      gates.map((gate, index) =>
        limit(() => {
          started.push(index);
          return gate.promise;
        }),
      ),
    );

    await settled();
    expect(started).toEqual([0, 1]);
    gates[1]?.resolve(undefined);
    await settled();
    expect(started).toEqual([0, 1, 2]);
    gates[0]?.reject(new Error('failed tasks make room as well'));
    await settled();
    expect(started).toEqual([0, 1, 2, 3]);
    for (const gate of gates) gate.resolve(undefined);
    await all;
    expect(started).toEqual([0, 1, 2, 3, 4]);
  });

  test('starts waiting tasks before a new one', async () => {
    const limit = limitConcurrency(1);
    const order: string[] = [];
    const run = (name: string) => limit(() => Promise.resolve(order.push(name)));
    await Promise.all([run('first').then(() => run('newcomer')), run('second'), run('third')]);
    expect(order).toEqual(['first', 'second', 'third', 'newcomer']);
  });

  test('returns to each caller its own result or failure', async () => {
    const limit = limitConcurrency(1);
    const failure = new Error('mine');
    expect(
      await Promise.allSettled([
        limit(() => Promise.reject(failure)),
        limit(() => Promise.resolve(2)),
      ]),
    ).toEqual([
      { status: 'rejected', reason: failure },
      { status: 'fulfilled', value: 2 },
    ]);
  });

  test('never runs more tasks than the limit and always runs all of them', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 6 }),
        fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 25 }),
        async (most, turns) => {
          const limit = limitConcurrency(most);
          let running = 0;
          let peak = 0;
          const task = async (count: number): Promise<void> => {
            running += 1;
            peak = Math.max(peak, running);
            for (let turn = 0; turn < count; turn += 1) await Promise.resolve();
            running -= 1;
          };
          await Promise.all(turns.map((count) => limit(() => task(count))));
          expect(running).toBe(0);
          expect(peak).toBe(Math.min(most, turns.length));
        },
      ),
    );
  });
});

describe('startEach', () => {
  test('starts a few at once, many in slices, and waits for all', async () => {
    const last = deferred<undefined>();
    let started = 0;
    let isOver = false;
    const all = startEach(Array.from({ length: 250 }), () => {
      started += 1;
      return last.promise;
    }).then(() => (isOver = true));
    expect(started).toBe(100);
    await settled();
    await settled();
    await settled();
    expect([started, isOver]).toEqual([250, false]);
    last.resolve(undefined);
    await all;
    expect(isOver).toBe(true);
  });
});
