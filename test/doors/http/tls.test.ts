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
  shakeHands,
  startSecured,
  tlsSection,
} from '../../support/tls-harness.ts';
import { eventually } from '../../support/eventually.ts';

/** Whether a client with these options is served. */
async function isServed(url: string, options: ConnectionOptions = {}): Promise<boolean> {
  try {
    return (await askOver(await shakeHands(url, options))) === 'HTTP/1.1 200 OK';
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
  test.each(['server-rsa', 'server-ec'])('answers as one without does (%s)', async (name) => {
    const { server, ask } = await startSecured(tlsSection('', name));
    expect(server.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    expect(String((await ask('/metrics')).body)).toBe(PAGE_TEXT);
  });

  test('disconnects a client that speaks plain HTTP, and logs it at debug level only', async () => {
    const { server, log } = await startSecured(tlsSection());
    expect(await exchange(server.url, get('/'))).not.toContain('HTTP/1.1 200');
    await eventually(() => expect(log.lines).toHaveLength(1));
    expect(log.lines).toMatchObject([{ level: 'debug', message: 'TLS handshake failed' }]);
    expect(await isServed(server.url)).toBe(true);
  });

  test('agrees on HTTP/1.1 with a client that offers more', async () => {
    const { server } = await startSecured(tlsSection());
    const socket = await shakeHands(server.url, { ALPNProtocols: ['h2', 'http/1.1'] });
    expect(socket.alpnProtocol).toBe('http/1.1');
  });
});

describe('a client that never shakes hands', () => {
  test('is disconnected', async () => {
    const { server } = await startSecured(tlsSection(), { limits: { handshakeTimeoutMs: 20 } });
    await once(await connectTo(server.url), 'close');
  });

  test('or resets its connection in the middle of the handshake or after it disturbs nobody', async () => {
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
  const CA = 'client_ca_file: client-ca.pem';
  const asking = (type: string) =>
    tlsSection(`client_auth_type: ${type}\n${type.includes('Verify') ? CA : ''}`);

  test.each([
    ['NoClientCert', 'none stranger client wrong-use'],
    ['RequestClientCert', 'none stranger client wrong-use'],
    ['RequireAnyClientCert', 'stranger client wrong-use'],
    ['RequireClientCert', 'stranger client wrong-use'],
    ['VerifyClientCertIfGiven', 'none client'],
    ['RequireAndVerifyClientCert', 'client'],
  ])('is as %s says: served are %s', async (type, expected) => {
    const { server, log } = await startSecured(asking(type));
    for (const maxVersion of ['TLSv1.3', 'TLSv1.2'] as const) {
      const served: string[] = [];
      for (const name of ['none', 'stranger', 'client', 'wrong-use']) {
        const shown = name === 'none' ? {} : identity(name);
        if (await isServed(server.url, { maxVersion, ...shown })) served.push(name);
      }
      expect(served.join(' '), maxVersion).toBe(expected);
    }
    expect(log.lines.filter(({ level }) => level !== 'debug')).toEqual([]);
  });

  test('is said where any certificate will do, because the handshake does not say it', async () => {
    const { server } = await startSecured(tlsSection('client_auth_type: RequireAnyClientCert'));
    for (const maxVersion of ['TLSv1.3', 'TLSv1.2'] as const) {
      const socket = await shakeHands(server.url, { maxVersion });
      socket.write('GET /metrics HTTP/1.1\r\nHost: exporter\r\n\r\n');
      const answer = await text(socket);
      expect(answer).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n/);
      expect(answer).toContain('This server asks for a client certificate.\n');
    }
  });

  // The certificate has the names localhost and 127.0.0.1.
  test.each([
    ['localhost', true],
    ['other.example, 127.0.0.1', true],
    ['LOCALHOST', false],
    ['"*", 127.0.0.2, test server-rsa, "DNS:localhost"', false],
    ['', true],
  ])('is a certificate with one of the names [%s]: %s', async (names, served) => {
    const rules = `client_auth_type: RequireAnyClientCert\nclient_allowed_sans: [${names}]`;
    const { server } = await startSecured(tlsSection(rules));
    expect(await isServed(server.url, identity('server-rsa'))).toBe(served);
    // It has no name at all.
    expect(await isServed(server.url, identity('client'))).toBe(names === '');
    expect(await isServed(server.url)).toBe(false);
  });

  test.each(['RequireAnyClientCert', 'RequireAndVerifyClientCert'])(
    'is required by %s of a client that resumes a session, too',
    async (type) => {
      const { server } = await startSecured(asking(type));
      const kept: Buffer[] = [];
      const socket = await shakeHands(server.url, identity('client'));
      socket.on('session', (session) => kept.push(session));
      await askOver(socket);
      await eventually(() => expect(kept).not.toEqual([]));
      const again = await shakeHands(server.url, { ...identity('client'), session: kept[0] });
      expect(again.isSessionReused()).toBe(true);
      expect(await askOver(again)).toBe('HTTP/1.1 200 OK');
    },
  );

  test.each(['RequireAnyClientCert', 'RequireAndVerifyClientCert'])(
    'changes to %s for new connections; those from before end with their next answer',
    async (type) => {
      const { server, change, webConfig } = await startSecured(tlsSection());
      const before = await shakeHands(server.url);
      expect(await askOver(before)).toBe('HTTP/1.1 200 OK');
      change(asking(type));
      for (const maxVersion of ['TLSv1.3', 'TLSv1.2'] as const) {
        expect(await isServed(server.url, { maxVersion })).toBe(false);
        expect(await isServed(server.url, { maxVersion, ...identity('client') })).toBe(true);
      }
      before.write('GET /-/healthy HTTP/1.1\r\nHost: exporter\r\n\r\n');
      expect(await text(before)).toMatch(
        /^HTTP\/1\.1 403 Forbidden\r\n(.+\r\n)*connection: close\r\n/i,
      );
      change(tlsSection());
      webConfig.reload();
      expect(await isServed(server.url)).toBe(true);
    },
  );
});

test('a change of the file brings another certificate, unless it is no good', async () => {
  const { server, change } = await startSecured(tlsSection());
  const nameOf = async () => (await shakeHands(server.url)).getPeerCertificate().subject.CN;
  expect(await nameOf()).toBe('test server-rsa');
  change(tlsSection('min_version: TLS9'));
  expect(await nameOf()).toBe('test server-rsa');
  change(tlsSection('', 'server-ec'));
  expect(await nameOf()).toBe('test server-ec');
});

describe('the limits of TLS', () => {
  const AES_256 = 'TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384';
  const AES_128 = 'TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256';
  const cipherOf = async (rules: string, ciphers?: string) => {
    const { server } = await startSecured(tlsSection(rules));
    const offered = ciphers === undefined ? {} : { ciphers };
    return (await shakeHands(server.url, { maxVersion: 'TLSv1.2', ...offered })).getCipher().name;
  };

  test.each([
    ['', ['TLSv1.2', 'TLSv1.3']],
    ['min_version: TLS13', ['TLSv1.3']],
    ['max_version: TLS12', ['TLSv1.2']],
    ['min_version: TLS10', ['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3']],
    ['min_version: TLS11\nmax_version: TLS11', ['TLSv1.1']],
    [`cipher_suites: [${AES_256}]`, ['TLSv1.2', 'TLSv1.3']],
    ['cipher_suites: [TLS_AES_128_GCM_SHA256]', ['TLSv1.3']],
  ])('with %j are the versions %s', async (rules, versions) => {
    const { server } = await startSecured(tlsSection(rules));
    const agreed: string[] = [];
    for (const version of ['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'] as const) {
      const asked = { minVersion: version, maxVersion: version };
      if (await isServed(server.url, { ciphers: 'DEFAULT:@SECLEVEL=0', ...asked }))
        agreed.push(version);
    }
    expect(agreed).toEqual(versions);
  });

  test('are the cipher suites that are named', async () => {
    const suites = `cipher_suites: [${AES_256}]\nmax_version: TLS12`;
    expect(await cipherOf(suites)).toBe('ECDHE-RSA-AES256-GCM-SHA384');
    await expect(cipherOf(suites, 'ECDHE-RSA-AES128-GCM-SHA256')).rejects.toThrow();
  });

  test.each([
    [true, 'ECDHE-RSA-AES256-GCM-SHA384'],
    [false, 'ECDHE-RSA-AES128-GCM-SHA256'],
  ])('are chosen in the order of the server: %s', async (prefers, agreed) => {
    const suites = `cipher_suites: [${AES_256}, ${AES_128}]`;
    const cipher = await cipherOf(
      `${suites}\nprefer_server_cipher_suites: ${prefers}`,
      'ECDHE-RSA-AES128-GCM-SHA256:ECDHE-RSA-AES256-GCM-SHA384',
    );
    expect(cipher).toBe(agreed);
  });

  test('are the curves that are named', async () => {
    const { server } = await startSecured(tlsSection('curve_preferences: [CurveP384, CurveP521]'));
    expect(await isServed(server.url, { ecdhCurve: 'P-384' })).toBe(true);
    expect(await isServed(server.url, { ecdhCurve: 'X25519' })).toBe(false);
  });
});
