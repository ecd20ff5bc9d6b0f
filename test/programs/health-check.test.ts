import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readText } from '../support/repository.ts';
import { RunningProcess } from '../support/running-process.ts';
import { identity, startSecured, tlsSection } from '../support/tls-harness.ts';

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
const unhealthy = (why: RegExp) => ({
  status: 1,
  said: expect.stringMatching(new RegExp(`^unhealthy: ${why.source}\n$`)) as string,
});

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

const addressOf = ({ server }: { readonly server: { readonly url: string } }): string =>
  new URL(server.url).host;
const answering =
  (status: number): RequestListener =>
  (_, response) =>
    response.writeHead(status).end();

test('gives up in words before the engine ends it', () => {
  const [, seconds] = /^HEALTHCHECK .*--timeout=(\d+)s/m.exec(readText('Dockerfile')) ?? [];
  expect(node).toBe('node');
  expect(Number(timeoutMs)).toBeLessThan(Number(seconds) * 1000);
});

const USERS = `basic_auth_users:\n  prometheus: $2y$10$${'a'.repeat(53)}\n`;

const certified = (version: string) =>
  tlsSection(
    `client_auth_type: RequireAndVerifyClientCert\nclient_ca_file: client-ca.pem\nmin_version: ${version}\nmax_version: ${version}`,
  );

test.each([
  ['answers', ''],
  ['answers over TLS, whatever its certificate names', tlsSection()],
  ['asks for a password', USERS],
  ['asks for a password over TLS', `${tlsSection()}${USERS}`],
  ['asks for a certificate, by TLS 1.2', certified('TLS12')],
  ['asks for a certificate, by TLS 1.3', certified('TLS13')],
])('an exporter is healthy that %s', async (_, webConfig) => {
  expect(await check(addressOf(await startSecured(webConfig)))).toEqual(HEALTHY);
});

const closesOnceShaken = (): Server => {
  const server = createHttpsServer(identity('server-rsa'));
  server.removeAllListeners('secureConnection');
  return server.on('secureConnection', (socket: Socket) => socket.destroy());
};

const SPEAKS = '220 mail.example.org ESMTP\r\n';
const secure = (listener: RequestListener): Server =>
  createHttpsServer(identity('server-rsa'), listener);

test.each<[that: string, why: RegExp, server: () => Server, patienceMs?: string]>([
  ['answers 500', /it answers 500/, () => createHttpServer(answering(500))],
  ['sends elsewhere, over TLS', /it answers 302/, () => secure(answering(302))],
  ['resets', /no answer: E\w+/, () => createServer((socket) => socket.resetAndDestroy())],
  ['shakes hands and then closes', /no answer: E\w+/, closesOnceShaken],
  ['speaks something else', /no answer: \w+/, () => createServer((socket) => socket.end(SPEAKS))],
  ['never answers over TLS', /no answer within 300 ms/, () => secure(() => undefined), '300'],
])('a server is not healthy that %s', async (_, why, server, patienceMs) => {
  expect(await check(await listening(server()), patienceMs)).toEqual(unhealthy(why));
});

test('a server is not healthy whose port is closed', async () => {
  const server = createServer();
  const address = await listening(server);
  await new Promise((resolve) => server.close(resolve));
  expect(await check(address)).toEqual(unhealthy(/no answer: ECONNREFUSED/));
});

describe('the address that the exporter listens on', () => {
  test.each([
    { listens: '127.0.0.1', asked: '' },
    { listens: '127.0.0.1', asked: '0.0.0.0' },
    { listens: '127.0.0.1', asked: '[::]' },
    { listens: '::1', asked: '' },
    { listens: '::1', asked: '[::1]' },
    { listens: '127.0.0.2', asked: '127.0.0.2' },
  ])('is asked over loopback, or itself: "$asked" for $listens', async ({ listens, asked }) => {
    const address = await listening(createHttpServer(answering(200)), listens);
    expect(await check(asked + address.slice(address.lastIndexOf(':')))).toEqual(HEALTHY);
  });

  test('is asked itself, and not loopback, when it is another one', async () => {
    const address = await listening(createHttpServer(answering(200)), '127.0.0.2');
    expect(await check(address.replace('127.0.0.2', '127.0.0.1'))).toMatchObject({ status: 1 });
  });
});
