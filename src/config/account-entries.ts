import type { Assignment } from './assignment.ts';
import { FileMapping } from './file-mapping.ts';
import { accountName } from './kinds.ts';
import { define, type OptionDefinition } from './option.ts';
import { OPTIONS } from './options.ts';

/** The key that names an entry. It is no option, because single accounts need no name. */
export const NAME: OptionDefinition = define(accountName({ describe: 'name of the account' }), [
  'name',
]);

/** The options that an entry of `accounts` may have, in the order of the tree. */
export const ACCOUNT_OPTIONS: readonly OptionDefinition[] = OPTIONS.filter(
  ({ perAccount }) => perAccount !== undefined,
);

/** One entry of `accounts`, whose values are not read yet. */
export interface AccountEntry {
  /** The entry as its file has it: `accounts[0]`. */
  readonly place: string;
  /** The path of the file, as it may be shown. */
  readonly file: string;
  /** By flag, and by `name`. */
  readonly assignments: ReadonlyMap<string, Assignment>;
}

/** Far more than one process should have, and each has connections of its own. */
const MOST_ACCOUNTS = 100;
const MAPPING = new FileMapping([NAME, ...ACCOUNT_OPTIONS]);
const ACCEPTED = 'accepted: a list of entries such as {name: roof, account: …, password-file: …}';

/** Collects what each entry of the list of accounts assigns. */
export function readAccountEntries(
  listed: unknown,
  file: string,
): { readonly entries: readonly AccountEntry[]; readonly problems: readonly string[] } {
  const fault = faultOf(listed);
  if (fault !== undefined) return { entries: [], problems: [`accounts in ${file}: ${fault}`] };
  const entries: AccountEntry[] = [];
  const problems: string[] = [];
  for (const [index, content] of (listed as readonly unknown[]).entries()) {
    const place = `accounts[${index}]`;
    const mapping = MAPPING.read(content, { prefix: `${place}.`, file });
    if (content === '' || 'fault' in mapping)
      problems.push(`${place} in ${file}: not a mapping; accepted: keys such as name and account`);
    else {
      entries.push({ place, file, assignments: mapping.assignments });
      for (const problem of mapping.problems) problems.push(problem);
    }
  }
  return { entries, problems };
}

function faultOf(listed: unknown): string | undefined {
  if (!Array.isArray(listed)) return `not a list; ${ACCEPTED}`;
  if (listed.length === 0) return `names no account; ${ACCEPTED}`;
  return listed.length > MOST_ACCOUNTS
    ? `${listed.length} accounts are too many; accepted: at most ${MOST_ACCOUNTS}`
    : undefined;
}
