import { z } from 'zod';
import type { KindFacts } from './kinds.ts';
import { OPTION_TREE, type OptionFacts } from './option-tree.ts';

/** The values of all options, frozen, in the shape of the tree of options. */
export type OptionValues = z.output<typeof VALUES> & {
  /** How the person named the access token, or the file that holds it. */
  readonly accessTokenName?: string | undefined;
};

/** Reads the texts of options, in the shape of the tree. */
export const VALUES = OPTION_TREE.transform((values) =>
  // The log-in goes where the data are.
  Object.freeze({ ...values, authUrl: values.authUrl ?? values.baseUrl }),
);

/** An option with its names, its place in the tree, and all that the tree says of it. */
export interface OptionDefinition extends KindFacts, OptionFacts {
  readonly flag: string;
  /** The environment variable: always {@link envName} of the flag. */
  readonly env: string;
  /** The keys that lead to its value in the configuration. */
  readonly path: readonly string[];
  readonly describe: string;
  /** As a person would type it; absent when there is none. */
  readonly default?: string;
}

/** Lists the options of a tree, in its order; those of a group know what the group says. */
function optionsIn(
  schema: z.ZodType,
  path: readonly string[] = [],
  group: OptionFacts = {},
): readonly OptionDefinition[] {
  const { innerType: inner = schema } = schema.def as { readonly innerType?: z.ZodType };
  const { description = '', ...facts } = { ...group, ...inner.meta(), ...schema.meta() };
  if (inner instanceof z.ZodObject)
    return Object.entries(inner.shape).flatMap(([key, child]) =>
      optionsIn(child as z.ZodType, [...path, key], facts),
    );
  const flag = facts.flag ?? flagName(facts.isUnnamed === true ? path.slice(1) : path);
  return [
    {
      ...(facts as KindFacts),
      flag,
      env: envName(flag),
      path,
      describe: description,
      ...(schema instanceof z.ZodPrefault && { default: String(schema.def.defaultValue) }),
    },
  ];
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

/** Lists every option in the order of the tree: the source of flags, variables, file keys and tables. */
export const OPTIONS = optionsIn(OPTION_TREE);

/** Finds an option by its flag or file key. */
export const OPTION_BY_FLAG: ReadonlyMap<string, OptionDefinition> = new Map(
  OPTIONS.map((option) => [option.flag, option]),
);

/** Shows the value that an option has in a configuration; empty when there is none. */
export function showValue(
  { path, secret, redacted, show = String }: OptionDefinition,
  config: object,
): string {
  let value: unknown = config;
  for (const key of path) value = (value as Record<string, unknown> | undefined)?.[key];
  if (value === undefined) return '';
  return secret === true || redacted === true ? '[secret]' : show(value as never);
}
