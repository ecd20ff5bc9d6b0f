import { ConfigError } from '../base/errors.ts';
import type { AccountConfig } from '../config/config.ts';
import { nearest } from '../config/nearest.ts';
import type { CommandContext } from './command.ts';

/**
 * Returns the context of a command that is about one account.
 *
 * @throws ConfigError naming the accounts, when there are several and none of them is chosen.
 */
export function ofOneAccount(context: CommandContext): CommandContext {
  const [only, another] = ofEachAccount(context);
  if (only !== undefined && another === undefined) return only;
  throw new ConfigError([
    `--use-account: is missing, and there are several accounts; accepted: ${namesOf(context)}`,
  ]);
}

/**
 * Returns the contexts of a command that tries every account, or the one that is chosen.
 *
 * @throws ConfigError when no account has the chosen name.
 */
export function ofEachAccount(context: CommandContext): readonly CommandContext[] {
  const { config } = context;
  const { accounts, useAccount: chosen } = config;
  if (chosen === undefined)
    return accounts.length === 0 ? [context] : accounts.map((account) => of(context, account));
  const account = accounts.find(({ accountName }) => accountName === chosen);
  if (account !== undefined) return [of(context, account)];
  if (accounts.length === 0)
    throw new ConfigError([
      `--use-account: "${chosen}" is no account; accepted: none, because the configuration has a single one without a name`,
    ]);
  const guess = nearest(
    chosen,
    accounts.map(({ accountName }) => accountName),
  );
  const hint = guess === undefined ? '' : `did you mean ${guess}? `;
  throw new ConfigError([
    `--use-account: "${chosen}" is no account; ${hint}accepted: ${namesOf(context)}`,
  ]);
}

function of(context: CommandContext, account: AccountConfig): CommandContext {
  return { ...context, config: { ...account, accounts: context.config.accounts } };
}

function namesOf({ config }: CommandContext): string {
  return config.accounts.map(({ accountName }) => accountName).join(', ');
}
