import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { settled } from '../../support/deferred.ts';
import { temporaryDirectory } from '../../support/prometheus.ts';
import { HOUR_MS, MINUTE_MS } from '../../doors/house.ts';
import { SERVICE_PATHS } from '../../support/service-paths.ts';
import { GOOD, type Lines, reloadSuccess, startReloadable } from './reload-harness.ts';

describe('a reload of a configuration that is no good', () => {
  test.each<{ fault: string; lines: Lines; says: RegExp }>([
    { fault: 'a wrong value', lines: { 'cache.max-age': 'soon' }, says: /cache\.max-age/ },
    { fault: 'an unknown key', lines: { unknown: '1' }, says: /unknown/ },
    { fault: 'no credentials', lines: { password: undefined }, says: /password|credentials/i },
    {
      fault: 'a secret that does not fit',
      lines: { 'app-secret': undefined, 'app-secret-encrypted': 'nonsense' },
      says: /APP_SECRET_ENCRYPTED/,
    },
    { fault: 'a missing dialect file', lines: { 'dialect.file': 'gone.yml' }, says: /gone\.yml/ },
  ])('($fault) changes nothing, and says so', async ({ lines, says }) => {
    const { simulator, log, scrape, reload, reloadWith, write } = await startReloadable();
    const before = await scrape();
    await expect(reloadWith({ ...lines, 'cache.readings-ttl': '1ms' })).rejects.toThrow(says);
    const page = await scrape();
    expect(reloadSuccess(page)).toBe(0);
    expect(page.text.replace('reload_successful 0', 'reload_successful 1')).toBe(before.text);
    expect(log.messages('error')).toEqual(['configuration not reloaded: the one before goes on']);
    const requests = simulator.requests();
    const undone = Object.keys(lines).map((key) => [key, GOOD[key]]);
    write({ ...(Object.fromEntries(undone) as Lines), 'cache.readings-ttl': undefined });
    await reload();
    expect((await scrape()).text).toBe(before.text);
    expect(simulator.requests()).toBe(requests);
  });

  test('does not end the session: it renews as before', async () => {
    const { simulator, scrape, scrapeAfter, reloadWith } = await startReloadable();
    await scrape();
    await expect(reloadWith({ 'cache.max-age': 'soon' })).rejects.toThrow();
    expect((await scrapeAfter(2 * HOUR_MS)).value('solar_up')).toBe(1);
    expect(simulator.requests('refresh')).toBe(1);
    expect(simulator.requests('login')).toBe(1);
  });
});

describe('a reload during', () => {
  /** Begins a scrape that is stopped on its way to the service. */
  async function beginScrape(
    reloadable: Awaited<ReturnType<typeof startReloadable>>,
    path: string,
  ) {
    const held = reloadable.proxy.reached(path, 'before it is let go');
    const scraped = reloadable.scrape();
    return { scraped, letGo: await held };
  }

  test('a scrape lets it be answered in full', async () => {
    const reloadable = await startReloadable();
    const { scraped, letGo } = await beginScrape(reloadable, SERVICE_PATHS.stations);
    await reloadable.reloadWith({ 'request.timeout': '5s' });
    letGo();
    expect((await scraped).value('solar_up')).toBe(1);
    expect((await reloadable.scrape()).value('solar_up')).toBe(1);
    expect(reloadable.simulator.requests('login')).toBe(1);
  });

  test('a scrape lets it be answered in full when a second one changes the connection', async () => {
    const reloadable = await startReloadable();
    const { scraped, letGo } = await beginScrape(reloadable, SERVICE_PATHS.stations);
    await reloadable.reloadWith({ 'cache.readings-ttl': '1m' });
    await reloadable.reloadWith({ 'request.timeout': '5s' });
    await settled();
    letGo();
    expect((await scraped).value('solar_up')).toBe(1);
  });

  test.each([undefined, 'state'])('a renewal loses no token (--state.dir %s)', async (name) => {
    const stateDir = name === undefined ? undefined : join(temporaryDirectory(), name);
    const reloadable = await startReloadable({ stateDir });
    const { clock, simulator, scrape, reloadWith } = reloadable;
    await scrape();
    clock.advance(2 * HOUR_MS);
    const { scraped, letGo } = await beginScrape(reloadable, SERVICE_PATHS.refresh);
    const reloaded = reloadWith({ 'request.timeout': '5s' });
    letGo();
    await reloaded;
    await scraped;
    expect((await scrape()).value('solar_up')).toBe(1);
    clock.advance(2 * HOUR_MS);
    expect((await scrape()).value('solar_up')).toBe(1);
    expect(simulator.requests('refresh')).toBe(2);
    expect(simulator.requests('login')).toBe(1);
  });

  test('another takes up what has changed meanwhile, once for all that ask', async () => {
    const reloadable = await startReloadable();
    const { clock, log, scrape, write, reload, reloadWith } = reloadable;
    await scrape();
    clock.advance(2 * HOUR_MS);
    // It waits for the renewal under way.
    const { scraped, letGo } = await beginScrape(reloadable, SERVICE_PATHS.refresh);
    const first = reloadWith({ 'request.timeout': '5s' });
    await settled();
    write({ 'collect.process': 'true' });
    const others = Array.from({ length: 20 }, () => reload());
    letGo();
    await Promise.all([first, scraped, ...others]);
    expect((await scrape()).value('process_cpu_seconds_total')).toBeGreaterThan(0);
    const reloads = log.messages('info').filter((message) => message === 'configuration reloaded');
    expect(reloads).toHaveLength(2);
  });
});

describe('with a state directory that can no longer be written to', () => {
  test('a reload goes on with the session in memory, and a wrong password is not tried again', async () => {
    const stateDir = join(temporaryDirectory(), 'state');
    const { clock, simulator, scrape, reloadWith } = await startReloadable({ stateDir });
    await scrape();
    // Nothing can be written over a directory, whoever one is.
    mkdirSync(join(stateDir, 'session.json.new'));
    clock.advance(2 * HOUR_MS);
    expect((await scrape()).value('solar_up')).toBe(1);
    await reloadWith({ 'request.timeout': '5s' });
    clock.advance(2 * HOUR_MS);
    expect((await scrape()).value('solar_up')).toBe(1);
    expect(simulator.requests('refresh')).toBe(2);
    expect(simulator.requests('login')).toBe(1);

    await reloadWith({ password: 'mistyped' });
    clock.advance(10 * MINUTE_MS);
    for (const timeout of ['6s', '7s', '8s']) {
      await scrape();
      await reloadWith({ 'request.timeout': timeout });
    }
    expect(simulator.requests('login')).toBe(2);
  });
});
