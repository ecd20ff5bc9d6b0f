import { expect, test } from 'vitest';
import { ENDPOINTS } from '../../../src/client/endpoints.ts';
import { SERVICE_PATHS } from '../../support/service-paths.ts';

test('every endpoint is where the portal has it, and has one name', () => {
  const rows = Object.entries(ENDPOINTS);
  expect(Object.fromEntries(rows.map(([name, { path }]) => [name, path]))).toEqual(SERVICE_PATHS);
  const dashed = rows.map(([name]) => name.replace(/[A-Z]/g, (at) => `-${at.toLowerCase()}`));
  expect(rows.map(([, { operation }]) => operation)).toEqual(dashed);
});
