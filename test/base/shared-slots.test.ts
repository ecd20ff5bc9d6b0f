import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SharedSlots } from '../../src/base/shared-slots.ts';
import { deferred, settled } from '../support/deferred.ts';

/** Starts so many tasks that never end, and returns how many of them have started by then. */
function hangingTasks(limit: ReturnType<SharedSlots['limit']>, count: number) {
  const tasks = { started: 0 };
  for (let task = 0; task < count; task += 1)
    void limit(() => {
      tasks.started += 1;
      return new Promise(() => undefined);
    });
  return tasks;
}

test('an owner whose tasks all hang leaves as many slots free as it holds', async () => {
  const slots = new SharedSlots(8, () => true);
  const hanging = hangingTasks(slots.limit(), 20);
  await settled();
  expect(hanging.started).toBe(4);
  const second = hangingTasks(slots.limit(), 20);
  const third = hangingTasks(slots.limit(), 20);
  await settled();
  expect([hanging.started, second.started, third.started]).toEqual([4, 2, 1]);
});

test('an owner may always have one task under way, whatever the others hold', async () => {
  const slots = new SharedSlots(1, () => true);
  hangingTasks(slots.limit(), 5);
  const limit = slots.limit();
  const order: number[] = [];
  await Promise.all([1, 2, 3].map((task) => limit(() => Promise.resolve(order.push(task)))));
  expect(order).toEqual([1, 2, 3]);
});

test('an owner that is alone has all slots, twice', async () => {
  const alone = hangingTasks(new SharedSlots(4, () => false).limit(), 20);
  await settled();
  expect(alone.started).toBe(8);
});

test('busy owners have equal shares, and one of them stays free', async () => {
  const slots = new SharedSlots(12, () => true);
  const running = [0, 0];
  const gates: (() => void)[] = [];
  for (const [owner, limit] of [slots.limit(), slots.limit()].entries())
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

test('all tasks run, in order for each owner, and return their own result or failure', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 6 }),
      fc.array(fc.nat({ max: 3 }), { maxLength: 40 }),
      async (count, owners) => {
        const slots = new SharedSlots(count, () => true);
        const limits = Array.from({ length: 4 }, () => slots.limit());
        const started: number[][] = [[], [], [], []];
        const run = async (owner: number, task: number): Promise<number | undefined> =>
          limits[owner]?.(async () => {
            started[owner]?.push(task);
            await Promise.resolve();
            if (task % 3 === 0) throw new Error(`task ${task}`);
            return task;
          });
        const results = await Promise.allSettled(owners.map((owner, task) => run(owner, task)));
        for (const tasks of started) expect(tasks).toEqual(tasks.toSorted((a, b) => a - b));
        for (const [task, result] of results.entries())
          expect(result).toMatchObject(
            task % 3 === 0
              ? { status: 'rejected', reason: { message: `task ${task}` } }
              : { status: 'fulfilled', value: task },
          );
      },
    ),
  );
});
