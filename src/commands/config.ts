import { validateConnection } from '../client/connect.ts';
import { tariffOf } from '../collectors/tariff/tariff-file.ts';
import { type Config, describeConfig, type Origin } from '../config/config.ts';
import { EXIT_OK } from './command.ts';
import { renderJson, renderTable } from './output.ts';

/**
 * Checks what only its users can check: the dialect file, the tariff file, the application
 * secret, the web configuration.
 *
 * @throws ConfigError for anything that the exporter would refuse.
 */
export async function checkConfig(
  config: Config,
  readFile: (path: string) => string,
): Promise<void> {
  validateConnection(config);
  if (config.tariff !== undefined) tariffOf(config.tariff);
  if (config.web.configFile === undefined) return;
  const { readWebConfig } = await import('../http/web-config/web-config-file.ts');
  await readWebConfig(config.web.configFile, readFile);
}

/** Prints every option with its effective value and where that came from; secrets as `[secret]`. */
export function printConfig(
  config: Config,
  origins: ReadonlyMap<string, Origin>,
  { out, asJson }: { readonly out: (text: string) => void; readonly asJson: boolean },
): number {
  const options = describeConfig(config, origins);
  const rows = options.map(({ flag, value, origin }) => [flag, value, origin]);
  out(
    asJson
      ? renderJson({
          options: options.map(({ flag, value, origin }) => ({
            option: flag,
            value: value === '' ? undefined : value,
            from: origin,
          })),
        })
      : renderTable(['option', 'value', 'from'], rows),
  );
  return EXIT_OK;
}
