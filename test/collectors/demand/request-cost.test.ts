import { describe, expect, test } from 'vitest';
import { RequestCost } from '../../../src/collectors/demand/request-cost.ts';

/** Lets so many fetches of one target cost so many requests each; returns what one is believed to cost. */
function costAfter(fetches: number, requests: number, cost = new RequestCost(0), sent = 0): number {
  for (let index = 1; index <= fetches; index += 1) cost.fetched(true, sent + index * requests, 1);
  return cost.perFetch(1);
}

describe('the cost of a fetch', () => {
  test('is one request until more is known', () => {
    expect(new RequestCost(500).perFetch(100)).toBe(1);
    expect(new RequestCost(0).perFetch(0)).toBe(1);
  });

  test('is learnt from what was sent', () => {
    expect(costAfter(2000, 3)).toBeCloseTo(2.8, 0);
    expect(costAfter(2000, 0)).toBeLessThan(0.2);
  });

  test('hardly grows when a device is learnt', () => {
    expect(costAfter(1, 6)).toBeLessThan(1.5);
  });

  test('forgets what was long ago', () => {
    const cost = new RequestCost(0);
    costAfter(1000, 5, cost);
    expect(costAfter(1000, 1, cost, 5000)).toBeLessThan(1.1);
  });

  test('is not that of fetches that fail, whether they sent anything or not', () => {
    const cost = new RequestCost(0);
    for (let sent = 1; sent <= 500; sent += 1) cost.fetched(false, sent * 7, 1);
    for (let fetch = 0; fetch < 500; fetch += 1) cost.fetched(false, 3500, 1);
    expect(cost.perFetch(1)).toBe(1);
    cost.fetched(true, 3501, 1);
    expect(cost.perFetch(1)).toBe(1);
  });
});
