import { expect, test } from 'vitest';
import { ENDPOINTS, operationOf } from '../../../src/client/endpoints.ts';
import { SERVICE_PATHS } from '../../support/service-paths.ts';

test('every endpoint is where the portal has it', () => {
  const paths = Object.entries(ENDPOINTS).map(([name, { path }]) => [name, path]);
  expect(Object.fromEntries(paths)).toEqual(SERVICE_PATHS);
  expect(operationOf('settingsReadDetails')).toBe('settings-read-details');
});
