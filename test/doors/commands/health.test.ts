import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { hashSync } from 'bcryptjs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { askHealth } from '../../../src/http/ask-health.ts';
import { readText } from '../../support/repository.ts';
import { identity, pem, startSecured, tlsSection } from '../../support/tls-harness.ts';
import { FakeProcess } from './fake-process.ts';

const USERS = `basic_auth_users: {prometheus: "${hashSync('right', 4)}"}\n`;
const CLIENTS = 'client_auth_type: RequireAndVerifyClientCert\nclient_ca_file: client-ca.pem';

/** Runs the command with this configuration, in a process of its own. */
function check(listenAddress: string, webConfig?: string, more: readonly string[] = []) {
  const shell = new FakeProcess();
  const names = ['server-rsa.pem', 'server-rsa.key', 'client-ca.pem'];
  shell.files = {
    'web.yml': webConfig ?? '',
    ...Object.fromEntries(names.map((name) => [name, pem(name)])),
  };
  const web = webConfig === undefined ? [] : ['--web.config.file=web.yml'];
  return shell.run('health', `--web.listen-address=${listenAddress}`, ...web, ...more);
}

const HEALTHY = { status: 0, out: 'healthy\n', complaints: '' };
const unhealthy = (why: RegExp) => ({
  status: 1,
  out: '',
  complaints: expect.stringMatching(new RegExp(`^unhealthy: ${why.source}\n$`)) as string,
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

const answering =
  (status: number): RequestListener =>
  (_, response) =>
    response.writeHead(status).end();

test.each([
  ['', undefined],
  ['with users', USERS],
  ['over TLS, whatever its certificate names', `${tlsSection()}${USERS}`],
  ['that wants a certificate', tlsSection(CLIENTS)],
])('an exporter is healthy %s', async (_, webConfig) => {
  const { server } = await startSecured(webConfig ?? '');
  expect(await check(new URL(server.url).host, webConfig)).toEqual(HEALTHY);
});

test('it is asked where it listens, and needs no credentials', async () => {
  const { server } = await startSecured('');
  const shell = new FakeProcess();
  shell.env = { SOLAR_CONFIG_FILE: 'solar.yml' };
  shell.files = { 'solar.yml': `web: {listen-address: "${new URL(server.url).host}"}\n` };
  expect(await shell.run('health')).toEqual(HEALTHY);
});

test('the image gives it more time than it takes to give up', () => {
  const [, seconds, command] =
    /^HEALTHCHECK .*--timeout=(\d+)s .*CMD (\[.*\])$/m.exec(readText('Dockerfile')) ?? [];
  expect(JSON.parse(command ?? '')).toEqual(['node', 'dist/cli.js', 'health']);
  expect(Number(seconds)).toBeGreaterThan(4);
});

const SPEAKS = '220 mail.example.org ESMTP\r\n';
const secure = (listener: RequestListener): Server =>
  createHttpsServer(identity('server-rsa'), listener);

test.each<[that: string, why: RegExp, server: () => Server, isTls?: boolean]>([
  ['answers 401', /it answers 401/, () => createHttpServer(answering(401))],
  ['sends elsewhere, over TLS', /it answers 302/, () => secure(answering(302)), true],
  ['resets', /no answer: E\w+/, () => createServer((socket) => socket.resetAndDestroy())],
  ['speaks something else', /no answer: \w+/, () => createServer((socket) => socket.end(SPEAKS))],
])('a server is not healthy that %s', async (_, why, server, isTls = false) => {
  const address = await listening(server());
  expect(await check(address, isTls ? tlsSection() : undefined)).toEqual(unhealthy(why));
});

test('a server is not healthy that never answers, with and without TLS', async () => {
  for (const server of [createHttpServer(() => undefined), secure(() => undefined)]) {
    const address = await listening(server);
    const port = Number(address.slice(address.lastIndexOf(':') + 1));
    const fault = await askHealth({ host: '127.0.0.1', port }, true, 50);
    expect(fault).toBe('no answer within 50 ms');
  }
});

test('a server is not healthy whose port is closed', async () => {
  const server = createServer();
  const address = await listening(server);
  await new Promise((resolve) => server.close(resolve));
  expect(await check(address)).toEqual(unhealthy(/no answer: ECONNREFUSED/));
});

describe('the address that the exporter listens on', () => {
  test.each([
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
