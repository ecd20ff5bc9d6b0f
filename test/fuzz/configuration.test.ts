import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readYaml } from '../../src/base/yaml-content.ts';
import { rulesOf } from '../../src/client/dialects/dialect-file.ts';
import { tariffOf } from '../../src/collectors/tariff/tariff-file.ts';
import { type ConfigSources, describeConfig, parseConfig } from '../../src/config/config.ts';
import { OPTIONS } from '../../src/config/options.ts';
import { hostileJson, hostileScalar, hostileText } from './hostile-values.ts';
import { problemsOf } from './refusals.ts';
import { FUZZ_TIMEOUT_MS, holdsInTime } from './runs.ts';
import { hostileYaml } from './yaml-texts.ts';

const SECRET = 'hunter2-hunter2';
const KEYS = OPTIONS.map(({ flag }) => flag);
const SECRET_KEYS = OPTIONS.filter(({ secret }) => secret === true).map(({ flag }) => flag);

/** The problems of a configuration, after showing it to a person where there are none. */
function problemsWith(sources: Partial<ConfigSources>): Promise<readonly string[]> {
  const readFile = (): string => 'key: value';
  return problemsOf(async () => {
    const given = { flags: {}, env: {}, readFile, ...sources };
    const parsed = await parseConfig(given, { credentials: false });
    for (const { value } of describeConfig(parsed.config, parsed.origins))
      expect(value).toBeTypeOf('string');
    expect(JSON.stringify(parsed)).not.toContain(SECRET);
  });
}

const fileWith = (text: string): Partial<ConfigSources> => ({
  flags: { 'config.file': 'solar.yaml' },
  readFile: () => text,
});
const pricesIn = (content: unknown) =>
  tariffOf({ file: { path: 'tariff.yaml' }, content, lineOf: () => 1 });
const rulesIn = (entries: unknown) =>
  Array.isArray(entries) && rulesOf({ file: { path: 'dialect.yaml' }, entries });
/** What a file of YAML holds; nothing where it is none. */
const contentOf = async (text: string): Promise<unknown> => {
  const read = await readYaml(text);
  return 'content' in read ? read.content : undefined;
};

/** Objects with these keys, one that every object has, and with values that somebody may take for right. */
const entry = (names: readonly string[], ...values: readonly string[]) =>
  fc.oneof(
    hostileJson,
    fc.dictionary(
      fc.constantFrom(...names, 'constructor'),
      fc.oneof(fc.constantFrom<unknown>(...values), hostileJson),
    ),
  );
const price = entry(
  ['price', 'months', 'weekdays', 'hours', 'from', 'currency', 'import', 'feed-in', 'prices'],
  ...['0.3', 'EUR', 'mon-fri', 'oct-mar', '22:00-06:00', '2026-08-01'],
);
const rule = entry(
  ['key', 'quantity', 'unit', 'sign', 'part', 'model'],
  ...['pv_power', 'grid_power', 'string_power', 'kW', 'import', '1'],
);

describe('is accepted, or refused in short lines:', { timeout: FUZZ_TIMEOUT_MS }, () => {
  test.each<{ what: string; given: fc.Arbitrary<unknown>; read: (given: never) => unknown }>([
    {
      what: 'a configuration file of any text',
      given: hostileYaml,
      read: (text: string) => problemsWith(fileWith(text)),
    },
    {
      what: 'a configuration file of any keys and values',
      given: fc.dictionary(
        fc.oneof(fc.constantFrom(...KEYS, 'cache', 'log', 'path', 'web', 'simulator'), hostileText),
        hostileJson,
        { maxKeys: 8 },
      ),
      read: (values: object) => problemsWith(fileWith(JSON.stringify(values))),
    },
    {
      what: 'flags of any type',
      given: fc.dictionary(fc.constantFrom(...KEYS), hostileJson, { maxKeys: 4 }),
      read: (flags: Record<string, unknown>) => problemsWith({ flags }),
    },
    {
      what: 'any environment',
      given: fc.dictionary(
        fc.oneof(
          fc.constantFrom(...OPTIONS.flatMap(({ env }) => [env, `${env}_FILE`])),
          hostileText.map((text) => `SOLAR_${text}`),
        ),
        hostileScalar.map(String),
        { maxKeys: 6 },
      ),
      read: (env: Record<string, string>) => problemsWith({ env }),
    },
    {
      what: 'a tariff of any lists',
      given: fc.record({
        currency: price,
        import: fc.array(fc.record({ from: price, prices: fc.array(price, { maxLength: 3 }) })),
      }),
      read: (content: object) => problemsOf(() => pricesIn(content)),
    },
    { what: 'a tariff', given: price, read: (content) => problemsOf(() => pricesIn(content)) },
    {
      what: 'a tariff file of any text',
      given: hostileYaml,
      read: (text: string) => problemsOf(async () => pricesIn(await contentOf(text))),
    },
    {
      what: 'a dialect of any rules',
      given: fc.array(rule, { maxLength: 4 }),
      read: (entries) => problemsOf(() => rulesIn(entries)),
    },
    {
      what: 'a dialect file of any text',
      given: hostileYaml,
      read: (text: string) => problemsOf(async () => rulesIn(await contentOf(text))),
    },
  ])('$what', async ({ given, read }) => {
    await holdsInTime(
      fc.asyncProperty(given, async (one) => {
        await read(one as never);
      }),
    );
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
          expect((await problemsWith(fileWith(text))).join()).not.toContain(SECRET);
        },
      ),
    );
  });
});
