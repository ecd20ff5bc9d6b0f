import { format, inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { dropLog } from '../../../src/base/limits.ts';
import { ServiceError } from '../../../src/base/errors.ts';
import { remedyFor } from '../../../src/base/remedies.ts';
import { createLog, LogDestination } from '../../../src/base/log.ts';
import { printable, printableLines, quote, Secret, toJsonLine } from '../../../src/base/shown.ts';
import { SilentLog } from '../../support/silent-log.ts';

const FORMATS = ['json', 'pretty'] as const;

/** A log in memory, which can be broken. */
async function createRecordedLog(format: (typeof FORMATS)[number] = 'json') {
  const written: string[] = [];
  const state: { fault?: 'throws' | 'reports' | undefined } = {};
  const destination = new LogDestination((line, sent) => {
    if (state.fault === 'throws') throw new Error('ENOSPC');
    if (state.fault === undefined) written.push(line);
    sent(state.fault === undefined ? undefined : new Error('EPIPE'));
  });
  const log = await createLog({ level: 'info', format, destination });
  const lines = () => written.map((line) => JSON.parse(line) as Record<string, unknown>);
  return { log, state, text: () => written.join(''), lines };
}

describe('the log', () => {
  test('has one JSON object per line, with the time and without the machine', async () => {
    const { log, lines } = await createRecordedLog();
    log.info({ collector: 'readings' }, 'collector recovered');
    log.warn({}, 'two\nlines');
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string;
    expect(lines()).toEqual([
      { level: 'info', time, collector: 'readings', msg: 'collector recovered' },
      { level: 'warn', time, msg: 'two\nlines' },
    ]);
  });

  test('is readable, without colours, when it is for people', async () => {
    const { log, text } = await createRecordedLog('pretty');
    log.info({ collector: 'readings' }, 'collector recovered');
    expect(text()).toMatch(/^\[\d\d:\d\d:\d\d\] INFO: collector recovered\n/);
    expect(text()).toContain('collector: "readings"');
    expect(text()).not.toContain('\u001b');
  });

  test('leaves out what is below its level, which can be changed', async () => {
    const { log, lines } = await createRecordedLog();
    const all = ['debug', 'info', 'warn', 'error'] as const;
    for (const limit of ['info', 'error', 'debug'] as const) {
      if (limit !== 'info') log.setLevel(limit);
      for (const level of all) log[level]({}, level);
    }
    expect(lines().map(({ msg }) => msg)).toEqual([...all.slice(1), 'error', ...all]);
  });

  const quoting = new SyntaxError('unexpected token in {"accessToken":"t0ken"}');
  const reset = Object.assign(new Error('connect to 10.0.0.1'), { code: 'ECONNRESET' });

  const stack = expect.stringContaining('log.test.ts') as string;
  const timeout = new ServiceError('SERVICE_TIMEOUT', '/apis/x: too slow');
  const unreachable = new ServiceError('SERVICE_UNREACHABLE', '/apis/x', { cause: reset });
  const invalid = new ServiceError('SERVICE_PAYLOAD_INVALID', '/apis/x', { cause: quoting });

  test.each([
    [timeout, { code: 'SERVICE_TIMEOUT', message: '/apis/x: too slow' }],
    [unreachable, { code: 'SERVICE_UNREACHABLE', message: '/apis/x', cause: 'ECONNRESET' }],
    [invalid, { code: 'SERVICE_PAYLOAD_INVALID', message: '/apis/x', cause: 'SyntaxError' }],
    ['just a text', { message: 'just a text' }],
    [new TypeError('a bug', { cause: quoting }), { name: 'TypeError', message: 'a bug', stack }],
  ])('says what an error is, of its cause the code, of a bug the stack', async (...row) => {
    const [error, expected] = row;
    const { log, lines, text } = await createRecordedLog();
    log.warn({ err: error }, 'collector failed');
    const { remedy, ...said } = lines()[0]?.['err'] as Record<string, unknown>;
    expect(said).toEqual(expected);
    expect(remedy).toBe(error instanceof ServiceError ? remedyFor(error) : undefined);
    expect(text()).not.toContain('t0ken');
  });

  test.each(FORMATS)('makes no terminal obey what it says: %s', async (format) => {
    const { log, text } = await createRecordedLog(format);
    const hostile = '\u001b[2J\u0007a\rb\u202ec\u009bd\ud800e\u2028f';
    log.warn({ device_id: hostile, err: new Error(hostile) }, `about ${hostile}`);
    expect(text()).toContain('about');
    expect(text()).not.toMatch(/[^\P{C}\n]|[\p{Zl}\p{Zp}]/u);
  });

  test.each(['throws', 'reports'] as const)(
    'that cannot be written (%s) drops and counts lines, and says so once when it can be again',
    async (fault) => {
      for (const format of FORMATS) {
        const { log, state, text, lines } = await createRecordedLog(format);
        const steps = ['lost', 'lost', 'first', 'second', 'lost', 'third'];
        for (const message of steps) {
          state.fault = message === 'lost' ? fault : undefined;
          log.info({}, message);
        }
        expect(log.droppedLines()).toBe(3);
        expect(text()).not.toContain('lost');
        if (format === 'pretty') continue;
        expect(lines().map(({ msg, dropped_lines: dropped }) => [msg, dropped])).toEqual([
          ['first', undefined],
          ['the log could not be written for a while', 2],
          ['second', undefined],
          ['third', undefined],
          ['the log could not be written for a while', 1],
        ]);
      }
    },
  );
});

test('a secret is shown only when it is asked for', () => {
  const secret = new Secret('not-for-your-eyes');
  expect(secret.reveal()).toBe('not-for-your-eyes');
  for (const shown of [
    String(secret),
    JSON.stringify({ secret }),
    inspect({ secret }, { showHidden: true }),
    format('%s %j %o', secret, secret, secret),
  ]) {
    expect(shown).toContain('[secret]');
    expect(shown).not.toContain('eyes');
  }
});

test.each([
  ['a\u007fb\u009bc\u2028d', '"a\\u007fb\\u009bc\\u2028d"'],
  ['x'.repeat(60), `"${'x'.repeat(60)}"`],
  ['x'.repeat(61), `"${'x'.repeat(60)}…"`],
])('%j is quoted in a sentence as %s', (text, shown) => {
  expect(quote(text)).toBe(shown);
});

test.each([
  ['a\u001b[2Jb\u0007c\rd', 'a?[2Jb?c?d'],
  ['a\u202eb\u2066c\u200fd\u2028e\u2029f', 'a?b?c?d?e?f'],
  ['half \ud800 and a whole 🔋', 'half ? and a whole 🔋'],
  ['Дах café 屋根 בית', 'Дах café 屋根 בית'],
])('%j is shown on a terminal as %s', (text, shown) => {
  expect(printable(text)).toBe(shown);
  expect(printableLines(`${text}\n`)).toBe(`${shown}\n`);
  expect(printable(`${text}\n`)).toBe(`${shown}?`);
  expect(JSON.parse(toJsonLine({ [text]: [text] }))).toEqual({ [text]: [text] });
  expect(printableLines(toJsonLine({ [text]: text }))).toBe(toJsonLine({ [text]: text }));
});

test('what is over a limit is counted, and logged once for each limit', () => {
  const log = new SilentLog();
  const counted: string[] = [];
  const noteDropped = dropLog(log, (reason, count) => counted.push(`${count} ${reason}`));
  noteDropped('devices', 2, 'a list');
  noteDropped('devices', 1, 'another list');
  noteDropped('series', 5, 'a page');
  expect(counted).toEqual(['2 devices', '1 devices', '5 series']);
  const message = 'over a limit: the rest is left out';
  expect(log.lines).toEqual([
    { level: 'warn', fields: { limit: 'devices', of: 'a list', dropped: 2 }, message },
    { level: 'warn', fields: { limit: 'series', of: 'a page', dropped: 5 }, message },
  ]);
});
