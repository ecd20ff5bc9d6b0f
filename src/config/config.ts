import { ConfigError } from '../base/errors.ts';
import { conflictingSecrets, missingCredentials, warnOfLostToken } from './credentials.ts';
import { formatDuration } from './duration.ts';
import { OPTIONS, type OptionValues, showValue } from './options.ts';
import { type ConfigSources, fromEnvironment, fromFile, fromFlags } from './sources.ts';
import { assign, type Assignments, type Origin, readValues } from './values.ts';

export type { ConfigSources } from './sources.ts';
export type { Origin } from './values.ts';

/** The configuration of the program: complete, checked and frozen, in the shape of the option tree. */
export type Config = OptionValues;

/** A configuration, its warnings, and where the value of each option came from, by flag. */
export interface ParsedConfig {
  readonly config: Config;
  readonly warnings: readonly string[];
  readonly origins: ReadonlyMap<string, Origin>;
}

/**
 * Reads the configuration from flags, environment and configuration file. A flag overrides the
 * environment, which overrides the file, which overrides the default.
 *
 * @param needs - whether the command talks to the real service; demo and simulate do not. And its name where it lasts:
 *   a value that it does not use is worth a warning
 * @throws {@link ConfigError} listing every problem at once, free of secrets
 */
export async function parseConfig(
  sources: ConfigSources,
  needs: { readonly credentials: boolean; readonly lasting?: string | undefined } = {
    credentials: true,
  },
): Promise<ParsedConfig> {
  const { readFile, env } = sources;
  const [flags, variables] = [fromFlags(sources.flags), fromEnvironment(env)];
  const typed = await assign([...flags.given, ...variables.given], readFile);
  const ofFile = fromFile(typed.get('config.file')?.content);
  const fromThere = ofFile.given.filter(({ option }) => !typed.has(option.flag));
  const assignments = new Map([...(await assign(fromThere, readFile)), ...typed]);
  const { values: config, problems: valueProblems } = readValues(assignments);
  const problems = [
    ...flags.problems,
    ...variables.problems,
    ...ofFile.problems,
    ...valueProblems.values(),
    ...conflictingSecrets(assignments),
    ...(needs.credentials ? missingCredentials(assignments) : []),
  ];
  if (problems.length > 0) throw new ConfigError(problems);
  return {
    config,
    warnings: [
      ...unused(assignments, needs.lasting),
      ...warnOfLostToken(assignments),
      ...doubtsAbout(config),
    ],
    origins: new Map(OPTIONS.map(({ flag }) => [flag, assignments.get(flag)?.origin ?? 'default'])),
  };
}

/** Warns of values that only other commands use. */
function unused(assignments: Assignments, command: string | undefined): readonly string[] {
  return OPTIONS.flatMap(({ flag, commands }) => {
    const given = assignments.get(flag);
    if (given === undefined || command === undefined) return [];
    if (commands?.includes(command) ?? true) return [];
    return `${given.name}: ${command} does not use it, only ${commands?.join(' and ') ?? ''}`;
  });
}

/** A device has a reading about every five minutes, at most six (service.md#cadence). */
const LEAST_MAX_AGE_MS = 6 * 60_000;

/** Warns of values that are allowed, but hardly intended. */
function doubtsAbout(config: Config): readonly string[] {
  const { cache, baseUrl, authUrl } = config;
  const warnings: string[] = [];
  if (cache.maxAgeMs !== 'auto' && cache.maxAgeMs < LEAST_MAX_AGE_MS)
    warnings.push(
      `cache.max-age: ${formatDuration(cache.maxAgeMs)} is less than the five minutes between two readings of a device: its values come and go`,
    );
  for (const url of new Set([baseUrl, authUrl]))
    if (url.startsWith('http://') && !isThisMachine(new URL(url).hostname))
      warnings.push(
        `${url === baseUrl ? 'base-url' : 'auth-url'}: http:// sends the log-in and the tokens for everybody on the way to read; use https://`,
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
): readonly ConfigRow[] {
  return OPTIONS.map((option) => ({
    option: option.flag,
    value: showValue(option, config) || undefined,
    from: origins.get(option.flag) ?? 'default',
  }));
}
