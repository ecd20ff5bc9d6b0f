import type { PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import { expect, test, vi } from 'vitest';
import { growYoungGenerationUnderLoad } from '../../src/base/young-generation.ts';

/** Watches made-up collections of garbage. */
function watch() {
  const grow = vi.fn();
  const disconnect = vi.fn();
  let tell: ((atMs: readonly number[]) => void) | undefined;
  class FakeObserver {
    constructor(
      callback: (list: { getEntries: () => readonly Partial<PerformanceEntry>[] }) => void,
    ) {
      tell = (atMs) => callback({ getEntries: () => atMs.map((startTime) => ({ startTime })) });
    }
    readonly disconnect = disconnect;
    readonly observe = vi.fn();
  }
  growYoungGenerationUnderLoad(grow, FakeObserver as unknown as typeof PerformanceObserver);
  return { grow, disconnect, collected: (...atMs: readonly number[]) => tell?.(atMs) };
}

/** So many instants, so far apart. */
const times = (count: number, everyMs: number, fromMs = 0) =>
  Array.from({ length: count }, (_, index) => fromMs + index * everyMs);

test('forty collections of garbage within a second give it more room, once', () => {
  const { grow, disconnect, collected } = watch();
  collected(...times(39, 25));
  expect(grow).not.toHaveBeenCalled();
  collected(...times(40, 25, 975));
  expect(grow).toHaveBeenCalledOnce();
  expect(disconnect).toHaveBeenCalledOnce();
});

test('so many collections within a longer time do not', () => {
  const { grow, collected } = watch();
  for (const atMs of times(500, 26)) collected(atMs);
  collected(...times(39, 1, 60_000));
  expect(grow).not.toHaveBeenCalled();
});
