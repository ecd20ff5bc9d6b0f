import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../../support/prometheus.ts';
import { runCommand } from './run.ts';

const SECRET = 'planted-81f3secret';
const CREDENTIALS = {
  SOLAR_ACCOUNT: 'somebody',
  SOLAR_PASSWORD: 'something',
  SOLAR_APP_ID: 'id',
  SOLAR_APP_SECRET: 'secret',
};

/** A slip of the hand that puts a secret where none belongs. */
interface Slip {
  readonly line?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The texts of files; `@name` in an argument or a variable stands for the path of one. */
  readonly files?: Readonly<Record<string, string>>;
  /** What the complaint says instead. */
  readonly says: RegExp;
}

function configFile(text: string, says: RegExp): Slip {
  return { line: ['config', '--config.file=@file'], files: { file: text }, says };
}

function dialectFile(text: string, says: RegExp): Slip {
  return { line: ['config', '--dialect.file=@file'], files: { file: text }, says };
}

function webConfigFile(text: string, says: RegExp): Slip {
  return { line: ['config', '--web.config.file=@file'], files: { file: text }, says };
}

const SLIPS: Readonly<Record<string, Slip>> = {
  'a flag of a secret': {
    line: ['check', `--password=${SECRET}`],
    says: /--password: secrets are not taken from the command line; use SOLAR_PASSWORD/,
  },
  'a mistyped flag of a secret': {
    line: ['check', '--pasword', SECRET],
    says: /--pasword: unknown option; did you mean SOLAR_PASSWORD/,
  },
  'the flag of a file of a secret': {
    line: ['check', `--password-file=${SECRET}`],
    says: /--password-file: secrets are not taken from the command line/,
  },
  'a flag without its dashes joined by =': {
    line: ['check', `--app-secret-encrypted=${SECRET}`, `--access-token=${SECRET}`],
    says: /--app-secret-encrypted: .*\n.*--access-token: secrets are not/,
  },
  'a secret given both ways': {
    env: { SOLAR_PASSWORD: SECRET, SOLAR_PASSWORD_FILE: SECRET },
    says: /SOLAR_PASSWORD and SOLAR_PASSWORD_FILE: give only one of the two/,
  },
  'two forms of the application secret': {
    env: { SOLAR_APP_SECRET: SECRET, SOLAR_APP_SECRET_ENCRYPTED: SECRET },
    says: /SOLAR_APP_SECRET and SOLAR_APP_SECRET_ENCRYPTED: give only one/,
  },
  'an encrypted application secret that is none': {
    env: { SOLAR_APP_SECRET: '', SOLAR_APP_SECRET_ENCRYPTED: SECRET },
    says: /SOLAR_APP_SECRET_ENCRYPTED: \[secret\] does not decrypt/,
  },
  'a password of two lines': {
    env: { SOLAR_PASSWORD: `${SECRET}\n${SECRET}` },
    says: /SOLAR_PASSWORD: its value is not a text/,
  },
  'a file of two lines': {
    env: { SOLAR_PASSWORD: '', SOLAR_PASSWORD_FILE: '@file' },
    files: { file: `${SECRET}\n${SECRET}\n` },
    says: /SOLAR_PASSWORD_FILE: the content of .* is not a text/,
  },
  'an account of two lines': {
    env: { SOLAR_ACCOUNT: `${SECRET}\n${SECRET}` },
    says: /SOLAR_ACCOUNT: its value is not a text/,
  },
  'a variable that does not exist': {
    env: { SOLAR_PASWORD: SECRET, SOLAR_PASSWORD: '' },
    says: /SOLAR_ACCOUNT is given without a password/,
  },
  'a base URL with user and password': {
    env: { SOLAR_BASE_URL: `https://me:${SECRET}@solar.example.com` },
    says: /"https:\/\/\[secret\]@solar\.example\.com" has a user or password in it/,
  },
  'a log-in URL with a user, and @ in the password': {
    line: ['config', `--auth-url=http://${SECRET}:p@ss@solar.example.com/`],
    says: /--auth-url: "http:\/\/\[secret\]@solar\.example\.com\/" has a user or password/,
  },
  'a base URL with a password and without a scheme': {
    env: { SOLAR_BASE_URL: `me:${SECRET}@solar.example.com` },
    says: /"\[secret\]@solar\.example\.com" is not an http or https URL/,
  },
  'a password with a question mark in the base URL': {
    env: { SOLAR_BASE_URL: `https://me:${SECRET}?or@solar.example.com` },
    says: /SOLAR_BASE_URL: "https:\/\/\[secret\].*" has|SOLAR_BASE_URL: "https:\/\/\[secret\].*" is not/,
  },
  'broken YAML on the line of a secret': configFile(
    `account: me\npassword: "${SECRET}\n`,
    /not YAML: missing char at line/,
  ),
  'broken YAML beside a secret': configFile(
    `password: ${SECRET}\n  app-id: [\naccess-token: ${SECRET}\n`,
    /not YAML: .* at line/,
  ),
  'a secret for an anchor': configFile(`password: *${SECRET}\n`, /not YAML: an alias/),
  'a key without the space after it': configFile(`password:${SECRET}\n`, /not a mapping/),
  'a mistyped key of a secret': configFile(
    `passwrd: ${SECRET}\n`,
    /passwrd in .*: unknown key; did you mean password\?/,
  ),
  'a secret twice': configFile(
    `password: ${SECRET}\npassword: ${SECRET}\n`,
    /not YAML: duplicate key at line 2/,
  ),
  'a secret and its file': configFile(
    `app-id: id\nrefresh-token: ${SECRET}\nrefresh-token-file: ${SECRET}\nlog.level: loud\n`,
    /refresh-token and refresh-token-file in .*: give only one of the two/,
  ),
  'a secret as a list': configFile(
    `refresh-token: [${SECRET}, ${SECRET}]\n`,
    /refresh-token in .*: takes one value/,
  ),
  'a secret as a mapping': configFile(
    `refresh-token: {${SECRET}: ${SECRET}}\n`,
    /refresh-token in .*: takes a value/,
  ),
  'a secret beside the entries of a dialect file': dialectFile(
    `- key: a\n  password: ${SECRET}\n`,
    /entry 1: "password": unknown name/,
  ),
  'a dialect file that is a configuration': dialectFile(`password: ${SECRET}\n`, /not a list/),
  'a tariff file that is a configuration': {
    line: ['config', '--tariff.file=@file'],
    files: { file: `password: ${SECRET}\n` },
    says: /line 1: "password": unknown name/,
  },
  'a dialect file of broken YAML': dialectFile(`- key: "${SECRET}\n`, /not YAML/),
  'a password where its hash belongs': webConfigFile(
    `basic_auth_users: {me: ${SECRET}}\n`,
    /basic_auth_users\.me: its value is not a bcrypt hash/,
  ),
  'a hash that is cut off': webConfigFile(
    `basic_auth_users: {me: $2b$10$${SECRET}}\n`,
    /basic_auth_users\.me: its value is not a bcrypt hash/,
  ),
  'a user as htpasswd has it': webConfigFile(
    `basic_auth_users:\n  me:$2b$10$${SECRET}\n`,
    /basic_auth_users: is not a mapping/,
  ),
  'a private key that cannot be decoded': webConfigFile(
    `tls_server_config:\n  cert_file: missing.pem\n  key: |\n    -----BEGIN PRIVATE KEY-----\n    ${SECRET}\n    -----END PRIVATE KEY-----\n`,
    /tls_server_config\.key: .*holds a private key that cannot be decoded/,
  ),
  'a web configuration of broken YAML': webConfigFile(
    `basic_auth_users: {me: "${SECRET}}\n`,
    /not YAML/,
  ),
  'a secret in place of the name of its file': {
    env: { SOLAR_PASSWORD: '', SOLAR_PASSWORD_FILE: SECRET },
    says: /SOLAR_PASSWORD_FILE: cannot read .*ENOENT/,
  },
  'a secret in place of the name of its file, in the configuration file': configFile(
    `refresh-token-file: ${SECRET}\n`,
    /refresh-token-file in .*: cannot read .*ENOENT/,
  ),
  'a token in the query of the base URL': {
    env: { SOLAR_BASE_URL: `https://solar.example.com/?token=${SECRET}` },
    says: /has a query or a fragment/,
  },
  'a key without the space after it, between braces': configFile(
    `{app-id: id, password:${SECRET}}\n`,
    /unknown key/,
  ),
  'a user and a password for a key': webConfigFile(
    `basic_auth_users: {"me:${SECRET}": x}\n`,
    /is a name with a colon/,
  ),
};

describe('a secret that stands where none belongs is not shown:', () => {
  test.each(Object.entries(SLIPS))('%s', (_name, slip) => expectUnseen(slip));
});

async function expectUnseen({ line = ['config'], env = {}, files = {}, says }: Slip) {
  const directory = temporaryDirectory();
  const paths = Object.entries(files).map(([name, text]) => {
    const path = join(directory, `${name}.yml`);
    writeFileSync(path, text);
    return [`@${name}`, path] as const;
  });
  const filled = (text: string): string =>
    paths.reduce((so, [name, path]) => so.replace(name, path), text);
  const variables = Object.entries({ ...CREDENTIALS, ...env });
  // Of the real service, nothing is asked: every slip is found before.
  const command = 'SOLAR_PASWORD' in env ? ['check', ...line.slice(1)] : line;

  const printed = await runCommand(
    command.map(filled),
    Object.fromEntries(variables.map(([name, text]) => [name, filled(text)])),
  );

  expect(printed.status).toBe(2);
  expect(printed.stderr).toMatch(says);
  expect(printed.stdout + printed.stderr).not.toContain('81f3');
}
