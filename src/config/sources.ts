import { quote } from '../base/shown.ts';
import { whyGone } from './gone.ts';
import { isMapping, type Mapping, type YamlFile } from './kinds.ts';
import { nearest } from './nearest.ts';
import { envName, OPTION_BY_FLAG, type OptionDefinition, OPTIONS } from './options.ts';
import type { Content } from './values.ts';

/** The sources of a configuration, passed in rather than read from the process. */
export interface ConfigSources {
  /** Flags without their dashes, `cache.readings-ttl`; undefined means not given. */
  readonly flags: Readonly<Record<string, unknown>>;
  readonly env: Environment;
  /** Returns the text of a file, or throws. */
  readonly readFile: (path: string) => string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Where a value came from; the first of them that has one wins. */
export type Origin = 'flag' | 'environment' | 'file' | 'default';

/** What a name in a source stands for: an option, or the file that has a secret. */
interface Target {
  readonly option: OptionDefinition;
  readonly isPath: boolean;
}

/** What a person gives to an option in one place. */
export interface Given extends Target {
  readonly origin: Origin;
  /** The option as the person wrote it: `--x`, `SOLAR_X`, or `x in FILE`. */
  readonly name: string;
  /** What the flag parser, the environment or YAML delivers. */
  readonly raw: unknown;
}

/** What a source gives, and what is wrong with the source itself. */
export interface SourceContent {
  readonly given: readonly Given[];
  readonly problems: readonly string[];
}

/** Lists the names of options in a source. A secret has a second one, for the file that holds it. */
function namesOf(
  options: readonly OptionDefinition[],
  spell = (flag: string): string => flag,
): ReadonlyMap<string, Target> {
  const names = options.flatMap((option): [string, Target][] => {
    const { flag, secret } = option;
    const own: [string, Target] = [spell(flag), { option, isPath: false }];
    return secret === true ? [own, [spell(`${flag}-file`), { option, isPath: true }]] : [own];
  });
  return new Map(names);
}

/** Collects what the command line gives. */
export function fromFlags(flags: ConfigSources['flags']): SourceContent {
  const given: Given[] = [];
  const problems: string[] = [];
  for (const [flag, raw] of Object.entries(flags)) {
    const option = OPTION_BY_FLAG.get(flag);
    const name = `--${showName(flag)}`;
    if (raw === undefined) continue;
    if (option === undefined || option.secret === true)
      problems.push(`${name}: ${whyRefused(flag)}`);
    else given.push({ option, origin: 'flag', name, raw, isPath: false });
  }
  return { given, problems };
}

function whyRefused(flag: string): string {
  const gone = whyGone(flag);
  if (gone !== undefined) return gone;
  const sources = ({ env }: OptionDefinition): string => `${env} or ${env}_FILE`;
  const option = OPTION_BY_FLAG.get(flag.replace(/-file$/, ''));
  if (option?.secret === true)
    return `secrets are not taken from the command line; use ${sources(option)}`;
  const guess = OPTION_BY_FLAG.get(nearest(flag, [...OPTION_BY_FLAG.keys()]) ?? '');
  if (guess === undefined) return 'unknown option; solar-exporter --help-all lists them';
  return `unknown option${meant(guess.secret === true ? sources(guess) : `--${guess.flag}`)}`;
}

function meant(guess: string | undefined): string {
  return guess === undefined ? '' : `; did you mean ${guess}?`;
}

const PREFIX = envName('');
const VARIABLES = namesOf(OPTIONS, envName);

/** Collects what the environment gives. An empty variable counts as unset: compose files pass unset ones so. */
export function fromEnvironment(env: Environment): readonly Given[] {
  return [...VARIABLES]
    .map(([name, target]): Given => ({ ...target, origin: 'environment', name, raw: env[name] }))
    .filter(({ raw = '' }) => raw !== '');
}

/** Kubernetes injects variables named after services (`SOLAR_EXPORTER_SERVICE_HOST`), which nobody typed. */
const TYPED = /^SOLAR_(?!REVISION$|EXPORTER_|(?:.*_)?(?:SERVICE|PORT)(?:_|$))/;

/** Warns of variables that look mistyped. */
export function warnOfUnknownVariables(env: Environment): readonly string[] {
  const names = Array.from(VARIABLES.keys(), (known) => known.slice(PREFIX.length));
  return Object.entries(env).flatMap(([name, text = '']) => {
    if (text === '' || !TYPED.test(name) || VARIABLES.has(name)) return [];
    const guess = nearest(name.slice(PREFIX.length), names);
    if (guess === undefined) return [];
    return `${showName(name)}: unknown environment variable, ignored${meant(PREFIX + guess)}`;
  });
}

const FILE_KEYS = namesOf(OPTIONS.filter(({ fileKey }) => fileKey !== false));
const KNOWN_KEYS = [...FILE_KEYS.keys()];

/** Collects what the configuration file gives; what is wrong with the file itself is said by its option. */
export function fromFile(loaded: Content = { fault: 'not given' }): SourceContent {
  const yaml = 'input' in loaded ? (loaded.input as YamlFile) : undefined;
  const file = quote(yaml?.file.path ?? '').slice(1, -1);
  const given: Given[] = [];
  const problems: string[] = [];
  for (const [key, raw] of isMapping(yaml?.content) ? flatten(yaml.content) : []) {
    const target = FILE_KEYS.get(key);
    // A value without a blank before it is part of the key in YAML, and may be a secret.
    const name = `${showName(key.replace(/:.*$/s, ':…'))} in ${file}`;
    if (target !== undefined) given.push({ ...target, origin: 'file', name, raw });
    else if (isSection(key)) problems.push(`${name}: takes a mapping of keys`);
    else
      problems.push(`${name}: ${whyGone(key) ?? `unknown key${meant(nearest(key, KNOWN_KEYS))}`}`);
  }
  return { given, problems };
}

/** Brings `cache: {readings-ttl: …}` into the flat form, `cache.readings-ttl: …`. */
function flatten(mapping: Mapping, parent = ''): [string, unknown][] {
  return Object.entries(mapping).flatMap(([own, raw]) => {
    const key = `${parent}${own}`;
    return isMapping(raw) && isSection(key) ? flatten(raw, `${key}.`) : [[key, raw]];
  });
}

function isSection(key: string): boolean {
  return KNOWN_KEYS.some((name) => name.startsWith(`${key}.`));
}

/** Shows a name as it is, unless it could be anything but a name. */
function showName(text: string): string {
  return /^[\w.-]{1,60}$/.test(text) ? text : quote(text);
}
