import type { Secret } from '../secret.ts';

/** Names what each kind of option turns its text into; durations become milliseconds. */
export interface ValueByKind {
  readonly string: string;
  readonly secret: Secret;
  readonly url: string;
  readonly duration: number;
  readonly durationOrZero: number;
  readonly boolean: boolean;
  readonly count: number;
  readonly ratio: number;
  readonly positive: number;
  readonly list: readonly string[];
  readonly timeZone: string;
  readonly path: string;
  readonly textFile: TextFile;
  readonly endpointPath: string;
  readonly address: ListenAddress;
  readonly choice: string;
}

export type OptionKind = keyof ValueByKind;

/** A file of the user's, read when the program starts. */
export interface TextFile {
  readonly path: string;
  readonly text: string;
}

/** Describes where to listen; without a host, on every interface. IPv6 hosts carry no brackets. */
export interface ListenAddress {
  readonly host?: string | undefined;
  readonly port: number;
}

/** Describes one option once, for flags, environment, file, README and `config` alike. */
export interface OptionDefinition {
  /** The name after `--`, and the key of the configuration file. */
  readonly flag: string;
  /** The environment variable: always {@link envName} of the flag. */
  readonly env: string;
  readonly kind: OptionKind;
  /** As a person would type it; absent when there is none. */
  readonly default?: string;
  /** What happens without a value, where that is not a default one could type. */
  readonly unset?: string;
  /** Never taken by flag, never shown; the environment and the file also know `X_FILE`. */
  readonly secret?: boolean;
  /** Taken by flag, but never shown: accounts identify a person. */
  readonly redacted?: boolean;
  /** False for the one option that cannot be a key of the configuration file. */
  readonly fileKey?: boolean;
  /** The words a `choice` accepts. */
  readonly choices?: readonly string[];
  /** The bounds of a `count`, both included. */
  readonly minimum?: number;
  readonly maximum?: number;
  readonly describe: string;
  /** What stands for the value in `--help`. */
  readonly placeholder?: string;
  /** The commands that take it; absent: all. */
  readonly commands?: readonly string[];
}

/** Is a definition as the tables write it: the environment name follows from the flag. */
export type OptionRow = Omit<OptionDefinition, 'env'>;

/** Derives the environment variable: `cache.readings-ttl` is `SOLAR_CACHE_READINGS_TTL`. */
export function envName(flag: string): string {
  return `SOLAR_${flag.toUpperCase().replaceAll(/[.-]/g, '_')}`;
}
