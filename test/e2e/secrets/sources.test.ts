import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type OptionDefinition, OPTIONS } from '../../../src/config/options.ts';
import { temporaryDirectory } from '../../support/prometheus.ts';
import { formsOf, leaksIn, type PlantedService, startPlantedService } from './planted.ts';
import { type Printed, runCommand } from './run.ts';

const HIDDEN = OPTIONS.filter(({ secret, redacted }) => secret === true || redacted === true);
const SOURCES = ['environment', 'environment file', 'file key', 'file key of a file'] as const;

type Source = (typeof SOURCES)[number];

const CASES = HIDDEN.flatMap((option) =>
  SOURCES.filter((source) => option.secret === true || !source.endsWith('file')).map((source) => ({
    flag: option.flag,
    source,
    option,
  })),
);

/** What an option is given here, and how it is seen that it was used. */
interface Use {
  readonly value: (service: PlantedService, tokens: GivenTokens) => string;
  /** What else has to be given, or left out. */
  readonly beside?: (tokens: GivenTokens) => Readonly<Record<string, string>>;
  readonly arrange?: (service: PlantedService) => void;
  readonly requests: { readonly login: number; readonly refresh: number };
}

interface GivenTokens {
  readonly access: string;
  readonly refresh: string;
}

const NO_ACCOUNT = { SOLAR_ACCOUNT: '', SOLAR_PASSWORD: '' };
const LOGS_IN = { login: 1, refresh: 0 };

/** A new secret option needs a row here: without one, nobody could tell whether it was used. */
const USES: Readonly<Record<string, Use>> = {
  account: { value: ({ account }) => account, requests: LOGS_IN },
  password: { value: ({ password }) => password, requests: LOGS_IN },
  'app-secret': { value: ({ appSecret }) => appSecret, requests: LOGS_IN },
  'app-secret-encrypted': {
    value: ({ appSecretEncrypted }) => appSecretEncrypted,
    beside: () => ({ SOLAR_APP_SECRET: '' }),
    requests: LOGS_IN,
  },
  'access-token': {
    value: (_service, { access }) => access,
    beside: () => NO_ACCOUNT,
    requests: { login: 0, refresh: 0 },
  },
  'refresh-token': {
    value: (_service, { refresh }) => refresh,
    beside: ({ access }) => ({ ...NO_ACCOUNT, SOLAR_ACCESS_TOKEN: access }),
    arrange: ({ simulator }) => simulator.revokeTokens(),
    requests: { login: 0, refresh: 1 },
  },
};

test('the search finds every form of every secret where it is', () => {
  const secrets = formsOf(['planted-password', 'planted/app+secret=']);
  for (const secret of secrets)
    expect(leaksIn({ here: `before ${secret} after` }, secrets)).toContain(`here: ${secret}`);
});

describe('a secret is used and not shown when it comes by', () => {
  test.each(CASES)('$source: $flag', async ({ flag, source, option }) => {
    const use = USES[flag];
    if (use === undefined) throw new Error(`say in USES how ${flag} is used`);
    const service = await startPlantedService();
    const tokens = await tokensOf(service);
    use.arrange?.(service);
    const before = counted(service);
    const value = use.value(service, tokens);
    const env = { ...service.env, ...use.beside?.(tokens), [option.env]: '' };
    const given = giveBy(source, option, value);
    const environment = { ...env, ...given };

    const check = await runCommand(['check', '--json', '--log.level=trace'], environment);
    const config = await runCommand(['config'], environment);

    expect([check.status, config.status]).toEqual([0, 0]);
    expect(minus(counted(service), before)).toEqual(use.requests);
    const origin = source.startsWith('file') ? 'file' : 'environment';
    expect(config.stdout).toMatch(new RegExp(`^${flag} +\\[secret\\] +${origin}$`, 'm'));
    const secrets = [...service.secrets(), ...formsOf([value])];
    expect(leaksIn({ check: textOf(check), config: textOf(config) }, secrets)).toEqual([]);
  });

  test('flag, where the option has one', async () => {
    const service = await startPlantedService();
    const environment = { ...service.env, SOLAR_ACCOUNT: '' };
    const flag = `--account=${service.account}`;
    const check = await runCommand(['check', flag, '--log.level=trace'], environment);
    const config = await runCommand(['config', flag], environment);

    expect(check.status).toBe(0);
    expect(service.simulator.requests('login')).toBe(1);
    expect(config.stdout).toMatch(/^account +\[secret\] +flag$/m);
    const printed = { check: textOf(check), config: textOf(config) };
    expect(leaksIn(printed, service.secrets())).toEqual([]);
  });
});

test.each(HIDDEN.filter(({ secret }) => secret === true))(
  'the flag --$flag is refused without showing what was typed',
  async ({ flag, env }) => {
    for (const typed of [[`--${flag}=planted-flag-81f3`], [`--${flag}`, 'planted-flag-81f3']]) {
      const printed = await runCommand(['check', ...typed], {});
      expect(printed.status).toBe(2);
      expect(printed.stderr).toContain(`--${flag}: secrets are not taken from the command line`);
      expect(printed.stderr).toContain(`use ${env} or ${env}_FILE`);
      expect(textOf(printed)).not.toContain('planted');
    }
  },
);

/** Puts a value where the source has it; resolves to the environment that leads there. */
function giveBy(
  source: Source,
  { flag, env }: OptionDefinition,
  value: string,
): Readonly<Record<string, string>> {
  if (source === 'environment') return { [env]: value };
  const directory = temporaryDirectory();
  const secretFile = join(directory, 'secret');
  writeFileSync(secretFile, `${value}\n`, { mode: 0o600 });
  if (source === 'environment file') return { [`${env}_FILE`]: secretFile };
  const configFile = join(directory, 'config.yml');
  const line =
    source === 'file key'
      ? `${flag}: ${JSON.stringify(value)}`
      : `${flag}-file: ${JSON.stringify(secretFile)}`;
  writeFileSync(configFile, `${line}\n`, { mode: 0o600 });
  return { SOLAR_CONFIG_FILE: configFile };
}

/** A pair that the service honours, had by a log-in of its own. */
async function tokensOf(service: PlantedService): Promise<GivenTokens> {
  await runCommand(['check'], service.env);
  const [access = '', refresh = ''] = service.tokens;
  return { access, refresh };
}

function counted({ simulator }: PlantedService) {
  return { login: simulator.requests('login'), refresh: simulator.requests('refresh') };
}

function minus(after: ReturnType<typeof counted>, before: ReturnType<typeof counted>) {
  return { login: after.login - before.login, refresh: after.refresh - before.refresh };
}

function textOf({ stdout, stderr }: Printed): string {
  return stdout + stderr;
}
