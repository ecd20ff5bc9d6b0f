import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { showProgress } from '../../../src/commands/history/progress.ts';
import type { MonthPart } from '../../../src/history/months.ts';
import { DAY_MS, MINUTE_MS } from '../../support/durations.ts';
import { FakeClock } from '../../support/fake-clock.ts';

const DEVICES = [{ deviceId: 'one' }, { deviceId: 'two' }] as const;
const PARTS: readonly MonthPart[] = [0, 10].map((day) => ({
  station: { stationId: '1', name: 'Casa\u0007', timeZone: 'UTC' },
  devices: DEVICES,
  month: '2026-08',
  fromMs: day * DAY_MS,
  toMs: (day + 10) * DAY_MS,
  ...{ settledToMs: 0, isOneDevice: false, isWhole: false },
}));

/** Shows the progress of a run in which every page takes as long. */
function shown(isTerminal: boolean, pageMs: number) {
  const clock = new FakeClock();
  let complaints = '';
  const terminal = new PassThrough({ encoding: 'utf8' });
  const progress = showProgress(PARTS, {
    terminal: isTerminal ? terminal : undefined,
    runtime: { clock, random: () => 0.5, newNonce: () => '' },
    complain: (text) => (complaints += text),
  });
  for (const part of PARTS) {
    progress.begun(part);
    for (const [device, days] of [
      [DEVICES[0], 7],
      [DEVICES[1], -0.5],
    ] as const) {
      clock.advance(pageMs);
      progress.read(part, device, part.fromMs + days * DAY_MS);
    }
    progress.written(part);
  }
  progress.say('a line \u001B[2J\u009B2Jthat stays');
  progress.end();
  return { complaints, drawn: String(terminal.read()) };
}

test('progress is a line on a terminal, drawn anew with every page, device after device and part after part', () => {
  const { drawn, complaints } = shown(true, 1000);
  expect(complaints).toBe('');
  expect(drawn.split('\r\u001B[K').slice(1)).toEqual([
    '0 % | 0 of 40 days | Casa? 2026-08 | ? to go',
    '17 % | 7 of 40 days | Casa? 2026-08 | 5s to go',
    '25 % | 10 of 40 days | Casa? 2026-08 | 6s to go',
    '50 % | 20 of 40 days | Casa? 2026-08 | 2s to go',
    '50 % | 20 of 40 days | Casa? 2026-08 | 2s to go',
    '67 % | 27 of 40 days | Casa? 2026-08 | 2s to go',
    '75 % | 30 of 40 days | Casa? 2026-08 | 2s to go',
    '100 % | 40 of 40 days | Casa? 2026-08 | 0s to go',
    'a line ?[2J?2Jthat stays\n100 % | 40 of 40 days | Casa? 2026-08 | 0s to go\n',
  ]);
});

test('progress is a line a minute where no terminal is', () => {
  const { complaints } = shown(false, MINUTE_MS / 2);
  expect(complaints.split('\n').slice(0, 2)).toEqual([
    'solar-exporter: 25 % | 10 of 40 days | Casa? 2026-08 | 3m to go',
    'solar-exporter: 75 % | 30 of 40 days | Casa? 2026-08 | 40s to go',
  ]);
  expect(complaints).toMatch(/a line .*that stays\n$/);
});
