import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ConfigSources, describeConfig, parseConfig } from '../../src/config/config.ts';
import { envName, OPTIONS } from '../../src/config/options.ts';
import { ConfigError } from '../../src/base/errors.ts';

const FILES: Readonly<Record<string, string>> = {
  '/run/good': 'hunter2\r\n',
  '/run/blank': ' \n',
};

function readFile(path: string): string {
  const text = FILES[path];
  if (text === undefined) throw Object.assign(new Error('no such file'), { code: 'ENOENT' });
  return text;
}

const NEEDS = { credentials: false };

async function errorOf(sources: Partial<ConfigSources>): Promise<ConfigError> {
  const error: unknown = await parseConfig(
    { flags: {}, env: {}, readFile, ...sources },
    NEEDS,
  ).catch((reason: unknown) => reason);
  if (!(error instanceof ConfigError)) throw new Error('accepted');
  return error;
}

const withFile = (text: string): Partial<ConfigSources> => ({
  flags: { 'config.file': 'solar.yaml' },
  readFile: (path) => (path === 'solar.yaml' ? text : readFile(path)),
});

describe('secrets', () => {
  test('come from a file that the environment or the configuration file names', async () => {
    const sources = {
      ...withFile('password-file: /run/good'),
      env: { SOLAR_ACCESS_TOKEN_FILE: '/run/good' },
    };
    const { config } = await parseConfig({ flags: {}, readFile, ...sources }, NEEDS);
    expect(config.password?.reveal()).toBe('hunter2');
    expect(config.accessToken?.reveal()).toBe('hunter2');
  });

  test.each([
    [
      'a file that is missing',
      { env: { SOLAR_PASSWORD_FILE: '/run/missing' } },
      'SOLAR_PASSWORD_FILE: cannot read "/run/missing": ENOENT; accepted: the path of a readable file',
    ],
    [
      'a file that is missing, named in the configuration file',
      withFile('password-file: /run/missing'),
      'password-file in solar.yaml: cannot read "/run/missing": ENOENT; accepted: the path of a readable file',
    ],
    [
      'a blank file',
      { env: { SOLAR_PASSWORD_FILE: '/run/blank' } },
      'SOLAR_PASSWORD_FILE: the content of "/run/blank" is not a text; accepted: one line that is not blank',
    ],
    [
      'an empty value in the configuration file',
      withFile('password: ""'),
      'password in solar.yaml: its value is not a text; accepted: one line that is not blank',
    ],
    [
      'a list of files',
      withFile('password-file: [/run/good]'),
      'password-file in solar.yaml: takes one value, not several',
    ],
    [
      'value and file together in the environment',
      { env: { SOLAR_PASSWORD: 'hunter2', SOLAR_PASSWORD_FILE: '/run/good' } },
      'SOLAR_PASSWORD and SOLAR_PASSWORD_FILE: give only one of the two',
    ],
    [
      'value and file together in the configuration file',
      withFile('password: hunter2\npassword-file: /run/good'),
      'password and password-file in solar.yaml: give only one of the two',
    ],
    [
      'both forms of the application secret',
      { env: { SOLAR_APP_SECRET_ENCRYPTED: 'hunter2' }, ...withFile('app-secret: hunter2') },
      'app-secret in solar.yaml and SOLAR_APP_SECRET_ENCRYPTED: give only one of the two',
    ],
  ])('refuse %s', async (_what, sources, problem) => {
    expect((await errorOf(sources)).problems).toEqual([problem]);
  });

  test('and accounts never show in an error', async () => {
    const flags = {
      password: 'hunter2',
      pasword: 'hunter2',
      account: 'hunter2\nhunter2',
      'base-url': 'https://me:hunter2@host.example/path',
      'auth-url': 'https://me:hunter2/hunter2@host.example',
    };
    const env = { SOLAR_REFRESH_TOKEN: 'hunter2\nhunter2' };
    const error = await errorOf({ flags, env });
    expect(error.problems).toHaveLength(6);
    expect(inspect(error) + error.message).not.toContain('hunter2');
    expect(error.message).toContain('--base-url: "https://[secret]@host.example/path" has a user');
  });

  test('never show in the configuration, however it is printed', async () => {
    const secrets = OPTIONS.filter(({ secret }) => secret === true);
    const variables = secrets.filter(({ flag }) => flag !== 'app-secret-encrypted');
    const env = Object.fromEntries(variables.map((option) => [option.env, 'hunter2']));
    const { config, origins } = await parseConfig({ flags: {}, env, readFile }, NEEDS);
    expect(config.password?.reveal()).toBe('hunter2');
    const printed = [
      JSON.stringify(config),
      inspect(config, { depth: Infinity, showHidden: true }),
      JSON.stringify(describeConfig(config, origins)),
    ];
    expect(printed.join('\n')).not.toContain('hunter2');
  });
});

describe('with any input', () => {
  const anyText = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.constant('__proto__'));
  const anyFlag = fc.oneof(fc.constantFrom(...OPTIONS.map(({ flag }) => flag)), anyText);

  test('parseConfig answers with a configuration or a ConfigError, free of secrets', async () => {
    const secret = fc.string({ minLength: 8 }).map((text) => `<${text}>hunter2\n<${text}>`);
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(anyFlag, anyText),
        fc.dictionary(anyFlag, anyText),
        fc.oneof(
          anyText,
          fc.dictionary(anyFlag, anyText).map((keys) => JSON.stringify(keys)),
        ),
        secret,
        async (flags, variables, file, password) => {
          const env = Object.fromEntries(
            Object.entries(variables).map(([flag, text]) => [envName(flag), text]),
          );
          const sources = {
            flags: { ...flags, 'config.file': 'solar.yaml', password },
            env: { ...env, SOLAR_ACCESS_TOKEN: password },
            readFile: () => file,
          };
          const error: unknown = await parseConfig(sources).catch((reason: unknown) => reason);
          expect(error).toBeInstanceOf(ConfigError);
          expect((error as ConfigError).message).not.toContain('hunter2');
        },
      ),
      { numRuns: 300 },
    );
  });

  test('every option takes or refuses any text, alone', async () => {
    const flags = OPTIONS.filter(({ secret }) => secret !== true).map(({ flag }) => flag);
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...flags), anyText, async (flag, text) => {
        const sources = { flags: { [flag]: text }, env: {}, readFile: () => '' };
        const outcome: unknown = await parseConfig(sources, NEEDS).catch(
          (reason: unknown) => reason,
        );
        if (outcome instanceof Error) expect(outcome).toBeInstanceOf(ConfigError);
      }),
      { numRuns: 500 },
    );
  });
});
