import { validateConnection } from '../client/client.ts';
import { tariffOf } from '../collectors/tariff/tariff-file.ts';
import { describeConfig } from '../config/config.ts';
import { ACCOUNT_OPTIONS } from '../config/options.ts';
import { type CommandContext, EXIT_OK } from './command.ts';
import type { Arguments } from './commands.ts';
import { renderJson, renderTable } from './output.ts';

/**
 * Prints every option with its effective value and where that came from, then those of each account; secrets as
 * `[secret]`. A check prints only that all of it is valid.
 *
 * @throws ConfigError for anything that the exporter would refuse.
 */
export async function config(context: CommandContext, { has }: Arguments): Promise<number> {
  await checkFiles(context);
  const { out, warnings } = context;
  const asJson = has('json');
  if (!has('check')) out(asJson ? renderJson(documentOf(context)) : tableOf(context));
  else out(asJson ? renderJson({ valid: true, warnings }) : 'The configuration is valid.\n');
  return EXIT_OK;
}

/** Checks what only its users can check: the application secret, the tariff file, the web configuration. */
async function checkFiles({ config: { accounts, ...only }, readFile }: CommandContext) {
  for (const account of accounts.length === 0 ? [only] : accounts) validateConnection(account);
  if (only.tariff !== undefined) tariffOf(only.tariff);
  if (only.web.configFile === undefined) return;
  const { readWebConfig } = await import('../http/web-config.ts');
  await readWebConfig(only.web.configFile, readFile);
}

function documentOf({ config: { accounts, ...own }, origins, accountOrigins }: CommandContext) {
  const ofAccounts = accounts.map((account) => ({
    name: account.accountName,
    options: describeConfig(account, accountOrigins.get(account.accountName), ACCOUNT_OPTIONS),
  }));
  return {
    options: describeConfig(own, origins),
    accounts: ofAccounts.length === 0 ? undefined : ofAccounts,
  };
}

function tableOf(context: CommandContext): string {
  const { options, accounts = [] } = documentOf(context);
  const rowsOf = (rows: typeof options, prefix = '') =>
    rows.map(({ option, value = '', from }) => [prefix + option, value, from]);
  const ofAccounts = accounts.flatMap((one) => rowsOf(one.options, `accounts.${one.name}.`));
  return renderTable(['option', 'value', 'from'], [...rowsOf(options), ...ofAccounts]);
}
