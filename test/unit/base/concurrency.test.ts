import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { limitConcurrency, oneAtATime } from '../../../src/base/concurrency.ts';
import { RecentMap } from '../../../src/base/recent-map.ts';
import { turn } from '../../../src/base/turns.ts';
import { deferred, settled } from '../../support/deferred.ts';
import { turnsDuring } from '../../support/turns-during.ts';

test('calls during a run share the next one, with the last argument', async () => {
  const answers = [deferred<string>(), deferred<string>()];
  const run = vi.fn(async (wanted: string) => `${await answers.shift()?.promise} for ${wanted}`);
  const [one, two] = answers;
  const call = oneAtATime(run);
  const first = call('a');
  await settled();
  const others = Promise.all([call('b'), call('c')]);
  await settled();
  expect(run.mock.calls).toEqual([['a']]);
  one?.reject(new Error('lost'));
  two?.resolve('2');
  await expect(first).rejects.toThrow('lost');
  expect(await others).toEqual(['2 for c', '2 for c']);
});

test('a limit starts waiting tasks before a new one', async () => {
  const limit = limitConcurrency(1);
  const order: string[] = [];
  const run = (name: string) => limit(() => Promise.resolve(order.push(name)));
  const failure = new Error('mine');
  const outcomes = await Promise.allSettled([
    run('first').then(() => run('newcomer')),
    limit(() => Promise.reject(failure)),
    run('third'),
  ]);
  expect(order).toEqual(['first', 'third', 'newcomer']);
  expect(outcomes[1]).toEqual({ status: 'rejected', reason: failure });
});

test('limited tasks start in order, never more than there are slots', async () => {
  const slots = fc.integer({ min: 1, max: 6 });
  await fc.assert(
    fc.asyncProperty(slots, fc.nat({ max: 40 }), async (count, tasks) => {
      const limit = limitConcurrency(count);
      const started: number[] = [];
      let running = 0;
      const run = async (task: number): Promise<number> =>
        limit(async () => {
          started.push(task);
          running += 1;
          expect(running).toBeLessThanOrEqual(count);
          for (let turn = 0; turn < task % 4; turn += 1) await Promise.resolve();
          running -= 1;
          if (task % 3 === 0) throw new Error(`task ${task}`);
          return task;
        });
      const all = Array.from({ length: tasks }, (_, task) => task);
      const results = await Promise.allSettled(all.map(run));
      expect(started).toEqual(all);
      for (const [task, result] of results.entries())
        expect(result).toMatchObject(
          task % 3 === 0 ? { reason: { message: `task ${task}` } } : { value: task },
        );
    }),
  );
});

test('others have their turn, in order, while something takes long', async () => {
  const look = vi.spyOn(performance, 'now').mockReturnValue(0);
  const gone: number[] = [];
  const work = async (name: number): Promise<void> => {
    await turn.next();
    gone.push(name);
    if (name < 3) await work(name + 3);
  };
  const some = Promise.all([1, 2, 3].map(work));
  expect(gone).toEqual([]);
  await settled();
  expect(gone).toEqual([1, 2, 3]);
  await settled();
  expect(gone).toEqual([1, 2, 3, 4, 5]);
  await some;
  await settled();
  look.mockRestore();
  // After a pause, nobody waits, and in it nothing goes round.
  const soon = vi.spyOn(globalThis, 'setImmediate');
  await settled();
  await settled();
  expect(soon).toHaveBeenCalledTimes(2);
  soon.mockRestore();
  const long = async (): Promise<void> => {
    for (let step = 0; step < 1000; step += 1) if (turn.isOver()) await turn.next();
  };
  expect(await turnsDuring(long)).toBeGreaterThanOrEqual(100);
  const many = Array.from({ length: 1000 }, () => turn.next());
  expect(await turnsDuring(() => Promise.all(many))).toBeGreaterThanOrEqual(100);
});

test('a map of recent entries forgets the one that was used longest ago', () => {
  const map = new RecentMap<string, number>(3);
  for (const [index, key] of ['a', 'b', 'c'].entries()) map.set(key, index);
  expect(map.get('a')).toBe(0);
  map.set('b', 5);
  expect(map.peek('c')).toBe(2);
  map.set('d', 3);
  expect([map.size, map.get('c')]).toEqual([3, undefined]);
  expect(map.getOrMake('a', () => 7)).toBe(0);
  expect(map.getOrMake('e', () => 7)).toBe(7);
  expect(map.getOrMake('e', () => 8)).toBe(7);
  expect(['a', 'b', 'd', 'e'].map((key) => map.get(key))).toEqual([0, undefined, 3, 7]);
});
