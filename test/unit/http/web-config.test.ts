import { describe, expect, test } from 'vitest';
import { describeWebConfig } from '../../../src/http/web-config/web-config.ts';
import { readWebConfig } from '../../../src/http/web-config/web-config-file.ts';
import { pem, tlsSection } from '../../support/tls-harness.ts';

const HASH = `$2y$10$${'a'.repeat(53)}`;
const VERSIONS = 'TLS10, TLS11, TLS12, TLS13';
const TLS_KEYS =
  'cert_file, key_file, cert, key, client_auth_type, client_ca_file, client_ca, min_version, max_version, cipher_suites, prefer_server_cipher_suites, curve_preferences';
const TOP_KEYS = 'tls_server_config, http_server_config, basic_auth_users, auth_excluded_paths';
const HEADERS =
  'Content-Security-Policy, X-Frame-Options, X-Content-Type-Options, X-XSS-Protection, Strict-Transport-Security';
const OLDER_SUITES = [
  'TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA',
  'TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA',
  'TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA',
  'TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA',
  'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256',
  'TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384',
  'TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256',
  'TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384',
  'TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256',
  'TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256',
].join(', ');
const SUITES = `TLS_AES_128_GCM_SHA256, TLS_AES_256_GCM_SHA384, TLS_CHACHA20_POLY1305_SHA256, ${OLDER_SUITES}`;
const CLIENT_AUTH_TYPES =
  'NoClientCert, RequestClientCert, RequireAnyClientCert, VerifyClientCertIfGiven, RequireAndVerifyClientCert, RequireClientCert';
const HASH_SENTENCE =
  'its value is not a bcrypt hash; accepted: $2a$, $2b$ or $2y$, cost and 53 characters, as htpasswd -nBC 10 prints it';

/** Everything beside the configuration itself, by its path. */
const FILES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [
      ...['server-rsa.pem', 'server-rsa.key', 'server-ec.pem', 'server-ec.key', 'client-ca.pem'],
      ...['client.key', 'encrypted.key'],
    ].map((name) => [`/etc/web/${name}`, pem(name)]),
  ),
  '/etc/web/junk.pem': 'junk',
  '/etc/web/broken.pem': '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n',
  '/etc/web/broken.key': '-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----\n',
  '/etc/web/old.key':
    '-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,00\n\nMIIB\n-----END EC PRIVATE KEY-----\n',
  '/elsewhere/cert.pem': pem('server-ec.pem'),
  '/elsewhere/key.pem': pem('server-ec.key'),
};

function read(text: string) {
  return readWebConfig('/etc/web/web.yml', (path) => {
    const content = path === '/etc/web/web.yml' ? text : FILES[path];
    if (content === undefined) throw Object.assign(new Error('absent'), { code: 'ENOENT' });
    return content;
  });
}

function indented(text: string, indent: string): string {
  return text.trimEnd().replaceAll('\n', `\n${indent}`);
}

describe('a web configuration', () => {
  test.each([
    ['', 'plain HTTP, no users'],
    ['# later\n', 'plain HTTP, no users'],
    [
      'tls_server_config:\nhttp_server_config:\nbasic_auth_users:\nauth_excluded_paths:\n',
      'plain HTTP, no users',
    ],
    [tlsSection(), 'TLS 1.2 and newer, no users'],
    [
      'tls_server_config: {cert_file: /elsewhere/cert.pem, key_file: /elsewhere/key.pem}',
      'TLS 1.2 and newer, no users',
    ],
    [
      [
        'tls_server_config:',
        `  cert: |\n    ${indented(pem('server-rsa.pem'), '    ')}`,
        `  key: |\n    ${indented(pem('server-rsa.key'), '    ')}`,
        `  client_ca: |\n    ${indented(pem('client-ca.pem'), '    ')}`,
        '  client_auth_type: RequireAndVerifyClientCert',
      ].join('\n'),
      'TLS 1.2 and newer, client certificates required, no users',
    ],
    [tlsSection('max_version: TLS12'), 'TLS 1.2, no users'],
    [
      tlsSection('min_version: TLS10\nmax_version: TLS12\nclient_auth_type: RequestClientCert'),
      'TLS 1.0 to 1.2, client certificates requested, none checked, no users',
    ],
    [
      tlsSection(
        `cipher_suites: [${SUITES}]\ncurve_preferences: [CurveP256, CurveP384, CurveP521, X25519]\nprefer_server_cipher_suites: false`,
      ),
      'TLS 1.2 and newer, no users',
    ],
    [
      [
        `basic_auth_users: {one: ${HASH}, two: ${HASH.replace('$2y$10', '$2a$04')}}`,
        'auth_excluded_paths: [/-/healthy]',
        'http_server_config:',
        '  http2: false',
        '  headers: {X-Frame-Options: deny, X-XSS-Protection: "", Content-Security-Policy: }',
      ].join('\n'),
      'plain HTTP, 2 users, 1 path open to all, 1 header',
    ],
  ])('may say %j', async (text, described) => {
    expect(describeWebConfig(await read(text))).toBe(described);
  });

  test('shows neither keys nor hashes when it is printed', async () => {
    const config = await read(`${tlsSection()}basic_auth_users: {one: ${HASH}}`);
    const printed = JSON.stringify({ ...config, users: [...config.users] });
    expect(printed).toContain('[secret]');
    expect(printed).not.toMatch(/PRIVATE KEY|\$2y/);
  });
});

describe('a mistake in a web configuration is told in one sentence', () => {
  type Row = readonly [text: string, sentence: string];
  const tls = (more: string, sentence: string): Row => [
    tlsSection(more),
    `tls_server_config.${sentence}`,
  ];
  const pair = (cert: string, key: string, sentence: string): Row =>
    tlsText(`cert_file: ${cert}, key_file: ${key}`, sentence);
  const tlsText = (text: string, sentence: string): Row => [
    `tls_server_config: {${text}}`,
    `tls_server_config.${sentence}`,
  ];
  const http = (text: string, sentence: string): Row => [
    `http_server_config: {${text}}`,
    `http_server_config.${sentence}`,
  ];
  const users = (text: string, sentence: string): Row => [
    `basic_auth_users: {${text}}`,
    `basic_auth_users.${sentence}`,
  ];
  const notPair =
    'is not the key of the certificate in cert_file; accepted: the two that were made together';
  const twice = 'accepted: one of the two';
  const noReading = 'cannot be read (ENOENT); accepted: a readable PEM file';
  const encrypted = 'holds an encrypted key; accepted: a key without a passphrase';
  const untrusted = 'has nobody to trust; accepted: a client_ca_file beside it';
  const noCert = 'is missing; accepted: a PEM file, or cert with the PEM';
  const noKey = 'is missing; accepted: a PEM file, or key with the PEM';
  const noCertificate =
    'holds no certificate; accepted: PEM, which begins -----BEGIN CERTIFICATE-----';
  test.each<Row>([
    ['{', 'not YAML: missing char at line 1'],
    ['a: 1\na: 2\n', 'not YAML: duplicate key at line 2'],
    ['- a', `not a mapping; accepted: ${TOP_KEYS}`],
    ['plain', `not a mapping; accepted: ${TOP_KEYS}`],
    ['tls_config: {}', `tls_config: unknown key; accepted: ${TOP_KEYS}`],
    ['__proto__: {}', `__proto__: unknown key; accepted: ${TOP_KEYS}`],
    ['rate_limit: {}', `rate_limit: is not supported; accepted: ${TOP_KEYS}`],
    [`${HASH}: one`, `[hidden]: unknown key; accepted: ${TOP_KEYS}`],
    ['"a b": one', `"a b": unknown key; accepted: ${TOP_KEYS}`],

    ['tls_server_config: [cert]', `tls_server_config: is not a mapping; accepted: ${TLS_KEYS}`],
    tls('certfile: x', `certfile: unknown key; accepted: ${TLS_KEYS}`),
    tls('client_allowed_sans: [a]', `client_allowed_sans: is not supported; accepted: ${TLS_KEYS}`),
    tlsText('key_file: server-rsa.key', `cert_file: ${noCert}`),
    tlsText('cert_file: server-rsa.pem', `key_file: ${noKey}`),
    tls('cert: x', `cert: is given beside cert_file; ${twice}`),
    tls('key: x', `key: is given beside key_file; ${twice}`),
    tls(
      'client_ca: x\nclient_ca_file: client-ca.pem\nclient_auth_type: RequestClientCert',
      `client_ca: is given beside client_ca_file; ${twice}`,
    ),
    tls('min_version: TLS9', `min_version: "TLS9" is not a version; accepted: ${VERSIONS}`),
    tls('min_version: [TLS12]', 'min_version: is not a text'),
    tls('max_version: "1.3"', `max_version: "1.3" is not a version; accepted: ${VERSIONS}`),
    tls(
      'min_version: TLS13\nmax_version: TLS12',
      'max_version: "TLS12" is older than min_version, which is "TLS13"; accepted: TLS13',
    ),
    tls(
      'max_version: TLS11',
      'max_version: "TLS11" is older than min_version, which is "TLS12"; accepted: TLS12, TLS13',
    ),
    tls('cipher_suites: RC4', 'cipher_suites: is not a list of texts'),
    tls('cipher_suites: [{a: b}]', 'cipher_suites: is not a list of texts'),
    tls(
      'cipher_suites: [TLS_RSA_WITH_RC4_128_SHA]',
      `cipher_suites: "TLS_RSA_WITH_RC4_128_SHA" is not a cipher suite; accepted: ${SUITES}`,
    ),
    tls(
      'cipher_suites: [TLS_AES_128_GCM_SHA256]\nmax_version: TLS12',
      `cipher_suites: names no suite for max_version, which is "TLS12"; accepted: ${OLDER_SUITES}`,
    ),
    tls(
      'prefer_server_cipher_suites: yes',
      'prefer_server_cipher_suites: "yes" is not a boolean; accepted: true or false',
    ),
    tls(
      'curve_preferences: [P-256]',
      'curve_preferences: "P-256" is not a curve; accepted: CurveP256, CurveP384, CurveP521, X25519',
    ),
    tls(
      'client_auth_type: Always',
      `client_auth_type: "Always" is not a client_auth_type; accepted: ${CLIENT_AUTH_TYPES}`,
    ),
    tls(
      'client_ca_file: client-ca.pem',
      'client_auth_type: asks no client for a certificate, but a client_ca is given; accepted: RequireAndVerifyClientCert, VerifyClientCertIfGiven',
    ),
    tls(
      'client_auth_type: RequireAndVerifyClientCert',
      `client_auth_type: RequireAndVerifyClientCert ${untrusted}`,
    ),
    tls(
      'client_auth_type: VerifyClientCertIfGiven',
      `client_auth_type: VerifyClientCertIfGiven ${untrusted}`,
    ),
    tls(
      'client_auth_type: RequestClientCert\nclient_ca_file: junk.pem',
      `client_ca_file: "junk.pem" ${noCertificate}`,
    ),
    tls('client_auth_type: RequestClientCert\nclient_ca: junk', `client_ca: ${noCertificate}`),
    tls(
      'client_auth_type: RequestClientCert\nclient_ca_file: none.pem',
      `client_ca_file: "none.pem" ${noReading}`,
    ),

    pair('none.pem', 'server-rsa.key', `cert_file: "none.pem" ${noReading}`),
    pair('server-rsa.pem', 'none.key', `key_file: "none.key" ${noReading}`),
    pair('junk.pem', 'server-rsa.key', `cert_file: "junk.pem" ${noCertificate}`),
    pair('server-rsa.key', 'server-rsa.key', `cert_file: "server-rsa.key" ${noCertificate}`),
    pair(
      'broken.pem',
      'server-rsa.key',
      'cert_file: "broken.pem" holds a certificate that cannot be decoded; accepted: X.509 in PEM',
    ),
    pair(
      'server-rsa.pem',
      'server-rsa.pem',
      'key_file: "server-rsa.pem" holds no private key; accepted: PEM, which begins -----BEGIN PRIVATE KEY-----',
    ),
    pair(
      'server-rsa.pem',
      'broken.key',
      'key_file: "broken.key" holds a private key that cannot be decoded; accepted: PKCS #8, PKCS #1 or SEC 1 in PEM',
    ),
    pair('server-ec.pem', 'encrypted.key', `key_file: "encrypted.key" ${encrypted}`),
    pair('server-ec.pem', 'old.key', `key_file: "old.key" ${encrypted}`),
    pair('server-ec.pem', 'client.key', `key_file: ${notPair}`),
    pair('server-rsa.pem', 'server-ec.key', `key_file: ${notPair}`),

    http(
      'http2: true',
      'http2: is not supported; accepted: false, for this server speaks HTTP/1.1',
    ),
    http('http2: no', 'http2: "no" is not a boolean; accepted: true or false'),
    http('http3: true', 'http3: unknown key; accepted: http2, headers'),
    http(`headers: {Server: x}`, `headers.Server: unknown key; accepted: ${HEADERS}`),
    http(
      'headers: {X-Frame-Options: DENY}',
      'headers.X-Frame-Options: "DENY" is not among its values; accepted: deny, sameorigin',
    ),
    http(
      'headers: {X-Content-Type-Options: sniff}',
      'headers.X-Content-Type-Options: "sniff" is not among its values; accepted: nosniff',
    ),
    http(
      'headers: {X-XSS-Protection: "0\\r\\nSet-Cookie: a"}',
      'headers.X-XSS-Protection: its value cannot be a header; accepted: one line of ASCII',
    ),

    [
      'basic_auth_users: [one]',
      'basic_auth_users: is not a mapping; accepted: lines such as name: value',
    ],
    users('one: secret', `one: ${HASH_SENTENCE}`),
    users('one: ', `one: ${HASH_SENTENCE}`),
    users('one: [a]', 'one: is not a text'),
    users('one: {toString: a}', 'one: is not a text'),
    users(
      `"a:b": ${HASH}`,
      '"a:…": is a name with a colon, which nobody can log in with; accepted: a name without one',
    ),
    users(`one: ${HASH.replace('$10$', '$03$')}`, 'one: its hash has cost 3; accepted: 4 to 16'),
    users(`one: ${HASH.replace('$10$', '$17$')}`, 'one: its hash has cost 17; accepted: 4 to 16'),
    users(`one: ${HASH.replace('$2y$', '$2x$')}`, `one: ${HASH_SENTENCE}`),

    ['auth_excluded_paths: /-/healthy', 'auth_excluded_paths: is not a list of texts'],
    [
      'auth_excluded_paths: [healthy]',
      'auth_excluded_paths: "healthy" is not a path; accepted: a path such as /-/healthy',
    ],
    [
      'auth_excluded_paths: ["/sd?a=b"]',
      'auth_excluded_paths: "/sd?a=b" is not a path; accepted: a path such as /-/healthy',
    ],
  ])('%j: %s', async (text, sentence) => {
    await expect(read(text)).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      problems: [`--web.config.file: "/etc/web/web.yml": ${sentence}`],
    });
  });

  test('with all the others', async () => {
    const text = `tls_server_config: {key: x, min_version: TLS9}\nbasic_auth_users: {one: x}\nother: 1`;
    await expect(read(text)).rejects.toMatchObject({
      problems: [
        'other: unknown key',
        'tls_server_config.min_version: "TLS9"',
        'tls_server_config.cert_file: is missing',
        'basic_auth_users.one: its value',
      ].map((start) => expect.stringContaining(start) as string),
    });
  });

  test('that names the file when it cannot be read', async () => {
    const reading = readWebConfig('/none.yml', () => {
      throw Object.assign(new Error('absent'), { code: 'EACCES' });
    });
    await expect(reading).rejects.toMatchObject({
      problems: [
        '--web.config.file: "/none.yml": cannot be read (EACCES); accepted: a readable YAML file',
      ],
    });
  });

  test.each([
    'tls_server_config: {min_version: "KEY"}',
    'tls_server_config: {cert_file: "KEY", key_file: "KEY"}',
    'tls_server_config: "KEY"',
    'basic_auth_users: {one: "xKEY"}',
    'basic_auth_users: {"KEY": one}',
    '"KEY": one',
    'auth_excluded_paths: ["KEY"]',
  ])('without what looks like a key or a hash, wherever it stands: %s', async (text) => {
    for (const secret of [pem('client.key').replaceAll('\n', '\\n'), HASH]) {
      const error: unknown = await read(text.replaceAll('KEY', secret)).catch(
        (caught: unknown) => caught,
      );
      expect(String(error)).toContain('ConfigError: --web.config.file');
      expect(String(error)).not.toMatch(/PRIVATE KEY-----\\?n?M|\$2y\$10|aaaa/);
    }
  });
});
