import { expect, test } from 'vitest';
import { nextTurn } from '../../src/base/clock.ts';
import { allInTurns, takeTurns } from '../../src/base/turns.ts';
import { turnsDuring } from '../support/turns-during.ts';

test('lets so many go on in each turn, in the order of their calls', async () => {
  const turns = takeTurns(2);
  const gone: number[] = [];
  const all = Promise.all([1, 2, 3, 4, 5].map((call) => turns().then(() => gone.push(call))));
  await Promise.resolve();
  expect(gone).toEqual([1, 2]);
  await nextTurn();
  expect(gone).toEqual([1, 2, 3, 4]);
  await nextTurn();
  expect(gone).toEqual([1, 2, 3, 4, 5]);
  await all;
});

test('who waits goes on before a newcomer, and after a pause nobody waits', async () => {
  const turns = takeTurns(1);
  const gone: string[] = [];
  const call = (name: string) => turns().then(() => gone.push(name));
  const all = [call('first'), call('second')];
  await nextTurn();
  all.push(call('newcomer'));
  await Promise.resolve();
  expect(gone).toEqual(['first', 'second']);
  await nextTurn();
  expect(gone).toEqual(['first', 'second', 'newcomer']);
  await Promise.all(all);
  await nextTurn();
  await nextTurn();
  await turns();
});

test('takes what is made at once where that is little, and in slices where it is much', async () => {
  const made = Array.from({ length: 5000 }, (_, index) => index);
  const few = made.slice(0, 10);
  expect(await turnsDuring(async () => expect(await allInTurns(few, 4)).toEqual(few))).toBe(0);
  const turns = await turnsDuring(async () => expect(await allInTurns(made, 4)).toEqual(made));
  expect(turns).toBeGreaterThanOrEqual(6);
});
