import { describe, expect, test } from 'vitest';
import {
  accountOf,
  appIdentityOf,
  type CredentialOptions,
  credentialTexts,
  configuredTokensOf,
} from '../../../src/client/session/credentials.ts';
import { ConfigError } from '../../../src/base/errors.ts';
import { Secret } from '../../../src/base/secret.ts';

const AUTH_URL = 'https://service.example';
const ACCOUNT = { authUrl: AUTH_URL, account: 'me', password: new Secret('word') };
const APP = { appId: 'app', appSecret: new Secret('app-secret') };
const TOKENS = { accessToken: new Secret('access'), refreshToken: new Secret('refresh') };

describe('credentials', () => {
  test('are an account when there is a name and a password', () => {
    expect(accountOf(ACCOUNT)).toEqual({ account: 'me', password: ACCOUNT.password });
    expect(accountOf({ authUrl: AUTH_URL, account: 'me' })).toBeUndefined();
    expect(accountOf({ authUrl: AUTH_URL, password: ACCOUNT.password })).toBeUndefined();
  });

  test('are tokens when there is no account to log in with', () => {
    expect(configuredTokensOf({ authUrl: AUTH_URL, ...TOKENS })).toEqual(TOKENS);
    expect(configuredTokensOf({ authUrl: AUTH_URL, account: 'me', ...TOKENS })).toEqual(TOKENS);
    expect(configuredTokensOf({ ...ACCOUNT, ...TOKENS })).toBeUndefined();
    expect(
      configuredTokensOf({ authUrl: AUTH_URL, refreshToken: TOKENS.refreshToken }),
    ).toBeUndefined();
  });

  test('sign with the application where there is one', () => {
    expect(appIdentityOf({ authUrl: AUTH_URL, ...APP })).toEqual(APP);
    expect(appIdentityOf({ authUrl: AUTH_URL, appSecret: APP.appSecret })).toBeUndefined();
    expect(appIdentityOf({ authUrl: AUTH_URL, appId: 'app' })).toBeUndefined();
  });

  test('are refused when the encrypted secret does not fit the application id', () => {
    const appSecretEncrypted = new Secret('not encrypted');
    expect(() => appIdentityOf({ authUrl: AUTH_URL, appId: 'app', appSecretEncrypted })).toThrow(
      ConfigError,
    );
  });
});

describe('another session starts', () => {
  const before: CredentialOptions = { ...ACCOUNT, ...APP };
  const textsOf = (options: CredentialOptions) => JSON.stringify(credentialTexts(options));

  test.each<{ what: string; change: Partial<CredentialOptions> }>([
    { what: 'the login URL', change: { authUrl: 'https://other.example' } },
    { what: 'the account', change: { account: 'you' } },
    { what: 'the password', change: { password: new Secret('words') } },
    { what: 'the application', change: { appId: 'other' } },
    { what: 'its secret', change: { appSecret: new Secret('other') } },
    {
      what: 'the form of its secret',
      change: { appSecret: undefined, appSecretEncrypted: new Secret('app-secret') },
    },
    { what: 'the mode', change: { password: undefined, ...TOKENS } },
  ])('when $what changes', ({ change }) => {
    expect(textsOf({ ...before, ...change })).not.toBe(textsOf(before));
  });

  test.each<{ what: string; change: Partial<CredentialOptions> }>([
    { what: 'the access token', change: { accessToken: new Secret('other') } },
    { what: 'the refresh token', change: { refreshToken: new Secret('other') } },
  ])('when $what changes and there is no account', ({ change }) => {
    const given: CredentialOptions = { authUrl: AUTH_URL, ...TOKENS };
    expect(textsOf({ ...given, ...change })).not.toBe(textsOf(given));
  });

  test('not when tokens change that are unused because of an account', () => {
    expect(textsOf({ ...before, ...TOKENS })).toBe(textsOf(before));
  });
});
