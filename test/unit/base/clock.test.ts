import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';

describe('the clock of the machine', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: Date.parse('2026-08-24T08:00:00Z') });
  });

  afterEach(() => {
    vi.useRealTimers();
  });

  test('counts the time that passes, however it is set', () => {
    const startedAtMs = systemClock.monotonicMs();
    vi.advanceTimersByTime(1500);
    vi.setSystemTime(0);
    expect(systemClock.monotonicMs() - startedAtMs).toBeCloseTo(1500);
  });

  test('sleeps as long as asked', async () => {
    const woken = vi.fn();
    void systemClock.sleep(5000).then(woken);
    await vi.advanceTimersByTimeAsync(4999);
    expect(woken).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(woken).toHaveBeenCalledTimes(1);
  });

  test('leaves no listener on a signal after it has slept or was woken', async () => {
    const patience = new AbortController();
    const listeners = () => getEventListeners(patience.signal, 'abort').length;
    const slept = systemClock.sleep(5000, patience.signal);
    expect(listeners()).toBe(1);
    await vi.advanceTimersByTimeAsync(5000);
    await slept;
    expect(listeners()).toBe(0);
    const woken = systemClock.sleep(5000, patience.signal);
    patience.abort();
    await woken;
    // On a signal that has aborted, it does not sleep at all.
    await systemClock.sleep(5000, patience.signal);
    expect([listeners(), vi.getTimerCount()]).toEqual([0, 0]);
  });

  test('does not keep the program running', () => {
    const setTimeout = vi.spyOn(globalThis, 'setTimeout');
    void systemClock.sleep(5000);
    const [timer] = setTimeout.mock.results.map(({ value }) => value as NodeJS.Timeout);
    expect(timer?.hasRef()).toBe(false);
  });
});
