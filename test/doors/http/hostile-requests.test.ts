import { once } from 'node:events';
import { METHODS } from 'node:http';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SERVER_LIMITS } from '../../../src/http/limits.ts';
import { hostileText } from '../../fuzz/hostile-values.ts';
import { FUZZ_TIMEOUT_MS, holdsInTime } from '../../fuzz/runs.ts';
import {
  allOf,
  answersIn,
  CLOSE,
  connectTo,
  exchange,
  get,
  statusesIn,
} from '../../support/raw-client.ts';
import { PAGE_TEXT, startServer } from '../../support/running-server.ts';

/** What a request for each target is answered with; targets go out byte by byte. */
const TARGETS: Readonly<Record<number, readonly string[]>> = {
  200: ['/metrics', '/metrics?', '/metrics?/../../etc/passwd', `/metrics?${'x'.repeat(15_000)}`],
  404: [
    '/metrics/',
    '//metrics',
    '/x/../metrics',
    '/%6Detrics',
    '/metrics#x',
    '/METRICS',
    '/assets/..%2fcli.js',
    '/../../etc/passwd',
    '/__proto__',
    '*',
    `/${'a'.repeat(8000)}`,
    // The exporter is no proxy.
    'http://exporter/metrics',
    'http://user:password@exporter/metrics',
    '/nowhere?x=http://exporter/metrics',
  ],
  431: [`/${'a'.repeat(16 * 1024)}`, `/metrics?${'x'.repeat(16 * 1024)}`],
  400: ['exporter:80', 'metrics', '', '/met\0rics', '/metrics x', '/m\u00e9trics'],
};

/** Bodies hold a request, which is never to be answered. */
const INSIDE = get('/-/ready');

/** Header lines by which two readers could see different lengths, and the body after them. */
const AMBIGUOUS: readonly (readonly [body: string, ...headers: readonly string[]])[] = [
  [INSIDE, 'Content-Length: 0', `Content-Length: ${INSIDE.length}`],
  [`0\r\n\r\n${INSIDE}`, 'Content-Length: 5', 'Transfer-Encoding: chunked'],
  [`0\r\n\r\n${INSIDE}`, 'Transfer-Encoding : chunked'],
];

describe('a request', () => {
  test('leads to the known paths only, and nothing of it comes back', async () => {
    const { server } = await startServer();
    for (const [wanted, targets] of Object.entries(TARGETS))
      for (const target of targets) {
        const answers = answersIn(await exchange(server.url, get(target, CLOSE)));
        const body = { 200: PAGE_TEXT, 404: 'Not found.\n' }[wanted] ?? '';
        expect(answers, target).toMatchObject([{ status: Number(wanted), body }]);
      }
  });

  test('is served by no method but GET and HEAD', async () => {
    const { server, waitsMs } = await startServer();
    const { url } = server;
    // CONNECT asks for a tunnel, and gets neither that nor an answer.
    expect(await exchange(url, 'CONNECT other.example:80 HTTP/1.1\r\nHost: a\r\n\r\n')).toBe('');
    const known = METHODS.filter((name) => !['GET', 'HEAD', 'CONNECT'].includes(name));
    expect(known.length).toBeGreaterThan(25);
    for (const method of known) {
      const [answer] = answersIn(
        await exchange(url, get('/metrics', CLOSE).replace('GET', method)),
      );
      expect(answer?.status, method).toBe(405);
      expect(answer?.head, method).toMatch(/^allow: GET, HEAD$/im);
      expect(answer?.body, method).toBe('Accepted methods: GET, HEAD.\n');
    }
    for (const method of ['NONSENSE', 'get', '', ' GET']) {
      const sent = get('/metrics', CLOSE).replace('GET', method);
      expect(statusesIn(await exchange(url, sent)), method).toEqual([400]);
    }
    const nowhere = get('/nowhere', CLOSE).replace('GET', 'PUT');
    expect(statusesIn(await exchange(url, nowhere))).toEqual([404]);
    expect(waitsMs).toEqual([]);
  });

  test('is never taken for two', async () => {
    const { server } = await startServer();
    for (const [body, ...headers] of AMBIGUOUS) {
      const received = await exchange(server.url, get('/-/healthy', ...headers) + body);
      expect(statusesIn(received), headers.join(' ')).toEqual([400]);
    }
    const coded = `${get('/-/healthy', 'Transfer-Encoding: xchunked')}0\r\n\r\n${INSIDE}`;
    for (const sent of [coded, get('/-/healthy', CLOSE) + INSIDE])
      expect(await exchange(server.url, sent)).not.toContain('Ready.');
    const head = get('/metrics', CLOSE).replace('GET', 'HEAD');
    const answers = answersIn(await exchange(server.url, head), true);
    expect(answers.map(({ status }) => status)).toEqual([200]);
  });

  test.each<[what: string, sent: string, status: number]>([
    ['no HTTP', 'hello\r\n\r\n', 400],
    ['no host', 'GET / HTTP/1.1\r\n\r\n', 400],
    ['a wish to speak another', get('/-/ready', 'Connection: Upgrade, close', 'Upgrade: ws'), 200],
    ['a head that is large', get('/-/ready', CLOSE, `A: ${'b'.repeat(15_000)}`), 200],
    ['a head that is too large', get('/-/ready', `A: ${'b'.repeat(17_000)}`), 431],
    ['five hundred headers', get('/-/ready', CLOSE, ...Array<string>(500).fill('a:')), 200],
  ])('with %s is answered once, and not logged', async (_, sent, status) => {
    const { server, log } = await startServer();
    const socket = await connectTo(server.url);
    // No more of it than shows that it is too large: what is sent after the answer breaks the connection.
    socket.write(sent.slice(0, 2 * SERVER_LIMITS.maxHeaderSize), 'latin1');
    const statuses = (await allOf(socket)).matchAll(/^HTTP\/1\.1 (\d+) /gm);
    expect([...statuses].map(([, each]) => Number(each))).toEqual([status]);
    expect(log.lines).toEqual([]);
  });

  test.each(['', 'GET / HTTP/1.1\r\nHost:'])(
    'of which only %j comes is answered with 408, with 400 if it ends so',
    async (sent) => {
      const { server, log } = await startServer(
        {},
        { limits: { headersTimeout: 50, connectionsCheckingInterval: 50 } },
      );
      expect(statusesIn(await exchange(server.url, sent))).toEqual([408]);
      const ended = await connectTo(server.url, true);
      ended.end(sent);
      expect(statusesIn(await allOf(ended))).toEqual(sent === '' ? [] : [400]);
      expect(log.lines).toEqual([]);
    },
  );

  test.each([
    ['a long body', ['Content-Length: 100000'], 'a'.repeat(100_000)],
    ['a body of unknown length', ['Transfer-Encoding: chunked'], '3\r\nabc\r\n0\r\n\r\n'],
    ['a body that holds a request', [`Content-Length: ${INSIDE.length}`], INSIDE],
  ])('with %s is answered without it, as is the next one', async (_, headers, body) => {
    const { server } = await startServer();
    const socket = await connectTo(server.url);
    socket.write(get('/metrics', ...headers));
    const received = allOf(socket);
    // The answer does not wait for the body.
    await once(socket, 'data');
    socket.write(body + get('/-/healthy', CLOSE));
    const bodies = answersIn(await received).map((answer) => answer.body);
    expect(bodies).toEqual([PAGE_TEXT, 'Healthy.\n']);
  });
});

test(
  'whatever a client asks is answered, never with an internal error',
  { timeout: FUZZ_TIMEOUT_MS },
  async () => {
    const { server, log } = await startServer();
    const parts = ['/', '//', '/probe', '/metrics', '/sd', '?', 'target=', '1001', '&', '=', '%'];
    const odd = ['%ff', '%00', '#', '..', '[', ']', ':', '@', '*', 'http://', 'HTTPS://', ';', '+'];
    const joined = fc.array(fc.constantFrom(...parts, ...odd), { minLength: 1, maxLength: 8 });
    const origin = fc.constantFrom('http://[', 'http://a:b', 'http://x', '');
    const target = fc.oneof(
      joined.map((all) => all.join('')),
      fc.tuple(origin, hostileText).map(([from, text]) => `${from}/probe?target=${text}`),
    );
    const method = fc.constantFrom('GET', 'HEAD', 'POST', 'OPTIONS', 'TRACE');
    const names = ['accept-encoding', 'x-prometheus-scrape-timeout-seconds', 'authorization'];
    const header = fc.tuple(fc.constantFrom(...names), hostileText);
    const property = fc.asyncProperty(method, target, header, async (verb, path, [name, value]) => {
      // Only what Node.js lets into a line and a header reaches the routes.
      const line = path.replaceAll(/[^\x21-\x7e]/g, '');
      const field = `${name}: ${value.replaceAll(/[^\t\x20-\x7e]/g, '')}`;
      const answer = await exchange(server.url, get(line, CLOSE, field).replace('GET', verb));
      expect(answer).toMatch(/^HTTP\/1\.1 (?:200|400|403|404|405|431|503) /);
    });
    await holdsInTime(property);
    expect(log.messages('error')).toEqual([]);
  },
);
