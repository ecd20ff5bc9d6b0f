import { describe, expect, expectTypeOf, test } from 'vitest';
import type { Secret } from '../../src/base/secret.ts';
import { ENDPOINTS } from '../../src/client/endpoints.ts';
import type { Config } from '../../src/config/config.ts';
import { envName, OPTION_BY_FLAG, OPTIONS } from '../../src/config/options.ts';

describe('the tree of options', () => {
  test('environment names follow from flags', () => {
    expect(envName('cache.readings-ttl')).toBe('SOLAR_CACHE_READINGS_TTL');
    for (const { flag, env } of OPTIONS) expect(env).toBe(envName(flag));
  });

  test('no two options share a flag or an environment variable', () => {
    expect(OPTION_BY_FLAG.size).toBe(OPTIONS.length);
    const secretFiles = OPTIONS.filter(({ secret }) => secret).map(({ env }) => `${env}_FILE`);
    const names = [...OPTIONS.map(({ env }) => env), ...secretFiles];
    expect(new Set(names).size).toBe(names.length);
  });

  test.each(OPTIONS.filter((option) => option.default !== undefined))(
    'the default of --$flag is a value it accepts',
    (option) => {
      expect(option.read(option.default ?? '')).toHaveProperty('value');
    },
  );

  test('an option whose value another one uses exists, and always has a value', () => {
    const lenders = OPTIONS.map(({ sameAs }) => sameAs).filter((flag) => flag !== undefined);
    expect(lenders).not.toEqual([]);
    for (const flag of lenders) expect(OPTION_BY_FLAG.get(flag)?.default).toBeTypeOf('string');
  });

  test('each endpoint of the service has an option for its path, in their order', () => {
    const rows = OPTIONS.filter(({ flag }) => flag.startsWith('path.'));
    expect(rows.map((row) => [row.flag, row.default, row.describe, row.path.at(-1)])).toEqual(
      Object.entries(ENDPOINTS).map(([name, { operation, path, purpose }]) => [
        `path.${operation}`,
        path,
        `endpoint for ${purpose}`,
        name,
      ]),
    );
  });

  test('secrets are marked by kind and by flag alike', () => {
    for (const { kind, secret } of OPTIONS) expect(kind === 'secret').toBe(secret === true);
  });

  test('no variable looks like those that Kubernetes injects', () => {
    for (const { env } of OPTIONS) expect(env).not.toMatch(/_(?:SERVICE|PORT)(?:_|$)/);
  });
});

describe('the configuration has the shape of the tree', () => {
  test('with the type of each kind, undefined only where a value may be missing', () => {
    expectTypeOf<Config['cache']['summaryTtlMs']>().toEqualTypeOf<number>();
    expectTypeOf<Config['cache']['readingsTtlMs']>().toEqualTypeOf<number | 'auto'>();
    expectTypeOf<Config['baseUrl']>().toEqualTypeOf<string>();
    expectTypeOf<Config['authUrl']>().toEqualTypeOf<string>();
    expectTypeOf<Config['stationIds']>().toEqualTypeOf<readonly string[]>();
    expectTypeOf<Config['account']>().toEqualTypeOf<string | undefined>();
    expectTypeOf<Config['password']>().toEqualTypeOf<Secret | undefined>();
    expectTypeOf<Config['collect']['alarms']>().toEqualTypeOf<boolean>();
    expectTypeOf<Config['log']['format']>().toEqualTypeOf<'json' | 'pretty' | undefined>();
    expectTypeOf<Config['simulator']['speed']>().toEqualTypeOf<number | undefined>();
    expectTypeOf<Config['paths']['settingsGet']>().toEqualTypeOf<string>();
  });
});
