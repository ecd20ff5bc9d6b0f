import { expect, test } from 'vitest';
import { ENDPOINTS, endpointUrls } from '../../../src/client/endpoints.ts';
import { SERVICE_PATHS } from '../../support/service-paths.ts';

const OPERATIONS = Object.values(ENDPOINTS).map(({ operation }) => operation);

test('every endpoint is where the portal has it, and has one name', () => {
  const rows = Object.entries(ENDPOINTS);
  expect(Object.fromEntries(rows.map(([name, { path }]) => [name, path]))).toEqual(SERVICE_PATHS);
  const dashed = rows.map(([name]) => name.replace(/[A-Z]/g, (at) => `-${at.toLowerCase()}`));
  expect(OPERATIONS).toEqual(dashed);
});

test('login and refresh are at the authentication URL, all others at the base URL', () => {
  const urls = endpointUrls({
    baseUrl: 'https://service.example.org/proxied/',
    authUrl: 'https://login.example.org',
    paths: { ...SERVICE_PATHS, readings: '/readings' },
  });
  const atAuthUrl = OPERATIONS.filter((name) => urls[name].host === 'login.example.org');
  expect(atAuthUrl).toEqual(['login', 'refresh']);
  expect(urls.readings.href).toBe('https://service.example.org/proxied/readings');
  expect(Object.keys(urls)).toEqual(OPERATIONS);
});
