import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { oneAtATime, shareSlots } from '../../../src/base/concurrency.ts';
import { RecentMap } from '../../../src/base/recent-map.ts';
import { turn } from '../../../src/base/turns.ts';
import { deferred, settled } from '../../support/deferred.ts';
import { turnsDuring } from '../../support/turns-during.ts';

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
  one?.reject(new Error('lost'));
  two?.resolve('2');
  await expect(first).rejects.toThrow('lost');
  expect(await others).toEqual(['2 for c', '2 for c']);
});

test('a limit starts waiting tasks before a new one, and gives each caller its own outcome', async () => {
  const limit = shareSlots(1)();
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

describe('owners of shared slots', () => {
  /** Starts so many tasks that never end, and tells how many of them have started. */
  function hanging(limit: ReturnType<ReturnType<typeof shareSlots>>, count: number) {
    const tasks = { started: 0 };
    for (let task = 0; task < count; task += 1)
      void limit(() => {
        tasks.started += 1;
        return new Promise(() => undefined);
      });
    return tasks;
  }

  test('leave as many slots free as they hold, also when all their tasks hang', async () => {
    const limitOf = shareSlots(8);
    const [first, second, third, last] = ['a', 'b', 'c', 'd'].map((name) => limitOf(name));
    const order: number[] = [];
    const started = [first, second, third].map((limit) => limit && hanging(limit, 20).started);
    expect(started).toEqual([4, 2, 1]);
    // The last slot is for those who have none.
    await Promise.all([1, 2, 3].map((task) => last?.(() => Promise.resolve(order.push(task)))));
    expect(order).toEqual([1, 2, 3]);
    expect(last && hanging(last, 5).started).toBe(1);
    expect(hanging(limitOf(), 5).started).toBe(0);
  });

  test('have all slots when they are alone, and those who need not share have all that are free', async () => {
    const limitOf = shareSlots(4);
    expect(hanging(limitOf('a'), 20).started).toBe(4);
    const others = shareSlots(4);
    expect(hanging(others('a'), 1).started).toBe(1);
    expect(hanging(others('b'), 1).started).toBe(1);
    // The same name is the same owner.
    expect(hanging(others('a'), 1).started).toBe(1);
    expect(hanging(others(), 20).started).toBe(1);
    await settled();
  });

  test('have equal shares when they are busy, and slots stay free', async () => {
    const limitOf = shareSlots(12);
    const running = [0, 0];
    const gates: (() => void)[] = [];
    for (const [owner, limit] of [limitOf('a'), limitOf('b')].entries())
      for (let task = 0; task < 40; task += 1)
        void limit(async () => {
          running[owner] = (running[owner] ?? 0) + 1;
          const gate = deferred<undefined>();
          gates.push(() => gate.resolve(undefined));
          await gate.promise;
          running[owner] = (running[owner] ?? 0) - 1;
        });
    await settled();
    for (let ended = 0; ended < 20; ended += 1) {
      gates.shift()?.();
      await settled();
    }
    expect(running).toEqual([4, 4]);
    while (gates.length > 0) {
      for (const end of gates.splice(0)) end();
      await settled();
    }
    expect(running).toEqual([0, 0]);
  });

  test('have their tasks run in order, never more than there are slots, with an outcome each', async () => {
    const arbitraryOwners = fc.array(fc.nat({ max: 3 }), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 6 }), arbitraryOwners, async (count, owners) => {
        const limitOf = shareSlots(count);
        const limits = ['a', 'b', 'c', undefined].map((name) => limitOf(name));
        const started: number[][] = [[], [], [], []];
        let running = 0;
        const run = async (owner: number, task: number): Promise<number | undefined> =>
          limits[owner]?.(async () => {
            started[owner]?.push(task);
            running += 1;
            expect(running).toBeLessThanOrEqual(count);
            for (let turn = 0; turn < task % 4; turn += 1) await Promise.resolve();
            running -= 1;
            if (task % 3 === 0) throw new Error(`task ${task}`);
            return task;
          });
        const results = await Promise.allSettled(owners.map((owner, task) => run(owner, task)));
        for (const tasks of started) expect(tasks).toEqual(tasks.toSorted((a, b) => a - b));
        for (const [task, result] of results.entries())
          expect(result).toMatchObject(
            task % 3 === 0 ? { reason: { message: `task ${task}` } } : { value: task },
          );
      }),
    );
  });
});

test('others have their turn while something takes long, and who waits for one goes on in order', async () => {
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

test('a map of recent entries forgets the one that was used longest ago; a look is no use', () => {
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
