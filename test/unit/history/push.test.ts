import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { PushAnswer } from '../../../src/history/push-request.ts';
import { StoppedError } from '../../../src/history/run/patience.ts';
import { PushTarget } from '../../../src/history/run/push-target.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { HOUR_MS, MINUTE_MS } from '../../support/durations.ts';
import { collected, partOf, pastReading } from './past-house.ts';

const PART = partOf();
const DEVICES = ['inverter-1'];
const IMPORT = 'http://database:8428/vm/api/v1/import/prometheus';

function targetWith(answers: readonly PushAnswer[] = [], says: readonly string[] = []) {
  const metrics = [...says];
  const clock = new FakeClock('2026-11-22T12:00:00Z');
  const startedAtMs = clock.nowMs();
  // Nobody waits with the test: time passes as fast as it is slept.
  clock.sleep = (durationMs) => {
    clock.advance(durationMs);
    return Promise.resolve();
  };
  const sent: string[] = [];
  const left = [...answers];
  const stopping = new AbortController();
  const waits: string[] = [];
  const target = new PushTarget({
    base: new URL('http://database:8428/vm/'),
    settings: {
      intervalMs: MINUTE_MS,
      labels: { job: 'solar' },
      dialect: undefined,
      maxAgeMs: 'auto',
      isEnergyWanted: true,
    },
    progress: undefined,
    clock,
    random: () => 0.5,
    stop: stopping.signal,
    onWait: (reason) => waits.push(reason),
    request: {
      send: (compressed) => {
        sent.push(gunzipSync(compressed).toString());
        return Promise.resolve(left.shift() ?? { status: 204 });
      },
      readMetrics: () => Promise.resolve(metrics.shift()),
      close: () => Promise.resolve(),
    },
  });
  /** Lets the person ask to stop during the first pause. */
  const stopAtFirstPause = () => {
    clock.sleep = () => {
      stopping.abort();
      return Promise.resolve();
    };
  };
  const write = async (part: Partial<typeof PART> = {}, devices = DEVICES) =>
    target.write(
      { ...PART, ...part },
      devices,
      await collected({ past: [pastReading('2026-08-01T00:00:00+08:00')] }),
    );
  const waitedMs = () => clock.nowMs() - startedAtMs;
  return { target, write, sent, waits, waitedMs, stopAtFirstPause };
}

/** What a database says of itself. */
const counts = (taken: number, dropped: number, reason = 'small_timestamp'): string =>
  [
    '# TYPE x',
    `vm_rows_inserted_total{type="prometheus"} ${taken}`,
    'vm_rows_inserted_total{type="influx"} 99999',
    `vm_rows_ignored_total{reason="${reason}"} ${dropped}`,
    'vm_rows_ignored_total{reason="nan_value"} 9\n',
  ].join('\n');
const NEVER_COUNTED = Array.from({ length: 40 }, () => counts(0, 7));

describe('a database as a target', () => {
  test.each(['small_timestamp', 'big_timestamp'])(
    'that throws away what it acknowledged because of a %s has not taken it',
    async (reason) => {
      // The counts come late, and not all at once.
      const says = [counts(3, 7), counts(3, 7), counts(9, 8, reason), counts(9999, 27, reason)];
      const { target, write, waitedMs } = targetWith([], says);
      await expect(write()).rejects.toMatchObject({
        code: 'PUSH_DROPPED',
        message: expect.stringContaining(`${IMPORT}: threw away 20 samples of 2026-08`) as unknown,
      });
      expect(target.missing(PART, DEVICES)).toEqual(PART);
      expect(waitedMs()).toBe(1000);
    },
  );

  test.each([
    ['threw something away before', [counts(0, 7), counts(9999, 7)], 0],
    ['was started again meanwhile', [counts(50, 7), counts(0, 0)], 0],
    ['says nothing of itself afterwards', [counts(0, 7)], 0],
    ['says nothing of itself', [], 0],
    ['never counts what it took', NEVER_COUNTED, 10_000],
  ])('that %s has taken it', async (_what, says, waitMs) => {
    const { write, waitedMs } = targetWith([], says);
    expect((await write()).samples).toBeGreaterThan(100);
    expect(waitedMs()).toBe(waitMs);
  });

  test('that is still counting when the person asks to stop has what it acknowledged', async () => {
    const { target, write, stopAtFirstPause } = targetWith([], NEVER_COUNTED);
    stopAtFirstPause();
    await write();
    expect(target.missing(PART, DEVICES)).toBeUndefined();
  });

  test('is sent only what it has not acknowledged in this run, so that no sample is there twice', async () => {
    const { target, write } = targetWith();
    expect(target.missing(PART, DEVICES)).toEqual(PART);
    await write();
    expect(target.missing(PART, DEVICES)).toBeUndefined();
    expect(target.missing(PART, ['inverter-2'])).toEqual(PART);
    const longer = { ...PART, toMs: PART.toMs + HOUR_MS, isWhole: true };
    const rest = { ...longer, fromMs: PART.toMs, isWhole: false };
    expect(target.missing(longer, DEVICES)).toEqual(rest);
    const earlier = { ...PART, fromMs: PART.fromMs - HOUR_MS, toMs: PART.toMs + HOUR_MS };
    expect(target.missing(earlier, DEVICES)).toEqual(earlier);
    // Whatever came first, and for whichever devices besides.
    const after = (hours: number): number => PART.toMs + hours * HOUR_MS;
    await write({ fromMs: after(1), toMs: after(2) });
    await write({ fromMs: after(0), toMs: after(1) });
    await write({ toMs: after(-1) }, [...DEVICES, 'inverter-2']);
    expect(target.missing({ ...PART, toMs: after(3) }, DEVICES)?.fromMs).toBe(after(2));
  });

  test.each<[answer: PushAnswer, code: string, reason: string]>([
    [{ status: 301 }, 'PUSH_REFUSED', 'HTTP 301'],
    [{ status: 400 }, 'PUSH_REFUSED', 'HTTP 400'],
    [{ status: 401 }, 'PUSH_REFUSED', 'HTTP 401'],
    [{ status: 404 }, 'PUSH_REFUSED', 'HTTP 404'],
    [{ status: 503 }, 'PUSH_UNREACHABLE', 'HTTP 503'],
    [{ reason: 'ECONNREFUSED' }, 'PUSH_UNREACHABLE', 'ECONNREFUSED'],
  ])('that answers an empty line with %j is refused with %s', async (answer, code, reason) => {
    const { target, sent } = targetWith([answer]);
    await expect(target.check()).rejects.toMatchObject({ code, message: `${IMPORT}: ${reason}` });
    expect(sent).toEqual(['\n']);
  });

  test('is sent the same again after an outage, too much load and a fault', async () => {
    const answers = [{ reason: 'ECONNREFUSED' }, { status: 429, retryAfter: '7' }, { status: 503 }];
    const { write, sent, waits, waitedMs } = targetWith(answers);
    await write();
    const reasons = ['ECONNREFUSED', 'HTTP 429', 'HTTP 503'];
    expect(waits).toEqual(reasons.map((reason) => `${IMPORT}: ${reason}`));
    expect(waitedMs()).toBe(1000 + 7000 + 4000);
    expect(new Set(sent.slice(0, 4)).size).toBe(1);
  });

  test('is given up after ten minutes without an answer', async () => {
    const { write, waitedMs } = targetWith(Array.from({ length: 99 }, () => ({ status: 503 })));
    await expect(write()).rejects.toMatchObject({ code: 'PUSH_UNREACHABLE' });
    expect(waitedMs()).toBe(10 * MINUTE_MS);
  });

  test('is sent chunks of about 1 MiB, and counts them', async () => {
    const { target, sent } = targetWith();
    const past = Array.from({ length: 72 }, (_, index) =>
      pastReading(PART.fromMs + 5 * index * MINUTE_MS, { pvPowerWatts: index }),
    );
    const month = await collected({ past, stepMs: 1000 });
    const { place, samples, bytes } = await target.write(PART, DEVICES, month);
    expect(sent.length).toBeGreaterThan(5);
    expect(sent[0]).toContain('job="solar"');
    for (const text of sent.slice(0, -1)) expect(text.length).toBeGreaterThanOrEqual(1024 * 1024);
    for (const text of sent) expect(text.length).toBeLessThan(1100 * 1024);
    expect(sent.join('').match(/\n/g)).toHaveLength(samples);
    expect([place, bytes]).toEqual([IMPORT, sent.join('').length]);
  });

  test('is not waited for once the person asks to stop', async () => {
    const { target, write, waits, stopAtFirstPause } = targetWith([{ status: 503 }]);
    stopAtFirstPause();
    await expect(write()).rejects.toBeInstanceOf(StoppedError);
    expect(waits).toEqual([`${IMPORT}: HTTP 503`]);
    expect(target.missing(PART, DEVICES)).toEqual(PART);
  });
});
