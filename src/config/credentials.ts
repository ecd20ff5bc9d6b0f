import { envName } from './options.ts';
import type { Assignments } from './values.ts';

/** Refuses both forms of the application secret together, because they could disagree. */
export function conflictingSecrets(assignments: Assignments): readonly string[] {
  const plain = assignments.get('app-secret');
  const encrypted = assignments.get('app-secret-encrypted');
  if (plain === undefined || encrypted === undefined) return [];
  return [`${plain.name} and ${encrypted.name}: give only one of the two`];
}

/** Whether an account can log in, which the id and the secret of an application sign. */
function canLogIn(has: (flag: string) => boolean): boolean {
  const isSigned = has('app-id') && (has('app-secret') || has('app-secret-encrypted'));
  return isSigned && has('account') && has('password');
}

/** Warns of a refresh token that a restart loses: the service takes it once (service.md#tokens). */
export function warnOfLostToken(assignments: Assignments): readonly string[] {
  const has = (flag: string): boolean => assignments.has(flag);
  const given = assignments.get('refresh-token');
  if (given === undefined || canLogIn(has) || has('state.dir')) return [];
  return [
    `${given.name}: its first use replaces it, and without --state.dir the new one is lost at a restart, which then needs a new token from the portal`,
  ];
}

/** Names what the credentials lack to reach the service; nothing when they suffice. */
export function missingCredentials(assignments: Assignments): readonly string[] {
  const has = (flag: string): boolean => assignments.has(flag);
  const either = (flag: string, other = `${flag}-file`): string =>
    `${envName(flag)} or ${envName(other)}`;
  const appSecret = either('app-secret', 'app-secret-encrypted');
  // An access token suffices to begin with, whatever else is given.
  if (has('access-token')) return [];
  if (has('account') && has('password')) {
    // A login is signed with the id and the secret of the application.
    const isSigned = has('app-secret') || has('app-secret-encrypted');
    const missing = [
      ...(has('app-id') ? [] : [envName('app-id')]),
      ...(isSigned ? [] : [appSecret]),
    ];
    if (missing.length === 0) return [];
    return [`login with an account needs ${missing.join(' and ')} for its signature`];
  }
  if (has('account'))
    return [`${envName('account')} is given without a password: set ${either('password')}`];
  if (has('password'))
    return [`${envName('password')} is given without an account: set ${envName('account')}`];
  const token = envName('access-token');
  const refresh = envName('refresh-token');
  if (has('refresh-token'))
    return [`${refresh} is given without an access token: set ${either('access-token')}`];
  return [
    `no credentials: give ${envName('account')} and ${envName('password')} (with ${envName('app-id')} and ${appSecret}, which sign the login), or ${token} and ${refresh}, or ${token} alone`,
  ];
}
