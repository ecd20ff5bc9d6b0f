import { ConfigError } from '../base/errors.ts';
import { type Account, readAccounts } from './accounts.ts';
import { conflictingSecrets, missingCredentials, warnOfLostToken } from './credentials.ts';
import { formatDuration } from './duration.ts';
import { OPTIONS, type OptionValues, showValue } from './options.ts';
import {
  type ConfigSources,
  fromEnvironment,
  fromFile,
  fromFlags,
  type Origin,
  warnOfUnknownVariables,
} from './sources.ts';
import { assign, type Assignments, readValues } from './values.ts';

export type { ConfigSources, Origin } from './sources.ts';

/** The configuration of the program: complete, checked and frozen, in the shape of the option tree. */
export interface Config extends OptionValues {
  /** What the file lists under `accounts`; empty where the options themselves are those of the only account. */
  readonly accounts: readonly AccountConfig[];
}

/** The configuration as it holds for one of several accounts. */
export type AccountConfig = Account['values'];

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
  const flags = fromFlags(sources.flags);
  const typed = await assign([...flags.given, ...fromEnvironment(env)], readFile);
  const { file, listed, ...ofFile } = fromFile(typed.get('config.file')?.content);
  const fromThere = ofFile.given.filter(({ option }) => !typed.has(option.flag));
  const assignments = new Map([...(await assign(fromThere, readFile)), ...typed]);
  const { values, problems: valueProblems } = readValues(assignments);
  const missing = needs.credentials ? missingCredentials : () => [];
  const { accounts, problems: accountProblems } =
    listed === undefined
      ? { accounts: [], problems: missing(assignments) }
      : await readAccounts(listed, { assignments, file, readFile, missing });
  const problems = [
    ...[...flags.problems, ...ofFile.problems, ...valueProblems.values()],
    ...[...conflictingSecrets(assignments), ...accountProblems],
  ];
  if (problems.length > 0) throw new ConfigError(problems);

  const ofEach = listed === undefined ? [assignments] : accounts.map((each) => each.assignments);
  const config = Object.freeze({
    ...values,
    accounts: Object.freeze(accounts.map((account) => account.values)),
  });
  return {
    config,
    warnings: [
      ...warnOfUnknownVariables(env),
      ...ofEach.flatMap(warnOfLostToken),
      ...doubtsAbout(config),
    ],
    origins: originsOf(assignments),
    accountOrigins: new Map(
      accounts.map((each) => [each.values.accountName, originsOf(each.assignments)]),
    ),
  };
}

function originsOf(assignments: Assignments): ReadonlyMap<string, Origin> {
  return new Map(OPTIONS.map(({ flag }) => [flag, assignments.get(flag)?.origin ?? 'default']));
}

/** A device has a reading about every five minutes, at most six (service.md#cadence). */
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

/** An option as the command `config` shows it. */
export interface ConfigRow {
  readonly option: string;
  /** As a person would type it; `[secret]` for what is not shown, absent when there is none. */
  readonly value: string | undefined;
  readonly from: Origin;
}

/** Lists the effective values of options and where they came from, secrets hidden. */
export function describeConfig(
  config: OptionValues,
  origins: ReadonlyMap<string, Origin> = new Map(),
  options = OPTIONS,
): readonly ConfigRow[] {
  return options.map((option) => ({
    option: option.flag,
    value: showValue(option, config) || undefined,
    from: origins.get(option.flag) ?? 'default',
  }));
}
