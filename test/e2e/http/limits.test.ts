import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { SERVER_LIMITS } from '../../../src/http/server-limits.ts';
import { Page } from '../../../src/metrics/render.ts';
import { deferred } from '../../support/deferred.ts';
import { clientOf, PAGE_TEXT, startServer } from '../../support/running-server.ts';
import { eventually } from '../../support/eventually.ts';

/** Sends bytes as they are, and reads until the connection is closed. */
async function exchange(url: string, sent: string): Promise<string> {
  const socket = open(url);
  socket.write(sent);
  return text(socket);
}

function open(url: string): Socket {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  return socket;
}

const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]);

describe('more requests at once than allowed', () => {
  test('are told to come back; health is always answered', async () => {
    const page = deferred<Page>();
    const { ask, server, log } = await startServer(
      { scrape: () => page.promise },
      { maxRequests: 2 },
    );
    const answers = [ask('/metrics'), ask('/metrics')];
    const probe = clientOf(server).ask;
    await eventually(async () => expect((await probe('/nowhere')).status).toBe(503));
    const { headers, body } = await probe('/');
    expect(headers['retry-after']).toBe('1');
    expect(String(body)).toBe('Too many requests at once; --web.max-requests says how many.\n');
    expect((await probe('/-/healthy')).status).toBe(200);
    expect((await probe('/-/ready')).status).toBe(200);
    page.resolve(new Page(PAGE_TEXT));
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200]);
    await eventually(async () => expect((await probe('/metrics')).status).toBe(200));
    // One line, however many were refused.
    expect(log.messages('warn')).toEqual([
      'requests turned away: more at once than --web.max-requests',
    ]);
  });

  test('do not count clients that left', async () => {
    const scrape = vi.fn(() => new Promise<Page>(() => undefined));
    const { ask, server } = await startServer({ scrape }, { maxRequests: 1 });
    const socket = open(server.url);
    socket.write('GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n');
    await eventually(() => expect(scrape).toHaveBeenCalledOnce());
    expect((await ask('/nowhere')).status).toBe(503);
    socket.destroy();
    await eventually(async () => expect((await ask('/nowhere')).status).toBe(404));
  });

  test('are answered all the same when there is no limit', async () => {
    const page = deferred<Page>();
    const { ask, server } = await startServer({ scrape: () => page.promise }, { maxRequests: 0 });
    const answers = Array.from({ length: 60 }, () => clientOf(server).ask('/metrics'));
    expect((await ask('/nowhere')).status).toBe(404);
    page.resolve(new Page(PAGE_TEXT));
    for (const { status } of await Promise.all(answers)) expect(status).toBe(200);
  });
});

describe('a request', () => {
  test.each([
    { target: 'http://other.example/metrics', status: 200 },
    { target: 'HTTP://127.0.0.1:1/metrics?name[]=a', status: 200 },
    { target: 'https://exporter/-/healthy', status: 200 },
    { target: 'http://exporter', status: 200 },
    { target: 'http://exporter?a=b', status: 200 },
    { target: 'http://exporter/nowhere', status: 404 },
    { target: 'ftp://exporter/metrics', status: 404 },
    { target: '/nowhere?x=http://exporter/metrics', status: 404 },
  ])('for $target is answered with $status', async ({ target, status }) => {
    const { server } = await startServer();
    const sent = `GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`;
    expect(statusOf(await exchange(server.url, sent))).toBe(status);
  });

  test.each([
    {
      what: 'a head that is too large',
      sent: `GET / HTTP/1.1\r\nA: ${'b'.repeat(17_000)}\r\n\r\n`,
      status: 431,
    },
    { what: 'no HTTP', sent: 'hello\r\n\r\n', status: 400 },
    { what: 'no host', sent: 'GET / HTTP/1.1\r\n\r\n', status: 400 },
    {
      what: 'two lengths',
      sent: 'GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
      status: 400,
    },
  ])('that is $what is refused with $status, and not logged', async ({ sent, status }) => {
    const { server, log } = await startServer();
    expect(statusOf(await exchange(server.url, sent))).toBe(status);
    expect(log.lines).toEqual([]);
  });

  test('with a head that is large but not too large is answered', async () => {
    const { ask } = await startServer();
    expect((await ask('/metrics', { headers: { a: 'b'.repeat(15_000) } })).status).toBe(200);
  });

  test.each([
    { what: 'nothing', sent: '' },
    { what: 'half a head', sent: 'GET / HTTP/1.1\r\nHost:' },
  ])('of which only $what comes in time is answered with 408', async ({ sent }) => {
    const { server, log } = await startServer({}, { limits: { headersTimeoutMs: 50 } });
    expect(statusOf(await exchange(server.url, sent))).toBe(408);
    expect(log.lines).toEqual([]);
  });

  test.each([
    { what: 'a long body', header: 'Content-Length: 100000' },
    { what: 'a body of unknown length', header: 'Transfer-Encoding: chunked' },
    { what: 'a question whether to send one', header: 'Content-Length: 3\r\nExpect: 100-continue' },
  ])('with $what is answered at once, and its connection closed', async ({ header }) => {
    const { server } = await startServer();
    const answer = await exchange(
      server.url,
      `GET /metrics HTTP/1.1\r\nHost: a\r\n${header}\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(answer).toMatch(/\r\nconnection: close\r\n/i);
    expect(answer.endsWith(PAGE_TEXT)).toBe(true);
  });

  test('with a short body is answered, and its connection kept', async () => {
    const { server } = await startServer();
    const short = 'GET /-/ready HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc';
    const last = 'GET /-/ready HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
    const answer = await exchange(server.url, short + last);
    expect(answer.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(2);
  });
});

describe('a client', () => {
  test('takes the place of the one that has been idle longest when too many are connected', async () => {
    const { server } = await startServer({}, { limits: { maxConnections: 2 } });
    const ask = async (socket: Socket) => {
      socket.write('GET /-/ready HTTP/1.1\r\nHost: a\r\n\r\n');
      const [answer] = (await once(socket, 'data')) as [Buffer];
      return String(answer);
    };
    const hoarder = open(server.url);
    expect(await ask(hoarder)).toContain('200 OK');
    const scraper = open(server.url);
    expect(await ask(scraper)).toContain('200 OK');
    const hoarderClosed = once(hoarder, 'close');
    expect(await ask(open(server.url))).toContain('200 OK');
    await hoarderClosed;
    expect(await ask(scraper)).toContain('200 OK');
  });

  test('is refused while all connected clients wait for an answer', async () => {
    const [asked, waiting] = [deferred<undefined>(), deferred<Page>()];
    const scrape = () => {
      asked.resolve(undefined);
      return waiting.promise;
    };
    const { server } = await startServer({ scrape }, { limits: { maxConnections: 1 } });
    const first = open(server.url);
    first.write('GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n');
    await asked.promise;
    expect(await exchange(server.url, '').catch(() => '')).toBe('');
    waiting.resolve(new Page('served\n'));
    const [answer] = (await once(first, 'data')) as [Buffer];
    expect(String(answer)).toContain('served');
  });

  test('keeps its connection for longer than scrapes are apart', () => {
    expect(SERVER_LIMITS.keepAliveMs).toBeGreaterThan(60_000);
  });
});
