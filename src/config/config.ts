import { ConfigError } from '../base/errors.ts';
import { ACCOUNT_OPTIONS } from './account-entries.ts';
import { type AccountValues, readAccounts } from './accounts.ts';
import type { Origin } from './assignment.ts';
import { conflictingSecrets, missingCredentials } from './credentials.ts';
import {
  type DialectEntries,
  readDialectEntries,
  readTariff,
  type TariffContent,
} from './dialect-and-tariff.ts';
import { formatDuration } from './duration.ts';
import {
  arrangeValues,
  type OptionDefinition,
  OPTIONS,
  type OptionValues,
  showValue,
} from './options.ts';
import { type ConfigSources, mergeSources, warnOfUnknownVariables } from './sources.ts';
import { readValues } from './values.ts';

export type { Origin } from './assignment.ts';
export type { ConfigSources } from './sources.ts';

/** The configuration of the program: complete, checked and frozen, in the shape of the option tree. */
export interface Config extends Omit<OptionValues, 'dialect' | 'tariff'> {
  readonly dialect: DialectEntries | undefined;
  readonly tariff: TariffContent | undefined;
  /** What the file lists under `accounts`; empty where the options themselves are those of the only account. */
  readonly accounts: readonly AccountConfig[];
  /** The account that these options are of; absent for the only account, which needs no name. */
  readonly accountName?: string | undefined;
}

/** The configuration as it holds for one of several accounts. */
export interface AccountConfig extends Omit<Config, 'accounts'> {
  readonly accountName: string;
}

/** A configuration, its warnings, and where the value of each option came from, by flag. */
export interface ParsedConfig {
  readonly config: Config;
  readonly warnings: readonly string[];
  readonly origins: ReadonlyMap<string, Origin>;
  /** Where the options of each account came from, by its name and by flag. */
  readonly accountOrigins: ReadonlyMap<string, ReadonlyMap<string, Origin>>;
}

/**
 * Reads the configuration from flags, environment and configuration file. A flag overrides the
 * environment, which overrides the file, which overrides the default.
 *
 * @param needs - whether the command talks to the real service; demo and simulate do not
 * @throws {@link ConfigError} listing every problem at once, free of secrets
 */
export async function parseConfig(
  sources: ConfigSources,
  needs: { readonly credentials: boolean } = { credentials: true },
): Promise<ParsedConfig> {
  const { readFile, env } = sources;
  const { assignments, problems: sourceProblems, accounts: entries } = await mergeSources(sources);
  const { values: byFlag, problems: valueProblems } = readValues(OPTIONS, assignments, readFile);
  const values = arrangeValues(byFlag);
  const { dialect, problems: dialectProblems } = await readDialectEntries(values.dialect.file);
  const { tariff, problems: tariffProblems } = await readTariff(values.tariff.file);
  const listed = readAccounts(entries ?? [], {
    assignments,
    values: byFlag,
    readFile,
    needsCredentials: needs.credentials,
  });
  const isSingle = entries === undefined;
  const problems = [
    ...sourceProblems,
    ...valueProblems,
    ...conflictingSecrets(assignments),
    ...dialectProblems,
    ...tariffProblems,
    ...listed.problems,
    ...(needs.credentials && isSingle ? missingCredentials((flag) => assignments.has(flag)) : []),
  ];
  if (problems.length > 0) throw new ConfigError(problems);

  const accounts = listed.accounts.map((account) =>
    Object.freeze({ ...account.values, accountName: account.name, dialect, tariff }),
  );
  const config = Object.freeze({ ...values, dialect, tariff, accounts: Object.freeze(accounts) });
  const origins = new Map(
    OPTIONS.map(({ flag }): [string, Origin] => [flag, assignments.get(flag)?.origin ?? 'default']),
  );
  const warnings = [...warnOfUnknownVariables(env), ...doubtsAbout(config)];
  return { config, warnings, origins, accountOrigins: originsOf(listed.accounts) };
}

function originsOf(accounts: readonly AccountValues[]): ParsedConfig['accountOrigins'] {
  return new Map(accounts.map(({ name, origins }) => [name, origins]));
}

/** A device has a reading about every five minutes, at most six (field notes 4.3). */
const LEAST_MAX_AGE_MS = 6 * 60_000;

/** Warns of values that are allowed, but hardly intended. */
function doubtsAbout(config: Config): readonly string[] {
  const { cache, accounts } = config;
  const warnings: string[] = [];
  if (cache.maxAgeMs !== 'auto' && cache.maxAgeMs < LEAST_MAX_AGE_MS)
    warnings.push(
      `cache.max-age: ${formatDuration(cache.maxAgeMs)} is less than the five minutes between two readings of a device: its values come and go`,
    );
  for (const { accountName, baseUrl, authUrl } of accounts.length === 0 ? [config] : accounts)
    for (const url of new Set([baseUrl, authUrl]))
      if (url.startsWith('http://') && !isThisMachine(new URL(url).hostname))
        warnings.push(
          `${accountName === undefined ? '' : `account ${accountName}: `}${url === baseUrl ? 'base-url' : 'auth-url'}: http:// sends the log-in and the tokens for everybody on the way to read; use https://`,
        );
  return warnings;
}

function isThisMachine(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host);
}

/** One line of the `config` command. */
export interface ConfigRow {
  readonly flag: string;
  readonly env: string;
  /** As a person would type it; `[secret]` for what is not shown, empty when there is none. */
  readonly value: string;
  readonly origin: Origin;
}

/** Lists the effective value of every option and where it came from, secrets hidden. */
export function describeConfig(
  config: Config,
  origins: ReadonlyMap<string, Origin>,
): readonly ConfigRow[] {
  return rowsOf(OPTIONS, config, origins);
}

/** Lists the effective values of the options of one account, of several, in the same way. */
export function describeAccount(
  account: AccountConfig,
  origins: ReadonlyMap<string, Origin>,
): readonly ConfigRow[] {
  return rowsOf(ACCOUNT_OPTIONS, account, origins);
}

function rowsOf(
  options: readonly OptionDefinition[],
  config: object,
  origins: ReadonlyMap<string, Origin>,
): readonly ConfigRow[] {
  return options.map((option) => ({
    flag: option.flag,
    env: option.env,
    value: showValue(option, config),
    origin: origins.get(option.flag) ?? 'default',
  }));
}
