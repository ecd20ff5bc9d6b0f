import { describe, expect, test } from 'vitest';
import { ConfigError } from '../../../src/base/errors.ts';
import { Secret } from '../../../src/base/secret.ts';
import { settled } from '../../support/deferred.ts';
import { eventually } from '../../support/eventually.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { connectTo, ENCRYPTED, HOUR_MS, PATHS, startService } from './simulated-service.ts';
import { serve } from './exchange/tiny-server.ts';

describe('a connection', () => {
  test('asks two addresses, each with a path of its own in front', async () => {
    const asked: (string | undefined)[] = [];
    const record = (answer: string) =>
      serve((request, response) => {
        asked.push(request.url);
        response.end(answer);
      });
    const base = await record('{"data":{"list":[]}}');
    const auth = await record('{"data":{"token":"access","refreshToken":"refresh"}}');
    const clock = new FakeClock();
    const { api } = connectTo(`${base}/data/`, clock, { authUrl: `${auth}/auth` });
    await api.listStations();
    clock.advance(HOUR_MS);
    await api.authenticate();
    expect(asked).toEqual([
      `/auth${PATHS.login}`,
      `/data${PATHS.stations}`,
      `/auth${PATHS.refresh}`,
    ]);
  });

  test('with an account and tokens logs in and leaves the tokens alone', async () => {
    const { baseUrl, clock, simulator } = await startService();
    const { api } = connectTo(baseUrl, clock, {
      accessToken: new Secret('given'),
      refreshToken: new Secret('given-refresh'),
    });
    await api.listStations();
    expect(simulator.requests('login')).toBe(1);
    expect(simulator.requests('refresh')).toBe(0);
  });

  test('without an application secret cannot log in and does not try', async () => {
    const { baseUrl, clock, simulator } = await startService();
    const { api } = connectTo(baseUrl, clock, { appSecret: undefined });
    await expect(api.listStations()).rejects.toMatchObject({ code: 'SERVICE_AUTH_REJECTED' });
    expect(simulator.requests()).toBe(0);
  });

  test('with neither an account nor tokens sends nothing', async () => {
    const { baseUrl, clock, simulator } = await startService();
    const { api, sessionStatus } = connectTo(baseUrl, clock, { account: undefined });
    await expect(api.authenticate()).rejects.toMatchObject({ code: 'SERVICE_AUTH_REJECTED' });
    expect(sessionStatus().isReauthenticationRequired).toBe(true);
    expect(simulator.requests()).toBe(0);
  });

  test('is not made with an encrypted secret of another application', () => {
    const options = { appId: 'another', appSecret: undefined, appSecretEncrypted: ENCRYPTED };
    expect(() => connectTo('http://127.0.0.1:1', new FakeClock(), options)).toThrow(ConfigError);
  });

  test('sends at most so many data requests a second, and does not count log-ins and refreshes', async () => {
    const { baseUrl, clock, simulator } = await startService();
    const request = { timeoutMs: 20_000, concurrency: 8, ratePerSecond: 0.5 };
    const { api } = connectTo(baseUrl, clock, { request });
    const first = Promise.all([api.listStations(), api.listStations(), api.listStations()]);
    for (const sent of [1, 2, 3]) {
      await eventually(() => expect(simulator.requests('stations')).toBe(sent));
      expect(clock.sleeperCount).toBe(1);
      clock.advance(1999);
      await settled();
      expect(simulator.requests('stations')).toBe(sent);
      clock.advance(1);
    }
    await first;
    expect(simulator.requests('login')).toBe(1);

    simulator.revokeTokens();
    const repeated = api.listStations();
    // The refresh goes out at once; the repetition of the refused request waits for its turn.
    await eventually(() => expect(simulator.requests('refresh')).toBe(1));
    await settled();
    expect(simulator.requests('stations')).toBe(4);
    clock.advance(2000);
    await repeated;
    expect(simulator.requests('stations')).toBe(5);
  });
});
