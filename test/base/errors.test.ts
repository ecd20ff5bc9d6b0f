import { describe, expect, test } from 'vitest';
import {
  ConfigError,
  ExporterError,
  outcomeOf,
  SERVICE_ERROR_CODES,
  ServiceError,
} from '../../src/base/errors.ts';

describe('errors', () => {
  test.each(SERVICE_ERROR_CODES)('a failure with %s counts under that code', (code) => {
    const error = new ServiceError(code, '/apis/device/list: failed');
    expect(error).toMatchObject({ name: 'ServiceError', code, retryAfterMs: undefined });
    expect(error).toBeInstanceOf(ExporterError);
    expect(outcomeOf(error)).toBe(code);
  });

  test.each([new TypeError('a bug'), new ConfigError(['a typo']), 'a string', undefined])(
    'anything else counts as unexpected: %s',
    (error) => {
      expect(outcomeOf(error)).toBe('UNEXPECTED');
    },
  );

  test('a service error keeps its cause and the pause that the service asks for', () => {
    const cause = new Error('reset');
    const error = new ServiceError('SERVICE_RATE_LIMITED', 'slow down', {
      cause,
      retryAfterMs: 5000,
    });
    expect(error.cause).toBe(cause);
    expect(error.retryAfterMs).toBe(5000);
  });

  test('a configuration error lists its problems, one a line', () => {
    const error = new ConfigError(['first', 'second']);
    expect(error).toMatchObject({
      name: 'ConfigError',
      code: 'CONFIG_INVALID',
      message: 'first\nsecond',
      problems: ['first', 'second'],
    });
  });
});
