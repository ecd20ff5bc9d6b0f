import { hashSync } from 'bcryptjs';
import { describe, expect, test } from 'vitest';
import type { ConfigError } from '../../../src/base/errors.ts';
import { readWebConfig } from '../../../src/http/web-config.ts';
import { openConfig, pem, tlsSection } from '../../support/tls-harness.ts';

const HASH = `$2y$10$${'a'.repeat(53)}`;
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

describe('a web configuration', () => {
  const users = `{one: ${HASH}, two: ${HASH.replace('$2y$10', '$2a$04')}}`;
  const clients = (type: string) => `client_auth_type: ${type}\nclient_ca_file: client-ca.pem`;

  test.each<[text: string, described: string]>([
    ['', 'plain HTTP, no users'],
    ['tls_server_config:\nbasic_auth_users:\n', 'plain HTTP, no users'],
    [tlsSection(), 'TLS 1.2 and newer, no users'],
    [tlsSection('client_auth_type: NoClientCert'), 'TLS 1.2 and newer, no users'],
    [tlsSection('min_version: TLS13'), 'TLS 1.3, no users'],
    [
      'tls_server_config: {cert_file: /elsewhere/cert.pem, key_file: /elsewhere/key.pem}',
      'TLS 1.2 and newer, no users',
    ],
    [
      tlsSection(clients('RequireAndVerifyClientCert')),
      'TLS 1.2 and newer, client certificates required, no users',
    ],
    [
      tlsSection(clients('VerifyClientCertIfGiven')),
      'TLS 1.2 and newer, client certificates checked where given, no users',
    ],
    [`basic_auth_users: ${users}`, 'plain HTTP, 2 users'],
    [`basic_auth_users: {one: ${HASH}}`, 'plain HTTP, 1 user'],
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
      [`${HASH}: one`]: '[hidden]: unknown key',
      'tls_server_config: [cert]': 'tls_server_config: is not a mapping',
      'basic_auth_users: [one]': 'basic_auth_users: is not a mapping',
    },
    [tlsSection('TEXT')]: {
      'certfile: x': 'certfile: unknown key',
      'min_version: TLS11': 'min_version: "TLS11" is not accepted',
      'min_version: [TLS12]': 'min_version: is not a text',
      'min_version:': 'min_version: "" is not accepted',
      // Nothing is shown that looks like a key or a hash.
      'min_version: "-----BEGIN "': 'min_version: its value is not accepted',
      [`min_version: x${HASH}`]: 'min_version: its value is not accepted',
      'client_auth_type: RequestClientCert':
        'client_auth_type: "RequestClientCert" is not accepted',
      'client_ca_file: client-ca.pem':
        'client_ca_file: goes with VerifyClientCertIfGiven and RequireAndVerifyClientCert',
      'client_auth_type: RequireAndVerifyClientCert':
        'client_ca_file: goes with VerifyClientCertIfGiven and RequireAndVerifyClientCert',
    },
    [tlsSection('client_auth_type: VerifyClientCertIfGiven\nTEXT')]: {
      'client_ca_file: junk.pem': 'client_ca_file: "junk.pem" cannot be used',
    },
    'tls_server_config: {TEXT, key_file: server-rsa.key}': {
      'min_version: TLS12': 'cert_file: is missing',
      'cert_file: none.pem': 'cert_file: "none.pem" cannot be used (ENOENT)',
      'cert_file: broken.pem': 'cert_file: "broken.pem" cannot be used',
    },
    'tls_server_config: {cert_file: server-ec.pem, TEXT}': {
      'min_version: TLS12': 'key_file: is missing',
      'key_file: broken.key': 'key_file: "broken.key" cannot be used',
      'key_file: encrypted.key': 'key_file: "encrypted.key" cannot be used',
      'key_file: old.key': 'key_file: "old.key" cannot be used',
      'key_file: server-rsa.key': 'key_file: "server-rsa.key" cannot be used',
    },
    'basic_auth_users: {TEXT}': {
      'one: ': 'one: its value is not a bcrypt hash of cost 4 to 16',
      'one: {toString: a}': 'one: is not a text',
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

  const tls = 'cert_file, key_file, client_ca_file, client_auth_type, min_version';
  test.each<[text: string, accepted: string]>([
    ['a: 1', 'tls_server_config, basic_auth_users'],
    ['tls_server_config: 1', tls],
    [tlsSection('a: b'), tls],
    [tlsSection('min_version: a'), 'TLS12, TLS13'],
    [
      tlsSection('client_auth_type: a'),
      'NoClientCert, VerifyClientCertIfGiven, RequireAndVerifyClientCert',
    ],
    [tlsSection('client_ca_file: client-ca.pem'), 'both keys or neither'],
    [`basic_auth_users: {one: ${HASH.replace('10', '17')}}`, 'what htpasswd -nBC 10 prints'],
  ])('is told with what is accepted: %j: %s', async (text, accepted) => {
    expect(await problemsOf(text)).toEqual([
      expect.stringMatching(new RegExp(`; accepted: ${accepted}$`)) as string,
    ]);
  });

  test.each<[text: string, key: string]>([
    ...[
      'cert: x',
      'key: x',
      'client_ca: x',
      'client_allowed_sans: [a]',
      'max_version: TLS13',
      'cipher_suites: [a]',
      'prefer_server_cipher_suites: true',
      'curve_preferences: [X25519]',
    ].map((row): [string, string] => [
      tlsSection(row),
      `tls_server_config.${row.replace(/:.*/, '')}`,
    ]),
    ['http_server_config:', 'http_server_config'],
    ['auth_excluded_paths: [/-/healthy]', 'auth_excluded_paths'],
    ['rate_limit: {interval: 1s, burst: 1}', 'rate_limit'],
  ])('names what only other exporters have, and what to do: %j', async (text, key) => {
    expect(await problemsOf(text)).toEqual([
      expect.stringMatching(new RegExp(`: ${key}: not supported here: \\S+ .*\\S$`)) as string,
    ]);
  });

  test('is told with all the others', async () => {
    const text = `tls_server_config: {cert_file: x, key_file: x, min_version: TLS9}\nbasic_auth_users: {one: x}\nother: 1`;
    const starts = [
      'tls_server_config.min_version: "TLS9"',
      'basic_auth_users.one: its value',
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

const USERS = `basic_auth_users: {me: ${hashSync('secret', 4)}}`;
const CLIENTS = 'client_auth_type: RequireAndVerifyClientCert\nclient_ca_file: client-ca.pem';
const OPENED = '--web.config.file: "web.yml":';

test.each([
  [tlsSection(CLIENTS), '', 'switches from https with client certificates to http'],
  [tlsSection(), USERS, 'switches from https to http'],
  [USERS, tlsSection(), 'switches from http to https'],
  [tlsSection(CLIENTS), tlsSection(), 'switches from https with client certificates to https'],
  [tlsSection(), tlsSection(CLIENTS), 'switches from https to https with client certificates'],
])('the change from %j to %j takes a restart', async (from, to, how) => {
  const { webConfig, reload, log } = await openConfig(from);
  const before = webConfig.current;
  expect(() => reload(to)).toThrow(`${OPENED} ${how}; accepted: a restart for that`);
  expect(webConfig.current).toBe(before);
  expect(log.lines).toEqual([]);
});

test('a reload takes a file when asked to, and none that is no good', async () => {
  const { webConfig, change, reload, log } = await openConfig('');
  change(USERS);
  const take = webConfig.reread();
  expect(webConfig.current.users.size).toBe(0);
  take();
  expect(webConfig.current.users.size).toBe(1);
  expect(() => reload('basic_auth_users: [')).toThrow('not YAML');
  expect(() => reload('basic_auth_users: {me: secret}')).toThrow('not a bcrypt hash');
  expect(webConfig.current.users.size).toBe(1);
  const fields = { path: 'web.yml', access: 'plain HTTP, 1 user' };
  expect(log.lines).toEqual([{ level: 'info', message: 'web configuration taken', fields }]);
});

test('certificates follow their files, unless those do not fit', async () => {
  const { webConfig, change, log, outcomes, reads } = await openConfig(tlsSection());
  const certAfter = (content: string | undefined, name: string) => {
    change(content, name);
    webConfig.renewCertificates();
    return webConfig.current.tls?.context.cert;
  };
  reads();
  webConfig.renewCertificates();
  expect(reads()).toEqual(['server-rsa.pem', 'server-rsa.key']);
  expect(log.lines).toEqual([]);
  expect(certAfter(undefined, 'server-rsa.key')).toBe(pem('server-rsa.pem'));
  expect(certAfter(undefined, 'server-rsa.key')).toBe(pem('server-rsa.pem'));
  // A certificate is renewed file by file.
  change(pem('server-rsa.key'), 'server-rsa.key');
  expect(certAfter(pem('server-ec.pem'), 'server-rsa.pem')).toBe(pem('server-rsa.pem'));
  // What is edited meanwhile is for a reload.
  change('nonsense: true');
  expect(certAfter(pem('server-ec.key'), 'server-rsa.key')).toBe(pem('server-ec.pem'));
  const key = `${OPENED} tls_server_config.key_file: "server-rsa.key" cannot be used`;
  const accepted = 'accepted: the key of the certificate, in PEM without a passphrase';
  expect(log.lines.map(({ level, fields }) => [level, fields['problems']])).toEqual([
    ['warn', [`${key} (ENOENT); ${accepted}`]],
    ['warn', [`${key} (not the key of the certificate); ${accepted}`]],
    ['info', undefined],
  ]);
  expect(outcomes).toEqual([false, true]);
});
