import {
  define,
  isOption,
  type OptionDefinition,
  type OptionTree,
  type ValuesOf,
} from './option.ts';
import { OPTION_TREE } from './option-tree.ts';

export { envName, type OptionDefinition, type OptionKind } from './option.ts';

/** The value of every option, in the shape of the tree of options. */
export type OptionValues = ValuesOf<typeof OPTION_TREE>;

/** Lists every option in the order of the tree: the source of flags, variables, file keys and tables. */
export const OPTIONS: readonly OptionDefinition[] = optionsIn(OPTION_TREE, []);

function optionsIn(tree: OptionTree, parents: readonly string[]): readonly OptionDefinition[] {
  return Object.entries(tree).flatMap(([key, node]) => {
    const path = [...parents, key];
    return isOption(node) ? [define(node, path)] : optionsIn(node, path);
  });
}

/** Finds an option by its flag or file key. */
export const OPTION_BY_FLAG: ReadonlyMap<string, OptionDefinition> = new Map(
  OPTIONS.map((option) => [option.flag, option]),
);

/** Arranges values, by flag, in the shape of the tree; all of it is frozen. */
export function arrangeValues(values: ReadonlyMap<string, unknown>): OptionValues {
  // The one cast: every value was read by the kind that gives the tree its types.
  return arrange(OPTION_TREE, [], values) as OptionValues;
}

function arrange(
  tree: OptionTree,
  parents: readonly string[],
  values: ReadonlyMap<string, unknown>,
): object {
  const entries = Object.entries(tree).map(([key, node]): [string, unknown] => {
    const path = [...parents, key];
    if (!isOption(node)) return [key, arrange(node, path, values)];
    const { flag, sameAs = flag, emptyValue } = define(node, path);
    return [key, values.get(flag) ?? values.get(sameAs) ?? emptyValue];
  });
  return Object.freeze(Object.fromEntries(entries));
}

/** Shows the value that an option has in a configuration; empty when there is none. */
export function showValue(option: OptionDefinition, config: object): string {
  let value: unknown = config;
  for (const key of option.path) value = (value as Record<string, unknown> | undefined)?.[key];
  if (value === undefined) return '';
  return option.secret === true || option.redacted === true ? '[secret]' : option.show(value);
}
