import { describe, expect, test } from 'vitest';
import { refuseFixedChanges } from '../../src/commands/serve.ts';
import { type Config, parseConfig } from '../../src/config/config.ts';
import { ConfigError } from '../../src/base/errors.ts';

async function configOf(flags: Readonly<Record<string, string>>): Promise<Config> {
  const { config } = await parseConfig(
    { flags, env: { SOLAR_ACCESS_TOKEN: 'planted' }, readFile: () => '[]' },
    { credentials: true },
  );
  return config;
}

/** The problems of a reload from one configuration to another. */
async function problemsOf(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  try {
    refuseFixedChanges(await configOf(before), await configOf(after));
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

const REMEDY = 'takes a restart; accepted: a reload that leaves it as it is';

describe('a reload', () => {
  test.each<{ flag: string; from: string | undefined; to: string | undefined; says: string }>([
    { flag: 'state.dir', from: undefined, to: '/state', says: '"/state" in place of ""' },
    { flag: 'state.dir', from: '/state', to: undefined, says: '"" in place of "/state"' },
    {
      flag: 'web.listen-address',
      from: undefined,
      to: '[::1]:80',
      says: '"[::1]:80" in place of ":9877"',
    },
    { flag: 'web.telemetry-path', from: undefined, to: '/m', says: '"/m" in place of "/metrics"' },
    { flag: 'web.config.file', from: undefined, to: 'web.yml', says: '"web.yml" in place of ""' },
    { flag: 'web.max-requests', from: '7', to: '8', says: '"8" in place of "7"' },
    {
      flag: 'web.enable-lifecycle',
      from: undefined,
      to: 'true',
      says: '"true" in place of "false"',
    },
    { flag: 'log.format', from: 'json', to: 'pretty', says: '"pretty" in place of "json"' },
  ])('that would change $flag says: $says', async ({ flag, from, to, says }) => {
    const given = (value: string | undefined) => (value === undefined ? {} : { [flag]: value });
    expect(await problemsOf(given(from), given(to))).toEqual([`${flag}: ${says} ${REMEDY}`]);
  });

  test('names everything that it would change', async () => {
    const after = { 'web.max-requests': '7', 'state.dir': '/state', 'log.format': 'json' };
    const problems = await problemsOf({}, after);
    expect(problems.map((problem) => problem.split(':')[0])).toEqual([
      'state.dir',
      'web.max-requests',
      'log.format',
    ]);
  });

  test('may change everything else', async () => {
    const after = {
      'base-url': 'http://127.0.0.1:9',
      'auth-url': 'http://127.0.0.1:8',
      account: 'me',
      'app-id': 'app',
      station: '1,2',
      'time-zone': 'Europe/Berlin',
      'dialect.file': 'dialect.yml',
      'path.readings': '/elsewhere',
      'collect.settings': 'true',
      'collect.alarms': 'true',
      'collect.process': 'true',
      'cache.readings-ttl': '1m',
      'cache.max-age': '1h',
      'scrape.timeout': '1s',
      'request.timeout': '1s',
      'request.concurrency': '1',
      'request.rate': '0.5',
      'log.level': 'debug',
    };
    expect(await problemsOf({}, after)).toEqual([]);
  });

  test('with the same values from other places changes nothing', async () => {
    const before = { 'web.listen-address': ':9877', 'state.dir': '/state' };
    expect(await problemsOf(before, { 'state.dir': '/state' })).toEqual([]);
  });
});
