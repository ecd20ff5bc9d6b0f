import { envName } from './options.ts';
import type { Assignments } from './values.ts';

/** Refuses both forms of the application secret together, because they could disagree. */
export function conflictingSecrets(assignments: Assignments): readonly string[] {
  const plain = assignments.get('app-secret');
  const encrypted = assignments.get('app-secret-encrypted');
  if (plain === undefined || encrypted === undefined) return [];
  return [`${plain.name} and ${encrypted.name}: give only one of the two`];
}

const LOGIN = ['account', 'password', 'app-id', 'app-secret'];

/** Names the variable of a credential; the secret of the application has two forms. */
function variableOf(flag: string): string {
  return flag === 'app-secret' ? `${envName(flag)} (or ${envName(flag)}_ENCRYPTED)` : envName(flag);
}

/** Names the variables that a log-in lacks, which the id and the secret of an application sign. */
function lackedForLogin(assignments: Assignments): readonly string[] {
  // At most one of the two forms of the secret is given.
  const isGiven = (flag: string): boolean =>
    assignments.has(flag) || assignments.has(`${flag}-encrypted`);
  return LOGIN.filter((flag) => !isGiven(flag)).map(variableOf);
}

/** Warns of a refresh token that a restart loses: the service takes it once (service.md#tokens). */
export function warnOfLostToken(assignments: Assignments): readonly string[] {
  const given = assignments.get('refresh-token');
  if (given === undefined || lackedForLogin(assignments).length === 0) return [];
  if (assignments.has('state.dir')) return [];
  return [
    `${given.name}: its first use replaces it, and without --state.dir the new one is lost at a restart, which then needs a new token from the portal`,
  ];
}

/** Names what the credentials lack to reach the service; nothing when they suffice. */
export function missingCredentials(assignments: Assignments): readonly string[] {
  const lacked = lackedForLogin(assignments);
  // An access token suffices to begin with, whatever else is given.
  if (assignments.has('access-token') || lacked.length === 0) return [];
  const token = envName('access-token');
  const hint = 'for secrets, NAME_FILE may name a file instead';
  if (assignments.has('account') || assignments.has('password'))
    return [`a log-in with an account also needs ${lacked.join(', ')}; ${hint}`];
  if (assignments.has('refresh-token'))
    return [
      `${envName('refresh-token')} also needs the access token that came with it: set ${token}; ${hint}`,
    ];
  return [`no credentials: set ${LOGIN.map(variableOf).join(', ')}; or ${token} alone; ${hint}`];
}
