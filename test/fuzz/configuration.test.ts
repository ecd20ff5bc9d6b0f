import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rulesOf } from '../../src/client/dialects/dialect-file.ts';
import { tariffOf } from '../../src/collectors/tariff/tariff-file.ts';
import { type ConfigSources, describeConfig, parseConfig } from '../../src/config/config.ts';
import { OPTIONS } from '../../src/config/options.ts';
import { readYaml } from '../../src/base/yaml-content.ts';
import { hostileJson, hostileScalar, hostileText } from './hostile-values.ts';
import { problemsOf } from './refusals.ts';
import { FUZZ_TIMEOUT_MS, holdsInTime } from './runs.ts';
import { hostileYaml } from './yaml-texts.ts';

const SECRET = 'hunter2-hunter2';
const NEEDS = { credentials: false };
const KEYS = OPTIONS.map(({ flag }) => flag);

/** The problems of a configuration, after showing it to a person where there are none. */
function problemsWith(sources: Partial<ConfigSources>): Promise<readonly string[]> {
  const readFile = (): string => 'key: value';
  return problemsOf(async () => {
    const parsed = await parseConfig({ flags: {}, env: {}, readFile, ...sources }, NEEDS);
    for (const { value } of describeConfig(parsed.config, parsed.origins))
      expect(value).toBeTypeOf('string');
    expect(JSON.stringify(parsed)).not.toContain(SECRET);
  });
}

const fileWith = (text: string): Partial<ConfigSources> => ({
  flags: { 'config.file': 'solar.yaml' },
  readFile: () => text,
});

describe(
  'a configuration is accepted, or refused in short lines',
  { timeout: FUZZ_TIMEOUT_MS },
  () => {
    test('whatever text its file holds', async () => {
      await holdsInTime(
        fc.asyncProperty(hostileYaml, async (text) => {
          await problemsWith(fileWith(text));
        }),
      );
    });

    test('whatever values its file gives to whatever keys', async () => {
      const section = fc.constantFrom('cache', 'log', 'path', 'web', 'simulator');
      const key = fc.oneof(fc.constantFrom(...KEYS), section, hostileText);
      const content = fc.dictionary(key, hostileJson, { maxKeys: 8 });
      await holdsInTime(
        fc.asyncProperty(content, async (values) => {
          await problemsWith(fileWith(JSON.stringify(values)));
        }),
      );
    });

    test('whatever its flags are, as whatever type', async () => {
      const flags = fc.dictionary(fc.constantFrom(...KEYS), hostileJson, { maxKeys: 4 });
      await holdsInTime(
        fc.asyncProperty(flags, async (given) => {
          await problemsWith({ flags: given });
        }),
      );
    });

    test('whatever its environment is', async () => {
      const name = fc.oneof(
        fc.constantFrom(...OPTIONS.flatMap(({ env }) => [env, `${env}_FILE`])),
        hostileText.map((text) => `SOLAR_${text}`),
      );
      const env = fc.dictionary(name, hostileScalar.map(String), { maxKeys: 6 });
      await holdsInTime(
        fc.asyncProperty(env, async (given) => {
          await problemsWith({ env: given });
        }),
      );
    });

    test('and never with a secret, wherever it stands in a file', async () => {
      const secretKeys = OPTIONS.filter(({ secret }) => secret === true).map(({ flag }) => flag);
      const values = fc.constantFrom<unknown>(
        SECRET,
        [SECRET],
        { a: SECRET },
        `${SECRET}\n`,
        SECRET + '\0',
      );
      const property = fc.asyncProperty(
        fc.constantFrom(...secretKeys),
        values,
        hostileYaml,
        async (key, value, rest) => {
          const text = `${JSON.stringify({ [key]: value }).slice(1, -1)}\n${rest}`;
          expect((await problemsWith(fileWith(text))).join()).not.toContain(SECRET);
        },
      );
      await holdsInTime(property);
    });
  },
);

describe(
  'a tariff file is accepted, or refused in short lines',
  { timeout: FUZZ_TIMEOUT_MS },
  () => {
    const pricesIn = (content: unknown) =>
      problemsOf(() => tariffOf({ file: { path: 'tariff.yaml' }, content, lineOf: () => 1 }));
    const value = fc.oneof(
      fc.constantFrom<unknown>('0.3', 'EUR', 'mon-fri', 'oct-mar', '22:00-06:00', '2026-08-01'),
      hostileJson,
    );
    const entryOf = (...names: readonly string[]) =>
      fc.oneof(hostileJson, fc.dictionary(fc.constantFrom(...names, 'constructor'), value));
    const list = fc.record({
      from: value,
      prices: fc.array(entryOf('price', 'months', 'weekdays', 'hours'), { maxLength: 3 }),
    });

    test('whatever it says', async () => {
      const content = fc.record({ currency: value, import: fc.array(list, { maxLength: 2 }) });
      await holdsInTime(
        fc.asyncProperty(
          fc.oneof(content, entryOf('currency', 'import', 'feed-in')),
          async (tariff) => {
            await pricesIn(tariff);
          },
        ),
      );
    });

    test('whatever text it holds', async () => {
      await holdsInTime(
        fc.asyncProperty(hostileYaml, async (text) => {
          const read = await readYaml(text);
          if ('fault' in read) return;
          await problemsOf(() => tariffOf({ file: { path: 'tariff.yaml' }, ...read }));
        }),
      );
    });
  },
);

describe(
  'a dialect file is accepted, or refused in short lines',
  { timeout: FUZZ_TIMEOUT_MS },
  () => {
    const rulesIn = (entries: readonly unknown[]) =>
      problemsOf(() => rulesOf({ file: { path: 'dialect.yaml' }, entries }));
    const value = fc.oneof(
      fc.constantFrom<unknown>('pv_power', 'grid_power', 'string_power', 'kW', 'import', '1'),
      hostileJson,
    );
    const name = fc.constantFrom('key', 'quantity', 'unit', 'sign', 'part', 'model', 'constructor');
    const entry = fc.oneof(hostileJson, fc.dictionary(name, value));

    test('whatever its entries are', async () => {
      await holdsInTime(
        fc.asyncProperty(fc.array(entry, { maxLength: 4 }), async (entries) => {
          await rulesIn(entries);
        }),
      );
    });

    test('whatever text it holds', async () => {
      await holdsInTime(
        fc.asyncProperty(hostileYaml, async (text) => {
          const read = await readYaml(text);
          if ('content' in read && Array.isArray(read.content)) await rulesIn(read.content);
        }),
      );
    });
  },
);
