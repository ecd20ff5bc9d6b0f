import { EXPORTER_OPTIONS } from './exporter-options.ts';
import { envName, type OptionDefinition, type ValueByKind } from './option.ts';
import { SERVICE_OPTIONS } from './service-options.ts';
import { SIMULATOR_OPTIONS } from './simulator-options.ts';

export { envName, type OptionDefinition, type OptionKind } from './option.ts';

const ROWS = [...SERVICE_OPTIONS, ...EXPORTER_OPTIONS, ...SIMULATOR_OPTIONS] as const;

type Row = (typeof ROWS)[number];

/** Is the name of an option: whoever mistypes one does not compile. */
export type Flag = Row['flag'];

type RowOf<F extends Flag, R = Row> = R extends { readonly flag: infer Name }
  ? F extends Name
    ? R
    : never
  : never;

type ReadAs<R> = R extends { readonly choices: readonly (infer Choice)[] }
  ? Choice
  : R extends { readonly kind: infer Kind extends keyof ValueByKind }
    ? ValueByKind[Kind]
    : never;

type Missing<R> = R extends { readonly default: string } ? never : undefined;

/** Is what an option's value becomes; undefined only where there is no default. */
export type ValueOf<F extends Flag> = ReadAs<RowOf<F>> | Missing<RowOf<F>>;

/** Lists every option: the source of flags, environment names, file keys and the README table. */
export const OPTIONS: readonly OptionDefinition[] = ROWS.map((row) => ({
  ...row,
  env: envName(row.flag),
}));

/** Finds an option by its flag or file key. */
export const OPTION_BY_FLAG: ReadonlyMap<string, OptionDefinition> = new Map(
  OPTIONS.map((option) => [option.flag, option]),
);
