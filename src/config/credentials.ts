import type { Assignment } from './assignment.ts';

/** Refuses both forms of the application secret together, because they could disagree. */
export function conflictingSecrets(assignments: ReadonlyMap<string, Assignment>): string[] {
  const plain = assignments.get('app-secret');
  const encrypted = assignments.get('app-secret-encrypted');
  if (plain === undefined || encrypted === undefined) return [];
  return [`${plain.name} and ${encrypted.name}: give only one of the two`];
}

const NONE = [
  'no credentials: give SOLAR_ACCOUNT and SOLAR_PASSWORD',
  ' (with SOLAR_APP_ID and SOLAR_APP_SECRET or SOLAR_APP_SECRET_ENCRYPTED, which sign the login)',
  ', or SOLAR_ACCESS_TOKEN and SOLAR_REFRESH_TOKEN',
  ', or SOLAR_ACCESS_TOKEN alone',
].join('');

/** Names what the credentials lack to reach the service; nothing when they suffice. */
export function missingCredentials(assignments: ReadonlyMap<string, Assignment>): string[] {
  const isGiven = (flag: string): boolean => assignments.has(flag);
  // An access token suffices to begin with, whatever else is given.
  if (isGiven('access-token')) return [];
  const hasAccount = isGiven('account');
  const hasPassword = isGiven('password');
  if (hasAccount && hasPassword) return missingSignature(isGiven);
  if (hasAccount)
    return ['SOLAR_ACCOUNT is given without a password: set SOLAR_PASSWORD or SOLAR_PASSWORD_FILE'];
  if (hasPassword) return ['SOLAR_PASSWORD is given without an account: set SOLAR_ACCOUNT'];
  if (isGiven('refresh-token'))
    return [
      'SOLAR_REFRESH_TOKEN is given without an access token: set SOLAR_ACCESS_TOKEN or SOLAR_ACCESS_TOKEN_FILE',
    ];
  return [NONE];
}

/** A login is signed with the id and the secret of the application. */
function missingSignature(isGiven: (flag: string) => boolean): string[] {
  const hasSecret = isGiven('app-secret') || isGiven('app-secret-encrypted');
  const missing = [
    ...(isGiven('app-id') ? [] : ['SOLAR_APP_ID']),
    ...(hasSecret ? [] : ['SOLAR_APP_SECRET or SOLAR_APP_SECRET_ENCRYPTED']),
  ];
  if (missing.length === 0) return [];
  return [`login with an account needs ${missing.join(' and ')} for its signature`];
}
