import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../../support/prometheus.ts';
import { MINUTE_MS, SECOND_MS } from '../../doors/house.ts';
import { clientOf } from '../../support/running-server.ts';
import {
  type Lines,
  NOW,
  reloadSuccess,
  startReloadable,
  stationSamples,
} from './reload-harness.ts';

describe('a reload', () => {
  test('that changes nothing changes nothing, and asks nothing', async () => {
    const { simulator, scrape, reload } = await startReloadable();
    const before = await scrape();
    const requests = simulator.requests();
    await reload();
    await reload();
    expect((await scrape()).text).toBe(before.text);
    expect(reloadSuccess(before)).toBe(1);
    expect(simulator.requests()).toBe(requests);
  });

  test('keeps values and counters when a lifetime changes, and asks when the new one is over', async () => {
    const { simulator, scrape, scrapeAfter, reloadWith } = await startReloadable();
    const before = await scrape();
    const requests = simulator.requests('readings');
    await reloadWith({ 'cache.readings-ttl': '30s' });
    expect((await scrapeAfter(29 * SECOND_MS)).text).toBe(before.text);
    expect(simulator.requests('readings')).toBe(requests);
    const page = await scrapeAfter(SECOND_MS);
    expect(simulator.requests('readings')).toBe(requests + 1);
    expect(page.requests('login', 'ok')).toBe(1);
    expect(page.requests('readings', 'ok')).toBe(before.requests('readings', 'ok') + 1);
  });

  test('keeps values when the connection is another one, and the session with them', async () => {
    const { simulator, scrape, scrapeAfter, reloadWith } = await startReloadable();
    const before = stationSamples(await scrape());
    await reloadWith({ 'request.timeout': '3s' });
    expect(before.length).toBeGreaterThan(10);
    const after = await scrape();
    expect(stationSamples(after)).toEqual(before);
    expect(after.value('solar_simulated')).toBe(1);
    const page = await scrapeAfter(10 * MINUTE_MS);
    expect(page.value('solar_up')).toBe(1);
    expect(simulator.requests('login')).toBe(1);
    expect(simulator.requests('refresh')).toBe(0);
  });

  test('takes up a changed list of stations and what is collected', async () => {
    const { simulator, scrape, reloadWith } = await startReloadable();
    await scrape();
    simulator.setStations(2);
    const [first = '', second = ''] = simulator.stationIds;
    await reloadWith({ station: second });
    const page = await scrape();
    expect(page.value('solar_up', { station_id: second })).toBe(1);
    expect(page.samples.filter(({ labels }) => labels['station_id'] === first)).toEqual([]);
    await reloadWith({ station: undefined, 'collect.process': 'true' });
    const whole = await scrape();
    expect(whole.value('solar_up', { station_id: first })).toBe(1);
    expect(whole.value('process_cpu_seconds_total')).toBeGreaterThan(0);
    await reloadWith({ 'collect.process': 'false' });
    expect((await scrape()).value('process_cpu_seconds_total')).toBeUndefined();
  });

  test('takes up the public names that browsers may use', async () => {
    const { url, reloadWith } = await startReloadable();
    const { ask } = clientOf({ url });
    const headers = { host: 'solar.example.org', 'sec-fetch-site': 'same-origin' };
    expect((await ask('/-/healthy', { headers })).status).toBe(421);
    await reloadWith({ 'web.allowed-hosts': 'solar.example.org' });
    expect((await ask('/-/healthy', { headers })).status).toBe(200);
  });

  test('lets a wrong password be put right at once, with one log-in', async () => {
    const { simulator, scrape, scrapeAfter, reloadWith } = await startReloadable({
      password: 'mistyped',
    });
    expect((await scrape()).value('solar_login_blocked_until_timestamp_seconds')).toBe(
      Date.parse(NOW) / 1000 + 60,
    );
    await reloadWith({ 'cache.readings-ttl': '30s' });
    await reloadWith({ 'request.timeout': '3s' });
    expect((await scrapeAfter(59 * SECOND_MS)).value('solar_up')).toBe(0);
    expect(simulator.requests('login')).toBe(1);
    await reloadWith({ password: simulator.options.password });
    const page = await scrape();
    expect(page.value('solar_up')).toBe(1);
    expect(page.value('solar_login_blocked_until_timestamp_seconds')).toBeUndefined();
    expect(page.value('solar_reauthentication_required')).toBe(0);
    expect(simulator.requests('login')).toBe(2);
  });

  test('does not shorten what the service asked for', async () => {
    const { simulator, scrape, scrapeAfter, reloadWith } = await startReloadable();
    const fault = { kind: 'status', status: 429, headers: { 'retry-after': '600' } } as const;
    simulator.setFault('login', fault);
    await scrape();
    for (const timeout of ['3s', '4s', '5s']) {
      await reloadWith({ 'request.timeout': timeout });
      await scrape();
    }
    expect(simulator.requests('login')).toBe(1);
    simulator.setFault('login', undefined);
    expect((await scrapeAfter(600 * SECOND_MS)).value('solar_up')).toBe(1);
    expect(simulator.requests('login')).toBe(2);
  });

  test('keeps the values of an account whose password changed, until they are withdrawn', async () => {
    const { simulator, scrape, scrapeAfter, reloadWith } = await startReloadable();
    const before = stationSamples(await scrape());
    await reloadWith({ password: 'mistyped' });
    expect(stationSamples(await scrape())).toEqual(before);
    expect(simulator.requests('login')).toBe(1);
    const page = await scrapeAfter(10 * MINUTE_MS);
    expect(page.value('solar_up')).toBe(0);
    expect(simulator.requests('login')).toBe(2);
    expect(page.value('solar_reauthentication_required')).toBe(1);
  });
});

describe('a reload to somebody else', () => {
  test.each<{ who: string; before?: Lines; after: Lines }>([
    { who: 'another account', after: { account: 'other@example.org' } },
    { who: 'another place to log in', after: { 'auth-url': 'http://127.0.0.1:9' } },
    { who: 'another zone', after: { 'time-zone': 'Europe/Berlin' } },
    {
      who: 'tokens in place of the account',
      after: { account: undefined, password: undefined, 'access-token': 'unknown' },
    },
  ])('$who shows nothing of the one before', async ({ after }) => {
    const { simulator, scrape, reloadWith } = await startReloadable();
    expect(stationSamples(await scrape())).not.toEqual([]);
    simulator.setFault('*', { kind: 'status', status: 500 });
    await reloadWith(after);
    const page = await scrape();
    expect(stationSamples(page)).toEqual([]);
    expect(page.value('solar_up')).toBe(0);
    expect(reloadSuccess(page)).toBe(1);
  });

  test('with other tokens shows nothing of the one before', async () => {
    const stateDir = join(temporaryDirectory(), 'state');
    const { simulator, scrape, reloadWith } = await startReloadable({ stateDir });
    await scrape();
    const kept = readFileSync(join(stateDir, 'session.json'), 'utf8');
    const [, token] = /"accessToken":"([^"]+)"/.exec(kept) ?? [];
    await reloadWith({ account: undefined, password: undefined, 'access-token': token });
    expect((await scrape()).value('solar_up')).toBe(1);
    simulator.setFault('*', { kind: 'status', status: 500 });
    await reloadWith({ 'access-token': 'of-somebody-else' });
    expect(stationSamples(await scrape())).toEqual([]);
  });
});
