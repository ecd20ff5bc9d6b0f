import { describe, expect, test } from 'vitest';
import {
  dataHeaders,
  dataOf,
  envelopeOf,
  PATHS,
  signedHeaders,
  startSimulator,
  type TokenSet,
} from '../running-simulator.ts';

const page = { page: 1, count: 10 };

describe('the portal', () => {
  test('answers an expired or unknown token with code 9 in status 200', async () => {
    const { logIn, post, clock } = await startSimulator({ family: 'uwb1' });
    const { accessToken } = await logIn();
    expect((await post(PATHS.stations, page, dataHeaders('x'))).status).toBe(200);
    clock.advance(2 * 3_600_000);
    const answer = await post(PATHS.stations, page, dataHeaders(accessToken));
    expect(answer.status).toBe(200);
    expect(envelopeOf(answer)).toMatchObject({ code: 9, message: 'Token expired', data: null });
  });

  test('takes the signed pair for a refresh and nothing less', async () => {
    const { logIn, post } = await startSimulator({ family: 'uwb1' });
    const { accessToken, refreshToken } = await logIn();
    expect(envelopeOf(await post(PATHS.refresh, { refreshToken })).code).toBe(20_101);
    const body = JSON.stringify({ accessToken, refreshToken });
    const renewed = dataOf<TokenSet>(await post(PATHS.refresh, body, signedHeaders(body)));
    expect((await post(PATHS.stations, page, dataHeaders(renewed.accessToken))).status).toBe(200);
  });

  test.each([
    { when: 'classic is simulated', options: {}, portal: false, refreshForm: 'token' },
    {
      when: 'another family is',
      options: { family: 'maniy' },
      portal: true,
      refreshForm: 'pair',
    },
    {
      when: 'classic is on the portal',
      options: { portal: true },
      portal: true,
      refreshForm: 'pair',
    },
    {
      when: 'another family is not',
      options: { family: 'maniy', portal: false },
      portal: false,
      refreshForm: 'token',
    },
    {
      when: 'the form of the refresh is named',
      options: { family: 'maniy', refreshForm: 'token' },
      portal: true,
      refreshForm: 'token',
    },
  ] as const)('is $portal, with a refresh by $refreshForm, when $when', async (row) => {
    const { simulator } = await startSimulator(row.options);
    expect(simulator.options).toMatchObject({
      portal: row.portal,
      refreshForm: row.refreshForm,
    });
  });
});

const NEW_ENDPOINTS = [
  { endpoint: 'latest-state', path: PATHS.latestState, method: 'GET' },
  { endpoint: 'energy-flow', path: PATHS.energyFlow, method: 'GET' },
  { endpoint: 'attributes', path: PATHS.attributes, method: 'GET' },
  { endpoint: 'alarms', path: PATHS.alarms, method: 'POST' },
  { endpoint: 'settings-read', path: PATHS.settingsRead, method: 'POST' },
  { endpoint: 'settings-read-details', path: PATHS.settingsReadDetails, method: 'GET' },
  { endpoint: 'logout', path: PATHS.logout, method: 'POST' },
  { endpoint: 'station-details', path: PATHS.stationDetails, method: 'GET' },
  { endpoint: 'station-states', path: PATHS.stationStates, method: 'GET' },
  { endpoint: 'station-flow', path: PATHS.stationFlow, method: 'GET' },
  { endpoint: 'device-details', path: PATHS.deviceDetails, method: 'GET' },
  { endpoint: 'device-states', path: PATHS.deviceStates, method: 'GET' },
  { endpoint: 'datalogger', path: PATHS.datalogger, method: 'GET' },
  { endpoint: 'records', path: PATHS.records, method: 'POST' },
  { endpoint: 'remote-latest-state', path: PATHS.remoteLatestState, method: 'GET' },
  { endpoint: 'attribute-groups', path: PATHS.attributeGroups, method: 'GET' },
  { endpoint: 'latest-alarm', path: PATHS.latestAlarm, method: 'POST' },
  { endpoint: 'setting-read', path: PATHS.settingRead, method: 'POST' },
  { endpoint: 'settings-clear', path: PATHS.settingsClear, method: 'POST' },
  { endpoint: 'owner-statistics', path: PATHS.ownerStatistics, method: 'POST' },
  { endpoint: 'dashboard', path: PATHS.dashboard, method: 'POST' },
] as const;

describe.each(NEW_ENDPOINTS)("the portal's endpoint $endpoint", ({ endpoint, path, method }) => {
  test(`takes ${method} and nothing else`, async () => {
    const { baseUrl, clock } = await startSimulator();
    const other = method === 'GET' ? 'POST' : 'GET';
    const answer = await fetch(baseUrl + path, { method: other });
    expect(answer.status).toBe(405);
    expect(await answer.json()).toEqual({
      timestamp: new Date(clock.nowMs()).toISOString(),
      status: 405,
      error: 'Method Not Allowed',
      path,
    });
  });

  test('wants a token, and no time zone that is none', async () => {
    const { baseUrl, logIn } = await startSimulator();
    const init = { method, ...(method === 'POST' ? { body: '{}' } : {}) };
    expect((await fetch(baseUrl + path, init)).status).toBe(401);
    const headers = dataHeaders((await logIn()).accessToken, 'Europe');
    const answer = await fetch(baseUrl + path, { ...init, headers });
    expect(await answer.json()).toMatchObject({
      code: 20_101,
      message: 'illegal argument: IOT-Time-Zone',
    });
  });

  test('is counted, and context by faults', async () => {
    const { simulator, ask, look } = await startSimulator();
    simulator.setFault(endpoint, { kind: 'status', status: 503 });
    const answer = method === 'GET' ? await look(path, {}) : await ask(path, {});
    expect(answer.status).toBe(503);
    expect(simulator.requests(endpoint)).toBe(1);
  });

  test('is not there when the service has only the interface', async () => {
    const { simulator, ask, look } = await startSimulator({ portalEndpoints: false });
    const answer = method === 'GET' ? await look(path, {}) : await ask(path, {});
    expect(answer.status).toBe(404);
    expect(simulator.requests(endpoint)).toBe(1);
    expect((await ask(PATHS.stations, page)).status).toBe(200);
  });
});

describe('the Date header', () => {
  test("is the simulator's clock, on answers and failures alike", async () => {
    const { simulator, ask, post, clock } = await startSimulator();
    const first = await ask(PATHS.stations, page);
    expect(first.headers.get('date')).toBe('Sun, 21 Jun 2026 04:00:00 GMT');
    clock.advance(3_600_000);
    expect((await post('/unknown', {})).headers.get('date')).toBe('Sun, 21 Jun 2026 05:00:00 GMT');
    simulator.setFault('stations', { kind: 'html' });
    const faulty = await ask(PATHS.stations, page);
    expect(faulty.headers.get('date')).toBe('Sun, 21 Jun 2026 05:00:00 GMT');
  });

  test('gives way to the header of a fault', async () => {
    const { simulator, ask } = await startSimulator();
    const date = 'Thu, 01 Jan 2026 00:00:00 GMT';
    simulator.setFault('stations', { kind: 'status', status: 503, headers: { date } });
    expect((await ask(PATHS.stations, page)).headers.get('date')).toBe(date);
  });
});
