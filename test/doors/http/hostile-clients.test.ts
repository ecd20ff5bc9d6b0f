import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect as connectOver } from 'node:tls';
import { hashSync } from 'bcryptjs';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { SERVER_LIMITS } from '../../../src/http/connections.ts';
import { Page } from '../../../src/metrics/page.ts';
import { deferred } from '../../support/deferred.ts';
import { eventually } from '../../support/eventually.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { allOf, CLOSE, connectTo, get, statusesIn } from '../../support/raw-client.ts';
import { clientOf, heldScrape, PAGE_TEXT, startServer } from '../../support/running-server.ts';
import { startSecured, tlsSection } from '../../support/tls-harness.ts';

/** More than the buffers of the system take for one connection. */
const LARGE = new Page('a'.repeat(20_000_000));
const SCRAPE = get('/metrics');
const HEALTH = get('/-/healthy');
const LAST = get('/-/ready', CLOSE);

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

describe('a request that does not wait for the answer to the one before', () => {
  const message = 'connections closed: a request did not wait for the answer before it';

  test.each([SCRAPE, SCRAPE.repeat(1000)])(
    'ends its connection, is not begun, and disturbs nobody: after %j',
    async (first) => {
      const scrape = vi.fn(() => Promise.resolve(new Page(PAGE_TEXT)));
      const { server, log } = await startServer({ scrape });
      for (let client = 0; client < 2; client += 1)
        expect(await allOf(await unreading(server.url, first + LAST))).toBe('');
      expect(await isServed({ server })).toBe(true);
      expect(scrape.mock.calls.length).toBeLessThanOrEqual(2);
      // One line, however many do so.
      const fields = { client: '127.0.0.1' };
      expect(log.lines).toEqual([{ level: 'warn', message, fields }]);
    },
  );

  test('is none after an answer that was handed over, which a client may have before Node.js hears so', async () => {
    const { server, expectUnsent, log } = await startLarge();
    const client = await unreading(server.url);
    await expectUnsent(1);
    client.write(LAST);
    expect(await isServed({ server })).toBe(true);
    const answers = await allOf(client);
    expect(answers.length).toBeGreaterThan(LARGE.body.length);
    expect(answers.endsWith('Ready.\n')).toBe(true);
    // What is answered at once was handed over before the next one was read.
    expect(await allOf(await unreading(server.url, HEALTH + LAST))).toMatch(/Healthy[^]*Ready/);
    expect(log.lines).toEqual([]);
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

  test.each(['', tlsSection()])(
    'ends its connection sooner when nothing of it is taken, and shortens no wait after it: %j',
    async (webConfig) => {
      const second = deferred<Page>();
      // Large enough to be watched, and small enough to be taken while another client is silent.
      const first = Promise.resolve(new Page('a'.repeat(100_000)));
      const scrape = vi.fn(() => Promise.resolve(LARGE));
      scrape.mockReturnValueOnce(first).mockReturnValueOnce(second.promise);
      const limits = { sendSilenceMs: 1000 };
      const { server, log } = await startLarge({ limits }, { scrape, webConfig });
      const { ask } = clientOf(server);
      await ask('/metrics');
      const answer = ask('/metrics');
      await eventually(() => expect(scrape).toHaveBeenCalledTimes(2));
      // By the time that another client was silent for too long, so would this one have been.
      const silent = await unreading(server.url);
      await eventually(() => expect(log.messages('warn')).toEqual([TOO_SLOW]));
      expect((await allOf(silent)).length).toBeLessThan(LARGE.body.length);
      second.resolve(new Page('second\n'));
      expect(String((await answer).body)).toBe('second\n');
    },
  );

  test.each([{}, { maxUnsentBytes: 1000 }])(
    'until it is taken in time is a whole one, and its connection goes on, with %j',
    async (limits) => {
      const { server, clock, log, expectUnsent } = await startLarge({ limits });
      const { agent, ask } = clientOf(server);
      const answer = ask('/metrics');
      await expectUnsent(1);
      expect((await answer).body.equals(LARGE.body)).toBe(true);
      const [kept] = Object.values(agent.freeSockets).flat();
      expect((await ask('/-/healthy')).status).toBe(200);
      clock.advance(SERVER_LIMITS.sendTimeoutMs);
      expect((await ask('/-/healthy')).status).toBe(200);
      expect(Object.values(agent.freeSockets).flat()).toEqual([kept]);
      expect(log.lines).toEqual([]);
    },
  );
});

describe.each(['', tlsSection()])('answers that many clients do not take: %j', (webConfig) => {
  const isWhole = (answer: string) => answer.endsWith('aaa') && answer.length > LARGE.body.length;

  test('cost the one its connection that has been on its way for longest', async () => {
    const maxUnsentBytes = 2.5 * LARGE.body.length;
    const limits = { maxUnsentBytes };
    const { server, log, expectUnsent } = await startLarge({ limits }, { webConfig });
    const clients: Socket[] = [];
    for (let count = 1; count <= 3; count += 1) {
      clients.push(await unreading(server.url, get('/metrics', CLOSE)));
      await expectUnsent(count);
    }
    const answers = await Promise.all(clients.map(allOf));
    expect(answers.map(isWhole)).toEqual([false, true, true]);
    const message = 'clients disconnected: too many bytes wait to be taken by all of them';
    const fields = { client: '127.0.0.1', maxBytes: maxUnsentBytes };
    expect(log.lines).toEqual([{ level: 'warn', message, fields }]);
  });

  test('keep no newcomer out: the one that has been on its way for longest makes room', async () => {
    const limits = { maxConnections: 2 };
    const { server, log, expectUnsent } = await startLarge({ limits }, { webConfig });
    const first = await unreading(server.url, get('/metrics', CLOSE));
    await expectUnsent(1);
    const second = await unreading(server.url, get('/metrics', CLOSE));
    await expectUnsent(2);
    expect(await isServed({ server })).toBe(true);
    expect(isWhole(await allOf(first))).toBe(false);
    expect(isWhole(await allOf(second))).toBe(true);
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

  test('take no place from those with a log-in, nor from health, where there are users', async () => {
    const { server, log } = await startSecured(webConfig, { limits: { maxConnections: 3 } });
    const scraper = clientOf(server);
    const scrape = () => scraper.ask('/metrics', { headers: { authorization } });
    expect((await scrape()).status).toBe(200);
    const [kept] = Object.values(scraper.agent.freeSockets).flat();
    const strangers: Socket[] = [];
    for (let count = 0; count < 5; count += 1) {
      const stranger = await connectTo(server.url);
      strangers.push(stranger);
      // The server has seen it, and asks it for a password.
      expect(await askOn(stranger, SCRAPE)).toBe(401);
    }
    expect(await isServed({ server })).toBe(true);
    expect((await scrape()).status).toBe(200);
    expect(Object.values(scraper.agent.freeSockets).flat()).toEqual([kept]);
    await eventually(() =>
      expect(strangers.filter(({ closed }) => !closed).length).toBeLessThanOrEqual(2),
    );
    expect(log.messages('warn')).toEqual([TOO_MANY_OPEN]);
  });
});
