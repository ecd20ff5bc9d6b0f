import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ConfigError } from '../../../src/base/errors.ts';
import { type Route, textReply } from '../../../src/http/reply.ts';
import type { ListenAddress } from '../../../src/http/listen.ts';
import { startHttpServer } from '../../../src/http/server.ts';
import { Page } from '../../../src/metrics/render.ts';
import { deferred } from '../../support/deferred.ts';
import { SilentLog } from '../../support/silent-log.ts';
import { clientOf, PAGE_TEXT, startServer } from '../../support/running-server.ts';

describe('the server', () => {
  test.each(['/metrics', '/metrics?', '/metrics?name[]=solar_up'])(
    'answers GET %s',
    async (path) => {
      const { ask } = await startServer();
      const { status, body } = await ask(path);
      expect(status).toBe(200);
      expect(body.toString('utf8')).toBe(PAGE_TEXT);
    },
  );

  test.each(['/metrics', '/', '/-/healthy', '/nowhere'])(
    'answers HEAD %s like GET, without the body',
    async (path) => {
      const { ask } = await startServer();
      const got = await ask(path);
      const { status, headers, body } = await ask(path, { method: 'HEAD' });
      expect(status).toBe(got.status);
      expect(headers['content-length']).toBe(String(got.body.length));
      expect(headers['content-type']).toBe(got.headers['content-type']);
      expect(body).toHaveLength(0);
    },
  );

  test.each(['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])(
    'refuses %s and says what it allows',
    async (method) => {
      const { ask, waitsMs } = await startServer();
      const { status, headers } = await ask('/metrics', { method });
      expect(status).toBe(405);
      expect(headers['allow']).toBe('GET, HEAD');
      expect(waitsMs).toEqual([]);
    },
  );

  test.each(['/nowhere', '/metrics/', '/Metrics', '//metrics', '/constructor'])(
    'answers 404 to %s',
    async (path) => {
      const { ask, waitsMs } = await startServer();
      const { status, headers } = await ask(path);
      expect(status).toBe(404);
      expect(headers['content-type']).toBe('text/plain; charset=utf-8');
      expect(waitsMs).toEqual([]);
    },
  );

  test('shows no reason when it fails, and logs it', async () => {
    const bug = new TypeError('the secret is out');
    const { ask, log } = await startServer({ scrape: () => Promise.reject(bug) });
    const { status, headers, body } = await ask('/metrics');
    expect(status).toBe(500);
    expect(headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(body.toString('utf8')).toBe('Internal error; the log says more.\n');
    expect(log.lines).toEqual([
      { level: 'error', fields: { err: bug }, message: 'request failed unexpectedly' },
    ]);
    expect((await ask('/-/healthy')).status).toBe(200);
  });
});

describe('the address', () => {
  test('is told as a URL for a person', async () => {
    const { server } = await startServer();
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  });

  test.each([
    { host: undefined, shown: 'localhost' },
    { host: '0.0.0.0', shown: 'localhost' },
    { host: 'localhost', shown: 'localhost' },
    ...(hasLoopbackSix() ? [{ host: '::1', shown: '[::1]' }] : []),
  ])('of $host is told as $shown', async ({ host, shown }) => {
    const server = await startEmpty({ host, port: 0 });
    onTestFinished(() => server.stop());
    expect(server.url.replace(/\d+$/, '')).toBe(`http://${shown}:`);
  });

  test('in use by another program is reported in one sentence', async () => {
    const { server } = await startServer();
    const port = Number(new URL(server.url).port);
    const started = startEmpty({ host: '127.0.0.1', port });
    await expect(started).rejects.toThrow(ConfigError);
    await expect(started).rejects.toMatchObject({
      problems: [
        `--web.listen-address: "127.0.0.1:${port}" is in use by another program; accepted: a free port`,
      ],
    });
  });

  test('of another machine is reported in one sentence', async () => {
    const started = startEmpty({ host: '192.0.2.1', port: 9877 });
    await expect(started).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message:
        '--web.listen-address: "192.0.2.1:9877" cannot be listened on (EADDRNOTAVAIL); accepted: an address of this machine and a port it lets us have',
    });
  });
});

describe('an address of IPv6', () => {
  test('is told in brackets', async () => {
    await expect(startEmpty({ host: '2001:db8::1', port: 9877 })).rejects.toThrow(
      '--web.listen-address: "[2001:db8::1]:9877" cannot be listened on',
    );
  });
});

describe('routes', () => {
  test('may change between requests', async () => {
    let routes = new Map<string, Route>();
    const { ask } = await startServer({}, { routes: () => routes });
    expect((await ask('/late')).status).toBe(404);
    routes = new Map([['/late', () => textReply(200, 'Here.')]]);
    expect((await ask('/late')).status).toBe(200);
  });
});

describe('a server that stops', () => {
  test('answers the request under way, in full, and closes its connection', async () => {
    const page = deferred<Page>();
    const asked = deferred<undefined>();
    const { server, ask } = await startServer({
      scrape: () => {
        asked.resolve(undefined);
        return page.promise;
      },
    });
    const answer = ask('/metrics');
    await asked.promise;

    const stopped = server.stop();
    const text = PAGE_TEXT.repeat(100_000);
    page.resolve(new Page(text));
    const { status, headers, body } = await answer;
    expect(status).toBe(200);
    expect(headers['connection']).toBe('close');
    expect(body.toString('utf8')).toBe(text);
    await stopped;
  });

  test('does not wait for a connection that Prometheus keeps alive', async () => {
    const { server, agent, ask } = await startServer();
    await ask('/metrics');
    expect(Object.values(agent.freeSockets).flat()).toHaveLength(1);
    await server.stop();
    await expect(ask('/metrics')).rejects.toThrow(/ECONNREFUSED|ECONNRESET|socket hang up/);
  });

  test.each([
    { what: 'nothing', sent: '' },
    { what: 'half a request', sent: 'GET /metrics HTTP/1.1\r\nHost:' },
  ])('does not wait for a client that has sent $what', async ({ sent }) => {
    const { server } = await startServer();
    const socket = await connectTo(server.url);
    socket.write(sent);
    // An answer on another connection says that the server has seen this one.
    await clientOf(server).ask('/-/healthy');
    const closed = once(socket, 'close');
    await server.stop();
    await closed;
  });

  test('accepts no new connection', async () => {
    const { server } = await startServer();
    await server.stop();
    await expect(connectTo(server.url)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  test('may be stopped twice', async () => {
    const { server } = await startServer();
    await Promise.all([server.stop(), server.stop()]);
    await server.stop();
  });
});

function startEmpty(address: ListenAddress) {
  return startHttpServer({
    address,
    routes: () => new Map(),
    maxRequests: 0,
    log: new SilentLog(),
  });
}

async function connectTo(url: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  return socket;
}

function hasLoopbackSix(): boolean {
  return Object.values(networkInterfaces()).some((addresses) =>
    addresses?.some(({ address }) => address === '::1'),
  );
}
