import { describe, expect, test, vi } from 'vitest';
import { paceRequests } from '../../../src/client/exchange/request-pace.ts';
import { settled } from '../../support/deferred.ts';
import { FakeClock } from '../../support/fake-clock.ts';

/** Paces requests on a fake clock, and notes when each was sent, in seconds since the start. */
function startPace(ratePerSecond: number) {
  const clock = new FakeClock();
  const startedAtMs = clock.nowMs();
  const pace = paceRequests(ratePerSecond, clock);
  const sent: string[] = [];
  const send = async (name: string) => {
    await pace();
    sent.push(`${name} at ${(clock.nowMs() - startedAtMs) / 1000}`);
  };
  const pass = async (seconds: number) => {
    await settled();
    for (let tenths = 0; tenths < 10 * seconds; tenths += 1) {
      clock.advance(100);
      await settled();
    }
  };
  return { sent, send: (...names: readonly string[]) => void names.map(send), pass };
}

describe('requests at a rate', () => {
  test('are sent one after the other in the order of the calls, evenly spaced', async () => {
    const { sent, send, pass } = startPace(0.4);
    send('a', 'b', 'c');
    await pass(0.5);
    send('d');
    await pass(10);
    expect(sent).toEqual(['a at 0', 'b at 2.5', 'c at 5', 'd at 7.5']);
  });

  test('do not wait where the last one was long ago, and make up for nothing', async () => {
    const { sent, send, pass } = startPace(1);
    send('a');
    await pass(60);
    send('b', 'c', 'd');
    await pass(3);
    expect(sent).toEqual(['a at 0', 'b at 60', 'c at 61', 'd at 62']);
  });

  test.each([1e-9, Number.MIN_VALUE])(
    'of %j a second wait for what a timer can hold',
    async (rate) => {
      const sleep = vi.fn(() => Promise.resolve());
      const pace = paceRequests(rate, { sleep });
      await pace();
      await pace();
      expect(sleep).toHaveBeenCalledWith(24 * 24 * 3_600_000);
    },
  );
});
