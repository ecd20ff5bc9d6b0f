import { describe, expect, test } from 'vitest';
import { ServiceError, type ServiceErrorCode } from '../../../src/base/errors.ts';
import { retrying, StoppedError } from '../../../src/history/retrying.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { MINUTE_MS } from '../../support/durations.ts';

/** A clock on which every sleeper wakes at once, at its time. */
class HastyClock extends FakeClock {
  override sleep(durationMs: number): Promise<void> {
    this.advance(durationMs);
    return Promise.resolve();
  }
}

function patient() {
  const clock = new HastyClock();
  const waits: number[] = [];
  const stopping = new AbortController();
  const ask = retrying({
    clock,
    random: () => 0.5,
    stop: stopping.signal,
    onWait: (_reason, waitMs) => waits.push(waitMs),
  });
  return { clock, waits, stopping, ask };
}

/** Fails as often as it is told, then answers. */
function failing(times: number, code: ServiceErrorCode, retryAfterMs?: number) {
  let left = times;
  return (): Promise<string> => {
    left -= 1;
    return left < 0
      ? Promise.resolve('answer')
      : Promise.reject(new ServiceError(code, 'no', { retryAfterMs }));
  };
}

describe('a request that is sent until it succeeds', () => {
  test.each<[what: string, waits: number[], code: ServiceErrorCode, retryAfterMs?: number]>([
    ['longer from one failure to the next', [1000, 2000, 4000, 8000], 'SERVICE_UNREACHABLE'],
    ['as long as the service says', [420_000, 420_000], 'SERVICE_RATE_LIMITED', 7 * MINUTE_MS],
    ['a moment at least for the pause of the session', [500], 'SERVICE_AUTH_REJECTED', 0],
  ])('waits %s, says for how long, and begins anew afterwards', async (_what, expected, ...row) => {
    const { ask, waits } = patient();
    expect(await ask(failing(expected.length, ...row))).toBe('answer');
    expect(waits).toEqual(expected);
    await ask(failing(1, 'SERVICE_TIMEOUT'));
    expect(waits.at(-1)).toBe(1000);
  });

  test('does not wait for what cannot pass', async () => {
    const { ask, waits } = patient();
    const code = 'SERVICE_AUTH_REJECTED';
    await expect(ask(failing(1, code))).rejects.toMatchObject({ code });
    expect(waits).toEqual([]);
  });

  test('does not take a bug for a failure of the service', async () => {
    const { ask } = patient();
    await expect(ask(() => Promise.reject(new TypeError('a bug')))).rejects.toBeInstanceOf(
      TypeError,
    );
  });

  test('gives up after an hour without any success', async () => {
    const { ask, waits, clock } = patient();
    const startedAtMs = clock.nowMs();
    await expect(ask(failing(1000, 'SERVICE_UNREACHABLE'))).rejects.toMatchObject({
      code: 'SERVICE_UNREACHABLE',
    });
    expect(clock.nowMs() - startedAtMs).toBeGreaterThan(58 * MINUTE_MS);
    expect(clock.nowMs() - startedAtMs).toBeLessThanOrEqual(60 * MINUTE_MS);
    expect(waits.length).toBeGreaterThan(50);
  });

  test('gives up at once when the service asks for more than an hour', async () => {
    const { ask, waits } = patient();
    const asked = ask(failing(1, 'SERVICE_RATE_LIMITED', 61 * MINUTE_MS));
    await expect(asked).rejects.toMatchObject({ retryAfterMs: 61 * MINUTE_MS });
    expect(waits).toEqual([]);
  });

  test('waits no more once the person asks to stop, and ends a request', async () => {
    const { ask, waits, stopping, clock } = patient();
    clock.sleep = () => {
      stopping.abort();
      return Promise.resolve();
    };
    for (let time = 0; time < 2; time += 1)
      await expect(ask(failing(9, 'SERVICE_TIMEOUT'))).rejects.toBeInstanceOf(StoppedError);
    expect(waits).toHaveLength(1);
    expect(await ask(failing(0, 'SERVICE_TIMEOUT'))).toBe('answer');
  });
});
