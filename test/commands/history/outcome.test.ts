import { describe, expect, test } from 'vitest';
import { estimateText, outcomeText } from '../../../src/commands/history/outcome.ts';
import type { PlannedPart } from '../../../src/history/run/run-history.ts';

const AT_MS = Date.parse('2026-08-01T00:00:00Z');
const HOUR_MS = 3_600_000;

const PLAN: readonly PlannedPart[] = [
  {
    part: {
      station: { stationId: 'house' },
      ...{ month: '2026-08', fromMs: AT_MS, toMs: AT_MS + 48 * HOUR_MS, isWhole: false },
    },
    devices: [{ deviceId: '1', name: 'Roof' }, { deviceId: '2' }],
  },
];

const WRITTEN = [
  { place: 'solar-house-2026-07.om', samples: 1_234_567, bytes: 187_654_321 },
  { place: 'solar-house-2026-08-part.om', samples: 1000, bytes: 4321 },
];

describe('the end of a run', () => {
  test('says the files, what they hold, and what the service does not have', () => {
    const gaps = [
      { deviceId: '1', gaps: [{ fromMs: AT_MS, toMs: AT_MS + 26.5 * HOUR_MS }] },
      { deviceId: '2', gaps: [{ fromMs: AT_MS, toMs: AT_MS + 2 * HOUR_MS }] },
    ];
    const outcome = { written: WRITTEN, gaps, isStopped: false };
    expect(outcomeText(outcome, PLAN, { complete: 3, intoFiles: true })).toBe(
      `2 files written: 1,235,567 samples, 187.7 MB; 3 files complete before
  solar-house-2026-07.om
  solar-house-2026-08-part.om
the service has no readings of Roof (1):
  2026-08-01T00:00Z to 2026-08-02T02:30Z
the service has no readings of 2:
  2026-08-01T00:00Z to 2026-08-01T02:00Z
`,
    );
  });

  test('counts months where there are no files', () => {
    const outcome = { written: WRITTEN.slice(1), gaps: [], isStopped: false };
    expect(outcomeText(outcome, PLAN, { complete: 0, intoFiles: false })).toBe(
      '1 month written: 1,000 samples, 4.3 kB\n',
    );
  });

  test('lists no more gaps than anybody reads', () => {
    const spans = Array.from({ length: 25 }, (_, day) => ({
      fromMs: AT_MS + day * 24 * HOUR_MS,
      toMs: AT_MS + (day * 24 + 2) * HOUR_MS,
    }));
    const outcome = { written: [], gaps: [{ deviceId: '2', gaps: spans }], isStopped: false };
    const lines = outcomeText(outcome, PLAN, { complete: 0, intoFiles: true }).split('\n');
    expect(lines[0]).toBe('0 files written: 0 samples, 0 bytes');
    expect(lines.slice(-3)).toEqual([
      '  2026-08-20T00:00Z to 2026-08-20T02:00Z',
      '  and 5 times more',
      '',
    ]);
  });
});

test('an estimate says what it would be, and how long it would take', () => {
  const estimate = { requests: 75, readings: 60_000, samples: 8_400_000, bytes: 1.3e9 };
  expect(estimateText(PLAN, estimate, { complete: 1, perSecond: 0.5 })).toBe(
    `2 devices of 1 station, 1 month or part of one; 1 part complete before
at most about, where the service has a reading every five minutes:
  requests  75, which take 2m30s at 0.5 a second
  readings  60,000
  samples   8,400,000
  bytes     1.3 GB
`,
  );
});
