import { describe, expect, test } from 'vitest';
import { ConfigError, ServiceError } from '../../src/base/errors.ts';
import { LogDestination } from '../../src/base/log-destination.ts';
import { createLog } from '../../src/base/pino-log.ts';
import { Secret } from '../../src/base/secret.ts';

async function createRecordedLog(options: { level?: string; format?: 'json' | 'pretty' } = {}) {
  const { level = 'info', format = 'json' } = options;
  let text = '';
  const destination = new LogDestination((line, sent) => {
    text += line;
    sent();
  });
  const log = await createLog({ level, format, destination });
  return {
    log,
    text: () => text,
    lines: () =>
      text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>),
  };
}

const FORMATS = ['json', 'pretty'] as const;

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
    const { log, text } = await createRecordedLog({ format: 'pretty' });
    log.info({ collector: 'readings' }, 'collector recovered');
    expect(text()).toMatch(/^\[\d\d:\d\d:\d\d\] INFO: collector recovered\n/);
    expect(text()).toContain('collector: "readings"');
    expect(text()).not.toContain('\u001b');
  });

  test.each(FORMATS)('is written before the call returns: %s', async (format) => {
    const { log, text } = await createRecordedLog({ format });
    log.error({}, 'last words');
    expect(text()).toContain('last words');
  });

  test.each([
    { level: 'debug', expected: ['debug', 'info', 'warn', 'error'] },
    { level: 'info', expected: ['info', 'warn', 'error'] },
    { level: 'error', expected: ['error'] },
  ])('leaves out what is below $level', async ({ level, expected }) => {
    const { log, lines } = await createRecordedLog({ level });
    log.debug({}, 'debug');
    log.info({}, 'info');
    log.warn({}, 'warn');
    log.error({}, 'error');
    expect(lines().map(({ msg }) => msg)).toEqual(expected);
  });
});

describe('an error in the log', () => {
  const quoting = new SyntaxError('unexpected token in {"accessToken":"t0ken"}');
  const reset = Object.assign(new Error('connect to 10.0.0.1'), { code: 'ECONNRESET' });

  test.each([
    {
      when: 'it has no cause',
      error: new ServiceError('SERVICE_TIMEOUT', '/apis/x: too slow'),
      expected: { code: 'SERVICE_TIMEOUT', message: '/apis/x: too slow' },
    },
    {
      when: 'its cause has a code',
      error: new ServiceError('SERVICE_UNREACHABLE', '/apis/x', { cause: reset }),
      expected: { code: 'SERVICE_UNREACHABLE', message: '/apis/x', cause: 'ECONNRESET' },
    },
    {
      when: 'its cause has only a name',
      error: new ServiceError('SERVICE_PAYLOAD_INVALID', '/apis/x: not JSON', { cause: quoting }),
      expected: {
        code: 'SERVICE_PAYLOAD_INVALID',
        message: '/apis/x: not JSON',
        cause: 'SyntaxError',
      },
    },
    {
      when: 'its cause is no error',
      error: new ConfigError(['a typo'], { cause: 't0ken' }),
      expected: { code: 'CONFIG_INVALID', message: 'a typo' },
    },
    {
      when: 'something else was thrown',
      error: 'just a text',
      expected: { message: 'just a text' },
    },
  ])('is its code, its message and the code of its cause: $when', async ({ error, expected }) => {
    const { log, lines, text } = await createRecordedLog();
    log.warn({ err: error }, 'collector failed');
    expect(lines()[0]?.['err']).toEqual(expected);
    expect(text()).not.toContain('t0ken');
  });

  test('has its stack when it is a bug', async () => {
    const { log, lines } = await createRecordedLog();
    log.error({ err: new TypeError('a bug', { cause: quoting }) }, 'collector failed');
    expect(lines()[0]?.['err']).toEqual({
      name: 'TypeError',
      message: 'a bug',
      stack: expect.stringContaining('pino-log.test.ts') as string,
    });
  });
});

describe('a secret in the log', () => {
  const secret = new Secret('pa55word');

  test.each(FORMATS)('never shows its text: %s', async (format) => {
    const { log, text } = await createRecordedLog({ format, level: 'debug' });
    const cause = new Error('the body was pa55word');
    log.debug({ secret, config: { deep: [{ secret }] } }, `with ${String(secret)}`);
    log.warn({ err: new ServiceError('SERVICE_API_REFUSED', 'refused', { cause }) }, 'failed');
    log.error({ err: new TypeError(`no ${String(secret)}`, { cause }) }, 'failed');
    expect(text()).toContain('[secret]');
    expect(text()).toContain('SERVICE_API_REFUSED');
    expect(text()).not.toContain('pa55word');
  });
});
