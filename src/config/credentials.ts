const SIGNATURE = 'SOLAR_APP_ID and SOLAR_APP_SECRET or SOLAR_APP_SECRET_ENCRYPTED';

const NONE = [
  'no credentials: give SOLAR_ACCOUNT and SOLAR_PASSWORD',
  ` (with ${SIGNATURE}, which sign the login)`,
  ', or SOLAR_ACCESS_TOKEN and SOLAR_REFRESH_TOKEN',
  ', or SOLAR_ACCESS_TOKEN alone',
].join('');

/** Says why the credentials given are not enough to reach the service; undefined when they are. */
export function missingCredentials(isGiven: (flag: string) => boolean): string | undefined {
  // A token is enough to begin with, whatever else is there.
  if (isGiven('access-token')) return undefined;
  const hasAccount = isGiven('account');
  const hasPassword = isGiven('password');
  if (hasAccount && hasPassword) return missingSignature(isGiven);
  if (hasAccount) {
    return 'SOLAR_ACCOUNT is given without a password: set SOLAR_PASSWORD or SOLAR_PASSWORD_FILE';
  }
  if (hasPassword) return 'SOLAR_PASSWORD is given without an account: set SOLAR_ACCOUNT';
  if (isGiven('refresh-token')) {
    return 'SOLAR_REFRESH_TOKEN is given without an access token: set SOLAR_ACCESS_TOKEN or SOLAR_ACCESS_TOKEN_FILE';
  }
  return NONE;
}

/** A login is signed with the application's id and secret. */
function missingSignature(isGiven: (flag: string) => boolean): string | undefined {
  const hasSecret = isGiven('app-secret') || isGiven('app-secret-encrypted');
  if (isGiven('app-id') && hasSecret) return undefined;
  const missing = [
    ...(isGiven('app-id') ? [] : ['SOLAR_APP_ID']),
    ...(hasSecret ? [] : ['SOLAR_APP_SECRET or SOLAR_APP_SECRET_ENCRYPTED']),
  ].join(' and ');
  return `login with an account needs ${missing} for its signature`;
}
