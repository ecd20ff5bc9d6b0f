import { expect, test } from 'vitest';
import { estimateText, outcomeText } from '../../../src/commands/history/outcome.ts';
import { HOUR_MS } from '../../support/durations.ts';

const AT_MS = Date.parse('2026-08-01T00:00:00Z');
const PART = { month: '2026-08', fromMs: AT_MS, toMs: AT_MS + 48 * HOUR_MS, isWhole: false };
const PLAN = [
  {
    part: { station: { stationId: 'house' }, ...PART },
    devices: [{ deviceId: '1', name: 'Roof' }, { deviceId: '2' }],
  },
];

test('the end of a run says what was written before, and no more gaps than anybody reads', () => {
  const spans = Array.from({ length: 25 }, (_, day) => ({
    fromMs: AT_MS + day * 24 * HOUR_MS,
    toMs: AT_MS + (day * 24 + 2) * HOUR_MS,
  }));
  const written = [{ place: 'solar-house-2026-07.om', samples: 1_234_567, bytes: 187_654_321 }];
  const outcome = { written, gaps: [{ deviceId: '1', gaps: spans }], isStopped: false };
  const lines = outcomeText(outcome, PLAN, { complete: 3, intoFiles: true }).split('\n');
  expect(lines.slice(0, 4)).toEqual([
    '1 file written: 1,234,567 samples, 187.7 MB; 3 files complete before',
    '  solar-house-2026-07.om',
    'the service has no readings of Roof (1):',
    '  2026-08-01T00:00Z to 2026-08-01T02:00Z',
  ]);
  expect(lines.slice(-3)).toEqual([
    '  2026-08-20T00:00Z to 2026-08-20T02:00Z',
    '  and 5 times more',
    '',
  ]);
});

test('an estimate says what it would be, what is complete, and how long it would take', () => {
  const estimate = { requests: 75, readings: 60_000, samples: 8_400_000, bytes: 1.3e9 };
  const text = estimateText(PLAN, estimate, { complete: 1, perSecond: 0.5 });
  expect(text).toContain('2 devices of 1 station, 1 month or part of one; 1 part complete before');
  expect(text).toContain('75, which take 2m30s at 0.5 a second');
});
