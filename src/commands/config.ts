import type { Config, Origin } from '../config/config.ts';
import { describeConfig } from '../config/describe.ts';
import { EXIT_OK } from './command.ts';
import { renderTable } from './table.ts';

/** Prints every option with its effective value and where that came from; secrets as `[secret]`. */
export function printConfig(
  config: Config,
  origins: ReadonlyMap<string, Origin>,
  out: (text: string) => void,
): number {
  const rows = describeConfig(config, origins).map(({ flag, value, origin }) => [
    flag,
    value,
    origin,
  ]);
  out(renderTable(['option', 'value', 'from'], rows));
  return EXIT_OK;
}
