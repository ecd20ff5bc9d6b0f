import { validateConnection } from '../client/client.ts';
import { tariffOf } from '../collectors/tariff/tariff-file.ts';
import { describeConfig } from '../config/config.ts';
import { type CommandContext, EXIT_OK } from './command.ts';
import type { Arguments } from './commands.ts';
import { renderJson, renderTable } from './output.ts';

/**
 * Prints every option with its effective value and where that came from; secrets as `[secret]`. A check prints only
 * that all of it is valid.
 *
 * @throws ConfigError for anything that the exporter would refuse.
 */
export async function config(context: CommandContext, { has }: Arguments): Promise<number> {
  await checkFiles(context);
  const { config, origins, out, warnings } = context;
  const [options, asJson] = [describeConfig(config, origins), has('json')];
  const rows = options.map(({ option, value = '', from }) => [option, value, from]);
  if (has('check'))
    out(asJson ? renderJson({ valid: true, warnings }) : 'The configuration is valid.\n');
  else out(asJson ? renderJson({ options }) : renderTable(['option', 'value', 'from'], rows));
  return EXIT_OK;
}

/** Checks what only its users can check: the application secret, the tariff file, the web configuration. */
async function checkFiles({ config, readFile }: CommandContext): Promise<void> {
  validateConnection(config);
  if (config.tariff !== undefined) tariffOf(config.tariff);
  if (config.web.configFile === undefined) return;
  const { readWebConfig } = await import('../http/web-config.ts');
  await readWebConfig(config.web.configFile, readFile);
}
