/** What the tree of options says of one option, apart from its kind. */
export interface OptionRow {
  /** The name after `--` and the key of the file, where it does not follow from the place in the tree. */
  readonly flag?: string;
  /** As a person would type it; absent when there is none. */
  readonly default?: string;
  /** The flag of the option whose value is used when this one has none. */
  readonly sameAs?: string;
  /** What happens without a value, where that is not a default one could type. */
  readonly unset?: string;
  /** Whether the value is never shown although a flag may give it: accounts identify a person. */
  readonly redacted?: boolean;
  /** False for the one option that cannot be a key of the configuration file. */
  readonly fileKey?: boolean;
  /** Whether a reload cannot take up a new value. */
  readonly needsRestart?: boolean;
  readonly describe: string;
  /** The commands that take it; absent: all. */
  readonly commands?: readonly string[];
  /** Whether an entry of `accounts` may have it, and how; absent: no. */
  readonly perAccount?: PerAccount;
}

/**
 * How an entry of `accounts` has an option: `own` means that nothing beside the entry gives its value, and
 * `inherits` that the entry follows the rest of the configuration where it leaves the option out.
 */
export type PerAccount = 'own' | 'inherits';

/** Names every kind of option. */
export type OptionKind =
  | 'accountName'
  | 'address'
  | 'boolean'
  | 'choice'
  | 'count'
  | 'duration'
  | 'durationOrAuto'
  | 'timeout'
  | 'timeoutOrZero'
  | 'endpointPath'
  | 'hosts'
  | 'interval'
  | 'labels'
  | 'list'
  | 'moment'
  | 'path'
  | 'positive'
  | 'ratio'
  | 'secret'
  | 'string'
  | 'textFile'
  | 'timeZone'
  | 'url';

/** A value, or a fault that completes "the value …": `is not a duration; accepted: …`. */
export type ReadResult<Value> = { readonly value: Value } | { readonly fault: string };

/** A row with its kind: how a text becomes the value, and how the value is shown. */
export interface Option<Value = unknown> extends OptionRow {
  readonly kind: OptionKind;
  /** Whether no flag takes it and nothing shows it; the environment and the file also know `X_FILE`. */
  readonly secret?: boolean;
  /** The words that a `choice` accepts. */
  readonly choices?: readonly string[];
  /** The value when no source gives any. */
  readonly emptyValue?: unknown;
  /**
   * Reads a text from any source; never throws.
   *
   * @param path - the file that the text was read from, if any
   */
  read(text: string, path?: string): ReadResult<Value>;
  /** Shows the value as a person would type it. */
  show(value: Value): string;
}

/** Declares an option of one kind. Its value may be undefined unless the row has a default or another option's. */
export interface Declare<Value, Row = OptionRow> {
  (row: Row & WithValue): Option<Value>;
  (row: Row): Option<Value | undefined>;
}

/** The part of a row that makes sure that its option has a value. */
export type WithValue = { readonly default: string } | { readonly sameAs: string };

/** Options in groups, in the shape of the configuration that they become. */
export interface OptionTree {
  readonly [key: string]: Option | OptionTree;
}

/** The values of a tree of options, in its shape. */
export type ValuesOf<Tree> = {
  readonly [Key in keyof Tree]: Tree[Key] extends Option<infer Value> ? Value : ValuesOf<Tree[Key]>;
};

/** An option with its names and its place in the tree. */
export interface OptionDefinition extends Option {
  readonly flag: string;
  /** The environment variable: always {@link envName} of the flag. */
  readonly env: string;
  /** The keys that lead to its value in the configuration. */
  readonly path: readonly string[];
}

/** Whether a node of the tree is an option, and not a group of them. */
export function isOption(node: Option | OptionTree): node is Option {
  return typeof node.describe === 'string';
}

/** Names an option by its place in the tree, unless its row names the flag. */
export function define(option: Option, path: readonly string[]): OptionDefinition {
  const flag = option.flag ?? flagName(path);
  return { ...option, flag, env: envName(flag), path };
}

/** Derives the flag from the place in the tree: `cache`, `readingsTtlMs` is `cache.readings-ttl`. */
function flagName(path: readonly string[]): string {
  // People write a unit with the value, not into the name.
  return path
    .map((key) => key.replace(/Ms$/, '').replaceAll(/[A-Z]/g, '-$&').toLowerCase())
    .join('.');
}

/** Derives the environment variable: `cache.readings-ttl` is `SOLAR_CACHE_READINGS_TTL`. */
export function envName(flag: string): string {
  return `SOLAR_${flag.toUpperCase().replaceAll(/[.-]/g, '_')}`;
}
