import { ConfigError } from '../base/errors.ts';
import type { CommandContext } from './command.ts';
import { didYouMean } from './output.ts';

/**
 * Returns the context of a command that is about one account.
 *
 * @throws ConfigError naming the accounts, when there are several and none of them is chosen.
 */
export function ofOneAccount(context: CommandContext): CommandContext {
  const [only, another] = ofEachAccount(context);
  if (only !== undefined && another === undefined) return only;
  throw refused(context, 'is missing, and there are several accounts; ');
}

/**
 * Returns the contexts of a command that tries every account, or the one that is chosen.
 *
 * @throws ConfigError when no account has the chosen name.
 */
export function ofEachAccount(context: CommandContext): readonly CommandContext[] {
  const { accounts, useAccount: chosen } = context.config;
  if (chosen === undefined && accounts.length === 0) return [context];
  const wanted = accounts.filter(({ accountName }) => (chosen ?? accountName) === accountName);
  if (chosen !== undefined && wanted.length === 0) {
    const names = new Map(accounts.map(({ accountName: name }) => [name, name]));
    throw refused(context, `"${chosen}" is no account; ${didYouMean(chosen, names)}`);
  }
  return wanted.map((account) => ({ ...context, config: { ...account, accounts } }));
}

function refused({ config: { accounts } }: CommandContext, why: string): ConfigError {
  const names = accounts.map(({ accountName }) => accountName).join(', ');
  const none = 'none, because the configuration has a single one without a name';
  return new ConfigError([`--use-account: ${why}accepted: ${names === '' ? none : names}`]);
}
