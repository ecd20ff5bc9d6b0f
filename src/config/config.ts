import { ConfigError } from '../errors.ts';
import { missingCredentials } from './credentials.ts';
import { readDialectEntries } from './dialect-entries.ts';
import { formatDuration } from './duration.ts';
import { buildConfig, type Config } from './effective-config.ts';
import type { Given, Origin } from './given.ts';
import { OPTIONS } from './options.ts';
import { readSettings } from './settings.ts';
import { type ConfigSources, mergeSources } from './sources.ts';

export { type ConfigRow, describeConfig } from './describe.ts';
export type { Config, EndpointPaths, SimulatorConfig } from './effective-config.ts';
export type { Origin } from './given.ts';
export type { ListenAddress } from './option.ts';
export type { ConfigSources } from './sources.ts';

/** Is a configuration, what to warn of, and where each option's value came from, by flag. */
export interface ParsedConfig {
  readonly config: Config;
  readonly warnings: readonly string[];
  readonly origins: ReadonlyMap<string, Origin>;
}

/**
 * Turns flags, environment and configuration file into the only configuration the program ever
 * sees: flag over environment over file over default.
 *
 * @param needs - whether the command talks to the real service; demo and simulate do not
 * @throws {@link ConfigError} listing every problem at once, free of secrets
 */
export async function parseConfig(
  sources: ConfigSources,
  needs: { readonly credentials: boolean } = { credentials: true },
): Promise<ParsedConfig> {
  const { given, problems, warnings } = await mergeSources(sources);
  const settings = readSettings(given, sources.readFile);
  const { dialect, problems: faults } = await readDialectEntries(settings.read('dialect.file'));
  const all = [...problems, ...settings.problems, ...conflicts(given), ...faults];
  if (needs.credentials) {
    const missing = missingCredentials((flag) => given.has(flag));
    if (missing !== undefined) all.push(missing);
  }
  if (all.length > 0) throw new ConfigError(all);

  const origins = new Map(
    OPTIONS.map(({ flag }): [string, Origin] => [flag, given.get(flag)?.origin ?? 'default']),
  );
  const config = buildConfig(settings.read, dialect);
  return { config, warnings: [...warnings, ...doubts(config)], origins };
}

/** The service has a reading every five minutes, give or take one (field notes 4.3). */
const LEAST_MAX_AGE_MS = 6 * 60_000;

/** What is allowed, and hardly what anybody wants. */
function doubts({ cache, baseUrl, authUrl }: Config): readonly string[] {
  const warnings: string[] = [];
  if (cache.maxAgeMs < LEAST_MAX_AGE_MS)
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

/** The service takes one application secret, and two forms of it could disagree. */
function conflicts(given: ReadonlyMap<string, Given>): string[] {
  const plain = given.get('app-secret');
  const encrypted = given.get('app-secret-encrypted');
  if (plain === undefined || encrypted === undefined) return [];
  return [`${plain.name} and ${encrypted.name}: give only one of the two`];
}
