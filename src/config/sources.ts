import { quote } from '../base/shown.ts';
import { whyGone } from './gone.ts';
import { isMapping, type Mapping, type YamlFile } from './kinds.ts';
import { nearest } from './nearest.ts';
import { envName, OPTION_BY_FLAG, type OptionDefinition, OPTIONS } from './options.ts';
import type { Content, Given, Target } from './values.ts';

/** The sources of a configuration, passed in rather than read from the process. */
export interface ConfigSources {
  /** Flags without their dashes, `cache.readings-ttl`; undefined means not given. */
  readonly flags: Readonly<Record<string, unknown>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Returns the text of a file, or throws. */
  readonly readFile: (path: string) => string;
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
    if (option !== undefined && option.secret !== true)
      given.push({ option, origin: 'flag', name, raw, isPath: false });
    else problems.push(`${name}: ${whyNoFlag(flag)}`);
  }
  return { given, problems };
}

function whyNoFlag(flag: string): string {
  const sources = ({ env }: OptionDefinition): string => `${env} or ${env}_FILE`;
  const option = OPTION_BY_FLAG.get(flag.replace(/-file$/, ''));
  if (option?.secret === true)
    return `secrets are not taken from the command line; use ${sources(option)}`;
  return whyUnknown('option', flag, [...OPTION_BY_FLAG.keys()], (guess) => {
    const meant = OPTION_BY_FLAG.get(guess);
    return meant?.secret === true ? sources(meant) : `--${guess}`;
  });
}

/** Says what to use in place of a name that is none; `show` writes one that is as a person does. */
function whyUnknown(
  what: string,
  typed: string,
  known: readonly string[],
  show = (guess: string): string => guess,
): string {
  const gone = whyGone(envName(typed));
  if (gone !== undefined) return gone;
  const option = known.find((name) => name === typed.replace(/[-_]file$/i, ''));
  if (option !== undefined) return `only secrets come from files of their own; use ${show(option)}`;
  const guess = nearest(typed, known);
  if (guess === undefined) return `unknown ${what}; solar-exporter --help-all lists them`;
  return `unknown ${what}; did you mean ${show(guess)}?`;
}

const PREFIX = envName('');
const VARIABLES = namesOf(OPTIONS, envName);

/**
 * Variables that nobody typed. Kubernetes makes some of the name of each service of its namespace: of `solar-web`,
 * `SOLAR_WEB_SERVICE_HOST`, `SOLAR_WEB_PORT_9877_TCP`, and `SOLAR_WEB_PORT` with an address. The image says of what
 * revision it is.
 */
const OF_MACHINES =
  /^SOLAR_(?:REVISION=|(?:\w+_)?(?:SERVICE_HOST=|SERVICE_PORT(?:_\w+)?=|PORT=(?:tcp|udp|sctp):|PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?=))/;

/** Collects what the environment gives. An empty variable counts as unset: compose files pass unset ones so. */
export function fromEnvironment(env: ConfigSources['env']): SourceContent {
  const known = Array.from(VARIABLES.keys(), (name) => name.slice(PREFIX.length));
  const given: Given[] = [];
  const problems: string[] = [];
  for (const [name, raw = ''] of Object.entries(env)) {
    if (!name.startsWith(PREFIX) || raw === '' || OF_MACHINES.test(`${name}=${raw}`)) continue;
    const target = VARIABLES.get(name);
    if (target !== undefined) given.push({ ...target, origin: 'environment', name, raw });
    else {
      const why = whyUnknown('variable', name.slice(PREFIX.length), known, (one) => PREFIX + one);
      problems.push(`${showName(name)}: ${why}`);
    }
  }
  return { given, problems };
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
    else if (OPTION_BY_FLAG.get(key)?.fileKey === false)
      problems.push(`${name}: a file names no other; use --${key}`);
    else if (isSection(key)) problems.push(`${name}: takes a mapping of keys`);
    else problems.push(`${name}: ${whyUnknown('key', key, KNOWN_KEYS)}`);
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
