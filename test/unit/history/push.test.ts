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

function targetWith(answers: readonly PushAnswer[] = [], says: readonly string[] = []) {
  const metrics = [...says];
  const clock = new FakeClock('2026-11-22T12:00:00Z');
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
  return { target, sent, stopping, waits, clock };
}

const month = () => collected({ past: [pastReading('2026-08-01T00:00:00+08:00')] });

describe('a database as a target', () => {
  test('is sent a month, and says how much that was', async () => {
    const { target, sent } = targetWith();
    const written = await target.write(PART, DEVICES, await month());
    expect(written.place).toBe('http://database:8428/vm/api/v1/import/prometheus');
    expect(written.samples).toBeGreaterThan(100);
    expect(sent.join('').split('\n').length - 1).toBe(written.samples);
    expect(written.bytes).toBe(Buffer.byteLength(sent.join('')));
    expect(sent[0]).toContain('job="solar"');
  });

  test.each([
    ['too old', 'small_timestamp'],
    ['too far in the future', 'big_timestamp'],
  ])(
    'that throws away what it acknowledged because it is %s has not taken it',
    async (_, reason) => {
      const says = (taken: number, dropped: number): string =>
        [
          '# TYPE x',
          `vm_rows_inserted_total{type="prometheus"} ${taken}`,
          'vm_rows_inserted_total{type="influx"} 99999',
          `vm_rows_ignored_total{reason="${reason}"} ${dropped}`,
          'vm_rows_ignored_total{reason="nan_value"} 9\n',
        ].join('\n');
      // The counts come late, and not all at once.
      const { target, clock } = targetWith(
        [],
        [says(3, 7), says(3, 7), says(9, 8), says(9999, 27)],
      );
      const startedAtMs = clock.nowMs();
      await expect(target.write(PART, DEVICES, await month())).rejects.toMatchObject({
        code: 'PUSH_DROPPED',
        message:
          'http://database:8428/vm/api/v1/import/prometheus: threw away 20 samples of 2026-08, although it acknowledged them',
      });
      expect(target.missing(PART, DEVICES)).toEqual(PART);
      expect(clock.nowMs() - startedAtMs).toBe(1000);
    },
  );

  const counts = (taken: number, dropped: number): string =>
    `vm_rows_inserted_total{type="prometheus"} ${taken}\nvm_rows_ignored_total{reason="small_timestamp"} ${dropped}\n`;

  test.each([
    { what: 'threw something away before', says: [counts(0, 7), counts(9999, 7)], waitsMs: 0 },
    { what: 'was started again meanwhile', says: [counts(50, 7), counts(0, 0)], waitsMs: 0 },
    { what: 'says nothing of itself afterwards', says: [counts(0, 7)], waitsMs: 0 },
    { what: 'says nothing of itself', says: [], waitsMs: 0 },
    {
      what: 'never counts what it took',
      says: Array.from({ length: 40 }, () => counts(0, 7)),
      waitsMs: 10_000,
    },
  ])('that $what has taken it', async ({ says, waitsMs }) => {
    const { target, clock } = targetWith([], says);
    const startedAtMs = clock.nowMs();
    expect((await target.write(PART, DEVICES, await month())).samples).toBeGreaterThan(100);
    expect(clock.nowMs() - startedAtMs).toBe(waitsMs);
  });

  test('that is still counting when the person asks to stop has what it acknowledged', async () => {
    const says = Array.from({ length: 40 }, () => counts(0, 7));
    const { target, stopping, clock } = targetWith([], says);
    clock.sleep = () => {
      stopping.abort();
      return Promise.resolve();
    };
    await target.write(PART, DEVICES, await month());
    expect(target.missing(PART, DEVICES)).toBeUndefined();
  });

  test('is not sent again what it has acknowledged in this run', async () => {
    const { target } = targetWith();
    expect(target.missing(PART, DEVICES)).toEqual(PART);
    await target.write(PART, DEVICES, await month());
    expect(target.missing(PART, DEVICES)).toBeUndefined();
    expect(target.missing(PART, ['inverter-2'])).toEqual(PART);
  });

  test('is sent only what follows, so that no sample is there twice', async () => {
    const { target } = targetWith();
    await target.write(PART, DEVICES, await month());
    const longer = { ...PART, toMs: PART.toMs + HOUR_MS, isWhole: true };
    expect(target.missing(longer, DEVICES)).toEqual({
      ...longer,
      fromMs: PART.toMs,
      isWhole: false,
    });
    const earlier = { ...PART, fromMs: PART.fromMs - HOUR_MS, toMs: PART.toMs + HOUR_MS };
    expect(target.missing(earlier, DEVICES)).toEqual(earlier);
  });

  test('has to take an empty line at once, before the service is asked for anything', async () => {
    const { target, sent } = targetWith();
    await target.check();
    expect(sent).toEqual(['\n']);
  });

  test.each<[PushAnswer, string, string]>([
    ...[301, 400, 401, 404].map((status): [PushAnswer, string, string] => [
      ...([{ status }, 'PUSH_REFUSED', `HTTP ${status}`] as const),
    ]),
    [{ status: 503 }, 'PUSH_UNREACHABLE', 'HTTP 503'],
    [{ reason: 'ECONNREFUSED' }, 'PUSH_UNREACHABLE', 'ECONNREFUSED'],
  ])('that answers %j is refused with %s', async (answer, code, reason) => {
    const { target, sent } = targetWith([answer]);
    await expect(target.check()).rejects.toMatchObject({
      code,
      message: `http://database:8428/vm/api/v1/import/prometheus: ${reason}`,
    });
    expect(sent).toHaveLength(1);
  });

  test('is sent the same again after an outage, too much load and a fault', async () => {
    const answers = [{ reason: 'ECONNREFUSED' }, { status: 429, retryAfter: '7' }, { status: 503 }];
    const { target, sent, waits, clock } = targetWith(answers);
    const startedAtMs = clock.nowMs();
    await target.write(PART, DEVICES, await month());
    expect(waits.map((reason) => reason.replace(/^.*: /, ''))).toEqual([
      ...['ECONNREFUSED', 'HTTP 429', 'HTTP 503'],
    ]);
    expect(clock.nowMs() - startedAtMs).toBe(1000 + 7000 + 4000);
    expect(new Set(sent.slice(0, 4)).size).toBe(1);
  });

  test('is given up after ten minutes without an answer', async () => {
    const { target, clock } = targetWith(Array.from({ length: 99 }, () => ({ status: 503 })));
    const startedAtMs = clock.nowMs();
    await expect(target.write(PART, DEVICES, await month())).rejects.toMatchObject({
      code: 'PUSH_UNREACHABLE',
    });
    expect(clock.nowMs() - startedAtMs).toBe(10 * MINUTE_MS);
  });

  test('is sent chunks of about 1 MiB', async () => {
    const { target, sent } = targetWith();
    const past = Array.from({ length: 72 }, (_, index) =>
      pastReading(PART.fromMs + 5 * index * MINUTE_MS, { pvPowerWatts: index }),
    );
    const { samples } = await target.write(PART, DEVICES, await collected({ past, stepMs: 1000 }));
    expect(sent.length).toBeGreaterThan(5);
    for (const text of sent.slice(0, -1)) expect(text.length).toBeGreaterThanOrEqual(1024 * 1024);
    for (const text of sent) expect(text.length).toBeLessThan(1100 * 1024);
    expect(sent.join('').match(/\n/g)).toHaveLength(samples);
  });

  test('is not waited for once the person asks to stop', async () => {
    const { target, stopping, waits, clock } = targetWith([{ status: 503 }]);
    clock.sleep = () => {
      stopping.abort();
      return Promise.resolve();
    };
    const writing = target.write(PART, DEVICES, await month());
    await expect(writing).rejects.toBeInstanceOf(StoppedError);
    expect(waits).toEqual(['http://database:8428/vm/api/v1/import/prometheus: HTTP 503']);
    expect(target.missing(PART, DEVICES)).toEqual(PART);
  });
});
