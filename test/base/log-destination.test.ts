import { describe, expect, test } from 'vitest';
import { LogDestination } from '../../src/base/log-destination.ts';
import { createLog } from '../../src/base/pino-log.ts';

/** A log whose destination can be broken, and what reached the destination. */
async function createBreakableLog(format: 'json' | 'pretty' = 'json') {
  const written: string[] = [];
  const state: { fault?: 'throws' | 'reports' } = {};
  const destination = new LogDestination((text, sent) => {
    if (state.fault === 'throws') throw new Error('ENOSPC');
    if (state.fault === 'reports') {
      sent(new Error('EPIPE'));
      return;
    }
    written.push(text);
    sent();
  });
  const log = await createLog({ level: 'info', format, destination });
  return { log, state, written };
}

describe.each(['throws', 'reports'] as const)('when writing a line %s an error', (fault) => {
  test.each(['json', 'pretty'] as const)('%s lines are dropped and counted', async (format) => {
    const { log, state, written } = await createBreakableLog(format);
    log.info({}, 'before');
    state.fault = fault;
    log.info({}, 'lost');
    log.warn({}, 'lost as well');
    expect(log.droppedLines()).toBe(2);
    expect(written.join('')).toContain('before');
    expect(written.join('')).not.toContain('lost');
  });

  test('it is said once when lines can be written again', async () => {
    const { log, state, written } = await createBreakableLog();
    for (const [isBroken, message] of [
      [true, 'lost'],
      [true, 'lost'],
      [false, 'first'],
      [false, 'second'],
      [true, 'lost'],
      [false, 'third'],
    ] as const) {
      if (isBroken) state.fault = fault;
      else delete state.fault;
      log.info({}, message);
    }
    const lines = written.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.map(({ msg, dropped_lines: dropped }) => [msg, dropped])).toEqual([
      ['first', undefined],
      ['the log could not be written for a while', 2],
      ['second', undefined],
      ['third', undefined],
      ['the log could not be written for a while', 1],
    ]);
    expect(log.droppedLines()).toBe(3);
  });
});

describe.each(['json', 'pretty'] as const)('a %s line', (format) => {
  test('makes no terminal obey what it quotes', async () => {
    const { log, written } = await createBreakableLog(format);
    const hostile = '\u001b[2J\u0007a\rb\u202ec\u009bd\ud800e\u2028f';
    log.warn({ device_id: hostile, err: new Error(hostile) }, `about ${hostile}`);
    expect(written.join('')).toContain('about');
    expect(written.join('')).not.toMatch(/[^\P{C}\n]|[\p{Zl}\p{Zp}]/u);
    if (format === 'json')
      expect(JSON.parse(written.join(''))).toMatchObject({ device_id: hostile });
  });
});
