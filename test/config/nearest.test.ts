import { describe, expect, test } from 'vitest';
import { nearest } from '../../src/config/nearest.ts';

const CANDIDATES = ['cache.readings-ttl', 'cache.settings-ttl', 'log.level', 'account'];

describe('nearest', () => {
  test.each([
    ['a missing letter', 'cache.reading-ttl', 'cache.readings-ttl'],
    ['a wrong letter', 'log.lefel', 'log.level'],
    ['one letter too many', 'acccount', 'account'],
    ['another case', 'Cache.Readings-TTL', 'cache.readings-ttl'],
    ['another separator', 'cache_settings_ttl', 'cache.settings-ttl'],
    ['nothing wrong', 'account', 'account'],
  ])('finds the candidate despite %s', (_when, typed, expected) => {
    expect(nearest(typed, CANDIDATES)).toBe(expected);
  });

  test.each(['', 'verbose', 'state.dir', 'x'.repeat(1_000_000)])(
    'offers nothing for what is like no candidate',
    (typed) => {
      expect(nearest(typed, CANDIDATES)).toBeUndefined();
    },
  );

  test('offers no short candidate of which every letter is another', () => {
    expect(nearest('x', ['to', 'from'])).toBeUndefined();
    expect(nearest('og', ['to', 'from'])).toBeUndefined();
    expect(nearest('too', ['to', 'from'])).toBe('to');
  });
});
