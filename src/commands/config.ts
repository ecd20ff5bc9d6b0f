import { validateConnection } from '../client/client.ts';
import { tariffOf } from '../collectors/tariff/tariff-file.ts';
import { describeConfig } from '../config/config.ts';
import { OPTION_BY_FLAG } from '../config/options.ts';
import { type Arguments, type CommandContext, EXIT_OK } from './command.ts';
import { renderJson, renderTable } from './output.ts';

/**
 * Prints the options that differ from their defaults, or all, with their effective values and where those came from;
 * secrets as `[secret]`. A check prints only that all of it is valid.
 *
 * @throws ConfigError for anything that the exporter would refuse.
 */
export async function config(context: CommandContext, { has }: Arguments): Promise<number> {
  await checkFiles(context);
  const { config, origins, out, warnings } = context;
  const asJson = has('json');
  const all = describeConfig(config, origins);
  const options = all.filter(
    ({ option, value, from }) =>
      has('all') || (from !== 'default' && value !== OPTION_BY_FLAG.get(option)?.default),
  );
  const rows = options.map(({ option, value = '', from }) => [option, value, from]);
  const unsaid = all.length - options.length;
  if (has('check'))
    out(asJson ? renderJson({ valid: true, warnings }) : 'The configuration is valid.\n');
  else if (asJson) out(renderJson({ options }));
  else {
    if (rows.length > 0) out(renderTable(['option', 'value', 'from'], rows));
    if (unsaid > 0) out(`${unsaid} options have their default; config --all prints them, too.\n`);
  }
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
