import { METHODS } from 'node:http';
import { expect, test } from 'vitest';
import { answersIn, CLOSE, exchange, get, statusesIn } from './abuse-client.ts';
import { startAbused } from './abused-exporter.ts';

/** What a request for each target is answered with; targets go out byte by byte. */
const TARGETS: Readonly<Record<number, readonly string[]>> = {
  200: [
    '/metrics',
    '/metrics?x',
    '/metrics?',
    '/metrics?/../../etc/passwd',
    `/metrics?${'x'.repeat(15_000)}`,
    'http://exporter/metrics',
    'http://exporter:1/metrics',
    'http://user:password@exporter/metrics',
    'http:///metrics',
  ],
  404: [
    '/metrics/',
    '//metrics',
    '/./metrics',
    '/x/../metrics',
    '/%6Detrics',
    '/metrics%00',
    '/metrics#x',
    '/metrics;x',
    '/METRICS',
    '/..%2f..%2fetc/passwd',
    '/../../etc/passwd',
    '/assets/../cli.js',
    '/assets/..%2fcli.js',
    '//other.example/metrics',
    '/-/healthy/../ready',
    '/__proto__',
    '/constructor',
    '*',
    `/${'a'.repeat(8000)}`,
  ],
  431: [`/${'a'.repeat(16 * 1024)}`, `/metrics?${'x'.repeat(16 * 1024)}`],
  400: [
    'exporter:80',
    'metrics',
    '\\metrics',
    'javascript:alert(1)',
    '',
    '/metrics\0',
    '/met\0rics',
    '/metrics x',
    '/metrics\tx',
    '/m\u00e9trics',
    '/\u00ff',
  ],
};

/** Bodies hold a request, which is never to be answered. */
const INSIDE = get('/-/ready');

/** Header lines by which two readers could see different lengths, and the body after them. */
const AMBIGUOUS: readonly (readonly [body: string, ...headers: readonly string[]])[] = [
  [INSIDE, 'Content-Length: 0', `Content-Length: ${INSIDE.length}`],
  ['abc', 'Content-Length: 3', 'Content-Length: 3'],
  ['abc', 'Content-Length: 3, 3'],
  ['abc', 'Content-Length: +3'],
  ['abc', 'Content-Length: -3'],
  ['abc', 'Content-Length: 0x3'],
  ['abc', `Content-Length: ${'9'.repeat(40)}`],
  [`0\r\n\r\n${INSIDE}`, 'Content-Length: 5', 'Transfer-Encoding: chunked'],
  [`0\r\n\r\n${INSIDE}`, 'Transfer-Encoding : chunked'],
  ['abc', 'Content-Length: 3', ' 4'],
];

/** Codings that are chunks or not, depending on who reads. */
const CODINGS = ['xchunked', 'gzip, chunked', 'chunked, identity', 'identity'];

test('no target leads anywhere but to the paths that there are', async () => {
  const { url, expectServed, expectReleased } = await startAbused();
  const page = await expectServed();
  for (const [wanted, targets] of Object.entries(TARGETS))
    for (const target of targets) {
      const answers = answersIn(await exchange(url, get(target, CLOSE)));
      expect(answers.map(({ status }) => status)).toEqual([Number(wanted)]);
      const [body] = answers.map((answer) => answer.body);
      if (wanted === '200') expect(body, target).toBe(page);
      // Nothing of a target comes back.
      else expect(body, target).toBe(wanted === '404' ? 'Not found.\n' : '');
    }
  await expectServed();
  await expectReleased();
});

test('no method but GET and HEAD is served anywhere', async () => {
  const { url, expectServed, expectReleased } = await startAbused();
  // CONNECT asks for a tunnel, and gets neither that nor an answer.
  expect(await exchange(url, 'CONNECT other.example:80 HTTP/1.1\r\nHost: a\r\n\r\n')).toBe('');
  const known = METHODS.filter((name) => !['GET', 'HEAD', 'CONNECT'].includes(name));
  expect(known.length).toBeGreaterThan(25);
  for (const path of ['/metrics', '/', '/-/healthy', '/sd', '/probe', '/api/v1/status'])
    for (const method of known) {
      const [answer] = answersIn(await exchange(url, get(path, CLOSE).replace('GET', method)));
      expect(answer?.status, `${method} ${path}`).toBe(405);
      expect(answer?.head, `${method} ${path}`).toMatch(/^allow: GET, HEAD$/im);
    }
  for (const method of ['NONSENSE', 'get', 'G', 'GETGET', '\0', '', ' GET', 'G\u00c9T']) {
    const sent = get('/metrics', CLOSE).replace('GET', method);
    expect(statusesIn(await exchange(url, sent)), method).toEqual([400]);
  }
  await expectServed();
  await expectReleased();
});

test('HEAD is answered with a head alone, also when another request follows', async () => {
  const { url, expectServed, expectReleased } = await startAbused();
  const page = await expectServed();
  const heads = [get('/metrics'), get('/metrics', CLOSE)].join('').replaceAll('GET', 'HEAD');
  const answers = answersIn(await exchange(url, heads), true);
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  for (const { head } of answers)
    expect(head).toMatch(new RegExp(`^content-length: ${Buffer.byteLength(page)}$`, 'im'));
  await expectServed();
  await expectReleased();
});

test('no request is taken for two', async () => {
  const { url, expectServed, expectReleased } = await startAbused();
  for (const [body, ...headers] of AMBIGUOUS) {
    const received = await exchange(url, get('/-/healthy', ...headers) + body);
    expect(statusesIn(received), headers.join(' ')).toEqual([400]);
  }
  for (const coding of CODINGS) {
    const sent = `${get('/-/healthy', `Transfer-Encoding: ${coding}`)}0\r\n\r\n${INSIDE}`;
    const bodies = answersIn(await exchange(url, sent)).map(({ body }) => body);
    expect(bodies, coding).not.toContain('Ready.\n');
  }
  expect(statusesIn(await exchange(url, get('/metrics', CLOSE) + INSIDE))).toEqual([200]);
  await expectServed();
  await expectReleased();
});

test('other protocols are not spoken', async () => {
  const { url, expectServed, expectReleased } = await startAbused();
  const upgrade = get('/-/healthy', 'Connection: Upgrade, close', 'Upgrade: websocket');
  expect(statusesIn(await exchange(url, upgrade))).toEqual([200]);
  const openings = [
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    '\u0016\u0003\u0001\u0002\u0000',
    'SSH-2.0-x\r\n',
  ];
  for (const sent of openings) expect(statusesIn(await exchange(url, sent)), sent).toEqual([400]);
  await expectServed();
  await expectReleased();
});
