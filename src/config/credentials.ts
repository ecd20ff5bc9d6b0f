import type { Assignment } from './assignment.ts';
import { envName } from './option.ts';

/** Refuses both forms of the application secret together, because they could disagree. */
export function conflictingSecrets(assignments: ReadonlyMap<string, Assignment>): string[] {
  const plain = assignments.get('app-secret');
  const encrypted = assignments.get('app-secret-encrypted');
  if (plain === undefined || encrypted === undefined) return [];
  return [`${plain.name} and ${encrypted.name}: give only one of the two`];
}

/** How a person writes an option, by its flag: as a variable, or as a key of the configuration file. */
export interface Spelling {
  readonly option: (flag: string) => string;
  /** The file that holds a secret. */
  readonly file: (flag: string) => string;
}

const VARIABLES: Spelling = { option: envName, file: (flag) => `${envName(flag)}_FILE` };

/**
 * Names what the credentials lack to reach the service; nothing when they suffice.
 *
 * @param isGiven - whether an option, named by its flag, has any value.
 */
export function missingCredentials(
  isGiven: (flag: string) => boolean,
  spelling: Spelling = VARIABLES,
): string[] {
  // An access token suffices to begin with, whatever else is given.
  if (isGiven('access-token')) return [];
  const { option, file } = spelling;
  const hasAccount = isGiven('account');
  const hasPassword = isGiven('password');
  if (hasAccount && hasPassword) return missingSignature(isGiven, spelling);
  if (hasAccount)
    return [
      `${option('account')} is given without a password: set ${option('password')} or ${file('password')}`,
    ];
  if (hasPassword)
    return [`${option('password')} is given without an account: set ${option('account')}`];
  if (isGiven('refresh-token'))
    return [
      `${option('refresh-token')} is given without an access token: set ${option('access-token')} or ${file('access-token')}`,
    ];
  return [none(spelling)];
}

function none({ option }: Spelling): string {
  return [
    `no credentials: give ${option('account')} and ${option('password')}`,
    ` (with ${option('app-id')} and ${option('app-secret')} or ${option('app-secret-encrypted')}, which sign the login)`,
    `, or ${option('access-token')} and ${option('refresh-token')}`,
    `, or ${option('access-token')} alone`,
  ].join('');
}

/** A login is signed with the id and the secret of the application. */
function missingSignature(isGiven: (flag: string) => boolean, { option }: Spelling): string[] {
  const hasSecret = isGiven('app-secret') || isGiven('app-secret-encrypted');
  const missing = [
    ...(isGiven('app-id') ? [] : [option('app-id')]),
    ...(hasSecret ? [] : [`${option('app-secret')} or ${option('app-secret-encrypted')}`]),
  ];
  if (missing.length === 0) return [];
  return [`login with an account needs ${missing.join(' and ')} for its signature`];
}
