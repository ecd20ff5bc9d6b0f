import { describe, expect, test } from 'vitest';
import {
  loginRequest,
  pairRefreshRequest,
  refreshRequest,
} from '../../../src/client/session/auth-api.ts';
import { Secret } from '../../../src/base/secret.ts';

const URL_OF_LOGIN = new URL('https://auth.example.org/apis/login/account');
const URL_OF_REFRESH = new URL('https://auth.example.org/apis/login/refresh/access/token');
const APP = { appId: 'example-app-id', appSecret: new Secret('example-app-secret') };
const NONCE = '000102030405060708090a0b0c0d0e0f';
const JSON_HEADERS = {
  accept: 'application/json',
  'accept-language': 'en',
  'content-type': 'application/json; charset=utf-8',
};
const TOKENS = { accessToken: new Secret('access'), refreshToken: new Secret('refresh') };

// Hashes and signatures are openssl's; signature.test.ts has the commands.
describe('the login request', () => {
  const account = { account: 'käthe@example.org', password: new Secret('pässwörd ☀') };
  const request = loginRequest(URL_OF_LOGIN, account, APP, NONCE);

  test('is compact JSON with the MD5 of the password', () => {
    expect(request.url).toBe(URL_OF_LOGIN);
    expect(request.body).toBe(
      '{"account":"käthe@example.org","password":"f23681b53d0fa2ebe05cdcb57a13de87"}',
    );
  });

  test('is signed over these bytes and carries no token', () => {
    expect(request.headers).toEqual({
      ...JSON_HEADERS,
      'IOT-Open-AppID': 'example-app-id',
      'IOT-Open-Nonce': NONCE,
      'IOT-Open-Body-Hash': '1f68215cdd3bcef7784e7c959896f3c0e118e6ac9cdee9443e3ddc0e327416d4',
      'IOT-Open-Sign': '99ced5de529b6d6a50af0c5b2f29d9ed',
    });
  });
});

test('the refresh request is the refresh token alone, unsigned and without a token header', () => {
  expect(refreshRequest(URL_OF_REFRESH, TOKENS.refreshToken)).toEqual({
    url: URL_OF_REFRESH,
    body: '{"refreshToken":"refresh"}',
    headers: JSON_HEADERS,
  });
});

test('the refresh request of the pair holds both tokens and is signed like a login', () => {
  expect(pairRefreshRequest(URL_OF_REFRESH, TOKENS, APP, NONCE)).toEqual({
    url: URL_OF_REFRESH,
    body: '{"accessToken":"access","refreshToken":"refresh"}',
    headers: {
      ...JSON_HEADERS,
      'IOT-Open-AppID': 'example-app-id',
      'IOT-Open-Nonce': NONCE,
      'IOT-Open-Body-Hash': '08b2d47bc22766c81ad2446ee71c64b491d21415d4758c687943b9887f56aae2',
      'IOT-Open-Sign': '60ca817dcf22fc6c1fa7b22d3b0ccbc4',
    },
  });
});
