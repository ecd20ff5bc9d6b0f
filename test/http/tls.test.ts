import { once } from 'node:events';
import { request } from 'node:https';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import type { ConnectionOptions } from 'node:tls';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { Page } from '../../src/metrics/page.ts';
import { deferred } from '../support/deferred.ts';
import { PAGE_TEXT, startServer } from './running-server.ts';
import {
  askOver,
  identity,
  openConfig,
  shakeHands,
  startSecured,
  tlsSection,
} from './tls-harness.ts';

/** Whether a client with these options is served. */
async function isServed(url: string, options: ConnectionOptions = {}): Promise<boolean> {
  try {
    return (await askOver(await shakeHands(url, options))) === 'HTTP/1.1 200 OK';
  } catch {
    return false;
  }
}

function getOver(url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    request(`${url}/metrics`, { rejectUnauthorized: false, agent: false }, (response) => {
      text(response).then(resolve, reject);
    })
      .once('error', reject)
      .end();
  });
}

describe('a server with a certificate', () => {
  test.each(['server-rsa', 'server-ec'])(
    'answers over TLS as it does without (%s)',
    async (name) => {
      const { server } = await startSecured(tlsSection('', name));
      expect(server.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
      expect(await getOver(server.url)).toBe(PAGE_TEXT);
    },
  );

  test('keeps a connection for many requests', async () => {
    const { server } = await startSecured(tlsSection());
    const socket = await shakeHands(server.url);
    expect(await askOver(socket)).toBe('HTTP/1.1 200 OK');
    expect(await askOver(socket)).toBe('HTTP/1.1 200 OK');
  });

  test('closes on who speaks plain HTTP, and tells it at debug level alone', async () => {
    const { server, log } = await startSecured(tlsSection());
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    socket.on('error', () => undefined);
    socket.resume();
    socket.write('GET / HTTP/1.1\r\nHost: exporter\r\n\r\n');
    await once(socket, 'close');
    await vi.waitFor(() => expect(log.lines).toHaveLength(1));
    expect(log.lines).toMatchObject([{ level: 'debug', message: 'TLS handshake failed' }]);
    expect(await isServed(server.url)).toBe(true);
  });

  test('lets go of who never shakes hands', async () => {
    const { server } = await startSecured(tlsSection(), { limits: { handshakeTimeoutMs: 20 } });
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    await once(socket, 'close');
  });

  test('agrees on HTTP/1.1 with a client that offers more', async () => {
    const { server } = await startSecured(tlsSection());
    const socket = await shakeHands(server.url, { ALPNProtocols: ['h2', 'http/1.1'] });
    expect(socket.alpnProtocol).toBe('http/1.1');
  });

  test('stops without waiting for open connections, spoken on or not', async () => {
    const { server } = await startSecured(tlsSection());
    const kept = await shakeHands(server.url);
    await askOver(kept);
    const silent = connect(Number(new URL(server.url).port), '127.0.0.1');
    await once(silent, 'connect');
    await isServed(server.url);
    const closed = Promise.all([once(kept, 'close'), once(silent, 'close')]);
    await server.stop();
    await closed;
  });

  test('answers the request under way in full when it stops', async () => {
    const page = deferred<Page>();
    const asked = deferred<undefined>();
    const { webConfig } = await openConfig(tlsSection());
    const scrape = () => {
      asked.resolve(undefined);
      return page.promise;
    };
    const { server } = await startServer({ scrape }, { webConfig });
    const answer = getOver(server.url);
    await asked.promise;
    const stopped = server.stop();
    const long = PAGE_TEXT.repeat(100_000);
    page.resolve(new Page(long));
    expect(await answer).toBe(long);
    await stopped;
  });
});

describe('what a client has to show', () => {
  const ca = 'client_ca_file: client-ca.pem';
  test.each([
    { type: 'NoClientCert', none: true, stranger: true, good: true, wrongUse: true },
    { type: 'RequestClientCert', none: true, stranger: true, good: true, wrongUse: true },
    { type: 'RequireAnyClientCert', none: false, stranger: true, good: true, wrongUse: true },
    { type: 'RequireClientCert', none: false, stranger: true, good: true, wrongUse: true },
    { type: 'VerifyClientCertIfGiven', more: ca, none: true, stranger: false, good: true },
    { type: 'RequireAndVerifyClientCert', more: ca, none: false, stranger: false, good: true },
  ])('is as $type says', async ({ type, more = '', none, stranger, good, wrongUse = false }) => {
    const { server, log } = await startSecured(tlsSection(`client_auth_type: ${type}\n${more}`));
    for (const maxVersion of ['TLSv1.3', 'TLSv1.2'] as const) {
      const served = {
        none: await isServed(server.url, { maxVersion }),
        stranger: await isServed(server.url, { maxVersion, ...identity('stranger') }),
        good: await isServed(server.url, { maxVersion, ...identity('client') }),
        wrongUse: await isServed(server.url, { maxVersion, ...identity('wrong-use') }),
      };
      expect(served, maxVersion).toEqual({ none, stranger, good, wrongUse });
    }
    expect(log.lines.filter(({ level }) => level !== 'debug')).toEqual([]);
  });

  test.each([
    { type: 'RequireAnyClientCert', more: '' },
    { type: 'RequireAndVerifyClientCert', more: ca },
  ])('counts with $type for who resumes a session as well', async ({ type, more }) => {
    const { server } = await startSecured(tlsSection(`client_auth_type: ${type}\n${more}`));
    const kept: Buffer[] = [];
    const socket = await shakeHands(server.url, identity('client'));
    socket.on('session', (session) => kept.push(session));
    await askOver(socket);
    await vi.waitFor(() => expect(kept).not.toEqual([]));
    const again = await shakeHands(server.url, { ...identity('client'), session: kept[0] });
    expect(again.isSessionReused()).toBe(true);
    expect(await askOver(again)).toBe('HTTP/1.1 200 OK');
  });
});

describe('the limits of TLS', () => {
  const old = { ciphers: 'DEFAULT:@SECLEVEL=0' };
  test.each([
    { rules: '', versions: ['TLSv1.2', 'TLSv1.3'] },
    { rules: 'min_version: TLS13', versions: ['TLSv1.3'] },
    { rules: 'max_version: TLS12', versions: ['TLSv1.2'] },
    { rules: 'min_version: TLS10', versions: ['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'] },
    { rules: 'min_version: TLS11\nmax_version: TLS11', versions: ['TLSv1.1'] },
    {
      rules: 'cipher_suites: [TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384]',
      versions: ['TLSv1.2', 'TLSv1.3'],
    },
    { rules: 'cipher_suites: [TLS_AES_128_GCM_SHA256]', versions: ['TLSv1.3'] },
  ])('with "$rules" are the versions $versions', async ({ rules, versions }) => {
    const { server } = await startSecured(tlsSection(rules));
    const agreed: string[] = [];
    for (const version of ['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'] as const) {
      const asked = { ...old, minVersion: version, maxVersion: version };
      if (await isServed(server.url, asked)) agreed.push(version);
    }
    expect(agreed).toEqual(versions);
  });

  test('are the cipher suites that are named', async () => {
    const suites = 'cipher_suites: [TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384]\nmax_version: TLS12';
    const { server } = await startSecured(tlsSection(suites));
    const socket = await shakeHands(server.url);
    expect(socket.getCipher().name).toBe('ECDHE-RSA-AES256-GCM-SHA384');
    expect(await isServed(server.url, { ciphers: 'ECDHE-RSA-AES128-GCM-SHA256' })).toBe(false);
  });

  test.each([
    { prefers: true, agreed: 'ECDHE-RSA-AES256-GCM-SHA384' },
    { prefers: false, agreed: 'ECDHE-RSA-AES128-GCM-SHA256' },
  ])('are chosen by the server: $prefers', async ({ prefers, agreed }) => {
    const suites = 'TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384, TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256';
    const { server } = await startSecured(
      tlsSection(`cipher_suites: [${suites}]\nprefer_server_cipher_suites: ${prefers}`),
    );
    const socket = await shakeHands(server.url, {
      maxVersion: 'TLSv1.2',
      ciphers: 'ECDHE-RSA-AES128-GCM-SHA256:ECDHE-RSA-AES256-GCM-SHA384',
    });
    expect(socket.getCipher().name).toBe(agreed);
  });

  test('are the curves that are named', async () => {
    const { server } = await startSecured(tlsSection('curve_preferences: [CurveP384, CurveP521]'));
    expect(await isServed(server.url, { ecdhCurve: 'P-384' })).toBe(true);
    expect(await isServed(server.url, { ecdhCurve: 'X25519' })).toBe(false);
  });
});

describe('a change of the file', () => {
  test('is for new connections: TLS comes and goes while the server listens', async () => {
    const { server, change, ask, webConfig } = await startSecured('');
    expect(server.url).toMatch(/^http:/);
    expect((await ask('/-/healthy')).status).toBe(200);
    expect(await isServed(server.url)).toBe(false);
    change(tlsSection());
    const kept = await shakeHands(server.url);
    expect(await askOver(kept)).toBe('HTTP/1.1 200 OK');
    change('');
    // Only on request: a file that is being written is empty, too.
    expect(await isServed(server.url)).toBe(true);
    webConfig.reload();
    expect(await isServed(server.url)).toBe(false);
    expect(await askOver(kept)).toBe('HTTP/1.1 200 OK');
  });

  test('brings another certificate', async () => {
    const { server, change } = await startSecured(tlsSection());
    expect((await shakeHands(server.url)).getPeerCertificate().subject.CN).toBe('test server-rsa');
    change(tlsSection('', 'server-ec'));
    expect((await shakeHands(server.url)).getPeerCertificate().subject.CN).toBe('test server-ec');
  });

  test('that is no good changes nothing', async () => {
    const { server, change, log } = await startSecured(tlsSection());
    change(tlsSection('min_version: TLS9'));
    expect(await isServed(server.url)).toBe(true);
    expect(log.messages('warn')).toHaveLength(1);
  });
});
