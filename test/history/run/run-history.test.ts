import { describe, expect, test } from 'vitest';
import { ServiceError } from '../../../src/base/errors.ts';
import type { PastPage } from '../../../src/history/collect-month.ts';
import type { HistoryTarget } from '../../../src/history/run/history-target.ts';
import { StoppedError } from '../../../src/history/run/patience.ts';
import { planRun, type PlannedPart, runHistory } from '../../../src/history/run/run-history.ts';
import { FakeServiceApi } from '../../support/fake-service-api.ts';
import { INVERTER, MINUTE_MS, partOf, pastReading } from '../past-house.ts';

const FIRST = partOf('2026-08-01T00:00:00+08:00', '2026-08-01T06:00:00+08:00');
const SECOND = partOf('2026-08-01T06:00:00+08:00', '2026-08-01T12:00:00+08:00');
const PLAN: readonly PlannedPart[] = [FIRST, SECOND].map((part) => ({ part, devices: [INVERTER] }));

/** A target that remembers the beginnings of what it is given. */
class FakeTarget implements HistoryTarget {
  readonly written: string[] = [];
  /** What the next write does instead. */
  instead: (() => Promise<never>) | undefined;

  missing = (part: PlannedPart['part']) => part;

  write: HistoryTarget['write'] = async (part, deviceIds) => {
    await this.instead?.();
    const place = `${new Date(part.fromMs).toISOString()} ${deviceIds.join()}`;
    this.written.push(place);
    return { place, samples: 7, bytes: 70 };
  };

  close = () => Promise.resolve();
}

function runWith(api: FakeServiceApi, target: HistoryTarget, plan = PLAN, isEnergyWanted = true) {
  const stopping = new AbortController();
  const pages: PastPage[] = [];
  const steps: string[] = [];
  const run = () =>
    runHistory(plan, {
      ...{ api, target, stepMs: MINUTE_MS, stop: stopping.signal },
      ...{ maxAge: 'auto', isEnergyWanted },
      patience: { ask: (ask) => ask() },
      observer: {
        partBegan: () => steps.push('began'),
        pageRead: (_, page) => pages.push(page),
        partEnded: (_, { samples }) => steps.push(`ended with ${samples}`),
      },
    });
  return { run, stopping, pages, steps };
}

describe('a run through the past', () => {
  test('asks for one part after the other, writes each, and says how far it is', async () => {
    const api = new FakeServiceApi();
    api.past = [pastReading('2026-08-01T05:50:00+08:00'), pastReading('2026-08-01T06:05:00+08:00')];
    const target = new FakeTarget();
    const { run, pages, steps } = runWith(api, target);
    expect(await run()).toEqual({
      outcome: {
        written: [
          { place: '2026-07-31T16:00:00.000Z inverter-1', samples: 7, bytes: 70 },
          { place: '2026-07-31T22:00:00.000Z inverter-1', samples: 7, bytes: 70 },
        ],
        gaps: [
          {
            deviceId: 'inverter-1',
            gaps: [
              { fromMs: FIRST.fromMs, toMs: Date.parse('2026-08-01T05:50:00+08:00') },
              { fromMs: Date.parse('2026-08-01T06:05:00+08:00'), toMs: SECOND.toMs },
            ],
          },
        ],
        isStopped: false,
      },
      error: undefined,
    });
    expect(steps).toEqual(['began', 'ended with 7', 'began', 'ended with 7']);
    expect(pages.map(({ readings }) => readings)).toEqual([1, 2]);
  });

  test('asks for the energies of a month, a year and all years once', async () => {
    const api = new FakeServiceApi();
    await runWith(api, new FakeTarget()).run();
    const asked = api.questions.filter((question) => question.startsWith('energies'));
    expect(new Set(asked).size + 1).toBe(asked.length);
    expect(new Set(asked)).toEqual(
      new Set(['energies house 2026-08', 'energies house 2026-07', 'energies house 2026']),
    );
  });

  test('asks for no energies where none are wanted', async () => {
    const api = new FakeServiceApi();
    await runWith(api, new FakeTarget(), PLAN, false).run();
    expect(api.questions.filter((question) => question.startsWith('energies'))).toEqual([]);
    expect(api.count('past inverter-1')).toBe(2);
  });

  test('ends after the part in work when it is asked to stop', async () => {
    const target = new FakeTarget();
    const { run, stopping } = runWith(new FakeServiceApi(), target);
    target.instead = () => {
      target.instead = undefined;
      stopping.abort();
      return Promise.resolve() as Promise<never>;
    };
    const { outcome, error } = await run();
    expect({ isStopped: outcome.isStopped, error }).toEqual({ isStopped: true, error: undefined });
    expect(target.written).toHaveLength(1);
  });

  test('ends without the part in work when a wait ends because of that', async () => {
    const target = new FakeTarget();
    const { run } = runWith(new FakeServiceApi(), target);
    target.instead = () => Promise.reject(new StoppedError('stopped'));
    const { outcome, error } = await run();
    expect(outcome).toEqual({ written: [], gaps: [], isStopped: true });
    expect(error).toBeUndefined();
  });

  test('asks for nothing when it is stopped before it begins', async () => {
    const api = new FakeServiceApi();
    const { run, stopping } = runWith(api, new FakeTarget());
    stopping.abort();
    expect((await run()).outcome.isStopped).toBe(true);
    expect(api.questions).toEqual([]);
  });

  test('keeps what it has done when the service fails', async () => {
    const api = new FakeServiceApi();
    const target = new FakeTarget();
    const { run } = runWith(api, target);
    const write = target.write;
    target.write = (...given) => {
      api.fail('past inverter-1', 'SERVICE_API_REFUSED');
      return write(...given);
    };
    const { outcome, error } = await run();
    expect(outcome.written).toHaveLength(1);
    expect(outcome.isStopped).toBe(false);
    expect(error).toBeInstanceOf(ServiceError);
  });
});

test('a plan is what the target lacks of all that is wanted', () => {
  const rest = { ...SECOND, fromMs: SECOND.fromMs + MINUTE_MS };
  const missing: HistoryTarget['missing'] = (part, deviceIds) => {
    expect(deviceIds).toEqual(['inverter-1']);
    return part === SECOND ? rest : undefined;
  };
  expect(planRun(PLAN, { missing })).toEqual([{ part: rest, devices: [INVERTER] }]);
});
