import { describe, expect, test } from 'vitest';
import { ENDPOINTS, endpointUrls, OPERATIONS } from '../../../src/client/endpoints.ts';
import { SERVICE_PATHS } from '../../support/service-paths.ts';

const rows = Object.entries(ENDPOINTS).map(([name, row]) => ({ name, ...row }));

describe('the table of endpoints', () => {
  test('has every endpoint where the portal has it', () => {
    expect(Object.fromEntries(rows.map(({ name, path }) => [name, path]))).toEqual(SERVICE_PATHS);
  });

  test.each(rows)('calls $operation $name in code', ({ name, operation }) => {
    expect(name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)).toBe(operation);
  });

  test('names every operation once', () => {
    expect(OPERATIONS).toHaveLength(17);
    expect(new Set(OPERATIONS).size).toBe(OPERATIONS.length);
  });
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
