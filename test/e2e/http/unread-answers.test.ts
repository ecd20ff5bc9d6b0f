import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { connect as connectOver } from 'node:tls';
import { hashSync } from 'bcryptjs';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type ServerLimits, SERVER_LIMITS } from '../../../src/http/server-limits.ts';
import { Page } from '../../../src/metrics/render.ts';
import { letGoOf, storeOf } from '../../../src/metrics/text-store.ts';
import { deferred } from '../../support/deferred.ts';
import { eventually } from '../../support/eventually.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { clientOf, startServer } from '../../support/running-server.ts';
import { openConfig, tlsSection } from '../../support/tls-harness.ts';

/** More than the buffers of the system take for one connection. */
const LARGE = new Page('a'.repeat(20_000_000));
const SCRAPE = 'GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n';
const HEALTH = 'GET /-/healthy HTTP/1.1\r\nHost: a\r\n\r\n';
const CLOSE = 'GET /-/ready HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';

const TOO_SLOW = 'clients disconnected: they take their answers too slowly';

interface Started {
  readonly limits?: Partial<ServerLimits>;
  readonly maxRequests?: number;
  readonly scrape?: () => Promise<Page>;
  readonly webConfig?: string;
}

/** A server that answers a scrape with a page too large to be sent to a client that reads nothing. */
async function startLarge({ webConfig = '', scrape, ...options }: Started = {}) {
  const clock = new FakeClock();
  const config = await openConfig(webConfig);
  const started = await startServer(
    { scrape: scrape ?? (() => Promise.resolve(LARGE)) },
    { clock, webConfig: config.webConfig, ...options },
  );
  /** Waits until so many answers are on their way to clients that do not take them. */
  const expectUnsent = (count: number) => eventually(() => expect(clock.sleeperCount).toBe(count));
  return { clock, expectUnsent, ...started };
}

/** Connects a client that asks and reads nothing until it is resumed. */
async function unreading(url: string, sent = SCRAPE): Promise<Socket> {
  const { protocol, port } = new URL(url);
  const isTls = protocol === 'https:';
  const options = { port: Number(port), host: '127.0.0.1' };
  const socket = isTls ? connectOver({ ...options, rejectUnauthorized: false }) : connect(options);
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => undefined);
  await once(socket, isTls ? 'secureConnect' : 'connect');
  socket.pause();
  socket.write(sent);
  return socket;
}

/** Reads until the connection is closed or broken. */
async function received(socket: Socket): Promise<string> {
  let all = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => (all += chunk));
  socket.resume();
  if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve));
  return all;
}

const statusesIn = (answers: string) =>
  [...answers.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status]) => Number(status));

describe('a page of which the memory is given back', () => {
  /** A page in memory that can be given back, and how often it was. */
  function createPage() {
    const store = storeOf(20_000_000, 0);
    store.bytes.fill('a');
    const freed = vi.fn(() => letGoOf(store));
    return { page: new Page(store.bytes, freed), freed };
  }

  test.each([
    ['plain HTTP', ''],
    ['TLS', tlsSection()],
  ])('over %s is kept until the client has taken all of it', async (_, webConfig) => {
    const { page, freed } = createPage();
    const { server, expectUnsent } = await startLarge({
      scrape: () => Promise.resolve(page),
      webConfig,
    });
    const client = await unreading(
      server.url,
      SCRAPE.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'),
    );
    await expectUnsent(1);
    page.letGo();
    expect(freed).not.toHaveBeenCalled();
    const [, body] = (await received(client)).split('\r\n\r\n');
    expect(body === 'a'.repeat(20_000_000)).toBe(true);
    await eventually(() => expect(freed).toHaveBeenCalledOnce());
    expect(page.body).toHaveLength(0);
  });

  test('is not kept for a client that has gone, nor for one that has its answer', async () => {
    const { page, freed } = createPage();
    const { server, ask, expectUnsent } = await startLarge({ scrape: () => Promise.resolve(page) });
    const client = await unreading(server.url);
    await expectUnsent(1);
    expect((await ask('/metrics')).body).toHaveLength(20_000_000);
    page.letGo();
    expect(freed).not.toHaveBeenCalled();
    client.destroy();
    await eventually(() => expect(freed).toHaveBeenCalledOnce());
  });
});

describe('requests that come before the answer to the one before', () => {
  test('wait for their turn', async () => {
    const pages = [deferred<Page>(), deferred<Page>()];
    let scrapes = 0;
    const scrape = () => pages[scrapes++]?.promise ?? Promise.reject(new Error('a third scrape'));
    const { server, ask } = await startLarge({ scrape });
    const client = await unreading(server.url, SCRAPE + SCRAPE + CLOSE);
    await eventually(() => expect(scrapes).toBe(1));
    // What others ask is answered meanwhile; whatever was to begin at once has begun.
    expect((await ask('/-/healthy')).status).toBe(200);
    expect(scrapes).toBe(1);
    pages[0]?.resolve(new Page('first\n'));
    await eventually(() => expect(scrapes).toBe(2));
    pages[1]?.resolve(new Page('second\n'));
    expect(await received(client)).toMatch(/first\n[^]*second\n[^]*Ready\.\n$/);
  });

  test('are not made for a client that reads nothing', async () => {
    const { server, waitsMs, ask, expectUnsent } = await startLarge({});
    await unreading(server.url, SCRAPE.repeat(8));
    await expectUnsent(1);
    await ask('/-/healthy');
    expect(waitsMs).toEqual([]);
  });

  test('are answered up to a number; the next one is the last, and told so', async () => {
    const { server, log } = await startServer({}, { limits: { maxWaitingRequests: 2 } });
    for (let client = 0; client < 2; client += 1) {
      const answers = await received(await unreading(server.url, HEALTH.repeat(6)));
      expect(statusesIn(answers)).toEqual([200, 200, 200, 503]);
      expect(answers).toMatch(/\r\nconnection: close\r\n/i);
      expect(answers).toMatch(
        /\nAt most 2 requests may wait on one connection: this is its last answer\.\n$/,
      );
    }
    // One line, however many do so.
    expect(log.lines).toEqual([
      {
        level: 'warn',
        message: 'connections closed: too many requests wait on one of them',
        fields: { client: '127.0.0.1', maxWaiting: 2 },
      },
    ]);
  });

  test('end the connection at once when there are many more', async () => {
    const limits = { maxWaitingRequests: 2, maxDroppedRequests: 2 };
    const { server } = await startServer({}, { limits });
    const answers = await received(await unreading(server.url, HEALTH.repeat(4 + 3)));
    // The first one may have left before the others were read.
    expect(statusesIn(answers).slice(1)).toEqual([]);
    expect((await clientOf(server).ask('/-/healthy')).status).toBe(200);
  });

  test('behind one that closes the connection are not even begun', async () => {
    let reloads = 0;
    const reload = () => Promise.resolve(void (reloads += 1));
    const { server } = await startServer({ isReloadEnabled: true, reload });
    const post = 'POST /-/reload HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n';
    // The server closes the connection of whoever sends a body of unknown length.
    const last = 'GET /-/ready HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n';
    const answers = await received(await unreading(server.url, post + last + post));
    expect(statusesIn(answers)).toEqual([200, 200]);
    expect(reloads).toBe(1);
  });
});

describe('an answer that its client does not take', () => {
  test('keeps no place of --web.max-requests', async () => {
    const { server, ask, expectUnsent, log } = await startLarge({ maxRequests: 1 });
    await unreading(server.url);
    await unreading(server.url);
    await expectUnsent(2);
    expect((await ask('/metrics')).status).toBe(200);
    expect((await ask('/nowhere')).status).toBe(404);
    expect(log.messages('warn')).toEqual([]);
  });

  test.each([
    { what: 'over HTTP 1.1', sent: SCRAPE },
    { what: 'over HTTP 1.0', sent: 'GET /metrics HTTP/1.0\r\n\r\n' },
    {
      what: 'after the question whether to send a body',
      sent: 'GET /metrics HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n',
    },
    { what: 'before another request', sent: SCRAPE + HEALTH },
    { what: 'over TLS', sent: SCRAPE, webConfig: tlsSection() },
  ])('$what ends its connection in time', async ({ sent, webConfig }) => {
    const { server, clock, log, expectUnsent } = await startLarge({ webConfig: webConfig ?? '' });
    const client = await unreading(server.url, sent);
    await expectUnsent(1);
    clock.advance(SERVER_LIMITS.sendTimeoutMs);
    const answer = await received(client);
    expect(answer.length).toBeLessThan(LARGE.body.length);
    expect(answer).not.toContain('Healthy');
    expect(log.messages('warn')).toEqual([TOO_SLOW]);
  });

  test('because it comes after many small ones ends its connection in time', async () => {
    // None of them is large, and together they are more than the system takes.
    const page = new Page('a'.repeat(60_000));
    const { server, clock, expectUnsent } = await startLarge({
      scrape: () => Promise.resolve(page),
      limits: { maxWaitingRequests: 1000 },
    });
    const client = await unreading(server.url, SCRAPE.repeat(900));
    await expectUnsent(1);
    clock.advance(SERVER_LIMITS.sendTimeoutMs);
    expect((await received(client)).length).toBeLessThan(900 * page.body.length);
  });

  test('ends its connection sooner when nothing of it is taken at all', async () => {
    const { server, log } = await startLarge({ limits: { sendSilenceMs: 50 } });
    const client = await unreading(server.url);
    await eventually(() => expect(log.messages('warn')).toEqual([TOO_SLOW]));
    expect((await received(client)).length).toBeLessThan(LARGE.body.length);
  });

  test('shortens no wait for the answer after it', async () => {
    const second = deferred<Page>();
    let scrapes = 0;
    // Large enough to be watched, and small enough for the system to take it at once.
    const first = Promise.resolve(new Page('a'.repeat(100_000)));
    const pages = [first, second.promise, Promise.resolve(LARGE)];
    const scrape = () => pages[scrapes++] ?? Promise.reject(new Error('a fourth scrape'));
    const { server, log } = await startLarge({ scrape, limits: { sendSilenceMs: 1000 } });
    const patient = await unreading(server.url, SCRAPE + SCRAPE + CLOSE);
    const answers = received(patient);
    await eventually(() => expect(scrapes).toBe(2));
    // By the time that another client was silent for too long, so would this one have been.
    await unreading(server.url);
    await eventually(() => expect(log.messages('warn')).toEqual([TOO_SLOW]));
    second.resolve(new Page('second\n'));
    expect(await answers).toMatch(/second\n[^]*Ready\.\n$/);
  });

  test('that is taken in time is a whole one, and its connection goes on', async () => {
    const { server, clock, log, expectUnsent } = await startLarge();
    const client = await unreading(server.url, SCRAPE + CLOSE);
    await expectUnsent(1);
    const answers = await received(client);
    clock.advance(SERVER_LIMITS.sendTimeoutMs);
    expect(answers).toContain(String(LARGE.body));
    expect(answers.endsWith('Ready.\n')).toBe(true);
    expect(log.lines).toEqual([]);
  });
});

describe('answers that many clients do not take', () => {
  test('cost the one its connection that has been on its way for longest', async () => {
    const maxUnsentBytes = 2.5 * LARGE.body.length;
    const { server, log, expectUnsent } = await startLarge({ limits: { maxUnsentBytes } });
    const clients: Socket[] = [];
    for (let count = 1; count <= 3; count += 1) {
      clients.push(await unreading(server.url, SCRAPE + CLOSE));
      await expectUnsent(count);
    }
    const answers = await Promise.all(clients.map(received));
    expect(answers.map((answer) => answer.endsWith('Ready.\n'))).toEqual([false, true, true]);
    expect(log.lines).toEqual([
      {
        level: 'warn',
        message: 'clients disconnected: too many bytes wait to be taken by all of them',
        fields: { client: '127.0.0.1', maxBytes: maxUnsentBytes },
      },
    ]);
  });

  test('may be one that is larger than all may be', async () => {
    const { server, expectUnsent } = await startLarge({ limits: { maxUnsentBytes: 1000 } });
    const client = await unreading(server.url, SCRAPE + CLOSE);
    await expectUnsent(1);
    expect(await received(client)).toContain(String(LARGE.body));
  });

  test('keep no newcomer out: the one that has been on its way for longest makes room', async () => {
    const { server, log, expectUnsent } = await startLarge({ limits: { maxConnections: 2 } });
    const first = await unreading(server.url, SCRAPE + CLOSE);
    await expectUnsent(1);
    const second = await unreading(server.url, SCRAPE + CLOSE);
    await expectUnsent(2);
    expect((await clientOf(server).ask('/-/healthy')).status).toBe(200);
    expect((await received(first)).endsWith('Ready.\n')).toBe(false);
    expect((await received(second)).endsWith('Ready.\n')).toBe(true);
    expect(log.messages('warn')).toEqual(['connections closed: as many as there may be are open']);
  });
});

describe('connections without a log-in', () => {
  const users = `basic_auth_users: {prometheus: "${hashSync('right', 4)}"}`;
  const webConfig = `${users}\nauth_excluded_paths: [/-/healthy]\n`;
  const authorization = `Basic ${Buffer.from('prometheus:right').toString('base64')}`;

  async function startWithUsers() {
    const config = await openConfig(webConfig);
    const limits = { maxStrangers: 2, maxConnections: 10 };
    return startServer({}, { webConfig: config.webConfig, limits });
  }

  test('have places of their own: beyond them, the one that is idle longest goes', async () => {
    const { server, log } = await startWithUsers();
    const strangers: Socket[] = [];
    for (let count = 1; count <= 3; count += 1) {
      const stranger = await unreading(server.url, '');
      strangers.push(stranger);
      // The server has seen it, and asks it for a password.
      stranger.write(SCRAPE);
      const [answer] = (await once(stranger.resume(), 'data')) as [Buffer];
      expect(statusesIn(String(answer))).toEqual([401]);
    }
    const [first, ...others] = strangers;
    if (first !== undefined) expect(await received(first)).toBe('');
    expect(others.map(({ destroyed }) => destroyed)).toEqual([false, false]);
    expect(log.messages('warn')).toEqual([
      'connections closed: as many as there may be without a log-in are open',
    ]);
  });

  test('take no place from those with one, nor from health', async () => {
    const { server } = await startWithUsers();
    const scraper = clientOf(server);
    const scrape = async () =>
      (await scraper.ask('/metrics', { headers: { authorization } })).status;
    expect(await scrape()).toBe(200);
    const [kept] = Object.values(scraper.agent.freeSockets).flat();
    for (let count = 0; count < 8; count += 1) {
      await unreading(server.url, SCRAPE.repeat(20));
      expect((await clientOf(server).ask('/-/healthy')).status).toBe(200);
    }
    expect(await scrape()).toBe(200);
    expect(Object.values(scraper.agent.freeSockets).flat()).toEqual([kept]);
  });

  test('go on as they are when nobody is asked for a password', async () => {
    const { server, log } = await startServer({}, { limits: { maxStrangers: 1 } });
    const clients = [clientOf(server), clientOf(server), clientOf(server)];
    for (const { ask } of [...clients, ...clients])
      expect((await ask('/-/healthy')).status).toBe(200);
    expect(log.lines).toEqual([]);
    expect(await text(await unreading(server.url, CLOSE))).toContain('Ready.');
  });
});
