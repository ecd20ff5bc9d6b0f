import { expect, test } from 'vitest';
import { ENDPOINT_PATHS, operationOf } from '../../../src/base/service-names.ts';
import { SERVICE_PATHS } from '../../support/service-paths.ts';

test('every endpoint is where the portal has it', () => {
  const paths = Object.entries(ENDPOINT_PATHS).map(([name, [path]]) => [name, path]);
  expect(Object.fromEntries(paths)).toEqual(SERVICE_PATHS);
  expect(operationOf('settingsReadDetails')).toBe('settings-read-details');
});
