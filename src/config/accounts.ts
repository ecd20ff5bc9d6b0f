import { Secret } from '../base/shown.ts';
import { ACCOUNT_OPTIONS, type AccountEntry, NAME } from './account-entries.ts';
import type { Assignment, Origin } from './assignment.ts';
import { conflictingSecrets, missingCredentials, type Spelling } from './credentials.ts';
import { arrangeValues, type OptionValues } from './options.ts';
import { readValues } from './values.ts';

/** One of several accounts: every option as it holds for this account. */
export interface AccountValues {
  readonly name: string;
  readonly values: OptionValues;
  /** Where its own options came from, by flag. */
  readonly origins: ReadonlyMap<string, Origin>;
}

/** What the configuration says beside its accounts. */
export interface Surroundings {
  /** By flag. */
  readonly assignments: ReadonlyMap<string, Assignment>;
  /** By flag. */
  readonly values: ReadonlyMap<string, unknown>;
  readonly readFile: (path: string) => string;
  /** Whether the accounts need credentials. */
  readonly needsCredentials: boolean;
}

/** An entry that has been read on its own. */
interface ReadEntry {
  /** The entry, with its name where it has one: `accounts[0] (roof)`. */
  readonly place: string;
  readonly file: string;
  readonly name: string | undefined;
  /** What the entry gives and what it inherits, by flag. */
  readonly values: ReadonlyMap<string, unknown>;
  readonly origins: ReadonlyMap<string, Origin>;
  readonly problems: readonly string[];
}

/** Reads every account, and says everything that is wrong with any of them. */
export function readAccounts(
  entries: readonly AccountEntry[],
  surroundings: Surroundings,
): { readonly accounts: readonly AccountValues[]; readonly problems: readonly string[] } {
  const read = entries.map((entry) => readEntry(entry, surroundings));
  const problems = [
    ...collisions(entries, surroundings.assignments),
    ...read.flatMap((entry) => entry.problems),
    ...repeated(read, ({ name }) => name?.toLowerCase(), 'one name for two accounts'),
    ...repeated(read, identityOf, 'two names for one account'),
  ];
  const accounts = read.map(({ name = '', values, origins }) =>
    Object.freeze({ name, values: arrangeValues(values), origins }),
  );
  return { accounts, problems };
}

const KEYS: Spelling = { option: (flag) => flag, file: (flag) => `${flag}-file` };

function readEntry(
  { place, file, assignments }: AccountEntry,
  { assignments: around, values: valuesAround, readFile, needsCredentials }: Surroundings,
): ReadEntry {
  const own = readValues([NAME, ...ACCOUNT_OPTIONS], assignments, readFile);
  const inherited = inheritedFlags(assignments);
  const values = new Map(
    [...valuesAround].filter(([flag]) => !IS_ACCOUNT_OPTION.has(flag) || inherited.has(flag)),
  );
  for (const [flag, value] of own.values) if (flag !== NAME.flag) values.set(flag, value);
  const origins = new Map<string, Origin>();
  for (const { flag } of ACCOUNT_OPTIONS) {
    const from = assignments.get(flag) ?? (inherited.has(flag) ? around.get(flag) : undefined);
    origins.set(flag, from?.origin ?? 'default');
  }
  const name = own.values.get(NAME.flag) as string | undefined;
  const named = name === undefined ? place : `${place} (${name})`;
  const isGiven = (flag: string): boolean =>
    assignments.has(flag) || (inherited.has(flag) && around.has(flag));
  const missing = [
    ...(assignments.has(NAME.flag) ? [] : ['no name: give each account one, as name: roof']),
    ...(needsCredentials ? missingCredentials(isGiven, KEYS) : []),
  ];
  const problems = [
    ...own.problems,
    ...conflictingSecrets(assignments),
    ...missing.map((problem) => `${named} in ${file}: ${problem}`),
  ];
  return { place: named, file, name, values, origins, problems };
}

const IS_ACCOUNT_OPTION: ReadonlySet<string> = new Set(ACCOUNT_OPTIONS.map(({ flag }) => flag));

/** By flag, the options of an entry that keep it from taking that one from around it: they belong together. */
const REPLACED_BY: Readonly<Record<string, readonly string[]>> = {
  'auth-url': ['base-url'],
  'app-secret': ['app-id', 'app-secret-encrypted'],
  'app-secret-encrypted': ['app-id', 'app-secret'],
};

/** Returns the options that an entry takes from around it. */
function inheritedFlags(assignments: ReadonlyMap<string, Assignment>): ReadonlySet<string> {
  const isReplaced = (flag: string): boolean =>
    [flag, ...(REPLACED_BY[flag] ?? [])].some((other) => assignments.has(other));
  return new Set(
    ACCOUNT_OPTIONS.filter(({ perAccount }) => perAccount === 'inherits')
      .map(({ flag }) => flag)
      .filter((flag) => !isReplaced(flag)),
  );
}

/** Refuses what belongs to one account beside a list of accounts: nobody could say to which it belongs. */
function collisions(
  [entry]: readonly AccountEntry[],
  around: ReadonlyMap<string, Assignment>,
): readonly string[] {
  const names = ACCOUNT_OPTIONS.filter(({ perAccount }) => perAccount === 'own').flatMap(
    ({ flag }) => around.get(flag)?.name ?? [],
  );
  if (names.length === 0 || entry === undefined) return [];
  const verb = names.length === 1 ? 'is' : 'are';
  return [
    `${names.join(', ')} ${verb} given beside accounts in ${entry.file}; accepted: a single account without that list, or all of it in the entries of the list`,
  ];
}

/** Identifies the account of an entry at its service; absent while that is not known. */
function identityOf({ values }: ReadEntry): string | undefined {
  const isAccount = values.has('account') && values.has('password');
  const owner = values.get(isAccount ? 'account' : 'access-token');
  if (owner === undefined) return undefined;
  const text = owner instanceof Secret ? owner.reveal() : owner;
  return JSON.stringify([values.get('base-url'), isAccount, text]);
}

/** Finds entries that are alike although they must not be, and names each with the first one. */
function repeated(
  entries: readonly ReadEntry[],
  keyOf: (entry: ReadEntry) => string | undefined,
  fault: string,
): readonly string[] {
  const first = new Map<string, string>();
  return entries.flatMap((entry) => {
    const key = keyOf(entry);
    if (key === undefined) return [];
    const other = first.get(key);
    if (other === undefined) first.set(key, entry.place);
    return other === undefined
      ? []
      : [`${other} and ${entry.place} in ${entry.file}: ${fault}; accepted: each once`];
  });
}
