import { once } from 'node:events';
import { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { connect as connectOver, type ConnectionOptions } from 'node:tls';
import { describe, expect, onTestFinished, test } from 'vitest';
import { connectTo, exchange, get } from '../../support/raw-client.ts';
import { PAGE_TEXT } from '../../support/running-server.ts';
import {
  askOver,
  identity,
  pem,
  shakeHands,
  startSecured,
  tlsSection,
} from '../../support/tls-harness.ts';
import { settled } from '../../support/deferred.ts';
import { eventually } from '../../support/eventually.ts';
import { FakeClock } from '../../support/fake-clock.ts';

const OK = 'HTTP/1.1 200 OK';

/** Whether a client with these options is served. */
async function isServed(url: string, options: ConnectionOptions = {}): Promise<boolean> {
  try {
    return (await askOver(await shakeHands(url, options))) === OK;
  } catch {
    return false;
  }
}

/** The first bytes that a client sends over TLS. */
function clientHello(): Promise<Buffer> {
  return new Promise((resolve) => {
    const socket = new Duplex({ read: () => undefined, write: (hello: Buffer) => resolve(hello) });
    const client = connectOver({ socket });
    onTestFinished(() => void client.destroy());
  });
}

describe('a server with a certificate', () => {
  test('answers as one without does, over HTTP/1.1', async () => {
    const { server, ask } = await startSecured(tlsSection());
    expect(server.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    expect(String((await ask('/metrics')).body)).toBe(PAGE_TEXT);
    const socket = await shakeHands(server.url, { ALPNProtocols: ['h2', 'http/1.1'] });
    expect(socket.alpnProtocol).toBe('http/1.1');
  });

  test('disconnects a client of plain HTTP, and logs it at debug level', async () => {
    const { server, log } = await startSecured(tlsSection());
    expect(await exchange(server.url, get('/'))).not.toContain('HTTP/1.1 200');
    await eventually(() => expect(log.lines).toHaveLength(1));
    expect(log.lines).toMatchObject([{ level: 'debug', message: 'TLS handshake failed' }]);
    expect(await isServed(server.url)).toBe(true);
  });
});

describe('a client that never shakes hands', () => {
  test('is disconnected', async () => {
    const { server } = await startSecured(tlsSection(), { limits: { handshakeTimeout: 20 } });
    await once(await connectTo(server.url), 'close');
  });

  test('or resets its connection during the handshake disturbs nobody', async () => {
    const { server, log } = await startSecured(tlsSection());
    const hello = await clientHello();
    for (let length = 0; length <= hello.length; length += 40) {
      const socket = await connectTo(server.url);
      socket.write(hello.subarray(0, length), () => socket.resetAndDestroy());
      await once(socket, 'close');
    }
    const reset = await connectTo(server.url);
    const secured = connectOver({ socket: reset, rejectUnauthorized: false });
    secured.on('error', () => undefined);
    await once(secured, 'secureConnect');
    secured.write('GET /metrics HTTP/1.1\r\nHost: exporter\r\n\r\n', () => reset.resetAndDestroy());
    await once(reset, 'close');
    expect(await isServed(server.url)).toBe(true);
    expect(log.lines.filter(({ level }) => level !== 'debug')).toEqual([]);
  });
});

describe('what a client has to show', () => {
  const asking = (type: string) =>
    tlsSection(
      `client_auth_type: ${type}\n${type === 'NoClientCert' ? '' : 'client_ca_file: client-ca.pem'}`,
    );

  test.each([
    ['NoClientCert', 'none stranger client wrong-use'],
    ['VerifyClientCertIfGiven', 'none client'],
    ['RequireAndVerifyClientCert', 'client'],
  ])('is as %s says: served are %s, and health is answered to all', async (type, expected) => {
    const { server, log } = await startSecured(asking(type));
    for (const maxVersion of ['TLSv1.3', 'TLSv1.2'] as const) {
      const served: string[] = [];
      for (const name of ['none', 'stranger', 'client', 'wrong-use']) {
        const shown = { maxVersion, ...(name !== 'none' && identity(name)) };
        const socket = await shakeHands(server.url, shown);
        if ((await askOver(socket, '/metrics')) === OK) served.push(name);
        expect(await askOver(socket), name).toBe(OK);
      }
      expect(served.join(' '), maxVersion).toBe(expected);
    }
    expect(log.lines.filter(({ level }) => level !== 'debug')).toEqual([]);
  });

  test('is said, because the handshake does not say it', async () => {
    const { server } = await startSecured(asking('RequireAndVerifyClientCert'));
    const socket = await shakeHands(server.url);
    socket.write('GET /metrics HTTP/1.1\r\nHost: exporter\r\nConnection: close\r\n\r\n');
    const answer = await text(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n/);
    expect(answer).toContain('This server asks for a client certificate that it trusts.\n');
  });

  test.each([
    ['client', OK],
    // Node.js calls it authorized.
    ['none', 'HTTP/1.1 403 Forbidden'],
  ])('is required of a client that resumes a session, too: %s', async (name, status) => {
    const { server } = await startSecured(asking('RequireAndVerifyClientCert'));
    const shown = name === 'none' ? {} : identity(name);
    const kept: Buffer[] = [];
    const socket = await shakeHands(server.url, shown);
    socket.on('session', (session) => kept.push(session));
    await askOver(socket, '/metrics');
    await eventually(() => expect(kept).not.toEqual([]));
    const again = await shakeHands(server.url, { ...shown, session: kept[0] });
    expect(again.isSessionReused()).toBe(true);
    expect(await askOver(again, '/metrics')).toBe(status);
  });
});

test('a good certificate is taken within a minute, or by a reload', async () => {
  const nameOf = async (url: string) => (await shakeHands(url)).getPeerCertificate().subject.CN;
  const clock = new FakeClock();
  const { server, change, reload, reads, ask } = await startSecured(tlsSection(), { clock });
  expect(await nameOf(server.url)).toBe('test server-rsa');
  const foreign = 'tls_server_config: {cert_file: server-rsa.pem, key_file: server-ec.key}';
  for (const text of [tlsSection('min_version: TLS9'), foreign])
    expect(() => reload(text)).toThrow(/not accepted|not the key of the certificate/);
  expect(await nameOf(server.url)).toBe('test server-rsa');
  reload(tlsSection('', 'server-ec'));
  expect(await nameOf(server.url)).toBe('test server-ec');

  change(pem('server-rsa.pem'), 'server-ec.pem');
  reads();
  clock.advance(59_999);
  await ask('/metrics');
  expect(reads()).toEqual([]);
  clock.advance(1);
  await settled();
  expect(reads()).not.toEqual([]);
  // The key is still the one of before.
  expect(await nameOf(server.url)).toBe('test server-ec');
  change(pem('server-rsa.key'), 'server-ec.key');
  clock.advance(60_000);
  await settled();
  expect(await nameOf(server.url)).toBe('test server-rsa');
});

test.each([
  ['', ['TLSv1.2', 'TLSv1.3']],
  ['min_version: TLS13', ['TLSv1.3']],
])('with %j, the versions of TLS are %s', async (rules, versions) => {
  const { server } = await startSecured(tlsSection(rules));
  const agreed: string[] = [];
  for (const version of ['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'] as const) {
    const asked = { minVersion: version, maxVersion: version };
    if (await isServed(server.url, { ciphers: 'DEFAULT:@SECLEVEL=0', ...asked }))
      agreed.push(version);
  }
  expect(agreed).toEqual(versions);
});
