import { describe, expect, test } from 'vitest';
import { type Config, parseConfig } from '../../src/config/config.ts';
import { ConfigError } from '../../src/base/errors.ts';

async function parse(text: string): Promise<Config> {
  const sources = { flags: { 'config.file': 'solar.yaml' }, env: {}, readFile: () => text };
  return (await parseConfig(sources, { credentials: false })).config;
}

async function problemsOf(text: string): Promise<readonly string[]> {
  const error: unknown = await parse(text).catch((reason: unknown) => reason);
  if (!(error instanceof ConfigError)) throw new Error('accepted');
  return error.problems;
}

describe('the configuration file', () => {
  test('keys are flat with dots, or nested', async () => {
    const config = await parse(`
cache.readings-ttl: 30s
cache:
  summary-ttl: 20m
collect: { settings: on }
request.concurrency: 4
`);
    expect(config.cache).toMatchObject({ readingsTtlMs: 30_000, summaryTtlMs: 1_200_000 });
    expect(config.collect.settings).toBe(true);
    expect(config.request.concurrency).toBe(4);
  });

  test.each([
    ['one id', 'station: 12345678901234567890'],
    ['a list', 'station: [12345678901234567890]'],
    ['a list of lines', 'station:\n  - 12345678901234567890\n  - "12345678901234567890"'],
  ])('a long station id keeps its digits in %s', async (_form, text) => {
    expect((await parse(text)).stationIds).toEqual(['12345678901234567890']);
  });

  test.each(['', '# only a comment\n', '{}', '\uFEFF{}'])('%j sets nothing', async (text) => {
    expect((await parse(text)).web.telemetryPath).toBe('/metrics');
  });

  test.each([
    [
      'a mistyped key',
      'cache: {reading-ttl: 60s}',
      'cache.reading-ttl in solar.yaml: unknown key; did you mean cache.readings-ttl?',
    ],
    ['an unknown key', 'verbosity: 3', 'verbosity in solar.yaml: unknown key'],
    ['a file within the file', 'config.file: other.yaml', 'config.file in solar.yaml: unknown key'],
    ['a strange key', '"a b": 1', '"a b" in solar.yaml: unknown key'],
    [
      'a key that deletes',
      String.raw`"\u007f": 1`,
      String.raw`"\u007f" in solar.yaml: unknown key`,
    ],
    [
      'a key that breaks the line',
      String.raw`"a\u2028b": 1`,
      String.raw`"a\u2028b" in solar.yaml: unknown key`,
    ],
    [
      'a key given in both forms',
      'log.level: info\nlog: {level: warn}',
      'log.level in solar.yaml: is given twice',
    ],
    ['a section without keys', 'cache: 60s', 'cache in solar.yaml: takes a mapping of keys'],
    ['a mapping for a value', 'log.level: {a: b}', 'log.level in solar.yaml: takes a value'],
    [
      'a list for a value',
      'log.level: [info]',
      'log.level in solar.yaml: takes one value, not several',
    ],
    ['a list in a list', 'station: [[1]]', 'station in solar.yaml: takes a list of ids'],
    [
      'a list in a list of names',
      'web.allowed-hosts: [[a]]',
      'web.allowed-hosts in solar.yaml: takes a list of names',
    ],
    [
      'an empty list',
      'station: []',
      'station in solar.yaml: "" names nothing; accepted: one or more ids, comma separated',
    ],
    [
      'an empty value',
      'log.level:',
      'log.level in solar.yaml: "" is not a choice; accepted: one of fatal, error, warn, info, debug, trace, silent',
    ],
    [
      'a list instead of a mapping',
      '- log.level',
      'solar.yaml: not a mapping; accepted: lines such as cache.readings-ttl: 60s',
    ],
    [
      'a text instead of a mapping',
      'info',
      'solar.yaml: not a mapping; accepted: lines such as cache.readings-ttl: 60s',
    ],
    [
      'broken YAML',
      'log.level: info\npassword: "hunter2\n',
      'solar.yaml: not YAML: missing char at line 3',
    ],
    [
      'a repeated key',
      'log.level: info\nlog.level: warn',
      'solar.yaml: not YAML: duplicate key at line 2',
    ],
    ['a key that is no text', '? [a]\n: b', 'solar.yaml: not YAML: non string key at line 1'],
    [
      'an alias of nothing',
      'log.level: *x',
      'solar.yaml: not YAML: an alias without an anchor before it, or too many aliases',
    ],
  ])('refuses %s', async (_what, text, problem) => {
    expect(await problemsOf(text)).toEqual([problem]);
  });

  test.each([
    ['a system error', Object.assign(new Error('secret'), { code: 'ENOENT' }), 'ENOENT'],
    ['any other error', new Error('secret'), 'not readable'],
    ['what is no error', 'secret', 'not readable'],
  ])('says that it cannot be read, after %s', async (_what, thrown, reason) => {
    const readFile = () => {
      throw thrown as Error;
    };
    const env = { SOLAR_CONFIG_FILE: '/etc/solar.yaml' };
    await expect(
      parseConfig({ flags: {}, env, readFile }, { credentials: false }),
    ).rejects.toMatchObject({
      problems: [
        `SOLAR_CONFIG_FILE: cannot read "/etc/solar.yaml": ${reason}; accepted: the path of a readable YAML file`,
      ],
    });
  });
});
