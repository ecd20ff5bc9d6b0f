import { describe, expect, test } from 'vitest';
import { envName, OPTION_BY_FLAG, OPTIONS } from '../../src/config/options.ts';
import { type ParsedKind, PARSERS } from '../../src/config/values.ts';

describe('the table of options', () => {
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
      expect(PARSERS[option.kind as ParsedKind](option.default ?? '', option)).toHaveProperty(
        'value',
      );
    },
  );

  test('secrets are marked by kind and by flag alike', () => {
    for (const { kind, secret } of OPTIONS) expect(kind === 'secret').toBe(secret === true);
  });

  test('no variable looks like those that Kubernetes injects', () => {
    for (const { env } of OPTIONS) expect(env).not.toMatch(/_(?:SERVICE|PORT)(?:_|$)/);
  });
});
