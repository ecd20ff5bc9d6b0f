import { expect, test } from 'vitest';
import { scrapePage } from '../doors/house.ts';
import { startServe, startSimulate } from '../support/running-process.ts';
import { startSimulator } from '../doors/simulator/simulated-service.ts';

// Each scrape asks the service.
const FLAGS = ['--cache.readings-ttl=1ms'];

test('of two exporters with the same tokens, the first that refreshes ends the session of the other', async () => {
  const { simulator, baseUrl, logIn } = await startSimulator();
  const { accessToken = '', refreshToken = '' } = await logIn();
  const env = {
    SOLAR_BASE_URL: baseUrl,
    SOLAR_ACCESS_TOKEN: accessToken,
    SOLAR_REFRESH_TOKEN: refreshToken,
  };
  const [first, second] = [await startServe(FLAGS, env), await startServe(FLAGS, env)];
  // What it was given does not say how long it lasts, so that it is renewed before it is used.
  const renewed = await scrapePage(first.url);
  expect(renewed.value('solar_reauthentication_required')).toBe(0);
  expect(renewed.value('solar_up')).toBe(1);
  expect(simulator.requests('refresh')).toBe(1);
  const ended = await scrapePage(second.url);
  expect(ended.value('solar_reauthentication_required')).toBe(1);
  expect(ended.value('solar_up')).toBe(0);
});

test('exporters that log in by themselves have sessions that live side by side', async () => {
  const { env } = await startSimulate();
  const exporters = [
    await startServe(FLAGS, env),
    await startServe(FLAGS, env),
    await startServe(FLAGS, env),
  ];
  // Once more each, when all of them have logged in.
  for (const { url } of [...exporters, ...exporters]) {
    const page = await scrapePage(url);
    expect(page.value('solar_up')).toBe(1);
    expect(page.value('solar_token_renewals_total', { method: 'login', outcome: 'ok' })).toBe(1);
  }
});
