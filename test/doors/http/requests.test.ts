import { once } from 'node:events';
import { networkInterfaces } from 'node:os';
import { gunzipSync } from 'node:zlib';
import { hashSync } from 'bcryptjs';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ConfigError } from '../../../src/base/errors.ts';
import { startHttpServer } from '../../../src/http/server.ts';
import type { ProbeRefusal } from '../../../src/metrics/account-probers.ts';
import { Page } from '../../../src/metrics/render.ts';
import { connectTo } from '../../support/raw-client.ts';
import { clientOf, PAGE_TEXT, SELF_TEXT, startServer } from '../../support/running-server.ts';
import { SilentLog } from '../../support/silent-log.ts';
import { openConfig, startSecured } from '../../support/tls-harness.ts';
import { deferred } from '../../support/deferred.ts';

const TEXT = 'text/plain; charset=utf-8';
const METRICS = 'text/plain; version=0.0.4; charset=utf-8';
const JSON_TYPE = 'application/json; charset=utf-8';
const POST = { method: 'POST' };

/** What a probe of these stations is answered with; of all others with a page. */
const REFUSALS: ReadonlyMap<string, ProbeRefusal> = new Map([
  ['8', 'unknown station'],
  ['9', 'unknown yet'],
  ['10', 'several accounts'],
  ['11', 'unknown account'],
]);

/** A server of one station that records what it is asked. */
async function startRecording(options: Parameters<typeof startServer>[0] = {}) {
  const probes: unknown[] = [];
  const started = await startServer({
    listStations: () => {
      const station = { stationId: '7', name: 'Home', timeZone: 'Asia/Tokyo' };
      return Promise.resolve([{ station, account: undefined }]);
    },
    probe: (...asked) => {
      probes.push(asked);
      return Promise.resolve(REFUSALS.get(asked[0]) ?? new Page(PAGE_TEXT));
    },
    ...options,
  });
  return { ...started, probes };
}

describe('a request', () => {
  test.each<[path: string, status: number, type: string, body: string]>([
    ['/metrics', 200, METRICS, PAGE_TEXT],
    ['/metrics?name[]=solar_up', 200, METRICS, PAGE_TEXT],
    ['/metrics/self', 200, METRICS, SELF_TEXT],
    ['/probe?target=7', 200, METRICS, PAGE_TEXT],
    ['/-/healthy', 200, TEXT, 'Healthy.\n'],
    ['/-/ready', 200, TEXT, 'Ready.\n'],
    ['/nowhere', 404, TEXT, 'Not found.\n'],
    ['/metrics/', 404, TEXT, 'Not found.\n'],
    ['//metrics', 404, TEXT, 'Not found.\n'],
    ['/constructor', 404, TEXT, 'Not found.\n'],
    ['/assets/document.ts', 404, TEXT, 'Not found.\n'],
    [
      '/probe',
      400,
      TEXT,
      'target: give one station id, as /probe?target=…; /sd lists what is accepted.\n',
    ],
    [
      '/probe?target=8',
      404,
      TEXT,
      'target: no station of this exporter has that id; /sd lists what is accepted.\n',
    ],
    ['/probe?target=9', 503, TEXT, 'The stations are not known yet; the log says why.\n'],
    [
      '/probe?target=10',
      400,
      TEXT,
      'account: several accounts have a station of that id: name one, as /probe?target=…&account=…; /sd lists them.\n',
    ],
    [
      '/probe?target=11',
      404,
      TEXT,
      'account: no account of this exporter has that name; /sd lists what is accepted.\n',
    ],
    [
      '/probe?target=7&account=a&account=b',
      400,
      TEXT,
      'account: give one name, as /probe?target=…&account=….\n',
    ],
    [
      '/sd',
      200,
      JSON_TYPE,
      '[{"targets":["7"],"labels":{"__meta_solar_station_name":"Home","__meta_solar_station_time_zone":"Asia/Tokyo","__meta_solar_account":""}}]',
    ],
  ])(
    'for %s is answered with %i, by HEAD without the body, and by nothing else',
    async (...row) => {
      const [path, expected, type, text] = row;
      const { ask } = await startRecording();
      const { status, headers, body } = await ask(path);
      expect(status).toBe(expected);
      expect(headers['content-type']).toBe(type);
      expect(String(body)).toBe(text);
      const head = await ask(path, { method: 'HEAD' });
      expect([head.status, head.headers['content-type'], head.body.length]).toEqual([
        status,
        type,
        0,
      ]);
      expect(head.headers['content-length']).toBe(String(body.length));
      const other = await ask(path, { method: 'PUT' });
      expect([other.status, other.headers['allow']]).toEqual(
        status === 404 && !path.startsWith('/probe') ? [404, undefined] : [405, 'GET, HEAD'],
      );
    },
  );

  test.each(['/metrics', '/probe?target=7', '/', '/api/v1/status'])(
    'for %s is compressed where that is accepted',
    async (path) => {
      const { ask } = await startRecording();
      const plain = await ask(path);
      expect(plain.headers).not.toHaveProperty('content-encoding');
      const packed = await ask(path, { headers: { 'accept-encoding': 'gzip' } });
      expect(packed.headers).toMatchObject({
        'content-encoding': 'gzip',
        'content-length': String(packed.body.length),
        'content-type': plain.headers['content-type'],
      });
      expect([plain, packed].map(({ headers }) => headers['vary'])).toEqual(
        Array(2).fill('accept-encoding'),
      );
      expect(gunzipSync(packed.body)).toEqual(plain.body);
    },
  );

  test('is answered at once from a page at hand, compressed once for all', async () => {
    const page = new Page('solar_up 0\n');
    const { ask, waitsMs } = await startServer({ current: () => page });
    expect(String((await ask('/metrics')).body)).toBe('solar_up 0\n');
    const compressed = await ask('/metrics', { headers: { 'accept-encoding': 'gzip' } });
    expect(compressed.body).toEqual(await page.gzipped());
    expect(waitsMs).toEqual([]);
  });

  test.each([
    [undefined, 9500],
    ['60', 9500],
    ['5', 4500],
    ['1.25', 750],
    ['0.001', 0],
    ['0', 9500],
    ['-5', 9500],
    ['', 9500],
    ['soon', 9500],
    ['5s', 9500],
    ['Infinity', 9500],
  ])('from a Prometheus with the timeout %j waits for %i ms', async (seconds, waitMs) => {
    const headers = seconds === undefined ? {} : { 'X-Prometheus-Scrape-Timeout-Seconds': seconds };
    const { ask, waitsMs, probes } = await startRecording();
    await ask('/metrics', { headers });
    await ask('/probe?target=a%2Fb%20%26%C3%A4&account=roof&other=1', { headers });
    await ask('/probe?target=7&account=', { headers });
    expect(waitsMs).toEqual([waitMs]);
    expect(probes).toEqual([
      ['a/b &ä', 'roof', waitMs],
      ['7', undefined, waitMs],
    ]);
  });

  test.each(['/probe?target=', '/probe?target=1&target=2', '/probe?Target=7'])(
    'for %s asks for no station in particular',
    async (path) => {
      const { ask, probes } = await startRecording();
      expect((await ask(path)).status).toBe(400);
      expect(probes).toEqual([]);
    },
  );

  test('for the targets fails while they are unknown, so that Prometheus keeps those it has', async () => {
    const { ask } = await startRecording({ listStations: () => Promise.resolve(undefined) });
    expect((await ask('/sd')).status).toBe(503);
  });

  test('that fails shows no reason, which is logged', async () => {
    const bug = new TypeError('the secret is out');
    const asked = vi.fn(() => Promise.reject(bug));
    const { ask, log } = await startServer({ scrape: asked, readStatus: asked });
    for (const path of ['/-/healthy', '/-/ready']) expect((await ask(path)).status).toBe(200);
    expect(asked).not.toHaveBeenCalled();
    const { status, headers, body } = await ask('/metrics');
    expect([status, headers['content-type']]).toEqual([500, TEXT]);
    expect(String(body)).toBe('Internal error; the log says more.\n');
    expect(log.lines).toEqual([
      { level: 'error', fields: { err: bug }, message: 'request failed unexpectedly' },
    ]);
  });
});

describe('the metrics', () => {
  test.each([
    ['/solar/metrics', 404],
    ['/', 404],
  ])('are found at %s where that is configured, and there alone', async (telemetryPath, status) => {
    const { ask } = await startServer({ telemetryPath });
    expect(String((await ask(telemetryPath)).body)).toBe(PAGE_TEXT);
    expect((await ask('/metrics')).status).toBe(status);
    if (telemetryPath !== '/')
      expect(String((await ask('/')).body)).toContain(`href=".${telemetryPath}"`);
  });

  test.each(['/probe', '/sd', '/api/v1/status', '/-/healthy', '/assets/live.js'])(
    'cannot be at %s, which the exporter needs itself',
    async (telemetryPath) => {
      await expect(startServer({ telemetryPath })).rejects.toThrow(
        `--web.telemetry-path: "${telemetryPath}" is a path that the exporter needs itself; accepted: any other`,
      );
    },
  );
});

describe('a reload over HTTP', () => {
  const bad = () => Promise.reject(new ConfigError(['--a: is wrong']));
  const bug = () => Promise.reject(new Error('bug'));
  const good = () => Promise.resolve();
  const from = (headers: Record<string, string>) => ({ ...POST, headers });

  test.each<[string, () => Promise<void>, Parameters<typeof startReload>[2], number, RegExp]>([
    ['is answered when it is done', good, POST, 200, /^Reloaded\.\n$/],
    ['may be asked for in an address bar', good, from({ 'sec-fetch-site': 'none' }), 200, /Rel/],
    [
      'of something unusable leaves the reasons to the log',
      bad,
      POST,
      400,
      /^Not reloaded; the log says why\. The configuration before goes on\.\n$/,
    ],
    [
      'that fails otherwise is a failure',
      bug,
      POST,
      500,
      /^Internal error; the log says more\.\n$/,
    ],
    ['is not for a page elsewhere', good, from({ origin: 'http://a.example' }), 403, /web page/],
    ['is not for its own page', good, from({ 'sec-fetch-site': 'same-origin' }), 403, /web page/],
    ['is not done by GET', good, { method: 'GET' }, 405, /^Only POST is answered here\.\n$/],
    ['is not done by HEAD', good, { method: 'HEAD' }, 405, /^$/],
    ['is not done by DELETE', good, { method: 'DELETE' }, 405, /POST/],
  ])('%s', async (_, reload, request, status, text) => {
    const { answer, isReloaded, log } = await startReload(true, reload, request);
    expect(answer.status).toBe(status);
    expect(String(answer.body)).toMatch(text);
    expect(isReloaded).toBe([200, 400, 500].includes(status));
    expect(log.messages('error')).toEqual(status === 500 ? ['request failed unexpectedly'] : []);
    expect(answer.headers['allow']).toBe(status === 405 ? 'POST' : undefined);
  });

  test('is off unless it is turned on', async () => {
    const { answer, isReloaded } = await startReload(false, good, POST);
    expect([answer.status, isReloaded]).toEqual([403, false]);
    expect(String(answer.body)).toBe(
      'Reloading over HTTP is off; --web.enable-lifecycle turns it on, and the signal SIGHUP reloads without it.\n',
    );
  });

  async function startReload(
    isReloadEnabled: boolean,
    run: () => Promise<void>,
    request: { readonly method: string; readonly headers?: Record<string, string> },
  ) {
    const reload = vi.fn(run);
    const { ask, log } = await startServer({ reload, isReloadEnabled });
    const answer = await ask('/-/reload', request);
    return { answer, log, isReloaded: reload.mock.calls.length > 0 };
  }
});

describe('a browser under a public name', () => {
  const headers = { host: 'solar.example.org:9877', 'sec-fetch-site': 'same-origin' };

  test.each(['/', '/metrics', '/probe?target=7', '/sd', '/-/healthy', '/-/ready', '/nothing'])(
    'gets nothing at %s, where others get everything',
    async (path) => {
      const { ask } = await startServer();
      const { status, body } = await ask(path, { headers });
      expect(status).toBe(421);
      expect(String(body)).toContain('--web.allowed-hosts=solar.example.org ');
      const { host } = headers;
      expect((await ask(path, { headers: { host } })).status).toBe((await ask(path)).status);
    },
  );

  test('is served once the name is allowed, while the server runs', async () => {
    let allowed: readonly string[] = [];
    const { ask } = await startServer({}, { allowedHosts: () => allowed });
    expect((await ask('/', { headers })).status).toBe(421);
    allowed = ['.example.org'];
    expect((await ask('/', { headers })).status).toBe(200);
  });
});

describe('a web configuration', () => {
  const HASH = hashSync('right', 4);
  const USERS = `basic_auth_users: {prometheus: "${HASH}"}`;
  const HEADERS =
    'http_server_config: {headers: {Content-Security-Policy: "default-src *", X-Frame-Options: deny}}';
  const as = (password: string) => ({
    headers: {
      authorization: `Basic ${Buffer.from(`prometheus:${password}`).toString('base64')}`,
    },
  });

  test('with users asks for a password before anything else, except at excluded paths', async () => {
    const { ask, log } = await startSecured(`${USERS}\nauth_excluded_paths: [/-/healthy, /open]`);
    const closed = ['/metrics', '/', '/nowhere', '/-/reload', '/-/ready'];
    for (const path of [...closed, '/-/healthy/', '/-/%68ealthy', '//-/healthy']) {
      const { status, headers, body } = await ask(path);
      expect(status, path).toBe(401);
      expect(headers['www-authenticate']).toBe('Basic realm="solar-exporter", charset="UTF-8"');
      expect(String(body)).toBe('Unauthorized.\n');
    }
    expect((await ask('/-/healthy?a=b')).status).toBe(200);
    expect((await ask('/open')).status).toBe(404);
    expect(log.lines).toEqual([]);
    for (let scrape = 0; scrape < 3; scrape += 1)
      expect((await ask('/metrics', as('right'))).status).toBe(200);
    expect((await ask('/metrics', as('wrong'))).status).toBe(401);
  });

  test('is followed: users come and go on the same connection', async () => {
    const { ask, change } = await startSecured('');
    expect((await ask('/metrics')).status).toBe(200);
    change(USERS);
    expect((await ask('/metrics')).status).toBe(401);
    expect((await ask('/metrics', as('right'))).status).toBe(200);
    change(USERS.replace(HASH, hashSync('new', 4)));
    expect((await ask('/metrics', as('right'))).status).toBe(401);
  });

  test('with users answers 500 when passwords cannot be compared, and counts no guess as a request', async () => {
    const stop = () => Promise.resolve();
    const verify = (password: string) =>
      password === 'right' ? Promise.reject(new Error('broken')) : Promise.resolve(false);
    const { ask, log } = await startSecured(USERS, {
      passwords: { verify, stop },
      maxRequests: 1,
    });
    const guesses = ['/a', '/b', '/c'].map((path) => ask(path, as('wrong')));
    for (const { status } of await Promise.all(guesses)) expect(status).toBe(401);
    expect((await ask('/metrics', as('right'))).status).toBe(500);
    expect(log.messages('error')).toEqual(['request failed unexpectedly']);
  });

  test.each([
    ['/', 200],
    ['/metrics', 500],
    ['/nowhere', 404],
  ])('with headers sends them in place of its own, at %s with %i', async (path, expected) => {
    const { webConfig } = await openConfig(HEADERS);
    const scrape = () => Promise.reject<Page>(new Error('bug'));
    const { ask } = await startServer({ scrape }, { webConfig });
    const { status, headers } = await ask(path);
    expect(status).toBe(expected);
    expect(headers).toMatchObject({
      'content-security-policy': 'default-src *',
      'x-frame-options': 'deny',
      'content-type': expect.any(String) as string,
    });
    const refused = await startSecured(`${HEADERS}\n${USERS}`);
    expect((await refused.ask(path)).headers['x-frame-options']).toBe('deny');
  });
});

describe('the address', () => {
  const startAt = (host: string | undefined, port = 0) =>
    startHttpServer({
      address: { host, port },
      routes: () => new Map(),
      maxRequests: 0,
      log: new SilentLog(),
    });
  const hasSix = Object.values(networkInterfaces()).some((addresses) =>
    addresses?.some(({ address }) => address === '::1'),
  );

  test.each<[string | undefined, string]>([
    [undefined, 'localhost'],
    ['0.0.0.0', 'localhost'],
    ['127.0.0.1', '127.0.0.1'],
    ...(hasSix ? [['::1', '[::1]'] satisfies [string, string]] : []),
  ])('%s is told to a person as %s', async (host, shown) => {
    const server = await startAt(host);
    onTestFinished(() => server.stop());
    expect(server.url).toMatch(/:\d+$/);
    expect(server.url.replace(/\d+$/, '')).toBe(`http://${shown}:`);
  });

  test('that is in use, or of another machine, is refused in one sentence', async () => {
    const { server } = await startServer();
    const port = Number(new URL(server.url).port);
    await expect(startAt('127.0.0.1', port)).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      problems: [
        `--web.listen-address: "127.0.0.1:${port}" is in use by another program; accepted: a free port`,
      ],
    });
    await expect(startAt('192.0.2.1', 9877)).rejects.toThrow(
      '--web.listen-address: "192.0.2.1:9877" cannot be listened on (EADDRNOTAVAIL); accepted: an address of this machine and a port it lets us have',
    );
    await expect(startAt('2001:db8::1', 9877)).rejects.toThrow(
      '--web.listen-address: "[2001:db8::1]:9877" cannot be listened on',
    );
  });
});

describe('a server that stops', () => {
  test('answers the request under way in full, closes its connection, and accepts no other', async () => {
    const [page, asked] = [deferred<Page>(), deferred<undefined>()];
    const { server, ask } = await startServer({
      scrape: () => {
        asked.resolve(undefined);
        return page.promise;
      },
    });
    const answer = ask('/metrics');
    await asked.promise;
    const stopped = Promise.all([server.stop(), server.stop()]);
    const text = PAGE_TEXT.repeat(100_000);
    page.resolve(new Page(text));
    const { status, headers, body } = await answer;
    expect([status, headers['connection']]).toEqual([200, 'close']);
    expect(String(body) === text).toBe(true);
    await stopped;
    await expect(connectTo(server.url)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await server.stop();
  });

  test('waits neither for a connection that is kept alive nor for a client that has not asked yet', async () => {
    const { server, agent, ask } = await startServer();
    const sockets = await Promise.all([connectTo(server.url), connectTo(server.url)]);
    sockets[1].write('GET /metrics HTTP/1.1\r\nHost:');
    // An answer on another connection says that the server has seen these.
    await ask('/metrics');
    await clientOf(server).ask('/metrics');
    expect(Object.values(agent.freeSockets).flat()).toHaveLength(1);
    const closed = sockets.map((socket) => once(socket, 'close'));
    await server.stop();
    await Promise.all(closed);
  });
});
