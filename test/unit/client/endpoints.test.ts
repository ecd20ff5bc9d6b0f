import { expect, test } from 'vitest';
import { type EndpointName, ENDPOINTS } from '../../../src/client/endpoints.ts';
import { endpointUrl } from '../../../src/client/exchange/transport.ts';
import { SERVICE_PATHS } from '../../support/service-paths.ts';

test('every endpoint is where the portal has it, and has one name', () => {
  const rows = Object.entries(ENDPOINTS);
  expect(Object.fromEntries(rows.map(([name, { path }]) => [name, path]))).toEqual(SERVICE_PATHS);
  const dashed = rows.map(([name]) => name.replace(/[A-Z]/g, (at) => `-${at.toLowerCase()}`));
  expect(rows.map(([, { operation }]) => operation)).toEqual(dashed);
});

test('login and refresh are at the authentication URL, all others at the base URL', () => {
  const addresses = {
    baseUrl: 'https://service.example.org/proxied/',
    authUrl: 'https://login.example.org',
    paths: { ...SERVICE_PATHS, readings: '/readings' },
  };
  const names = Object.keys(ENDPOINTS) as EndpointName[];
  const atAuthUrl = names.filter((name) => endpointUrl(name, addresses).host.startsWith('login.'));
  expect(atAuthUrl).toEqual(['login', 'refresh']);
  expect(endpointUrl('readings', addresses).href).toBe(
    'https://service.example.org/proxied/readings',
  );
});
