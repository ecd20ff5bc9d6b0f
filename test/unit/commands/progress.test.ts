import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import {
  days,
  lengthOf,
  observerFor,
  progressLines,
} from '../../../src/commands/history/progress.ts';
import { progressBar } from '../../../src/commands/history/progress-bar.ts';
import type { PlannedPart } from '../../../src/history/run/run-history.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { DAY_MS } from '../../support/durations.ts';

const STATION = { stationId: 'house', name: 'Casa\u0007' };
const DEVICES = [{ deviceId: 'one' }, { deviceId: 'two' }];
const PART = { station: STATION, month: '2026-08', isWhole: false };

const PLAN: readonly PlannedPart[] = [0, 10].map((day) => ({
  part: { ...PART, fromMs: day * DAY_MS, toMs: (day + 10) * DAY_MS },
  devices: DEVICES,
}));

describe('the progress of a run', () => {
  test('is counted in the time of all devices', () => {
    expect(lengthOf(PLAN)).toBe(40 * DAY_MS);
    expect(days(1.5 * DAY_MS)).toBe(2);
  });

  test('goes on with every page, device after device and part after part', () => {
    const shown: (readonly [number, string])[] = [];
    const observer = observerFor({
      show: (doneMs, what) => shown.push([doneMs / DAY_MS, what]),
      say: () => undefined,
      end: () => undefined,
    });
    const page = (deviceId: string, day: number) => ({
      ...{ deviceId, readings: 2000 },
      lastAtMs: day * DAY_MS,
    });
    for (const planned of PLAN) {
      observer.partBegan(planned);
      const { fromMs } = planned.part;
      observer.pageRead(planned, page('one', fromMs / DAY_MS + 7));
      observer.pageRead(planned, page('two', fromMs / DAY_MS - 0.5));
      observer.partEnded(planned, { place: 'file', samples: 1, bytes: 1 });
    }
    expect(shown.map(([done]) => done)).toEqual([0, 7, 10, 20, 20, 27, 30, 40]);
    expect(new Set(shown.map(([, what]) => what))).toEqual(new Set(['Casa? 2026-08']));
  });

  test('is a line a minute where no terminal is', () => {
    const clock = new FakeClock();
    let printed = '';
    const view = progressLines(40 * DAY_MS, clock, (text) => (printed += text));
    view.show(DAY_MS, 'Casa 2026-08');
    expect(printed).toBe('');
    clock.advance(60_000);
    view.show(2 * DAY_MS, 'Casa 2026-08');
    view.show(3 * DAY_MS, 'Casa 2026-08');
    view.say('a line');
    view.end();
    expect(printed).toBe('solar-exporter: 5 % of 40 days, at Casa 2026-08\na line\n');
  });

  test('is a bar on a terminal, above which lines stay', () => {
    const terminal = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY: true });
    const view = progressBar(40 * DAY_MS, terminal);
    view.show(20 * DAY_MS, 'Casa 2026-08');
    view.say('a line');
    view.say('another \u001B[2J\u009B2Jone');
    view.end();
    const drawn = String(terminal.read());
    expect(drawn).toContain('50 % | 20 of 40 days | Casa 2026-08');
    expect(drawn).toContain('\r\u001B[Ka line\n');
    expect(drawn).toContain('another ?[2J?2Jone\n');
    expect(drawn.indexOf('a line')).toBeLessThan(drawn.lastIndexOf('50 %'));
  });
});
