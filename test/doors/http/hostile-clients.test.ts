import { once } from 'node:events';
import { Server, type Socket } from 'node:net';
import { connect as connectOver } from 'node:tls';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { SERVER_LIMITS } from '../../../src/http/limits.ts';
import { deferred } from '../../support/deferred.ts';
import { eventually } from '../../support/eventually.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { allOf, answersIn, CLOSE, connectTo, exchange, get } from '../../support/raw-client.ts';
import { clientOf, PAGE_TEXT, startServer } from '../../support/running-server.ts';
import { startSecured, tlsSection } from '../../support/tls-harness.ts';

/** More than the buffers of the system take for one connection. */
const LARGE: Buffer = Buffer.from('a'.repeat(20_000_000));
const SCRAPE = get('/metrics');
const LAST = get('/-/ready', CLOSE);

const TOO_SLOW = 'clients disconnected: they take their answers too slowly';
const TOO_MANY_OPEN = 'connections refused: as many as there may be are open';

/** A server that answers a scrape with a page too large to be sent to a client that reads nothing. */
async function startLarge(
  options: Parameters<typeof startServer>[1] = {},
  { scrape = () => Promise.resolve(LARGE), webConfig = '' } = {},
) {
  const counted = vi.fn(scrape);
  const started = await startSecured(webConfig, options, { scrape: counted });
  /** Waits until so many clients have asked. */
  const expectAsked = (count: number) =>
    eventually(() => expect(counted).toHaveBeenCalledTimes(count));
  return { ...started, expectAsked };
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

describe('requests at once', () => {
  test('beyond those allowed are told to come back, and health is answered', async () => {
    const page = deferred<Buffer>();
    const scrape = vi.fn(() => page.promise);
    const { server, ask, log } = await startServer({ scrape }, { maxRequests: 2 });
    const answers = [clientOf(server).ask('/metrics'), clientOf(server).ask('/metrics')];
    await eventually(() => expect(scrape).toHaveBeenCalledTimes(2));
    const { status, headers, body } = await ask('/');
    expect([status, headers['retry-after']]).toEqual([503, '1']);
    expect(String(body)).toBe('Too many requests at once; --web.max-requests says how many.\n');
    for (const path of ['/-/healthy', '/-/ready']) expect((await ask(path)).status).toBe(200);
    page.resolve(Buffer.from(PAGE_TEXT));
    for (const answer of answers) expect((await answer).status).toBe(200);
    expect((await ask('/metrics')).status).toBe(200);
    // One line, however many were refused.
    expect(log.messages('warn')).toEqual([
      'requests turned away: more at once than --web.max-requests',
    ]);
  });

  test('are any number when there is no limit', async () => {
    const page = deferred<Buffer>();
    const { ask, server } = await startServer({ scrape: () => page.promise }, { maxRequests: 0 });
    const answers = Array.from({ length: 60 }, () => clientOf(server).ask('/metrics'));
    expect((await ask('/nowhere')).status).toBe(404);
    page.resolve(Buffer.from(PAGE_TEXT));
    for (const { status } of await Promise.all(answers)) expect(status).toBe(200);
  });
});

test('pipelined requests are answered in order', async () => {
  const { server } = await startServer();
  const sent = get('/-/healthy') + SCRAPE + get('/-/healthy') + LAST;
  const bodies = answersIn(await exchange(server.url, sent)).map(({ body }) => body);
  expect(bodies).toEqual(['Healthy.\n', PAGE_TEXT, 'Healthy.\n', 'Ready.\n']);
});

describe('an answer that its client does not take', () => {
  test('keeps no place of --web.max-requests', async () => {
    const { server, ask, expectAsked, log } = await startLarge({ maxRequests: 1 });
    for (const count of [1, 2]) {
      await unreading(server.url);
      await expectAsked(count);
    }
    expect((await ask('/metrics')).status).toBe(200);
    expect((await ask('/nowhere')).status).toBe(404);
    expect(log.messages('warn')).toEqual([]);
  });

  test.each([
    ['over HTTP', ''],
    ['over TLS', tlsSection()],
  ])('%s ends its connection, and shortens no wait of others', async (_, webConfig) => {
    const second = deferred<Buffer>();
    const scrape = vi.fn(() => Promise.resolve(LARGE));
    scrape.mockReturnValueOnce(second.promise);
    const limits = { sendSilenceMs: 300 };
    const { server, log } = await startLarge({ limits }, { scrape, webConfig });
    const { ask } = clientOf(server);
    const answer = ask('/metrics');
    await eventually(() => expect(scrape).toHaveBeenCalledTimes(1));
    const silent = await unreading(server.url);
    await eventually(() => expect(log.messages('warn')).toEqual([TOO_SLOW]));
    expect((await allOf(silent)).length).toBeLessThan(LARGE.length);
    second.resolve(Buffer.from('second\n'));
    expect(String((await answer).body)).toBe('second\n');
  });

  test.each(['', tlsSection()])(
    'until later is a whole one, and its connection goes on: %j',
    async (webConfig) => {
      const { server, log, expectAsked } = await startLarge({}, { webConfig });
      const slow = await unreading(server.url, SCRAPE + LAST);
      await expectAsked(1);
      expect(await isServed({ server })).toBe(true);
      const answers = await allOf(slow);
      expect(answers.length).toBeGreaterThan(LARGE.length);
      expect(answers.endsWith('Ready.\n')).toBe(true);
      expect(log.lines.filter(({ level }) => level !== 'debug')).toEqual([]);
    },
  );

  test('over TLS is kept in a small copy for each of many', async () => {
    const { server, expectAsked } = await startLarge({}, { webConfig: tlsSection() });
    const before = process.memoryUsage().rss;
    for (let count = 1; count <= 12; count += 1) {
      await unreading(server.url);
      await expectAsked(count);
    }
    expect(await isServed({ server })).toBe(true);
    expect(process.memoryUsage().rss - before).toBeLessThan(4 * LARGE.length);
  });
});

describe.each(['', tlsSection()])('too many connections: %j', (webConfig) => {
  test('are refused, until those that idle have made room', async () => {
    const { server, log } = await startSecured(webConfig, { limits: { maxConnections: 2 } });
    const kept = clientOf(server);
    expect((await kept.ask('/-/healthy')).status).toBe(200);
    const [idle] = Object.values(kept.agent.freeSockets).flat();
    const hoarder = await connectTo(server.url);
    // An answer on another connection says that the server has seen this one.
    expect((await kept.ask('/-/healthy')).status).toBe(200);
    await expect(isServed({ server })).rejects.toThrow();
    await eventually(() => expect(idle?.destroyed).toBe(true));
    expect(await isServed({ server })).toBe(true);
    expect(hoarder.closed).toBe(false);
    expect(log.messages('warn')).toEqual([TOO_MANY_OPEN]);
    // Prometheus keeps its connection between two scrapes.
    expect(SERVER_LIMITS.keepAliveTimeout).toBeGreaterThan(60_000);
  });
});

test('2,000 connections, 600 of them with slow heads, keep nobody out', async () => {
  const { server } = await startServer();
  const many = await Promise.all(
    Array.from({ length: 2000 }, async (_, index) => {
      const socket = await connectTo(server.url);
      if (index < 600) socket.write('GET /metrics HTTP/1.1\r\nHost: ');
      return socket;
    }),
  );
  for (let round = 0; round < 3; round += 1) expect(await isServed({ server })).toBe(true);
  expect(many.filter(({ closed }) => closed)).toEqual([]);
});

test('connections that cannot be accepted are logged once, and end nothing', async () => {
  const listen = vi.spyOn(Server.prototype, 'listen');
  const clock = new FakeClock();
  const { log, ask } = await startServer({}, { clock });
  const [server] = listen.mock.contexts as Server[];
  const fail = (code: string) =>
    server?.emit('error', Object.assign(new Error(`accept ${code}`), { code, syscall: 'accept' }));
  const failed = () => log.lines.filter(({ message }) => message.includes('cannot be accepted'));

  for (const code of ['EMFILE', 'EMFILE', 'ENOBUFS']) fail(code);
  expect((await ask('/metrics')).status).toBe(200);
  const line = { level: 'warn', message: 'connections cannot be accepted' };
  const logged = [{ ...line, fields: { code: 'EMFILE' } }];
  expect(failed()).toEqual(logged);

  // Again after a minute without any.
  for (const [afterMs, isLogged] of [
    [59_999, false],
    [59_999, false],
    [60_000, true],
  ] as const) {
    clock.advance(afterMs);
    fail('ENOBUFS');
    if (isLogged) logged.push({ ...line, fields: { code: 'ENOBUFS' } });
    expect(failed()).toEqual(logged);
  }
});
