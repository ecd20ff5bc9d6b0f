import { createServer, request as ask } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { identity } from '../support/tls-harness.ts';
import { FakeProcess } from './commands/fake-process.ts';
import { openHouse } from './house.ts';

const SECRET = 'planted-password';

/** Listens on a free port of the loopback until the test ends. */
async function listen(server: ReturnType<typeof createServer>): Promise<number> {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => open.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    for (const socket of open) socket.destroy();
  });
  return (server.address() as AddressInfo).port;
}

/** A proxy that passes on to these ports, or answers everything with this status. */
async function startProxy(ports: {
  readonly http?: number;
  readonly tls?: number;
  status?: number;
}) {
  /** What it was asked to do. */
  const seen: string[] = [];
  const credentials = new Set<string | undefined>();
  const server = createServer((incoming, response) => {
    const url = new URL(incoming.url ?? '');
    seen.push(`${incoming.method ?? ''} ${url.origin}`);
    credentials.add(incoming.headers['proxy-authorization']);
    if (ports.status !== undefined) {
      response.writeHead(ports.status).end();
      return;
    }
    const { method, headers } = incoming;
    const path = url.pathname + url.search;
    const onward = ask({ port: ports.http, host: '127.0.0.1', path, method, headers });
    onward.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    incoming.pipe(onward);
  });
  server.on('connect', (incoming, socket: Socket) => {
    seen.push(`CONNECT ${incoming.url ?? ''}`);
    credentials.add(incoming.headers['proxy-authorization']);
    if (ports.status !== undefined) {
      socket.end(`HTTP/1.1 ${ports.status} No\r\n\r\n`);
      return;
    }
    const onward = connect(ports.tls ?? 0, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connected\r\n\r\n');
      socket.pipe(onward).pipe(socket);
    });
    for (const end of [socket, onward]) end.on('error', () => undefined);
  });
  return { url: `127.0.0.1:${await listen(server)}`, seen, credentials };
}

/** An exporter before a service that only a proxy finds, by http or through a tunnel. */
async function openBehind(
  scheme: 'http' | 'https',
  env: (proxy: string) => Readonly<Record<string, string>>,
  setup: { readonly host?: string; readonly status?: number } = {},
) {
  const ports: { http?: number; tls?: number; status?: number } = {};
  if (setup.status !== undefined) ports.status = setup.status;
  const proxy = await startProxy(ports);
  for (const [name, value] of Object.entries(env(proxy.url))) vi.stubEnv(name, value);
  // Only the way is of interest, and the certificate is of the fixtures.
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
  const host = setup.host ?? 'solar.example';
  const house = await openHouse({}, { flags: { 'base-url': `${scheme}://${host}` } });
  ports.http = Number(new URL(house.serviceUrl).port);
  const port = ports.http;
  const unwrapping = createTlsServer(identity('server-rsa'), (socket) => {
    const onward = connect(port, '127.0.0.1');
    socket.pipe(onward).pipe(socket);
    for (const end of [socket, onward]) end.on('error', () => undefined);
  });
  ports.tls = await listen(unwrapping as never);
  return { ...proxy, house };
}

describe('a proxy of the environment', () => {
  test.each<[name: string, scheme: 'http' | 'https', way: string]>([
    ['HTTP_PROXY', 'http', 'http://solar.example'],
    ['HTTPS_PROXY', 'https', 'CONNECT solar.example:443'],
    ['https_proxy', 'https', 'CONNECT solar.example:443'],
    // As every program reads them that has no other for https.
    ['HTTP_PROXY', 'https', 'CONNECT solar.example:443'],
  ])('named by %s is on the way to %s', async (name, scheme, way) => {
    const { house, seen } = await openBehind(scheme, (proxy) => ({ [name]: `http://${proxy}` }));
    expect((await house.scrape()).value('solar_up')).toBe(1);
    expect(new Set(seen.map((line) => line.replace(/^(?:GET|POST) /, '')))).toEqual(new Set([way]));
  });

  test('is given the user and the password of its address, and nobody else is', async () => {
    const { house, credentials } = await openBehind('http', (proxy) => ({
      HTTP_PROXY: `http://planted-user:${SECRET}@${proxy}`,
    }));
    const { text } = await house.scrape();
    const encoded = Buffer.from(`planted-user:${SECRET}`).toString('base64');
    expect([...credentials]).toEqual([`Basic ${encoded}`]);
    expect(house.requests.length).toBeGreaterThan(0);
    expect(text + JSON.stringify(house.log.lines)).not.toContain(SECRET);
  });

  test.each(['example.org,127.0.0.1', '*'])(
    'is left aside for what NO_PROXY=%s names',
    async (names) => {
      const proxy = await startProxy({});
      vi.stubEnv('HTTP_PROXY', `http://${proxy.url}`);
      vi.stubEnv('NO_PROXY', names);
      const house = await openHouse();
      expect((await house.scrape()).value('solar_up')).toBe(1);
      expect(proxy.seen).toEqual([]);
    },
  );

  test.each([
    ['http', 'HTTP_PROXY', 407, 'HTTP 407'],
    ['https', 'HTTPS_PROXY', 407, 'the proxy answered HTTP 407'],
  ] as const)('that refuses %s by %s with %i blames no credentials', async (...row) => {
    const [scheme, name, status, says] = row;
    const env = (proxy: string) => ({ [name]: `http://planted-user:${SECRET}@${proxy}` });
    const { house } = await openBehind(scheme, env, { status });
    const page = await house.scrape();
    expect(page.requests('stations', 'SERVICE_BLOCKED')).toBe(1);
    expect(page.value('solar_reauthentication_required')).toBe(0);
    const said = house.log.lines.map(({ fields }) => String(fields['err']));
    expect(said.join('\n')).toContain(says);
    expect(JSON.stringify(house.log.lines) + page.text).not.toContain(SECRET);
  });

  test('that is not there is told as what cannot be reached', async () => {
    vi.stubEnv('HTTP_PROXY', 'http://127.0.0.1:1');
    const page = await (await openHouse()).scrape();
    expect(page.requests('stations', 'SERVICE_UNREACHABLE')).toBe(1);
  });

  test.each(['HTTP_PROXY', 'HTTPS_PROXY'])('with no address in %s is refused', async (name) => {
    vi.stubEnv(name, `nonsense:${SECRET}`);
    const shell = new FakeProcess();
    shell.env = { SOLAR_ACCESS_TOKEN: 'made-up' };
    expect(await shell.run('check')).toEqual({
      status: 2,
      out: '',
      complaints:
        'solar-exporter: HTTPS_PROXY, HTTP_PROXY: not the address of a proxy; accepted: http://HOST:PORT or https://HOST:PORT\n',
    });
  });

  test('is not asked by the demo for its own service', async () => {
    vi.stubEnv('HTTP_PROXY', 'http://127.0.0.1:1');
    const shell = new FakeProcess();
    shell.env = {
      SOLAR_WEB_LISTEN_ADDRESS: '127.0.0.1:0',
      SOLAR_SIMULATOR_LISTEN_ADDRESS: '127.0.0.1:0',
    };
    const running = shell.run('demo');
    const page = await (await fetch(new URL('/metrics', await shell.listening()))).text();
    shell.requestStop();
    await running;
    expect(page).toMatch(/^solar_up\{.*\} 1$/m);
  });
});

test.each<[given: string, flags: Readonly<Record<string, string>>, sent: RegExp]>([
  ['nothing', {}, /^solar-exporter\/\d+\.\d+\.\d+\S*$/],
  [
    'a name',
    { 'request.user-agent': ' Garage (owner@example.org) ' },
    /^Garage \(owner@example\.org\)$/,
  ],
])('requests name their sender, where %s is given', async (_given, flags, sent) => {
  const house = await openHouse({}, { flags });
  await house.scrape();
  for (const { headers } of house.requests) expect(headers['user-agent']).toMatch(sent);
});

test.each(['a\nb', 'a'.repeat(201)])('no sender has the name %j', async (name) => {
  const shell = new FakeProcess();
  shell.env = { SOLAR_ACCESS_TOKEN: 'made-up' };
  const { status, complaints } = await shell.run('check', `--request.user-agent=${name}`);
  expect(status).toBe(2);
  expect(complaints).toMatch(/^solar-exporter: --request\.user-agent: .*; accepted: [^\n]*\n$/);
});
