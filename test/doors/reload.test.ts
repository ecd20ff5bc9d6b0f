import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { settled } from '../support/deferred.ts';
import { temporaryDirectory } from '../support/prometheus.ts';
import { clientOf } from '../support/running-server.ts';
import {
  type ExporterSetup,
  HOUR_MS,
  MINUTE_MS,
  type PageSample,
  type ScrapedPage,
  SECOND_MS,
  startExporterFor,
  startService,
  SteeredClock,
} from './house.ts';

const NOW = '2024-01-02T04:00:00Z';
const MISTYPED = { env: { SOLAR_PASSWORD: 'mistyped' } };
const OTHER_CONNECTION = { flags: { 'request.timeout': '3s' } };
const WEB = 'web.yml';
const USERS = `basic_auth_users: {me: $2y$10$${'a'.repeat(53)}}\n`;

const newDirectory = (): string => join(temporaryDirectory(), 'state');

/** An exporter of one simulated house, which can hold a request. */
async function openHome(setup: ExporterSetup = {}) {
  const clock = new SteeredClock(NOW);
  const service = await startService({}, clock);
  const files = new Map([[WEB, '']]);
  const exporter = await startExporterFor(service.simulator, service.serviceUrl, clock, {
    ...setup,
    readFile: (path) => {
      const text = files.get(path);
      if (text === undefined) throw Object.assign(new Error(path), { code: 'ENOENT' });
      return text;
    },
  });
  /** Begins a scrape that is stopped on its way to the service. */
  const beginScrape = async (endpoint: 'login' | 'refresh' | 'stations') => {
    const held = service.simulator.hold(endpoint, 'before it is let go');
    const scraped = exporter.scrape();
    return { scraped, letGo: await held };
  };
  return Object.assign(exporter, { ...service, clock, files, beginScrape });
}

type Home = Awaited<ReturnType<typeof openHome>>;

/** The values of stations and devices, without the exporter's own. */
function stationSamples({ samples }: ScrapedPage): readonly PageSample[] {
  return samples.filter(
    ({ name, labels }) => 'station_id' in labels && !name.includes('collector'),
  );
}

const reloadSuccess = (page: ScrapedPage): number | undefined =>
  page.value('solar_config_last_reload_successful');

describe('a reload keeps', () => {
  test.each<[when: string, changes: ExporterSetup]>([
    ['nothing changes', {}],
    ['the connection is another one', OTHER_CONNECTION],
  ])('counts and the session when %s', async (when, changes) => {
    const { simulator, scrape, reload } = await openHome();
    const before = await scrape();
    const requests = simulator.requests();
    await reload(changes);
    await reload();
    const after = await scrape();
    expect(stationSamples(before).length).toBeGreaterThan(10);
    expect(stationSamples(after)).toEqual(stationSamples(before));
    expect(after.value('solar_simulated')).toBe(1);
    expect(after.requests('login', 'ok')).toBe(1);
    expect(reloadSuccess(after)).toBe(1);
    expect(simulator.requests('login')).toBe(1);
    if (when !== 'nothing changes') return;
    expect(after.text).toBe(before.text);
    expect(simulator.requests()).toBe(requests);
  });

  test('the pauses of log-ins, until a wrong password is put right', async () => {
    const { simulator, scrape, scrapeAfter, reload } = await openHome(MISTYPED);
    const refused = await scrape();
    const until = refused.value('solar_login_blocked_until_timestamp_seconds');
    expect(until).toBe((Date.parse(NOW) + MINUTE_MS) / SECOND_MS);
    await reload({ flags: { 'cache.readings-ttl': '30s' } });
    await reload(OTHER_CONNECTION);
    expect((await scrapeAfter(MINUTE_MS - 1)).value('solar_up')).toBe(0);
    expect(simulator.requests('login')).toBe(1);
    await reload({ env: { SOLAR_PASSWORD: simulator.options.password } });
    const page = await scrape();
    expect(page.value('solar_up')).toBe(1);
    expect(page.value('solar_login_blocked_until_timestamp_seconds')).toBeUndefined();
    expect(page.value('solar_reauthentication_required')).toBe(0);
    expect(simulator.requests('login')).toBe(2);
  });

  test('what the service asked of log-ins, whatever connection', async () => {
    const { simulator, scrape, scrapeAfter, reload } = await openHome();
    const headers = { 'retry-after': '600' };
    simulator.setFault('login', { kind: 'reply', status: 429, headers });
    await scrape();
    for (const timeout of ['3s', '4s', '5s']) {
      await reload({ flags: { 'request.timeout': timeout } });
      await scrape();
    }
    expect(simulator.requests('login')).toBe(1);
    simulator.setFault('login', undefined);
    expect((await scrapeAfter(10 * MINUTE_MS)).value('solar_up')).toBe(1);
    expect(simulator.requests('login')).toBe(2);
  });
});

test('a reload refills nothing of the requests that may be sent', async () => {
  const { simulator, scrape, reload } = await openHome({ flags: { 'request.rate': '0.01' } });
  await scrape();
  for (let minutes = 20; minutes < 30; minutes += 1) {
    await reload({ flags: { 'cache.max-age': `${minutes}m`, 'scrape.timeout': '1ms' } });
    await scrape();
  }
  // Ten may be sent at once, and no time has passed.
  expect(simulator.requests()).toBeLessThanOrEqual(10);
});

test('a reload takes the web configuration with all else or not at all', async () => {
  const { url, files, scrape, reload } = await openHome({ flags: { 'web.config.file': WEB } });
  const { ask } = clientOf({ url });
  files.set(WEB, 'nonsense: true\n');
  await expect(reload({ flags: { 'collect.process': 'true' } })).rejects.toThrow(/nonsense/);
  const page = await scrape();
  expect(reloadSuccess(page)).toBe(0);
  expect(page.value('process_cpu_seconds_total')).toBeUndefined();

  files.set(WEB, USERS);
  await expect(reload({ flags: { 'cache.max-age': 'soon' } })).rejects.toThrow(/max-age/);
  expect((await ask('/metrics')).status).toBe(200);
  await reload({ flags: { 'cache.max-age': '1h' } });
  expect((await ask('/metrics')).status).toBe(401);
});

describe('a reload to somebody else shows nothing of the one before:', () => {
  const byToken = (token: string) => ({
    env: { SOLAR_ACCOUNT: '', SOLAR_PASSWORD: '', SOLAR_ACCESS_TOKEN: token },
  });

  test.each<[who: string, changes: ExporterSetup]>([
    ['another account', { env: { SOLAR_ACCOUNT: 'other@example.org' } }],
    ['another place to log in', { flags: { 'auth-url': 'http://127.0.0.1:9' } }],
    ['another zone', { flags: { 'time-zone': 'Europe/Berlin' } }],
    ['tokens in place of the account', byToken('unknown')],
  ])('%s', async (_who, changes) => {
    const { simulator, scrape, reload } = await openHome();
    expect(stationSamples(await scrape())).not.toEqual([]);
    simulator.setFault('*', { kind: 'reply', status: 500 });
    await reload(changes);
    const page = await scrape();
    expect(stationSamples(page)).toEqual([]);
    expect(page.value('solar_up')).toBe(0);
    expect(reloadSuccess(page)).toBe(1);
  });

  test('other tokens', async () => {
    const stateDir = newDirectory();
    const home = await openHome({ flags: { 'state.dir': stateDir } });
    await home.scrape();
    const kept = readFileSync(join(stateDir, 'session.json'), 'utf8');
    const [, token = ''] = /"accessToken":"([^"]+)"/.exec(kept) ?? [];
    await home.reload(byToken(token));
    expect((await home.scrape()).value('solar_up')).toBe(1);
    home.simulator.setFault('*', { kind: 'reply', status: 500 });
    await home.reload(byToken('of-somebody-else'));
    expect(stationSamples(await home.scrape())).toEqual([]);
  });
});

describe('a reload of a configuration that is no good', () => {
  test.each<[fault: string, changes: ExporterSetup, says: RegExp]>([
    ['a wrong value', { flags: { 'cache.max-age': 'soon' } }, /max-age/],
    ['a missing dialect file', { flags: { 'dialect.file': 'gone.yml' } }, /gone\.yml/],
  ])('(%s) changes nothing, and says so', async (_fault, changes, says) => {
    const { simulator, log, scrape, scrapeAfter, reload } = await openHome();
    const before = await scrape();
    const often = { 'cache.readings-ttl': '1ms' };
    await expect(reload({ ...changes, flags: { ...changes.flags, ...often } })).rejects.toThrow(
      says,
    );
    const page = await scrape();
    expect(page.text.replace('reload_successful 0', 'reload_successful 1')).toBe(before.text);
    expect(reloadSuccess(page)).toBe(0);
    expect(log.messages('error')).toEqual(['configuration not reloaded: the one before goes on']);
    // The session goes on: it renews as before.
    expect((await scrapeAfter(2 * HOUR_MS)).value('solar_up')).toBe(1);
    expect(simulator.requests('refresh')).toBe(1);
    expect(simulator.requests('login')).toBe(1);
  });
});

describe('a reload during', () => {
  test('a scrape, and a second one, lets it be answered in full', async () => {
    const { simulator, scrape, reload, beginScrape } = await openHome();
    const { scraped, letGo } = await beginScrape('stations');
    await reload({ flags: { 'cache.readings-ttl': '1m' } });
    await reload(OTHER_CONNECTION);
    await settled();
    letGo();
    expect((await scraped).value('solar_up')).toBe(1);
    expect((await scrape()).value('solar_up')).toBe(1);
    expect(simulator.requests('login')).toBe(1);
  });

  test.each(['login', 'refresh'] as const)('a %s loses no token', async (endpoint) => {
    const { simulator, clock, scrape, scrapeAfter, reload, beginScrape } = await openHome({
      flags: { 'state.dir': newDirectory() },
    });
    const isFirst = endpoint === 'login';
    if (!isFirst) {
      await scrape();
      clock.advance(2 * HOUR_MS);
    }
    const { scraped, letGo } = await beginScrape(endpoint);
    const reloaded = reload(OTHER_CONNECTION);
    letGo();
    await reloaded;
    await scraped;
    expect((await scrape()).value('solar_up')).toBe(1);
    expect((await scrapeAfter(2 * HOUR_MS)).value('solar_up')).toBe(1);
    expect(simulator.requests('refresh')).toBe(isFirst ? 1 : 2);
    expect(simulator.requests('login')).toBe(1);
  });

  /** A home whose token is being renewed, which a reload waits for; and a first reload. */
  const reloadWhileRenewing = async () => {
    const home = await openHome();
    await home.scrape();
    home.clock.advance(2 * HOUR_MS);
    const { scraped, letGo } = await home.beginScrape('refresh');
    const first = home.reload(OTHER_CONNECTION);
    await settled();
    return { ...home, letGo, ended: Promise.all([first, scraped]) };
  };

  test('another takes up what has changed meanwhile, once for all that ask', async () => {
    const { log, scrape, reload, letGo, ended } = await reloadWhileRenewing();
    const others = Array.from({ length: 20 }, () =>
      reload({ flags: { 'collect.process': 'true' } }),
    );
    letGo();
    await Promise.all([ended, ...others]);
    expect((await scrape()).value('process_cpu_seconds_total')).toBeGreaterThan(0);
    const reloads = log.messages('info').filter((message) => message === 'configuration reloaded');
    expect(reloads).toHaveLength(2);
  });

  test('one that fails gets an outcome of its own', async () => {
    const { scrape, reload, letGo, ended } = await reloadWhileRenewing();
    const second = expect(reload({ flags: { 'cache.max-age': 'soon' } })).rejects.toThrow(/soon/);
    letGo();
    await Promise.all([ended, second]);
    expect(reloadSuccess(await scrape())).toBe(0);
  });
});

test('a reload keeps the session in memory where no file can be written', async () => {
  const stateDir = newDirectory();
  const { simulator, scrape, scrapeAfter, reload } = await openHome({
    flags: { 'state.dir': stateDir },
  });
  await scrape();
  // Nothing can be written over a directory, whoever one is.
  mkdirSync(join(stateDir, 'session.json.new'));
  expect((await scrapeAfter(2 * HOUR_MS)).value('solar_up')).toBe(1);
  await reload(OTHER_CONNECTION);
  expect((await scrapeAfter(2 * HOUR_MS)).value('solar_up')).toBe(1);
  expect(simulator.requests('refresh')).toBe(2);
  expect(simulator.requests('login')).toBe(1);

  await reload(MISTYPED);
  for (const timeout of ['6s', '7s', '8s']) {
    await scrapeAfter(timeout === '6s' ? 10 * MINUTE_MS : 0);
    await reload({ flags: { 'request.timeout': timeout } });
  }
  expect(simulator.requests('login')).toBe(2);
});

test('configurations that were replaced are let go of', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const { scrape, reload } = await openHome();
  const heapAfterReloads = async (count: number): Promise<number> => {
    for (let time = 0; time < count; time += 1) {
      await reload({ flags: { 'request.timeout': `${(time % 2) + 3}s` } });
      await scrape();
    }
    await settled();
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  const before = await heapAfterReloads(4);
  // One that is kept takes 130,000 bytes.
  expect(await heapAfterReloads(12)).toBeLessThan(before + 12 * 50_000);
});

describe('POST /-/reload', () => {
  const askReload = ({ url }: Pick<Home, 'url'>, method = 'POST') =>
    fetch(new URL('/-/reload', url), { method });
  const openLifecycle = () =>
    openHome({ flags: { 'web.enable-lifecycle': 'true', 'web.config.file': WEB } });

  test('reloads, and fails where the configuration is no good', async () => {
    const home = await openLifecycle();
    home.files.set(WEB, 'nonsense: true\n');
    const refused = await askReload(home);
    expect([refused.status, await refused.text()]).toEqual([
      400,
      'Not reloaded; the log says why. The configuration before goes on.\n',
    ]);
    home.files.set(WEB, USERS);
    const taken = await askReload(home);
    expect([taken.status, await taken.text()]).toEqual([200, 'Reloaded.\n']);
    expect((await fetch(home.url)).status).toBe(401);
  });

  test('is off unless it is turned on', async () => {
    const home = await openHome();
    const answer = await askReload(home);
    expect(answer.status).toBe(403);
    expect(await answer.text()).toContain('--web.enable-lifecycle');
    expect(home.log.messages('info')).not.toContain('configuration reloaded');
  });

  test('is for programs, not for web pages, nor for another method', async () => {
    const home = await openLifecycle();
    for (const [name, value, status] of [
      ['origin', 'https://page.example', 403],
      ['origin', 'null', 403],
      ['sec-fetch-site', 'cross-site', 403],
      ['sec-fetch-site', 'same-origin', 403],
      ['referer', 'https://page.example/', 403],
      ['sec-fetch-site', 'none', 200],
    ] as const) {
      const asked = { method: 'POST', headers: { [name]: value } };
      expect((await clientOf(home).ask('/-/reload', asked)).status, value).toBe(status);
    }
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE']) {
      const { status, headers } = await askReload(home, method);
      expect([status, headers.get('allow')], method).toEqual([405, 'POST']);
    }
    const reloads = home.log.messages('info').filter((message) => message.includes('reloaded'));
    expect(reloads).toHaveLength(1);
  });
});
