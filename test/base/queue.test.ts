import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Queue } from '../../src/base/queue.ts';

test('entries leave in the order in which they came, however many come and go', () => {
  const arbitrarySteps = fc.array(
    fc.record({ pushed: fc.nat({ max: 3000 }), shifted: fc.nat({ max: 3000 }) }),
    { maxLength: 8 },
  );
  fc.assert(
    fc.property(arbitrarySteps, (steps) => {
      const queue = new Queue<number>();
      const model: number[] = [];
      let next = 0;
      for (const { pushed, shifted } of steps) {
        for (let count = 0; count < pushed; count += 1) {
          queue.push(next);
          model.push(next);
          next += 1;
        }
        const expected = model.splice(0, shifted);
        expect(expected.map(() => queue.shift())).toEqual(expected);
        expect(queue.length).toBe(model.length);
      }
    }),
    { numRuns: 50 },
  );
});

test('an empty queue has no first entry', () => {
  const queue = new Queue<string>();
  expect(queue.shift()).toBeUndefined();
  queue.push('one');
  expect([queue.shift(), queue.shift(), queue.length]).toEqual(['one', undefined, 0]);
});
