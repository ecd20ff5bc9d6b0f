import { DropLog } from '../../../src/base/drop-log.ts';
import { LIST_LIMITS } from '../../../src/base/limits.ts';
import { SharedLimits } from '../../../src/collectors/shared-limits.ts';
import { describe, expect, test } from 'vitest';
import { type Collector, liveFor } from '../../../src/collectors/collector.ts';
import { CollectorRun } from '../../../src/collectors/run/collector-run.ts';
import { ServiceError } from '../../../src/base/errors.ts';
import { type Deferred, deferred, settled } from '../../support/deferred.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { FakeServiceApi } from '../../support/fake-service-api.ts';
import { SilentLog } from '../../support/silent-log.ts';
import { LIFETIMES, MINUTE_MS, samplesOf, seriesOf } from '../collection-harness.ts';

/** A run of a collector whose every fetch is settled by the test, by target. */
function createRun(...targets: readonly string[]) {
  const clock = new FakeClock();
  const log = new SilentLog();
  const replies = new Map<string, Deferred<number>>();
  const asked: string[] = [];
  const collector: Collector<string, number> = {
    name: 'heights',
    lifetime: () => liveFor(MINUTE_MS, LIFETIMES.maxAgeMs),
    fetch: (_api, target) => {
      asked.push(target);
      const reply = deferred<number>();
      replies.set(target, reply);
      return reply.promise;
    },
    metrics: [
      {
        name: 'solar_height_metres',
        type: 'gauge',
        help: 'Height.',
        labelNames: ['station_id', 'device_id', 'side'],
        read: (value) => [{ value, labels: { side: 'top' } }],
      },
    ],
  };
  const run = new CollectorRun(
    collector,
    {
      api: new FakeServiceApi(),
      clock,
      random: () => 0.5,
      lifetimes: LIFETIMES,
      log,
      limits: new SharedLimits(LIST_LIMITS),
      drops: new DropLog(log, () => undefined),
      changed: () => undefined,
    },
    { station_id: 'house' },
  );
  const follow = (...ids: readonly string[]) =>
    run.follow(new Map(ids.map((id) => [id, { target: id, labels: { device_id: id } }])));
  follow(...targets);

  const settle = async (target: string, outcome: number | Error) => {
    const reply = replies.get(target);
    if (typeof outcome === 'number') reply?.resolve(outcome);
    else reply?.reject(outcome);
    await settled();
  };
  /** One round for one target. */
  const round = async (target: string, outcome: number | Error) => {
    clock.advance(Math.max(0, run.nextFetchAtMs - clock.nowMs()));
    void run.refresh();
    await settle(target, outcome);
  };
  return { run, clock, log, asked, follow, settle, round };
}

const timeout = new ServiceError('SERVICE_TIMEOUT', 'too slow');
const unreachable = new ServiceError('SERVICE_UNREACHABLE', 'refused');

describe('the outcome of a collector', () => {
  test('is unknown before the first round has ended', async () => {
    const { run, settle } = createRun('roof');
    expect(run.outcome()).toBeUndefined();
    void run.refresh();
    expect(run.outcome()).toBeUndefined();
    await settle('roof', 7);
    expect(run.outcome()).toBeDefined();
  });

  test('is a success with its duration and its end', async () => {
    const { run, clock, settle } = createRun('roof');
    void run.refresh();
    clock.advance(1500);
    await settle('roof', 7);
    expect(run.outcome()).toEqual({
      collector: 'heights',
      isSuccess: true,
      code: 'ok',
      durationSeconds: 1.5,
      lastSuccessAtMs: clock.nowMs(),
      isServed: true,
    });
  });

  test('is a failure as soon as one target fails, and remembers the last success', async () => {
    const { run, clock, settle } = createRun('roof', 'cellar');
    void run.refresh();
    await settle('roof', 7);
    await settle('cellar', -3);
    const succeededAtMs = clock.nowMs();

    clock.advance(MINUTE_MS);
    void run.refresh();
    await settle('roof', 7);
    await settle('cellar', timeout);

    expect(run.outcome()).toMatchObject({ isSuccess: false, lastSuccessAtMs: succeededAtMs });
  });

  test('is served for as long as every target has something to show', async () => {
    const { run, clock, settle } = createRun('roof', 'cellar');
    void run.refresh();
    await settle('roof', 7);
    await settle('cellar', timeout);
    expect(run.outcome()).toMatchObject({ isServed: false });

    clock.advance(MINUTE_MS);
    void run.refresh();
    await settle('roof', 7);
    await settle('cellar', -3);
    expect(run.outcome()).toMatchObject({ isServed: true });

    clock.advance(24 * 60 * MINUTE_MS);
    expect(run.outcome()).toMatchObject({ code: 'ok', isServed: false });
  });

  test('knows no last success when there was none', async () => {
    const { run, round } = createRun('roof');
    await round('roof', timeout);
    expect(run.outcome()).toMatchObject({
      isSuccess: false,
      code: 'SERVICE_TIMEOUT',
      lastSuccessAtMs: undefined,
    });
  });

  test('stays a failure while another target succeeds and the failed one is not due', async () => {
    const { run, clock, settle } = createRun('roof', 'cellar');
    void run.refresh();
    await settle('roof', 7);
    await settle(
      'cellar',
      new ServiceError('SERVICE_RATE_LIMITED', 'no', { retryAfterMs: 90_000 }),
    );
    clock.advance(MINUTE_MS);
    void run.refresh();
    await settle('roof', 7);
    expect(run.outcome()?.isSuccess).toBe(false);
  });

  test('is that of the round, not of a scrape that joined it late', async () => {
    const { run, clock, asked, settle } = createRun('roof');
    void run.refresh();
    clock.advance(4000);
    void run.refresh();
    clock.advance(1000);
    await settle('roof', 7);
    expect(asked).toEqual(['roof']);
    expect(run.outcome()).toMatchObject({ isSuccess: true, durationSeconds: 5 });
  });

  test('turns to failure even when there is never a moment without a fetch under way', async () => {
    const { run, clock, settle } = createRun('roof', 'cellar');
    void run.refresh();
    await settle('roof', 7);
    clock.advance(10_000);
    await settle('cellar', -3);
    expect(run.outcome()?.isSuccess).toBe(true);

    clock.advance(50_000);
    void run.refresh(); // asks both
    clock.advance(10_000);
    await settle('cellar', timeout);
    clock.advance(10_000);
    void run.refresh(); // asks for the cellar again
    await settle('roof', timeout);
    clock.advance(10_000);
    void run.refresh(); // asks for the roof again
    await settle('cellar', timeout);

    expect(run.outcome()?.isSuccess).toBe(false);
  });

  test('is unknown again when nothing is left to ask about', async () => {
    const { run, round, follow } = createRun('roof');
    await round('roof', timeout);
    follow();
    expect(run.outcome()).toBeUndefined();
    expect(run.nextFetchAtMs).toBe(Number.POSITIVE_INFINITY);
    expect(run.nextWithdrawalAtMs).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('the targets of a collector', () => {
  test('give samples with the labels of the run, the target and the point', async () => {
    const { run, round } = createRun('roof');
    await round('roof', 7);
    expect(samplesOf(run)).toEqual([
      {
        name: 'solar_height_metres',
        labels: { station_id: 'house', device_id: 'roof', side: 'top' },
        value: 7,
      },
    ]);
    expect(run.latest('roof')).toBe(7);
    expect(run.latest('moon')).toBeUndefined();
  });

  test('are forgotten with their values when they leave, and start afresh when they return', async () => {
    const { run, round, follow, asked } = createRun('roof');
    await round('roof', 7);
    follow('cellar');
    expect(seriesOf(samplesOf(run))).toEqual({});
    follow('roof');
    void run.refresh();
    expect(asked).toEqual(['roof', 'roof']);
  });

  test('are fetched as they were last updated', async () => {
    const { run, clock, asked, settle } = createRun('roof');
    void run.refresh();
    await settle('roof', 7);
    run.follow(new Map([['roof', { target: 'new roof', labels: { device_id: 'roof' } }]]));
    expect(seriesOf(samplesOf(run))).toEqual({ 'solar_height_metres{house,roof,top}': 7 });
    clock.advance(MINUTE_MS);
    void run.refresh();
    expect(asked).toEqual(['roof', 'new roof']);
  });

  test('are due and withdrawn each at their own time', async () => {
    const { run, clock, settle } = createRun('roof', 'cellar');
    const startMs = clock.nowMs();
    void run.refresh();
    await settle('roof', 7);
    clock.advance(20_000);
    await settle('cellar', timeout);
    expect(run.nextFetchAtMs).toBe(startMs + 21_000);
    expect(run.nextWithdrawalAtMs).toBe(startMs + LIFETIMES.maxAgeMs);
    clock.advance(LIFETIMES.maxAgeMs);
    expect(run.nextWithdrawalAtMs).toBe(Number.POSITIVE_INFINITY);
    expect(seriesOf(samplesOf(run))).toEqual({});
  });
});

describe('the log of a collector', () => {
  const bug = new TypeError('a bug');
  const timedOut = ['warn', 'SERVICE_TIMEOUT'];

  test.each([
    { when: 'it always succeeds', outcomes: [1, 1, 1], lines: [] },
    { when: 'it starts to fail', outcomes: [1, timeout], lines: [timedOut] },
    {
      when: 'it goes on failing in the same way',
      outcomes: [timeout, timeout, timeout],
      lines: [timedOut],
    },
    {
      when: 'it fails differently',
      outcomes: [timeout, unreachable, unreachable],
      lines: [timedOut, ['warn', 'SERVICE_UNREACHABLE']],
    },
    { when: 'it recovers', outcomes: [timeout, 1, 1], lines: [timedOut, ['info', undefined]] },
    { when: 'the failure is a bug of ours', outcomes: [bug], lines: [['error', 'UNEXPECTED']] },
  ])('has $lines.length lines when $when', async ({ outcomes, lines }) => {
    const { round, log } = createRun('roof');
    for (const outcome of outcomes) await round('roof', outcome);
    expect(log.lines.map(({ level, fields }) => [level, fields['code']])).toEqual(lines);
  });

  test('says which collector failed, for which target first, for how many, and why', async () => {
    const { run, log, settle } = createRun('roof', 'cellar');
    void run.refresh();
    await settle('roof', 7);
    await settle('cellar', timeout);
    expect(log.lines).toEqual([
      {
        level: 'warn',
        message: 'collector failed',
        fields: {
          collector: 'heights',
          station_id: 'house',
          device_id: 'cellar',
          code: 'SERVICE_TIMEOUT',
          failed: 1,
          targets: 2,
          err: timeout,
        },
      },
    ]);
  });

  test('says which collector of which station recovered', async () => {
    const { round, log } = createRun('roof');
    await round('roof', timeout);
    await round('roof', 7);
    expect(log.lines.at(-1)).toEqual({
      level: 'info',
      message: 'collector recovered',
      fields: { collector: 'heights', station_id: 'house' },
    });
  });
});
