import { quote, readFailure } from '../base/shown.ts';
import { type Assignment, contentOf, showName, type SourceContent } from './assignment.ts';
import { type FileContent, fromConfigFile } from './config-file.ts';
import { nearest } from './nearest.ts';
import { OPTION_BY_FLAG, type OptionDefinition, OPTIONS } from './options.ts';

/** The sources of a configuration, passed in rather than read from the process. */
export interface ConfigSources {
  /** Flags without their dashes, `cache.readings-ttl`; undefined means not given. */
  readonly flags: Readonly<Record<string, unknown>>;
  readonly env: Environment;
  /** Returns the text of a file, or throws. */
  readonly readFile: (path: string) => string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Merges flags over environment over file over defaults; each assignment keeps its origin. */
export async function mergeSources({ flags, env, readFile }: ConfigSources): Promise<FileContent> {
  const flagContent = fromFlags(flags);
  const environment = fromEnvironment(env);
  const namesFile =
    flagContent.assignments.get('config.file') ?? environment.assignments.get('config.file');
  const file = await readConfigFile(namesFile, readFile);
  const sources = [DEFAULTS, file, environment, flagContent];
  return {
    // Later entries of a Map replace earlier ones: the strongest source comes last.
    assignments: new Map(sources.flatMap(({ assignments }) => [...assignments])),
    problems: sources.toReversed().flatMap(({ problems }) => problems),
    accounts: file.accounts,
  };
}

const NOTHING: SourceContent = { assignments: new Map(), problems: [] };

const DEFAULTS: SourceContent = {
  assignments: new Map(
    OPTIONS.flatMap(({ flag, default: text }): [string, Assignment][] =>
      text === undefined ? [] : [[flag, { origin: 'default', name: flag, content: { text } }]],
    ),
  ),
  problems: [],
};

/** Collects what the command line assigns. */
function fromFlags(flags: ConfigSources['flags']): SourceContent {
  const assignments = new Map<string, Assignment>();
  const problems: string[] = [];
  for (const [flag, raw] of Object.entries(flags)) {
    if (raw === undefined) continue;
    const option = OPTION_BY_FLAG.get(flag);
    if (option === undefined || option.secret === true)
      problems.push(`--${showName(flag)}: ${whyRefused(flag)}`);
    else
      assignments.set(flag, {
        origin: 'flag',
        name: `--${flag}`,
        content: contentOf(option, raw),
      });
  }
  return { assignments, problems };
}

function whyRefused(flag: string): string {
  const secret = OPTION_BY_FLAG.get(flag.replace(/-file$/, ''));
  if (secret?.secret === true)
    return `secrets are not taken from the command line; use ${secretSources(secret)}`;
  const guess = OPTION_BY_FLAG.get(nearest(flag, [...OPTION_BY_FLAG.keys()]) ?? '');
  if (guess === undefined) return 'unknown option; solar-exporter --help-all lists them';
  const meant = guess.secret === true ? secretSources(guess) : `--${guess.flag}`;
  return `unknown option; did you mean ${meant}?`;
}

function secretSources({ env }: OptionDefinition): string {
  return `${env} or ${env}_FILE`;
}

/** Collects what the environment assigns. An empty variable counts as unset. */
function fromEnvironment(env: Environment): SourceContent {
  const assignments = new Map<string, Assignment>();
  for (const option of OPTIONS) {
    const text = env[option.env] ?? '';
    const path = option.secret === true ? (env[`${option.env}_FILE`] ?? '') : '';
    if (text !== '' || path !== '')
      assignments.set(option.flag, fromVariables(option.env, text, path));
  }
  return { assignments, problems: [] };
}

function fromVariables(name: string, text: string, path: string): Assignment {
  const origin = 'environment';
  if (path === '') return { origin, name, content: { text } };
  if (text === '') return { origin, name: `${name}_FILE`, content: { path } };
  const content = { fault: 'give only one of the two' };
  return { origin, name: `${name} and ${name}_FILE`, content };
}

const PREFIX = 'SOLAR_';

const VARIABLES = OPTIONS.flatMap(({ env, secret }) =>
  secret === true ? [env, `${env}_FILE`] : [env],
);

/**
 * Warns of variables that look mistyped. They are no errors, because Kubernetes injects variables
 * named after services (`SOLAR_EXPORTER_SERVICE_HOST`), which nobody typed.
 */
export function warnOfUnknownVariables(env: Environment): string[] {
  const names = VARIABLES.map((known) => known.slice(PREFIX.length));
  return Object.entries(env).flatMap(([name, text]) => {
    if (text === undefined || text === '' || !isOurs(name) || VARIABLES.includes(name)) return [];
    const guess = nearest(name.slice(PREFIX.length), names);
    if (guess === undefined) return [];
    return `${showName(name)}: unknown environment variable, ignored; did you mean ${PREFIX}${guess}?`;
  });
}

function isOurs(name: string): boolean {
  if (!name.startsWith(PREFIX) || name === 'SOLAR_REVISION') return false;
  return !name.startsWith('SOLAR_EXPORTER_') && !/_(?:SERVICE|PORT)(?:_|$)/.test(name);
}

async function readConfigFile(
  assignment: Assignment | undefined,
  readFile: ConfigSources['readFile'],
): Promise<FileContent> {
  // A blank name, or one that is no text, is refused later, with the other values.
  if (assignment === undefined || !('text' in assignment.content)) return NOTHING;
  const path = assignment.content.text;
  if (path.trim() === '') return NOTHING;
  let text: string;
  try {
    text = readFile(path);
  } catch (error) {
    const problem = `${assignment.name}: cannot read ${quote(path)}: ${readFailure(error)}; accepted: the path of a readable YAML file`;
    return { ...NOTHING, problems: [problem] };
  }
  return fromConfigFile(path, text);
}
