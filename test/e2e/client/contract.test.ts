import { describe, expect, onTestFinished, test } from 'vitest';
import { type AppIdentity, loginRequest } from '../../../src/client/session/auth-api.ts';
import { hashBody, signedHeaders } from '../../../src/client/session/signature.ts';
import { readingsAt } from '../../../src/model/readings.ts';
import { createTransport, type ServiceRequest } from '../../../src/client/exchange/transport.ts';
import { Secret } from '../../../src/base/secret.ts';
import {
  connectTo,
  CREDENTIALS,
  ENCRYPTED,
  HOUR_MS,
  newNonce,
  PATHS,
  startService,
} from './simulated-service.ts';

describe('the service takes the client', () => {
  test('and answers every call', async () => {
    const { baseUrl, clock, simulator, stationId, deviceId } = await startService();
    const { api, sessionStatus } = connectTo(baseUrl, clock);

    expect((await api.listStations()).map((station) => station.stationId)).toEqual([stationId]);
    const devices = await api.listDevices(stationId);
    expect(devices.map((device) => device.deviceId)).toEqual(simulator.deviceIds(stationId));
    expect(await api.listDevicePage(stationId, 1, 1)).toMatchObject({ total: 1, isShort: false });

    const report = await api.fetchReadings(deviceId, 'Asia/Manila');
    const readings = readingsAt(report, clock.nowMs(), HOUR_MS);
    const measuredAtMs = readings.measuredAtMs ?? 0;
    expect(clock.nowMs() - measuredAtMs).toBeLessThan(10 * 60_000);
    expect(readings.pvPowerWatts).toBeGreaterThan(0);
    expect(readings.batterySocRatio).toBeGreaterThan(0);
    expect(readings.batterySocRatio).toBeLessThanOrEqual(1);

    const energy = await api.fetchMonthlyEnergy(stationId, 'Asia/Manila');
    expect(energy.pvGeneratedKwh).toBeGreaterThan(0);

    await api.changeSettings(deviceId, new Map([['gridChargingEnabled', true]]));
    expect((await api.fetchSettings(deviceId)).get('gridChargingEnabled')?.value).toBe(true);

    expect(simulator.requests('login')).toBe(1);
    expect(sessionStatus()).toEqual({
      mode: 'account',
      blockedUntilMs: undefined,
      accessExpiresAtMs: clock.nowMs() + 2 * HOUR_MS,
      isReauthenticationRequired: false,
    });
  });

  test.each([{ omitTotal: false }, { omitTotal: true }])(
    'and lists 120 devices in three pages: %j',
    async (options) => {
      const { baseUrl, clock, simulator, stationId } = await startService({
        devicesPerStation: 120,
        ...options,
      });
      const devices = await connectTo(baseUrl, clock).api.listDevices(stationId);
      expect(devices.map(({ deviceId }) => deviceId)).toEqual(simulator.deviceIds(stationId));
      expect(simulator.requests('devices')).toBe(3);
    },
  );

  test('with the encrypted application secret as well', async () => {
    const { baseUrl, clock } = await startService();
    const options = { appSecret: undefined, appSecretEncrypted: ENCRYPTED };
    const { api } = connectTo(baseUrl, clock, options);
    await expect(api.authenticate()).resolves.toBeUndefined();
  });

  test.each([
    { refreshForm: 'token', requests: [1, 2] },
    { refreshForm: 'pair', requests: [2, 3] },
  ] as const)('and renews the $refreshForm before it expires', async (row) => {
    const { refreshForm, requests } = row;
    const { baseUrl, clock, simulator } = await startService({ refreshForm });
    const { api, renewals } = connectTo(baseUrl, clock);
    await api.listStations();
    for (const expected of requests) {
      clock.advance(2 * HOUR_MS - 300_000);
      await api.listStations();
      expect(simulator.requests('refresh')).toBe(expected);
    }
    expect(renewals.filter((renewal) => renewal === 'login ok')).toHaveLength(1);
  });

  test('and renews a revoked token once for parallel calls', async () => {
    const { baseUrl, clock, simulator, stationId } = await startService();
    const { api, renewals } = connectTo(baseUrl, clock);
    await api.listStations();
    simulator.revokeTokens();
    await Promise.all([api.listStations(), api.listDevices(stationId), api.listStations()]);
    expect(renewals).toEqual(['login ok', 'refresh ok']);
  });

  test('and logs in again when both tokens are revoked', async () => {
    const { baseUrl, clock, simulator } = await startService();
    const { api, renewals } = connectTo(baseUrl, clock);
    await api.listStations();
    simulator.revokeTokens();
    simulator.revokeRefreshTokens();
    await api.listStations();
    expect(renewals.at(0)).toBe('login ok');
    expect(renewals.at(-1)).toBe('login ok');
    expect(simulator.requests('login')).toBe(2);
  });

  test.each([
    { mode: 'the tokens', hasRefreshToken: true, refreshes: 1 },
    { mode: 'the access token alone', hasRefreshToken: false, refreshes: 0 },
  ])('with $mode and no account', async ({ hasRefreshToken, refreshes }) => {
    const { baseUrl, clock, simulator, stationId } = await startService();
    const { answer } = signer(baseUrl);
    const { data } = await answer(loginTo(baseUrl));
    const { api } = connectTo(baseUrl, clock, {
      account: undefined,
      password: undefined,
      appId: undefined,
      accessToken: new Secret(data?.accessToken ?? ''),
      refreshToken: hasRefreshToken ? new Secret(data?.refreshToken ?? '') : undefined,
    });
    expect(await api.listDevices(stationId)).toHaveLength(1);
    expect(simulator.requests('refresh')).toBe(refreshes);
    expect(simulator.requests('login')).toBe(1);
  });
});

/** Sends hand-made logins and returns the answers unchanged. */
function signer(baseUrl: string) {
  const transport = createTransport({ timeoutMs: 20_000, concurrency: 1, nowMs: () => 0 });
  onTestFinished(() => transport.close());
  const url = new URL(PATHS.login, baseUrl);
  return {
    url,
    answer: async (request: ServiceRequest) =>
      (await transport.send(request)).payload as {
        code: number;
        data?: { accessToken: string; refreshToken: string };
      },
  };
}

function loginTo(
  baseUrl: string,
  app: Partial<AppIdentity> = {},
  nonce = newNonce(),
): ServiceRequest {
  return loginRequest(
    new URL(PATHS.login, baseUrl),
    CREDENTIALS,
    { ...CREDENTIALS, ...app },
    nonce,
  );
}

function withBody(request: ServiceRequest, body: string): ServiceRequest {
  const { appId, appSecret } = CREDENTIALS;
  const input = { appId, bodyHash: hashBody(body), nonce: newNonce() };
  return {
    ...request,
    body,
    headers: { ...request.headers, ...signedHeaders(input, appSecret.reveal()) },
  };
}

describe('the service refuses a login', () => {
  test.each<{ what: string; code: number; tamper: (baseUrl: string) => ServiceRequest }>([
    { what: 'that nobody touched: not this one', code: 0, tamper: (url) => loginTo(url) },
    {
      what: 'with one byte more than its hash covers',
      code: 44,
      tamper: (url) => ({ ...loginTo(url), body: `${loginTo(url).body} ` }),
    },
    {
      what: 'with the hash of another body',
      code: 44,
      tamper: (url) => {
        const request = loginTo(url);
        const headers = { ...request.headers, 'IOT-Open-Body-Hash': hashBody('{}') };
        return { ...request, headers };
      },
    },
    {
      what: 'signed with another secret',
      code: 44,
      tamper: (url) => loginTo(url, { appSecret: new Secret('another-secret') }),
    },
    {
      what: 'of another application',
      code: 36,
      tamper: (url) => loginTo(url, { appId: 'another-app-id' }),
    },
    { what: 'with a short nonce', code: 44, tamper: (url) => loginTo(url, {}, 'abc') },
    {
      what: 'with a plaintext password',
      code: 7,
      tamper: (url) =>
        withBody(
          loginTo(url),
          JSON.stringify({ account: CREDENTIALS.account, password: 'demo-password' }),
        ),
    },
  ])('$what (code $code)', async ({ code, tamper }) => {
    const { baseUrl } = await startService();
    expect(await signer(baseUrl).answer(tamper(baseUrl))).toMatchObject({ code });
  });

  test('that is sent a second time', async () => {
    const { baseUrl } = await startService();
    const { answer } = signer(baseUrl);
    const request = loginTo(baseUrl);
    expect(await answer(request)).toMatchObject({ code: 0 });
    expect(await answer(request)).toMatchObject({ code: 44 });
  });

  test('with a wrong password, and the client does not try again at once', async () => {
    const { baseUrl, clock, simulator } = await startService({ password: 'another' });
    const { api, sessionStatus } = connectTo(baseUrl, clock);
    await expect(api.listStations()).rejects.toThrow('the password was not accepted');
    await expect(api.listStations()).rejects.toMatchObject({ code: 'SERVICE_AUTH_REJECTED' });
    expect(simulator.requests()).toBe(1);
    expect(sessionStatus().isReauthenticationRequired).toBe(true);
  });
});
