import type { Config, Origin } from '../config/config.ts';
import { describeConfig } from '../config/describe.ts';
import { rulesOf } from '../client/dialects/dialect-file.ts';
import { EXIT_OK } from './command.ts';
import { renderTable } from './table.ts';

/**
 * Prints every option with its effective value and where that came from; secrets as `[secret]`.
 *
 * @throws ConfigError for a dialect file that the client would refuse.
 */
export function printConfig(
  config: Config,
  origins: ReadonlyMap<string, Origin>,
  out: (text: string) => void,
): number {
  if (config.dialect !== undefined) rulesOf(config.dialect);
  const rows = describeConfig(config, origins).map(({ flag, value, origin }) => [
    flag,
    value,
    origin,
  ]);
  out(renderTable(['option', 'value', 'from'], rows));
  return EXIT_OK;
}
