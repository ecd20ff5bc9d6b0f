import { describe, expect, test } from 'vitest';
import type { ConfigError } from '../../../src/base/errors.ts';
import { readWebConfig } from '../../../src/http/web-config.ts';
import { pem, tlsSection } from '../../support/tls-harness.ts';

const HASH = `$2y$10$${'a'.repeat(53)}`;
const SUITES_OF_TLS13 =
  'TLS_AES_128_GCM_SHA256, TLS_AES_256_GCM_SHA384, TLS_CHACHA20_POLY1305_SHA256';
const OLDER_SUITES = `
  TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA, TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA,
  TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA, TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA,
  TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,
  TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256, TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
  TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256, TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256
`.replaceAll(/\s+/g, ' ');
const SUITES = `${SUITES_OF_TLS13},${OLDER_SUITES}`.trim();

/** What is no file of the fixtures, by its path. */
const FILES: Readonly<Record<string, string>> = {
  '/etc/web/junk.pem': 'junk',
  '/etc/web/broken.pem': '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n',
  '/etc/web/broken.key': '-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----\n',
  '/etc/web/old.key': '-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nMIIB\n',
  '/elsewhere/cert.pem': pem('server-ec.pem'),
  '/elsewhere/key.pem': pem('server-ec.key'),
};

function read(text: string) {
  return readWebConfig('/etc/web/web.yml', (path) =>
    path === '/etc/web/web.yml' ? text : (FILES[path] ?? pem(path.replace('/etc/web/', ''))),
  );
}

const indented = (name: string): string => `|\n${pem(name).replaceAll(/^/gm, '    ')}`;

describe('a web configuration', () => {
  const inline = `cert: ${indented('server-rsa.pem')}\n  key: ${indented('server-rsa.key')}\n  client_ca: ${indented('client-ca.pem')}`;
  const users = `{one: ${HASH}, two: ${HASH.replace('$2y$10', '$2a$04')}}`;
  const headers = '{X-Frame-Options: deny, X-XSS-Protection: "", Content-Security-Policy: }';
  const curves = '[CurveP256, CurveP384, CurveP521, X25519]';
  const sections = ['tls_server_config', 'http_server_config', 'basic_auth_users'];

  test.each<[text: string, described: string]>([
    ['', 'plain HTTP, no users'],
    ['# later\n', 'plain HTTP, no users'],
    [[...sections, 'auth_excluded_paths', ''].join(':\n'), 'plain HTTP, no users'],
    [tlsSection(), 'TLS 1.2 and newer, no users'],
    [
      'tls_server_config: {cert_file: /elsewhere/cert.pem, key_file: /elsewhere/key.pem}',
      'TLS 1.2 and newer, no users',
    ],
    [
      `tls_server_config:\n  ${inline}\n  client_auth_type: RequireAndVerifyClientCert`,
      'TLS 1.2 and newer, client certificates required, no users',
    ],
    [tlsSection('max_version: TLS12'), 'TLS 1.2, no users'],
    [
      tlsSection('min_version: TLS10\nmax_version: TLS12\nclient_auth_type: RequestClientCert'),
      'TLS 1.0 to 1.2, client certificates requested, none checked, no users',
    ],
    [
      tlsSection(`cipher_suites: [${SUITES}]\ncurve_preferences: ${curves}`),
      'TLS 1.2 and newer, no users',
    ],
    [
      `basic_auth_users: ${users}\nauth_excluded_paths: [/-/healthy]\nhttp_server_config:\n  http2: false\n  headers: ${headers}`,
      'plain HTTP, 2 users, 1 path open to all, 1 header',
    ],
    ['rate_limit: {interval: 0, burst: }', 'plain HTTP, no users'],
    ['rate_limit: {interval: 1m30.5s, burst: 20}', 'plain HTTP, no users, a request every 90.5 s'],
    [
      tlsSection(`client_auth_type: RequireAnyClientCert\nclient_allowed_sans: [prometheus]`),
      'TLS 1.2 and newer, client certificates required, none checked, no users',
    ],
  ])('may say %j', async (text, described) => {
    expect((await read(text)).access).toBe(described);
  });

  test('shows neither keys nor hashes when it is printed', async () => {
    const config = await read(`${tlsSection()}basic_auth_users: {one: ${HASH}}`);
    const printed = JSON.stringify({ ...config, users: [...config.users] });
    expect(printed).toContain('[secret]');
    expect(printed).not.toMatch(/PRIVATE KEY|\$2y/);
  });
});

describe('a mistake in a web configuration', () => {
  const FILE = '--web.config.file: "/etc/web/web.yml"';

  async function problemsOf(text: string): Promise<readonly string[]> {
    const error: unknown = await read(text).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'CONFIG_INVALID' });
    return (error as ConfigError).problems;
  }

  /** What each section may say, and the sentence about it. */
  const mistakes: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    TEXT: {
      '{': 'not YAML: missing char at line 1',
      'a: 1\na: 2\n': 'not YAML: duplicate key at line 2',
      '- a': 'is not a mapping',
      'tls_config: {}': 'tls_config: unknown key',
      '__proto__: {}': '__proto__: unknown key',
      'rate_limit: [1s]': 'rate_limit: is not a mapping',
      'rate_limit: {interval: 5}': 'rate_limit.interval: "5" is not accepted',
      'rate_limit: {interval: 1s, burst: -1}': 'rate_limit.burst: "-1" is not accepted',
      'rate_limit: {interval: 1s}':
        'rate_limit.burst: is missing or 0, which lets no request through',
      [`${HASH}: one`]: '[hidden]: unknown key',
      '"a b": one': '"a b": unknown key',
      'tls_server_config: [cert]': 'tls_server_config: is not a mapping',
      'basic_auth_users: [one]': 'basic_auth_users: is not a mapping',
      'auth_excluded_paths: /-/healthy': 'auth_excluded_paths: is not a list of texts',
      'auth_excluded_paths: [healthy]': 'auth_excluded_paths: "healthy" is not accepted',
      'auth_excluded_paths: ["/sd?a=b"]': 'auth_excluded_paths: "/sd?a=b" is not accepted',
    },
    [tlsSection('TEXT')]: {
      'certfile: x': 'certfile: unknown key',
      'client_allowed_sans: [a]':
        'client_auth_type: lets clients in without a certificate, but client_allowed_sans is given',
      'cert: x': 'cert: is given beside cert_file',
      'key: x': 'key: is given beside key_file',
      'min_version: TLS9': 'min_version: "TLS9" is not accepted',
      'min_version: [TLS12]': 'min_version: is not a text',
      // Nothing is shown that looks like a key or a hash.
      'min_version: "-----BEGIN "': 'min_version: its value is not accepted',
      [`min_version: x${HASH}`]: 'min_version: its value is not accepted',
      'min_version: "a\\nb"': 'min_version: its value is not accepted',
      'max_version: TLS11': 'max_version: "TLS11" is older than min_version, which is "TLS12"',
      'cipher_suites: RC4': 'cipher_suites: is not a list of texts',
      'cipher_suites: [{a: b}]': 'cipher_suites: is not a text',
      'cipher_suites: [TLS_RSA_RC4]': 'cipher_suites: "TLS_RSA_RC4" is not accepted',
      'cipher_suites: [TLS_AES_128_GCM_SHA256]\n  max_version: TLS12':
        'cipher_suites: names no suite for max_version, which is "TLS12"',
      'prefer_server_cipher_suites: yes': 'prefer_server_cipher_suites: "yes" is not accepted',
      'curve_preferences: [P-256]': 'curve_preferences: "P-256" is not accepted',
      'client_auth_type: Always': 'client_auth_type: "Always" is not accepted',
      'client_ca_file: client-ca.pem':
        'client_auth_type: asks no client for a certificate, but a client_ca is given',
      'client_auth_type: RequireAndVerifyClientCert':
        'client_auth_type: RequireAndVerifyClientCert has nobody to trust',
      'client_auth_type: VerifyClientCertIfGiven':
        'client_auth_type: VerifyClientCertIfGiven has nobody to trust',
    },
    [tlsSection('client_auth_type: RequestClientCert\nTEXT')]: {
      'client_ca: x\n  client_ca_file: client-ca.pem': 'client_ca: is given beside client_ca_file',
      'client_ca_file: junk.pem': 'client_ca_file: "junk.pem" cannot be used',
      'client_ca: junk': 'client_ca: cannot be used',
    },
    'tls_server_config: {TEXT, key_file: server-rsa.key}': {
      'min_version: TLS12': 'cert_file: is missing',
      'cert_file: none.pem': 'cert_file: "none.pem" cannot be used (ENOENT)',
      'cert_file: server-rsa.key': 'cert_file: "server-rsa.key" cannot be used',
      'cert_file: broken.pem': 'cert_file: "broken.pem" cannot be used',
    },
    'tls_server_config: {cert_file: server-ec.pem, TEXT}': {
      'min_version: TLS12': 'key_file: is missing',
      'key_file: server-ec.pem': 'key_file: "server-ec.pem" cannot be used',
      'key_file: broken.key': 'key_file: "broken.key" cannot be used',
      'key_file: encrypted.key': 'key_file: "encrypted.key" cannot be used',
      'key_file: old.key': 'key_file: "old.key" cannot be used',
      'key_file: server-rsa.key': 'key_file: "server-rsa.key" cannot be used',
    },
    'http_server_config: {TEXT}': {
      'http2: true': 'http2: is not supported',
      'http3: true': 'http3: unknown key',
    },
    'http_server_config: {headers: {TEXT}}': {
      'Server: x': 'headers.Server: unknown key',
      'X-Frame-Options: DENY': 'headers.X-Frame-Options: "DENY" is not accepted',
      'X-Content-Type-Options: sniff': 'headers.X-Content-Type-Options: "sniff" is not accepted',
      'X-XSS-Protection: "0\\r\\nSet-Cookie: a"':
        'headers.X-XSS-Protection: its value is not accepted',
    },
    'basic_auth_users: {TEXT}': {
      'one: ': 'one: its value is not a bcrypt hash of cost 4 to 16',
      'one: {toString: a}': 'one: is not a text',
      [`"a:b": ${HASH}`]: '"a:…": is a name with a colon, which nobody can log in with',
      [`one: ${HASH.replace('$10$', '$03$')}`]:
        'one: its value is not a bcrypt hash of cost 4 to 16',
      [`one: ${HASH.replace('$10$', '$17$')}`]:
        'one: its value is not a bcrypt hash of cost 4 to 16',
      [`one: ${HASH.replace('$2y$', '$2x$')}`]:
        'one: its value is not a bcrypt hash of cost 4 to 16',
    },
  };

  describe.each(Object.entries(mistakes))('in %j', (around, rows) => {
    const [, section] = /^(\w+):/.exec(around) ?? [];
    test.each(Object.entries(rows))('is told in one sentence: %j: %s', async (text, sentence) => {
      const problems = await problemsOf(around.replace('TEXT', text));
      const path = section === undefined ? '' : `${section}.`;
      expect(
        problems.map((problem) => problem.replace(/( \([a-z ]+\))?; accepted: .*/, '')),
      ).toEqual([`${FILE}: ${path}${sentence}`]);
    });
  });

  test.each<[text: string, accepted: string]>([
    ['a: 1', 'tls_server_config, http_server_config, basic_auth_users, auth_excluded_paths'],
    ['tls_server_config: 1', 'cert_file, key_file, cert, key, client_auth_type, client_ca_file'],
    ['http_server_config: {headers: {X-Frame-Options: a}}', 'deny, sameorigin'],
    [tlsSection('min_version: a'), 'TLS10, TLS11, TLS12, TLS13'],
    [tlsSection('max_version: TLS11'), 'TLS12, TLS13'],
    [tlsSection('cipher_suites: [a]'), SUITES],
    [tlsSection(`cipher_suites: [${SUITES_OF_TLS13}]\nmax_version: TLS12`), OLDER_SUITES.trim()],
    [tlsSection('client_auth_type: a'), 'NoClientCert, RequestClientCert, RequireAnyClientCert'],
    [tlsSection('prefer_server_cipher_suites: a'), 'true, false'],
    [`basic_auth_users: {one: ${HASH.replace('10', '17')}}`, 'what htpasswd -nBC 10 prints'],
  ])('is told with what is accepted: %j: %s', async (text, accepted) => {
    expect(await problemsOf(text)).toEqual([
      expect.stringContaining(`; accepted: ${accepted}`) as string,
    ]);
  });

  test('is told with all the others', async () => {
    const text = `tls_server_config: {key: x, min_version: TLS9}\nbasic_auth_users: {one: x}\nother: 1`;
    const starts = [
      ...['tls_server_config.min_version: "TLS9"', 'basic_auth_users.one: its value'],
      'other: unknown key',
    ];
    expect(await problemsOf(text)).toEqual(
      starts.map((start) => expect.stringContaining(start) as string),
    );
  });

  test('names the file when it cannot be read', async () => {
    const reading = readWebConfig('/none.yml', () => {
      throw Object.assign(new Error('absent'), { code: 'EACCES' });
    });
    await expect(reading).rejects.toThrow(
      '--web.config.file: "/none.yml": cannot be read (EACCES)',
    );
  });
});
