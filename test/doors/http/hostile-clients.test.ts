import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect as connectOver } from 'node:tls';
import { hashSync } from 'bcryptjs';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { SERVER_LIMITS } from '../../../src/http/server-limits.ts';
import { Page } from '../../../src/metrics/page.ts';
import { deferred } from '../../support/deferred.ts';
import { eventually } from '../../support/eventually.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { allOf, answersIn, CLOSE, connectTo, get, statusesIn } from '../../support/raw-client.ts';
import { clientOf, heldScrape, PAGE_TEXT, startServer } from '../../support/running-server.ts';
import { startSecured, tlsSection } from '../../support/tls-harness.ts';

/** More than the buffers of the system take for one connection. */
const LARGE = new Page('a'.repeat(20_000_000));
const SCRAPE = get('/metrics');
const HEALTH = get('/-/healthy');
const LAST = get('/-/ready', CLOSE);
/** The end of {@link LAST}'s answer. */
const READY = 'Ready.\n';

const TOO_SLOW = 'clients disconnected: they take their answers too slowly';
const TOO_MANY_OPEN = 'connections closed: as many as there may be are open';

/** A server that answers a scrape with a page too large to be sent to a client that reads nothing. */
async function startLarge(
  options: Parameters<typeof startServer>[1] = {},
  { scrape = () => Promise.resolve(LARGE), webConfig = '' } = {},
) {
  const clock = new FakeClock();
  const started = await startSecured(webConfig, { clock, ...options }, { scrape });
  /** Waits until so many answers are on their way to clients that do not take them. */
  const expectUnsent = (count: number) => eventually(() => expect(clock.sleeperCount).toBe(count));
  return { ...started, clock, expectUnsent };
}

/** Whether a client on a connection of its own is served. */
async function isServed({ server }: { readonly server: { readonly url: string } }) {
  return (await clientOf(server).ask('/-/healthy')).status === 200;
}

/** Connects a client that asks and reads nothing until it is resumed. */
async function unreading(url: string, sent = SCRAPE): Promise<Socket> {
  const { protocol, port } = new URL(url);
  const options = { port: Number(port), host: '127.0.0.1', rejectUnauthorized: false };
  const socket = protocol === 'https:' ? connectOver(options) : await connectTo(url);
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => undefined);
  if (protocol === 'https:') await once(socket, 'secureConnect');
  socket.pause();
  socket.write(sent);
  return socket;
}

/** Asks for something small on a connection that is kept; resolves to the status. */
async function askOn(socket: Socket, sent = HEALTH): Promise<number | undefined> {
  socket.write(sent);
  const [answer] = (await once(socket.resume(), 'data')) as [Buffer];
  return statusesIn(String(answer))[0];
}

describe('requests at once', () => {
  test('beyond those allowed are told to come back, health is answered, and clients that left do not count', async () => {
    const page = deferred<Page>();
    const scrape = vi.fn(() => page.promise);
    const { server, ask, log } = await startServer({ scrape }, { maxRequests: 2 });
    const leaver = await unreading(server.url);
    const answer = clientOf(server).ask('/metrics');
    await eventually(() => expect(scrape).toHaveBeenCalledTimes(2));
    const { status, headers, body } = await ask('/');
    expect([status, headers['retry-after']]).toEqual([503, '1']);
    expect(String(body)).toBe('Too many requests at once; --web.max-requests says how many.\n');
    for (const path of ['/-/healthy', '/-/ready']) expect((await ask(path)).status).toBe(200);
    leaver.destroy();
    await eventually(async () => expect((await ask('/nowhere')).status).toBe(404));
    page.resolve(new Page(PAGE_TEXT));
    expect((await answer).status).toBe(200);
    expect((await ask('/metrics')).status).toBe(200);
    // One line, however many were refused.
    expect(log.messages('warn')).toEqual([
      'requests turned away: more at once than --web.max-requests',
    ]);
  });

  test('are any number when there is no limit', async () => {
    const page = deferred<Page>();
    const { ask, server } = await startServer({ scrape: () => page.promise }, { maxRequests: 0 });
    const answers = Array.from({ length: 60 }, () => clientOf(server).ask('/metrics'));
    expect((await ask('/nowhere')).status).toBe(404);
    page.resolve(new Page(PAGE_TEXT));
    for (const { status } of await Promise.all(answers)) expect(status).toBe(200);
  });
});

describe('requests that come before the answer to the one before', () => {
  test('wait for their turn, while others are answered', async () => {
    const [first, second] = [deferred<Page>(), deferred<Page>()];
    const scrape = vi.fn(() => second.promise).mockReturnValueOnce(first.promise);
    const { server } = await startServer({ scrape });
    const client = await unreading(server.url, SCRAPE + SCRAPE + LAST);
    await eventually(() => expect(scrape).toHaveBeenCalledTimes(1));
    expect(await isServed({ server })).toBe(true);
    expect(scrape).toHaveBeenCalledTimes(1);
    first.resolve(new Page('first\n'));
    await eventually(() => expect(scrape).toHaveBeenCalledTimes(2));
    second.resolve(new Page('second\n'));
    expect(await allOf(client)).toMatch(/first\n[^]*second\n[^]*Ready\.\n$/);
  });

  test('are not made for a client that reads nothing', async () => {
    const scrape = vi.fn(() => Promise.resolve(LARGE));
    const { server, expectUnsent } = await startLarge({}, { scrape });
    await unreading(server.url, SCRAPE.repeat(8));
    await expectUnsent(1);
    expect(await isServed({ server })).toBe(true);
    expect(scrape).toHaveBeenCalledTimes(1);
  });

  test('are answered up to a number; the next one is the last, and told so', async () => {
    const { server, log } = await startServer({}, { limits: { maxWaitingRequests: 2 } });
    for (let client = 0; client < 2; client += 1) {
      const answers = answersIn(await allOf(await unreading(server.url, HEALTH.repeat(6))));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 503]);
      const isLast = answers.map(({ head }) => /^connection: close$/im.test(head));
      expect(isLast).toEqual([false, false, false, true]);
      expect(answers.at(-1)?.body).toMatch(/^At most 2 requests may wait on one connection/);
    }
    // One line, however many do so.
    const message = 'connections closed: too many requests wait on one of them';
    const fields = { client: '127.0.0.1', maxWaiting: 2 };
    expect(log.lines).toEqual([{ level: 'warn', message, fields }]);
  });

  test('end the connection at once when there are many more', async () => {
    const limits = { maxWaitingRequests: 2, maxDroppedRequests: 2 };
    const { server } = await startServer({}, { limits });
    const answers = statusesIn(await allOf(await unreading(server.url, HEALTH.repeat(4 + 3))));
    // The first one may have left before the others were read.
    expect(answers.slice(1)).toEqual([]);
    expect(await isServed({ server })).toBe(true);
  });

  test('behind one that closes the connection are not even begun', async () => {
    const reload = vi.fn(() => Promise.resolve());
    const { server } = await startServer({ isReloadEnabled: true, reload });
    const post = get('/-/reload', 'Content-Length: 0').replace('GET', 'POST');
    // The server closes the connection of whoever sends a body of unknown length.
    const last = `${get('/-/ready', 'Transfer-Encoding: chunked')}0\r\n\r\n`;
    const answers = statusesIn(await allOf(await unreading(server.url, post + last + post)));
    expect(answers).toEqual([200, 200]);
    expect(reload).toHaveBeenCalledOnce();
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

  const asking = get('/metrics', 'Content-Length: 3', 'Expect: 100-continue');
  test.each([
    ['over HTTP 1.1', SCRAPE],
    ['over HTTP 1.0', 'GET /metrics HTTP/1.0\r\n\r\n'],
    ['after the question whether to send a body', asking],
    ['before another request', SCRAPE + HEALTH],
    ['over TLS', SCRAPE, tlsSection()],
  ])('%s ends its connection in time', async (_, sent, webConfig = '') => {
    const { server, clock, log, expectUnsent } = await startLarge({}, { webConfig });
    const client = await unreading(server.url, sent);
    await expectUnsent(1);
    clock.advance(SERVER_LIMITS.sendTimeoutMs);
    const answer = await allOf(client);
    expect(answer.length).toBeLessThan(LARGE.body.length);
    expect(answer).not.toContain('Healthy');
    expect(log.messages('warn')).toEqual([TOO_SLOW]);
  });

  test('because it comes after many small ones ends its connection in time', async () => {
    // None of them is large, and together they are more than the system takes.
    const page = new Page('a'.repeat(60_000));
    const { server, clock, expectUnsent } = await startLarge(
      { limits: { maxWaitingRequests: 1000 } },
      { scrape: () => Promise.resolve(page) },
    );
    const client = await unreading(server.url, SCRAPE.repeat(900));
    await expectUnsent(1);
    clock.advance(SERVER_LIMITS.sendTimeoutMs);
    expect((await allOf(client)).length).toBeLessThan(900 * page.body.length);
  });

  test('ends its connection sooner when nothing of it is taken, and shortens no wait after it', async () => {
    const second = deferred<Page>();
    // Large enough to be watched, and small enough for the system to take it at once.
    const first = Promise.resolve(new Page('a'.repeat(100_000)));
    const scrape = vi.fn(() => Promise.resolve(LARGE));
    scrape.mockReturnValueOnce(first).mockReturnValueOnce(second.promise);
    const { server, log } = await startLarge({ limits: { sendSilenceMs: 1000 } }, { scrape });
    const patient = await unreading(server.url, SCRAPE + SCRAPE + LAST);
    const answers = allOf(patient);
    await eventually(() => expect(scrape).toHaveBeenCalledTimes(2));
    // By the time that another client was silent for too long, so would this one have been.
    const silent = await unreading(server.url);
    await eventually(() => expect(log.messages('warn')).toEqual([TOO_SLOW]));
    expect((await allOf(silent)).length).toBeLessThan(LARGE.body.length);
    second.resolve(new Page('second\n'));
    expect(await answers).toMatch(/second\n[^]*Ready\.\n$/);
  });

  test.each([{}, { maxUnsentBytes: 1000 }])(
    'until it is taken in time is a whole one, and its connection goes on, with %j',
    async (limits) => {
      const { server, clock, log, expectUnsent } = await startLarge({ limits });
      const client = await unreading(server.url, SCRAPE + LAST);
      await expectUnsent(1);
      const answers = await allOf(client);
      clock.advance(SERVER_LIMITS.sendTimeoutMs);
      expect(answersIn(answers)[0]?.body === String(LARGE.body)).toBe(true);
      expect(answers.endsWith(READY)).toBe(true);
      expect(log.lines).toEqual([]);
    },
  );
});

describe('answers that many clients do not take', () => {
  test('cost the one its connection that has been on its way for longest', async () => {
    const maxUnsentBytes = 2.5 * LARGE.body.length;
    const { server, log, expectUnsent } = await startLarge({ limits: { maxUnsentBytes } });
    const clients: Socket[] = [];
    for (let count = 1; count <= 3; count += 1) {
      clients.push(await unreading(server.url, SCRAPE + LAST));
      await expectUnsent(count);
    }
    const answers = await Promise.all(clients.map(allOf));
    expect(answers.map((answer) => answer.endsWith(READY))).toEqual([false, true, true]);
    const message = 'clients disconnected: too many bytes wait to be taken by all of them';
    const fields = { client: '127.0.0.1', maxBytes: maxUnsentBytes };
    expect(log.lines).toEqual([{ level: 'warn', message, fields }]);
  });

  test('keep no newcomer out: the one that has been on its way for longest makes room', async () => {
    const { server, log, expectUnsent } = await startLarge({ limits: { maxConnections: 2 } });
    const first = await unreading(server.url, SCRAPE + LAST);
    await expectUnsent(1);
    const second = await unreading(server.url, SCRAPE + LAST);
    await expectUnsent(2);
    expect(await isServed({ server })).toBe(true);
    expect((await allOf(first)).endsWith(READY)).toBe(false);
    expect((await allOf(second)).endsWith(READY)).toBe(true);
    expect(log.messages('warn')).toEqual([TOO_MANY_OPEN]);
  });
});

describe('too many connections', () => {
  test.each(['', tlsSection()])(
    'cost the idlest its own, and no newcomer a place: %j',
    async (web) => {
      const { server, ask, agent } = await startSecured(web, { limits: { maxConnections: 3 } });
      expect((await ask('/-/healthy')).status).toBe(200);
      const [kept] = Object.values(agent.freeSockets).flat();
      const hoarder = await connectTo(server.url);
      // An answer on another connection says that the server has seen this one.
      expect(await isServed({ server })).toBe(true);
      expect((await ask('/-/healthy')).status).toBe(200);
      const hoarderClosed = once(hoarder, 'close');
      expect(await isServed({ server })).toBe(true);
      await hoarderClosed;
      expect((await ask('/-/healthy')).status).toBe(200);
      expect(Object.values(agent.freeSockets).flat()).toEqual([kept]);
      // Prometheus keeps its connection between two scrapes.
      expect(SERVER_LIMITS.keepAliveMs).toBeGreaterThan(60_000);
    },
  );

  test('cost a newcomer its own while all wait for an answer', async () => {
    const { scrape, asked, give } = heldScrape();
    const { server } = await startServer({ scrape }, { limits: { maxConnections: 1 } });
    const first = await unreading(server.url, get('/metrics', CLOSE));
    await asked;
    expect(await allOf(await connectTo(server.url))).toBe('');
    give('served\n');
    expect(await allOf(first)).toContain('served');
  });

  const users = `basic_auth_users: {prometheus: "${hashSync('right', 4)}"}`;
  const webConfig = `${users}\nauth_excluded_paths: [/-/healthy]\n`;
  const authorization = `Basic ${Buffer.from('prometheus:right').toString('base64')}`;

  const startWithUsers = (text: string) =>
    startSecured(text, { limits: { maxStrangers: 2, maxConnections: 10 } });

  test('without a log-in cost the one of these that has been idle longest its own', async () => {
    const { server, log } = await startWithUsers(webConfig);
    const strangers: Socket[] = [];
    for (let count = 1; count <= 3; count += 1) {
      const stranger = await connectTo(server.url);
      strangers.push(stranger);
      // The server has seen it, and asks it for a password.
      expect(await askOn(stranger, SCRAPE)).toBe(401);
    }
    const [first, ...others] = strangers;
    if (first !== undefined) expect(await allOf(first)).toBe('');
    expect(others.map(({ destroyed }) => destroyed)).toEqual([false, false]);
    expect(log.messages('warn')).toEqual([
      'connections closed: as many as there may be without a log-in are open',
    ]);
  });

  test('without a log-in take no place from those with one, nor from health', async () => {
    const { server } = await startWithUsers(webConfig);
    const scraper = clientOf(server);
    const scrape = () => scraper.ask('/metrics', { headers: { authorization } });
    expect((await scrape()).status).toBe(200);
    const [kept] = Object.values(scraper.agent.freeSockets).flat();
    for (let count = 0; count < 8; count += 1) {
      await unreading(server.url, SCRAPE.repeat(20));
      expect(await isServed({ server })).toBe(true);
    }
    expect((await scrape()).status).toBe(200);
    expect(Object.values(scraper.agent.freeSockets).flat()).toEqual([kept]);
  });

  test('without a log-in go on as they are when nobody is asked for a password', async () => {
    const { server, log } = await startWithUsers('');
    const clients = Array.from({ length: 3 }, () => clientOf(server));
    for (const { ask } of [...clients, ...clients])
      expect((await ask('/-/healthy')).status).toBe(200);
    expect(log.lines).toEqual([]);
  });
});
