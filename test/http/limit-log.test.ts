import { describe, expect, test } from 'vitest';
import { LimitLog } from '../../src/http/limit-log.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { SilentLog } from '../support/silent-log.ts';

const MINUTE_MS = 60_000;

function startLog() {
  const [clock, log] = [new FakeClock(), new SilentLog()];
  return { clock, log, limitLog: new LimitLog(log, clock) };
}

describe('a limit that is reached', () => {
  test.each([
    { what: 'again and again is logged once', apartMs: MINUTE_MS - 1, times: 100, lines: 1 },
    { what: 'again after a minute is logged again', apartMs: MINUTE_MS, times: 3, lines: 3 },
    { what: 'after the clock was set back is logged', apartMs: -MINUTE_MS, times: 2, lines: 2 },
  ])('$what', ({ apartMs, times, lines }) => {
    const { clock, log, limitLog } = startLog();
    for (let time = 0; time < times; time += 1) {
      limitLog.reached('too many');
      clock.advance(apartMs);
    }
    expect(log.messages('warn')).toHaveLength(lines);
  });

  test('does not keep another one out of the log', () => {
    const { log, limitLog } = startLog();
    limitLog.reached('too many', { max: 8 });
    limitLog.reached('too slow');
    expect(log.lines).toEqual([
      { level: 'warn', fields: { max: 8 }, message: 'too many' },
      { level: 'warn', fields: {}, message: 'too slow' },
    ]);
  });
});
