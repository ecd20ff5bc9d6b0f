import type { PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import { expect, test, vi } from 'vitest';
import { growYoungGenerationUnderLoad } from '../../../src/base/young-generation.ts';

type Callback = (list: { getEntries: () => readonly Partial<PerformanceEntry>[] }) => void;

test.each([
  ['forty within a second give it more room, once', 80, 25, 1],
  ['so many within a longer time do not', 500, 26, 0],
])('of collections of garbage, %s', (_, count, everyMs, times) => {
  const grow = vi.fn();
  const watch = { isOn: false };
  let collected: Callback | undefined;
  class FakeObserver {
    constructor(callback: Callback) {
      collected = callback;
    }
    observe = () => (watch.isOn = true);
    disconnect = () => (watch.isOn = false);
  }
  growYoungGenerationUnderLoad(grow, FakeObserver as unknown as typeof PerformanceObserver);
  for (let index = 0; index < count && watch.isOn; index += 1) {
    expect(grow).not.toHaveBeenCalled();
    collected?.({ getEntries: () => [{ startTime: index * everyMs }] });
  }
  expect(grow).toHaveBeenCalledTimes(times);
});
