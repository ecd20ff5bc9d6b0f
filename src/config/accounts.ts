import { z } from 'zod';
import { conflictingSecrets, type missingCredentials } from './credentials.ts';
import type { Mapping } from './kinds.ts';
import { ACCOUNT_OPTIONS, OPTION_BY_FLAG, type OptionValues } from './options.ts';
import { fromEntry } from './sources.ts';
import { assign, type Assignments, type ReadFile, readValues } from './values.ts';

/** What the accounts need to know of the rest of the configuration. */
export interface Surroundings {
  readonly assignments: Assignments;
  /** The configuration file, as a sentence names it. */
  readonly file: string;
  readonly readFile: ReadFile;
  /** Names what the credentials lack that the command needs. */
  readonly missing: typeof missingCredentials;
}

/** One of several accounts: the values of all options as they hold for it. */
export interface Account {
  /** Its entry, with its name where it has one: `accounts[0] (roof)`. */
  readonly place: string;
  readonly values: OptionValues & { readonly accountName: string };
  /** What its entry gives, and what that takes from around it. */
  readonly assignments: Assignments;
  readonly problems: readonly string[];
}

/** Far more than one process should have, and each has connections of its own. */
const MOST_ACCOUNTS = 100;
const ACCEPTED = 'accepted: a list of entries such as {name: roof, account: …, password-file: …}';
const LIST = z
  .array(
    z.record(z.string(), z.unknown(), 'not a mapping; accepted: keys such as name and account'),
    `not a list; ${ACCEPTED}`,
  )
  .min(1, `names no account; ${ACCEPTED}`)
  .max(MOST_ACCOUNTS, `too many accounts; accepted: at most ${MOST_ACCOUNTS}`);

/** Reads every account of a list, and says everything that is wrong with any of them. */
export async function readAccounts(
  listed: unknown,
  around: Surroundings,
): Promise<{ readonly accounts: readonly Account[]; readonly problems: readonly string[] }> {
  const { file } = around;
  const { data = [], error } = LIST.safeParse(listed);
  const faults = (error?.issues ?? []).map(
    ({ path, message }) => `${z.core.toDotPath(['accounts', ...path])} in ${file}: ${message}`,
  );
  const nameOf = ({ values }: Account): string => values.accountName.toLowerCase();
  const read = data.map((entry, index) => readAccount(entry, `accounts[${index}]`, around));
  const accounts = await Promise.all(read);
  const problems = [
    ...faults,
    ...(data.length === 0 ? [] : collisions(around)),
    ...accounts.flatMap((account) => account.problems),
    ...repeated(accounts, nameOf, `in ${file}: one name for two accounts`),
    ...repeated(accounts, identityOf, `in ${file}: two names for one account`),
  ];
  return { accounts, problems };
}

/** Reads an account by the tree of all options: what its entry gives, and what that takes from around it. */
async function readAccount(
  entry: Mapping,
  index: string,
  { assignments: around, file, readFile, missing }: Surroundings,
): Promise<Account> {
  const { given, problems: keyProblems } = fromEntry(entry, index, file);
  const own = await assign(given, readFile);
  const inherited = [...around].filter(([flag]) => isInherited(flag, own));
  const assignments = new Map([...inherited, ...own]);
  const { values, problems } = readValues(assignments);
  const { accountName = '' } = values;
  const place = accountName === '' ? index : `${index} (${accountName})`;
  const nameless = own.has('name') ? [] : ['no name: give each account one, as name: roof'];
  const lacks = [...nameless, ...missing(assignments, (flag) => flag)];
  return {
    place,
    values: Object.freeze({ ...values, accountName }),
    assignments,
    problems: [
      ...keyProblems,
      // What is wrong around the entry is said there.
      ...[...own.keys()].flatMap((flag) => problems.get(flag) ?? []),
      ...conflictingSecrets(own),
      ...lacks.map((problem) => `${place} in ${file}: ${problem}`),
    ],
  };
}

/** By flag, the options of an entry that keep it from taking that one from around it: they belong together. */
const REPLACED_BY: Readonly<Record<string, readonly string[]>> = {
  'auth-url': ['base-url'],
  'app-secret': ['app-id', 'app-secret-encrypted'],
  'app-secret-encrypted': ['app-id', 'app-secret'],
};

/** Whether an entry takes what stands around it. */
function isInherited(flag: string, own: Assignments): boolean {
  const isReplaced = REPLACED_BY[flag]?.some((other) => own.has(other)) ?? false;
  return OPTION_BY_FLAG.get(flag)?.perAccount !== 'own' && !isReplaced;
}

/** Refuses what belongs to one account beside a list of accounts: nobody could say to which it belongs. */
function collisions({ assignments, file }: Surroundings): readonly string[] {
  const names = ACCOUNT_OPTIONS.filter(({ perAccount }) => perAccount === 'own').flatMap(
    ({ flag }) => assignments.get(flag)?.name ?? [],
  );
  if (names.length === 0) return [];
  return [
    `${names.join(', ')} ${names.length === 1 ? 'is' : 'are'} given beside accounts in ${file}; accepted: a single account without that list, or all of it in the entries of the list`,
  ];
}

/** Identifies an account at its service; empty while that is not known. */
function identityOf({ values }: Account): string {
  const { baseUrl, account, password, accessToken } = values;
  const isAccount = account !== undefined && password !== undefined;
  const owner = isAccount ? account : accessToken?.reveal();
  return owner === undefined ? '' : JSON.stringify([baseUrl, isAccount, owner]);
}

/** Finds accounts that are alike although they must not be, and names each with the first one. */
function repeated(
  accounts: readonly Account[],
  keyOf: (account: Account) => string,
  fault: string,
): readonly string[] {
  const keys = accounts.map(keyOf);
  return accounts.flatMap(({ place }, index) => {
    const first = keys.indexOf(keys[index] ?? '');
    if (keys[index] === '' || first === index) return [];
    return `${accounts[first]?.place ?? ''} and ${place} ${fault}; accepted: each once`;
  });
}
