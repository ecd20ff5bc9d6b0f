import { expect, test } from 'vitest';
import { demandOf } from '../../../src/collectors/demand/demand.ts';

test('a long wait counts as one of so long in what is stretched, and as itself in what is asked', () => {
  expect(demandOf([128_000, 512_000], 256_000)).toEqual({
    targets: 2,
    fetchesPerSecond: 1 / 128 + 1 / 512,
    weightedPerSecond: 1 / 128 + 1 / 256,
  });
});
