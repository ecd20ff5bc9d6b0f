import { once } from 'node:events';
import { networkInterfaces } from 'node:os';
import { gunzipSync } from 'node:zlib';
import { hashSync } from 'bcryptjs';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { startHttpServer } from '../../../src/http/server.ts';
import { deferred } from '../../support/deferred.ts';
import { eventually } from '../../support/eventually.ts';
import { connectTo } from '../../support/raw-client.ts';
import { clientOf, PAGE_TEXT, SELF_TEXT, startServer } from '../../support/running-server.ts';
import { SilentLog } from '../../support/silent-log.ts';
import { startSecured, tlsSection } from '../../support/tls-harness.ts';

const TEXT = 'text/plain; charset=utf-8';
const METRICS = 'text/plain; version=0.0.4; charset=utf-8';
const JSON_TYPE = 'application/json; charset=utf-8';
const TARGETS =
  '[{"targets":["7"],"labels":{"__meta_solar_station_name":"Home","__meta_solar_station_time_zone":"Asia/Tokyo"}}]';

/** A server of one station that records which one it is asked for. */
async function startRecording() {
  const station = { stationId: '7', name: 'Home', timeZone: 'Asia/Tokyo' };
  const probe = vi.fn(() => Promise.resolve(Buffer.from(PAGE_TEXT)));
  const listStations = () => Promise.resolve([station]);
  return { ...(await startServer({ listStations, probe })), probe };
}

describe('a request', () => {
  test.each<[path: string, type: string, body: string]>([
    ['/metrics', METRICS, PAGE_TEXT],
    ['/metrics/self', METRICS, SELF_TEXT],
    ['/probe?target=7', METRICS, PAGE_TEXT],
    ['/sd', JSON_TYPE, TARGETS],
    ['/-/healthy', TEXT, 'Healthy.\n'],
    ['/-/ready', TEXT, 'Ready.\n'],
  ])('for %s is answered, by HEAD without the body, and by no other method', async (...row) => {
    const [path, type, text] = row;
    const { ask } = await startRecording();
    const { status, headers, body } = await ask(path);
    expect([status, headers['content-type'], String(body)]).toEqual([200, type, text]);
    const head = await ask(path, { method: 'HEAD' });
    expect(head).toMatchObject({ status, headers: { 'content-type': type }, body: Buffer.of() });
    expect(head.headers['content-length']).toBe(String(body.length));
    const other = await ask(path, { method: 'PUT' });
    expect([other.status, other.headers['allow']]).toEqual([405, 'GET, HEAD']);
  });

  test.each(['/metrics', '/'])('for %s is compressed where that is accepted', async (path) => {
    const { ask } = await startRecording();
    const plain = await ask(path);
    expect(plain.headers).not.toHaveProperty('content-encoding');
    const packed = await ask(path, { headers: { 'accept-encoding': 'gzip' } });
    expect(packed.headers).toMatchObject({
      'content-encoding': 'gzip',
      'content-length': String(packed.body.length),
      'content-type': plain.headers['content-type'],
    });
    for (const { headers } of [plain, packed]) expect(headers['vary']).toBe('accept-encoding');
    expect(gunzipSync(packed.body)).toEqual(plain.body);
  });

  test('is answered at once from a page at hand', async () => {
    const page = Buffer.from('solar_up 0\n');
    const { ask, waitsMs } = await startServer({ current: () => page });
    expect(String((await ask('/metrics')).body)).toBe('solar_up 0\n');
    expect(waitsMs).toEqual([]);
  });

  test.each<[waitMs: number, ...seconds: (string | undefined)[]]>([
    [9500, undefined, '60', '0', '-5', '', 'soon', '5s', 'Infinity'],
    [4500, '5'],
    [750, '1.25'],
    [0, '0.001'],
  ])('waits for %i ms where Prometheus has the timeout %j', async (waitMs, ...timeouts) => {
    for (const seconds of timeouts) {
      const timeout = { 'X-Prometheus-Scrape-Timeout-Seconds': seconds ?? '' };
      const headers: Record<string, string> = seconds === undefined ? {} : timeout;
      const { ask, waitsMs, probe } = await startRecording();
      await ask('/metrics', { headers });
      await ask('/probe?target=a%2Fb%20%26%C3%A4&other=1', { headers });
      await ask('/probe?target=7&other=', { headers });
      expect(waitsMs).toEqual([waitMs]);
      expect(probe.mock.calls).toEqual([
        ['a/b &ä', waitMs],
        ['7', waitMs],
      ]);
    }
  });

  test('that fails shows no reason, which is logged', async () => {
    const bug = new TypeError('the secret is out');
    const asked = vi.fn(() => Promise.reject(bug));
    const options = { scrape: asked, readStatus: asked, reload: asked, isReloadEnabled: true };
    const { ask, log } = await startServer(options);
    for (const path of ['/-/healthy', '/-/ready']) expect((await ask(path)).status).toBe(200);
    expect(asked).not.toHaveBeenCalled();
    for (const answer of [await ask('/metrics'), await ask('/-/reload', { method: 'POST' })]) {
      const { status, headers, body } = answer;
      expect([status, headers['content-type']]).toEqual([500, TEXT]);
      expect(String(body)).toBe('Internal error; the log says more.\n');
    }
    const line = { level: 'error', fields: { err: bug }, message: 'request failed unexpectedly' };
    expect(log.lines).toEqual([line, line]);
  });
});

describe('the metrics', () => {
  test.each(['/solar/metrics', '/'])(
    'are found at %s where that is configured, and there alone',
    async (telemetryPath) => {
      const { ask } = await startServer({ telemetryPath });
      expect(String((await ask(telemetryPath)).body)).toBe(PAGE_TEXT);
      expect((await ask('/metrics')).status).toBe(404);
      if (telemetryPath !== '/')
        expect(String((await ask('/')).body)).toContain(`href=".${telemetryPath}"`);
    },
  );
});

describe('a web configuration', () => {
  const HASH = hashSync('right', 4);
  const USERS = `basic_auth_users: {prometheus: "${HASH}"}`;
  const as = (password: string) => {
    const encoded = Buffer.from(`prometheus:${password}`).toString('base64');
    return { headers: { authorization: `Basic ${encoded}` } };
  };

  test('with users asks for a password first, except for health', async () => {
    const { ask, log } = await startSecured(USERS);
    const closed = ['/metrics', '/', '/nowhere', '/-/reload', '/assets/live.js'];
    for (const path of [...closed, '/-/healthy/', '/-/%68ealthy', '//-/healthy']) {
      const { status, headers, body } = await ask(path);
      expect(status, path).toBe(401);
      expect(headers['www-authenticate']).toBe('Basic realm="solar-exporter", charset="UTF-8"');
      expect(String(body)).toBe('Unauthorized.\n');
    }
    for (const path of ['/-/healthy', '/-/healthy?a=b', '/-/ready'])
      for (const headers of [{}, as('wrong').headers])
        expect((await ask(path, { headers })).status).toBe(200);
    expect(log.lines).toEqual([]);
    for (let scrape = 0; scrape < 3; scrape += 1)
      expect((await ask('/metrics', as('right'))).status).toBe(200);
    expect((await ask('/metrics', as('wrong'))).status).toBe(401);
  });

  test('is reloaded: users come and go on the same connection', async () => {
    const { ask, reload } = await startSecured('');
    expect((await ask('/metrics')).status).toBe(200);
    reload(USERS);
    expect((await ask('/metrics')).status).toBe(401);
    expect((await ask('/metrics', as('right'))).status).toBe(200);
    reload(USERS.replace(HASH, hashSync('new', 4)));
    expect((await ask('/metrics', as('right'))).status).toBe(401);
  });

  test('with users counts no guess, and answers 500 when none can be compared', async () => {
    const compare = (password: string) =>
      password === 'right' ? Promise.reject(new Error('broken')) : Promise.resolve(false);
    const { ask, log } = await startSecured(USERS, { compare, maxRequests: 1 });
    const guesses = ['/a', '/b', '/c'].map((path) => ask(path, as('wrong')));
    for (const answer of await Promise.all(guesses)) expect(answer.status).toBe(401);
    expect((await ask('/metrics', as('right'))).status).toBe(500);
    expect(log.messages('error')).toEqual(['request failed unexpectedly']);
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
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  const hasSix = all.some(({ address }) => address === '::1');

  test.each<[string | undefined, string]>([
    [undefined, 'localhost'],
    ['0.0.0.0', 'localhost'],
    ['127.0.0.1', '127.0.0.1'],
    ...(hasSix ? [['::1', '[::1]'] satisfies [string, string]] : []),
  ])('%s is told to a person as %s', async (host, shown) => {
    const server = await startAt(host);
    onTestFinished(() => server.stop());
    expect(server.url.replace(/\d+$/, 'port')).toBe(`http://${shown}:port`);
  });

  test.each([
    ['192.0.2.1', '"192.0.2.1:9877" cannot be listened on (EADDRNOTAVAIL)'],
    ['2001:db8::1', '"[2001:db8::1]:9877" cannot be listened on'],
  ])('%s is of another machine, and refused in one sentence', async (host, sentence) => {
    await expect(startAt(host, 9877)).rejects.toThrow(`--web.listen-address: ${sentence}`);
  });
});

describe.each([
  ['plain HTTP', '', 'GET /metrics HTTP/1.1\r\nHost:'],
  ['TLS', tlsSection(), '\u0016'],
])('a server of %s that stops', (_, webConfig, begun) => {
  test('answers the request under way in full, and accepts no other', async () => {
    const page = deferred<Buffer>();
    const scrape = vi.fn(() => page.promise);
    const { server, ask } = await startSecured(webConfig, {}, { scrape });
    const answer = ask('/metrics');
    await eventually(() => expect(scrape).toHaveBeenCalledTimes(1));
    const stopped = Promise.all([server.stop(), server.stop()]);
    const text = PAGE_TEXT.repeat(100_000);
    page.resolve(Buffer.from(text));
    const { status, headers, body } = await answer;
    expect([status, headers['connection']]).toEqual([200, 'close']);
    expect(String(body) === text).toBe(true);
    await stopped;
    await expect(connectTo(server.url)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await server.stop();
  });

  test('waits for no connection that is idle or has not asked yet', async () => {
    const { server, agent, ask } = await startSecured(webConfig);
    const sockets = await Promise.all([connectTo(server.url), connectTo(server.url)]);
    sockets[1].write(begun);
    // An answer on another connection says that the server has seen these.
    await ask('/metrics');
    await clientOf(server).ask('/metrics');
    expect(Object.values(agent.freeSockets).flat()).toHaveLength(1);
    const closed = sockets.map((socket) => once(socket, 'close'));
    await server.stop();
    await Promise.all(closed);
  });
});
