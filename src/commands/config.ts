import { validateConnection } from '../client/client.ts';
import { tariffOf } from '../collectors/tariff/tariff-file.ts';
import {
  type Config,
  type ConfigRow,
  describeAccount,
  describeConfig,
  type ParsedConfig,
} from '../config/config.ts';
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
  for (const account of config.accounts.length === 0 ? [config] : config.accounts)
    validateConnection(account);
  if (config.tariff !== undefined) tariffOf(config.tariff);
  if (config.web.configFile === undefined) return;
  const { readWebConfig } = await import('../http/web-config.ts');
  await readWebConfig(config.web.configFile, readFile);
}

/** Prints every option with its effective value and where that came from, then those of each account; secrets as `[secret]`. */
export function printConfig(
  { config, origins, accountOrigins }: Omit<ParsedConfig, 'warnings'>,
  { out, asJson }: { readonly out: (text: string) => void; readonly asJson: boolean },
): number {
  const options = describeConfig(config, origins);
  const accounts = config.accounts.map((account) => ({
    name: account.accountName,
    options: describeAccount(account, accountOrigins.get(account.accountName) ?? new Map()),
  }));
  const cells = ({ flag, value, origin }: ConfigRow, prefix = ''): readonly string[] => [
    `${prefix}${flag}`,
    value,
    origin,
  ];
  const rows = [
    ...options.map((row) => cells(row)),
    ...accounts.flatMap(({ name, options: own }) =>
      own.map((row) => cells(row, `accounts.${name}.`)),
    ),
  ];
  out(
    asJson
      ? renderJson({
          options: options.map(describeRow),
          ...(accounts.length > 0 && {
            accounts: accounts.map(({ name, options: own }) => ({
              name,
              options: own.map(describeRow),
            })),
          }),
        })
      : renderTable(['option', 'value', 'from'], rows),
  );
  return EXIT_OK;
}

function describeRow({ flag, value, origin }: ConfigRow): object {
  return { option: flag, value: value === '' ? undefined : value, from: origin };
}
