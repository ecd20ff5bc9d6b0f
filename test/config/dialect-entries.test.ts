import { describe, expect, test } from 'vitest';
import { parseConfig } from '../../src/config/config.ts';
import { readDialectEntries } from '../../src/config/dialect-and-tariff.ts';
import { ConfigError } from '../../src/base/errors.ts';

const PATH = '/etc/dialect.yml';

describe('a dialect file', () => {
  test('is a list of entries, whose scalars all stay text', async () => {
    const file = { path: PATH, text: '- {key: pvPower, part: 007}\n- null' };
    expect(await readDialectEntries(file)).toEqual({
      dialect: { file, entries: [{ key: 'pvPower', part: '007' }, 'null'] },
      problems: [],
    });
  });

  test.each([{ text: '' }, { text: '# nothing yet\n' }, { text: '[]' }])(
    'may be empty: $text',
    async ({ text }) => {
      const { dialect, problems } = await readDialectEntries({ path: PATH, text });
      expect({ entries: dialect?.entries, problems }).toEqual({ entries: [], problems: [] });
    },
  );

  test.each([
    { text: '5', fault: 'not a list; accepted: entries such as {key: pvPower' },
    { text: 'key: pvPower', fault: 'not a list; accepted: entries such as {key: pvPower' },
    { text: '- {key: k', fault: 'not YAML: ' },
    { text: '- {key: k, key: l}', fault: 'not YAML: duplicate key at line 1' },
    { text: '- *meter', fault: 'not YAML: an alias without an anchor before it' },
  ])('of $text is refused: $fault', async ({ text, fault }) => {
    const { dialect, problems } = await readDialectEntries({ path: PATH, text });
    expect(dialect).toBeUndefined();
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(`--dialect.file: "${PATH}": ${fault}`);
  });

  test('that cannot be read is reported under its option', async () => {
    const error: unknown = await parseConfig(
      {
        flags: { 'dialect.file': PATH },
        env: {},
        readFile: () => {
          throw Object.assign(new Error('secret path'), { code: 'ENOENT' });
        },
      },
      { credentials: false },
    ).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ConfigError);
    expect((error as ConfigError).problems).toEqual([
      `--dialect.file: cannot read "${PATH}": ENOENT; accepted: the path of a readable file`,
    ]);
  });
});
