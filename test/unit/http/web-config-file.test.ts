import { hashSync } from 'bcryptjs';
import { expect, test } from 'vitest';
import { openConfig, pem, tlsSection } from '../../support/tls-harness.ts';

const USERS = `basic_auth_users: {me: ${hashSync('secret', 4)}}`;
const CLIENTS = 'client_auth_type: RequireAndVerifyClientCert\nclient_ca_file: client-ca.pem';
const FILE = '--web.config.file: "web.yml":';

test.each([
  [tlsSection(CLIENTS), '', 'switches from https with client certificates to http'],
  [tlsSection(), USERS, 'switches from https to http'],
  [USERS, tlsSection(), 'switches from http to https'],
  [tlsSection(CLIENTS), tlsSection(), 'switches from https with client certificates to https'],
  [tlsSection(), tlsSection(CLIENTS), 'switches from https to https with client certificates'],
])('the change from %j to %j takes a restart', async (from, to, how) => {
  const { webConfig, reload, log } = await openConfig(from);
  const before = webConfig.current;
  expect(() => reload(to)).toThrow(`${FILE} ${how}; accepted: a restart for that`);
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
  const key = `${FILE} tls_server_config.key_file: "server-rsa.key" cannot be used`;
  const accepted = 'accepted: the key of the certificate, in PEM without a passphrase';
  expect(log.lines.map(({ level, fields }) => [level, fields['problems']])).toEqual([
    ['warn', [`${key} (ENOENT); ${accepted}`]],
    ['warn', [`${key} (not the key of the certificate); ${accepted}`]],
    ['info', undefined],
  ]);
  expect(outcomes).toEqual([false, true]);
});
