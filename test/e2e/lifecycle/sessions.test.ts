import { describe, expect, test } from 'vitest';
import {
  DAY_MS,
  HOUR_MS,
  MINUTE_MS,
  SECOND_MS,
  startBoth,
  type ScrapedPage,
} from '../../doors/house.ts';

const NOW = '2024-01-02T04:00:00Z';

describe('a wrong password, scraped every 15 s for a day,', () => {
  test('is tried no more often than the pauses after a refusal allow', async () => {
    const { simulator, keepScraping } = await startBoth({
      now: NOW,
      env: { SOLAR_PASSWORD: 'mistyped' },
    });
    let last: ScrapedPage | undefined;
    await keepScraping(DAY_MS, 15 * SECOND_MS, (page) => {
      last = page;
      expect(page.status).toBe(200);
      expect(page.value('solar_up')).toBe(0);
      expect(page.value('solar_reauthentication_required')).toBe(1);
    });
    // At once, then after 1, 5 and 30 minutes, then every two hours.
    const mostLogins = 4 + Math.floor((24 * 60 - 36) / 120);
    expect(simulator.requests('login')).toBeLessThanOrEqual(mostLogins);
    expect(simulator.requests('login')).toBeGreaterThanOrEqual(mostLogins - 1);
    expect(simulator.requests()).toBe(simulator.requests('login'));
    expect(last?.requests('login', 'SERVICE_API_REFUSED')).toBe(simulator.requests('login'));
  });
});

describe('a session', () => {
  test('renews once, by refresh, when its access token is revoked, and the page is whole', async () => {
    const { simulator, scrape, scrapeAfter } = await startBoth({
      now: NOW,
      flags: { 'cache.readings-ttl': '1m' },
      simulator: { devicesPerStation: 12 },
    });
    await scrape();
    simulator.revokeTokens();
    const page = await scrapeAfter(MINUTE_MS);
    expect(page.value('solar_up')).toBe(1);
    expect(page.all('solar_pv_power_watts')).toHaveLength(12);
    expect(page.value('solar_reauthentication_required')).toBe(0);
    expect(simulator.requests('refresh')).toBe(1);
    expect(simulator.requests('login')).toBe(1);
  });

  test('renews at most once per lifetime of a token, scraped every minute for a day', async () => {
    const { simulator, keepScraping } = await startBoth({
      now: NOW,
      simulator: { tokenLifetimeMs: 2 * HOUR_MS },
      flags: { 'collect.energy': 'false' },
    });
    await keepScraping(DAY_MS, MINUTE_MS, (page) => {
      expect(page.value('solar_up')).toBe(1);
      expect(page.requests('readings', 'SERVICE_AUTH_REJECTED')).toBe(0);
    });
    // Five minutes early each time.
    expect(simulator.requests('refresh')).toBe(Math.floor(DAY_MS / (2 * HOUR_MS - 5 * MINUTE_MS)));
    expect(simulator.requests('login')).toBe(1);
  });

  test('logs in once when its refresh token is revoked', async () => {
    const { simulator, scrape, scrapeAfter } = await startBoth({ now: NOW });
    await scrape();
    simulator.revokeRefreshTokens();
    const page = await scrapeAfter(2 * HOUR_MS);
    expect(page.value('solar_up')).toBe(1);
    expect(simulator.requests('login')).toBe(2);
    expect(page.value('solar_token_renewals_total', { method: 'login', outcome: 'ok' })).toBe(2);
    expect(page.value('solar_reauthentication_required')).toBe(0);
  });

  test('learns from one refused attempt that the service wants both tokens, and remembers', async () => {
    const { simulator, scrape, scrapeAfter } = await startBoth({
      now: NOW,
      simulator: { refreshForm: 'pair' },
    });
    await scrape();
    const learnt = await scrapeAfter(2 * HOUR_MS);
    expect(learnt.value('solar_up')).toBe(1);
    expect(learnt.requests('refresh', 'SERVICE_API_REFUSED')).toBe(1);
    expect(learnt.requests('refresh', 'ok')).toBe(1);

    const remembered = await scrapeAfter(2 * HOUR_MS);
    expect(remembered.value('solar_up')).toBe(1);
    expect(remembered.requests('refresh', 'SERVICE_API_REFUSED')).toBe(1);
    expect(remembered.requests('refresh', 'ok')).toBe(2);
    expect(simulator.requests('login')).toBe(1);
  });

  test('survives a service that forgets everything', async () => {
    const { simulator, scrape, scrapeAfter } = await startBoth({
      now: NOW,
      flags: { 'cache.readings-ttl': '1m' },
    });
    await scrape();
    simulator.revokeTokens();
    simulator.revokeRefreshTokens();
    const page = await scrapeAfter(MINUTE_MS);
    expect(page.value('solar_up')).toBe(1);
    expect(simulator.requests('login')).toBe(2);
  });
});
