import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readWebConfig } from '../../src/http/web-config.ts';
import { hostileJson, hostileText } from './hostile-values.ts';
import { problemsOf } from '../support/refusals.ts';
import { FUZZ_TIMEOUT_MS, holdsInTime } from './runs.ts';
import { hostileYaml } from './yaml-texts.ts';

const HASH = '$2y$10$abcdefghijklmnopqrstuuabcdefghijklmnopqrstuvwxyzABCDE';
const KEY = '-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n';
const NAMES = [
  'tls_server_config',
  'http_server_config',
  'basic_auth_users',
  'auth_excluded_paths',
  'rate_limit',
  'cert',
  'cert_file',
  'key',
  'key_file',
  'client_ca_file',
  'client_auth_type',
  'min_version',
  'max_version',
  'cipher_suites',
  'curve_preferences',
  'headers',
  'http2',
  'prefer_server_cipher_suites',
  'X-Frame-Options',
  'Content-Security-Policy',
  'client_allowed_sans',
  'interval',
  'burst',
];
const WORDS = ['TLS12', 'TLS13', 'RequireAndVerifyClientCert', 'true', '/-/healthy', 'X25519'];

/** The problems of a web configuration; whatever it is, none shows a key or a hash. */
async function problemsWith(text: string): Promise<void> {
  const readFile = (path: string): string => (path === 'web.yaml' ? text : KEY);
  const problems = await problemsOf(async () => {
    expect((await readWebConfig('web.yaml', readFile)).access).toMatch(/^.{1,200}$/);
  });
  expect(problems.join()).not.toMatch(/c2VjcmV0|\$2y\$10/);
}

describe('a web configuration is accepted, or refused in short lines', () => {
  const name = fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom(...NAMES) },
    { weight: 1, arbitrary: hostileText },
  );
  const word = fc.constantFrom<unknown>(HASH, KEY, ...WORDS);
  const value = fc.oneof(word, hostileJson, fc.array(word, { maxLength: 3 }));
  const mapping = (inner: fc.Arbitrary<unknown>) =>
    fc.dictionary(name, fc.oneof(value, fc.dictionary(name, inner)));

  test.each([
    [
      'values it gives to whatever keys',
      mapping(fc.oneof(value, fc.dictionary(name, value))).map((content) =>
        JSON.stringify(content),
      ),
    ],
    ['text it is', hostileYaml],
  ])('whatever %s', { timeout: FUZZ_TIMEOUT_MS }, async (_what, content) => {
    await holdsInTime(fc.asyncProperty(content, problemsWith));
  });
});
