import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { loadYamlReader } from '../../src/base/yaml-content.ts';
import { rulesOf } from '../../src/client/dialects/dialect-file.ts';
import { tariffOf } from '../../src/collectors/tariff/tariff-file.ts';
import { type ConfigSources, describeConfig, parseConfig } from '../../src/config/config.ts';
import { OPTIONS } from '../../src/config/options.ts';
import { readWebConfig } from '../../src/http/web-config.ts';
import { hostileJson, hostileScalar, hostileText, hostileYaml, wordsOf } from './hostile-values.ts';
import { problemsOf } from '../support/refusals.ts';
import { FUZZ_TIMEOUT_MS, holdsInTime } from './runs.ts';

const SECRET = 'hunter2-hunter2';
const KEYS = OPTIONS.map(({ flag }) => flag);
const SECRET_KEYS = OPTIONS.filter(({ secret }) => secret === true).map(({ flag }) => flag);

/** The problems of a configuration, after showing it to a person where there are none. */
function problemsWith(sources: Partial<ConfigSources>): Promise<readonly string[]> {
  return problemsOf(async () => {
    const given = { flags: {}, env: {}, readFile: () => 'key: value', ...sources };
    const parsed = await parseConfig(given, { credentials: false });
    for (const { value = '' } of describeConfig(parsed.config, parsed.origins))
      expect(value).toBeTypeOf('string');
    expect(JSON.stringify(parsed)).not.toContain(SECRET);
  });
}

const problemsInFile = (text: string) =>
  problemsWith({ flags: { 'config.file': 'solar.yaml' }, readFile: () => text });
const readPrices = (content: unknown) =>
  tariffOf({ file: { path: 'tariff.yaml' }, content, lineOf: () => 1 });
const readRules = (entries: unknown) =>
  Array.isArray(entries) && rulesOf({ file: { path: 'dialect.yaml' }, entries });
/** Reads what a file of YAML holds; nothing where it is none. */
const fromYaml = (read: (content: unknown) => unknown) => async (text: string) => {
  const yaml = (await loadYamlReader())(text);
  return read('content' in yaml ? yaml.content : undefined);
};

/** Objects with these keys, one that every object has, and with values that somebody may take for right. */
const entry = (names: string, values: readonly string[]) =>
  fc.oneof(
    hostileJson,
    fc.dictionary(
      fc.constantFrom(...wordsOf(names), 'constructor'),
      fc.oneof(fc.constantFrom<unknown>(...values), hostileJson),
    ),
  );
const price = entry(
  'price months weekdays hours from currency import feed-in prices',
  wordsOf('0.3 EUR mon-fri oct-mar 22:00-06:00 2026-08-01'),
);
const rule = entry(
  'key quantity unit sign part model',
  wordsOf('pv_power grid_power string_power kW import 1'),
);

const HASH = '$2y$10$abcdefghijklmnopqrstuuabcdefghijklmnopqrstuvwxyzABCDE';
const KEY = '-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n';
const access = entry(
  'cert cert_file key key_file client_ca_file client_auth_type min_version max_version headers http2',
  [HASH, KEY, ...wordsOf('TLS12 TLS13 RequireAndVerifyClientCert true /-/healthy')],
);
const webConfig = fc.dictionary(
  fc.constantFrom('tls_server_config', 'http_server_config', 'basic_auth_users', 'rate_limit', 'x'),
  access,
);

/** The problems of a web configuration; whatever it is, none shows a key or a hash. */
async function problemsOfWeb(text: string): Promise<void> {
  const readFile = (path: string): string => (path === 'web.yaml' ? text : KEY);
  const problems = await problemsOf(async () => {
    expect((await readWebConfig('web.yaml', readFile)).access).toMatch(/^.{1,200}$/);
  });
  expect(problems.join()).not.toMatch(/c2VjcmV0|\$2y\$10/);
}

const sections = fc.constantFrom(...KEYS, 'cache', 'log', 'path', 'web', 'simulator');
const names = fc.constantFrom(...OPTIONS.flatMap(({ env }) => [env, `${env}_FILE`]));

describe('is accepted, or refused in short lines:', { timeout: FUZZ_TIMEOUT_MS }, () => {
  test.each<
    readonly [what: string, given: fc.Arbitrary<unknown>, read: (given: never) => Promise<unknown>]
  >([
    ['a configuration file of any text', hostileYaml, problemsInFile],
    [
      'a configuration file of any keys and values',
      fc.dictionary(fc.oneof(sections, hostileText), hostileJson, { maxKeys: 8 }),
      (values: object) => problemsInFile(JSON.stringify(values)),
    ],
    [
      'flags of any type',
      fc.dictionary(fc.constantFrom(...KEYS), hostileJson, { maxKeys: 4 }),
      (flags: Record<string, unknown>) => problemsWith({ flags }),
    ],
    [
      'any environment',
      fc.dictionary(
        fc.oneof(
          names,
          hostileText.map((text) => `SOLAR_${text}`),
        ),
        hostileScalar.map(String),
        { maxKeys: 6 },
      ),
      (env: Record<string, string>) => problemsWith({ env }),
    ],
    [
      'a tariff of any rules',
      fc.record({ currency: price, import: fc.array(price, { maxLength: 4 }) }),
      (content) => problemsOf(() => readPrices(content)),
    ],
    ['a tariff', price, (content) => problemsOf(() => readPrices(content))],
    [
      'a tariff file of any text',
      hostileYaml,
      (text) => problemsOf(() => fromYaml(readPrices)(text)),
    ],
    [
      'a dialect of any rules',
      fc.array(rule, { maxLength: 4 }),
      (entries) => problemsOf(() => readRules(entries)),
    ],
    [
      'a dialect file of any text',
      hostileYaml,
      (text) => problemsOf(() => fromYaml(readRules)(text)),
    ],
    [
      'a web configuration of any keys and values',
      webConfig.map((content) => JSON.stringify(content)),
      problemsOfWeb,
    ],
    ['a web configuration of any text', hostileYaml, problemsOfWeb],
  ])('%s', async (_what, given, read) => {
    await holdsInTime(fc.asyncProperty(given, async (one) => void (await read(one as never))));
  });

  test('a secret, which is never shown, wherever it stands in a file', async () => {
    const values = [SECRET, [SECRET], { a: SECRET }, `${SECRET}\n`, `${SECRET}\0`];
    await holdsInTime(
      fc.asyncProperty(
        fc.constantFrom(...SECRET_KEYS),
        fc.constantFrom<unknown>(...values),
        hostileYaml,
        async (key, value, rest) => {
          const text = `${JSON.stringify({ [key]: value }).slice(1, -1)}\n${rest}`;
          expect((await problemsInFile(text)).join()).not.toContain(SECRET);
        },
      ),
    );
  });
});
