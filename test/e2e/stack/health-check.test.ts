import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readText } from '../../stack/repository.ts';
import { RunningProcess } from '../../support/running-process.ts';
import { startServer } from '../../support/running-server.ts';
import { identity, startSecured, tlsSection } from '../../support/tls-harness.ts';

const [, command = '[]'] = /^HEALTHCHECK .*CMD (\[.*\])$/m.exec(readText('Dockerfile')) ?? [];
const [node, script = '', timeoutMs = ''] = JSON.parse(command) as readonly string[];

/** Runs the health check of the image where the exporter of the container would listen. */
async function check(listenAddress: string, patienceMs = timeoutMs) {
  const env = { SOLAR_WEB_LISTEN_ADDRESS: listenAddress };
  const program = new RunningProcess(process.execPath, [script, patienceMs], env);
  const { status } = await program.exited;
  expect(program.stdout).toBe('');
  return { status, said: program.stderr };
}

const HEALTHY = { status: 0, said: '' };
const unhealthy = (why: string) => ({ status: 1, said: `unhealthy: ${why}\n` });

/** How a connection ends that is not served is up to the moment. */
const NO_ANSWER = {
  status: 1,
  said: expect.stringMatching(/^unhealthy: no answer: E\w+\n$/) as string,
};

/** The address at which a server listens, or used to. */
async function listening(server: Server, host = '127.0.0.1'): Promise<string> {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => open.add(socket.on('error', () => undefined)));
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

const addressOf = (url: string): string => new URL(url).host;

test('gives up in words before the engine ends it', () => {
  const [, seconds] = /^HEALTHCHECK .*--timeout=(\d+)s/m.exec(readText('Dockerfile')) ?? [];
  expect(node).toBe('node');
  expect(Number(timeoutMs)).toBeLessThan(Number(seconds) * 1000);
});

describe('an exporter is healthy', () => {
  test('that answers', async () => {
    const { server } = await startServer();
    expect(await check(addressOf(server.url))).toEqual(HEALTHY);
  });

  test('that answers over TLS, whatever its certificate names', async () => {
    const { server } = await startSecured(tlsSection());
    expect(await check(addressOf(server.url))).toEqual(HEALTHY);
  });

  test.each([{ tls: '' }, { tls: tlsSection() }])(
    'that asks for a password: with "$tls"',
    async ({ tls }) => {
      const hash = `$2y$10$${'a'.repeat(53)}`;
      const { server } = await startSecured(`${tls}basic_auth_users:\n  prometheus: ${hash}\n`);
      expect(await check(addressOf(server.url))).toEqual(HEALTHY);
    },
  );

  test.each([
    { type: 'NoClientCert' },
    { type: 'RequestClientCert' },
    { type: 'RequireAnyClientCert' },
    { type: 'VerifyClientCertIfGiven', more: '\nclient_ca_file: client-ca.pem' },
    { type: 'RequireAndVerifyClientCert', more: '\nclient_ca_file: client-ca.pem' },
  ])('whose client_auth_type is $type', async ({ type, more = '' }) => {
    const results = ['TLS12', 'TLS13'].map(async (version) => {
      const rules = `client_auth_type: ${type}\nmin_version: ${version}\nmax_version: ${version}`;
      const { server } = await startSecured(tlsSection(rules + more));
      return check(addressOf(server.url));
    });
    expect(await Promise.all(results)).toEqual([HEALTHY, HEALTHY]);
  });
});

describe('a server is not healthy', () => {
  const answering =
    (status: number): RequestListener =>
    (_, response) =>
      response.writeHead(status).end();

  test.each([500, 503, 404, 302])('that answers %i', async (status) => {
    const servers = [
      createHttpServer(answering(status)),
      createHttpsServer(identity('server-rsa'), answering(status)),
    ];
    const results = servers.map(async (server) => check(await listening(server)));
    const said = unhealthy(`it answers ${status}`);
    expect(await Promise.all(results)).toEqual([said, said]);
  });

  test.each<{ readonly what: string; readonly onConnection: (socket: Socket) => void }>([
    { what: 'resets every connection', onConnection: (socket) => socket.resetAndDestroy() },
    { what: 'closes every connection', onConnection: (socket) => socket.destroy() },
    {
      what: 'closes when it is asked',
      onConnection: (socket) => socket.once('data', () => socket.destroy()),
    },
  ])('that $what', async ({ onConnection }) => {
    expect(await check(await listening(createServer(onConnection)))).toEqual(NO_ANSWER);
  });

  test('that shakes hands and then closes', async () => {
    const server = createHttpsServer(identity('server-rsa'));
    server.removeAllListeners('secureConnection');
    server.on('secureConnection', (socket: Socket) => socket.destroy());
    expect(await check(await listening(server))).toEqual(NO_ANSWER);
  });

  test('that never answers: the check ends by its own time-out', async () => {
    const servers = [createServer(), createHttpsServer(identity('server-rsa'), () => undefined)];
    const results = servers.map(async (server) => check(await listening(server), '300'));
    const said = unhealthy('no answer within 300 ms');
    expect(await Promise.all(results)).toEqual([said, said]);
  });

  test('that is none: its port is closed', async () => {
    const server = createServer();
    const address = await listening(server);
    await new Promise((resolve) => server.close(resolve));
    expect(await check(address)).toEqual(unhealthy('no answer: ECONNREFUSED'));
  });

  test('that speaks something else', async () => {
    const server = createServer((socket) => socket.end('220 mail.example.org ESMTP\r\n'));
    expect(await check(await listening(server))).toEqual(NO_ANSWER);
  });
});

describe('the address that the exporter listens on', () => {
  const answer: RequestListener = (_, response) => response.end();
  const portOf = (address: string): string => address.slice(address.lastIndexOf(':'));

  test.each(['', '0.0.0.0', '[::]'])('is asked over loopback when it is "%s"', async (host) => {
    const port = portOf(await listening(createHttpServer(answer)));
    expect(await check(host + port)).toEqual(HEALTHY);
  });

  test('is asked over IPv6 where nothing listens on IPv4', async () => {
    const address = await listening(createHttpServer(answer), '::1');
    expect(await check(address)).toEqual(HEALTHY);
    expect(await check(portOf(address))).toEqual(HEALTHY);
  });

  test('is asked itself when it is another one than that of loopback', async () => {
    const address = await listening(createHttpServer(answer), '127.0.0.2');
    expect(await check(address)).toEqual(HEALTHY);
    expect(await check(`127.0.0.1${portOf(address)}`)).toMatchObject({ status: 1 });
  });
});
