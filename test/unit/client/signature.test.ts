import { describe, expect, test } from 'vitest';
import { ConfigError } from '../../../src/base/errors.ts';
import { Secret } from '../../../src/base/shown.ts';
import { ServiceClock } from '../../../src/client/exchange/service-clock.ts';
import type { ServiceRequest, Transport } from '../../../src/client/exchange/transport.ts';
import { createIssuer } from '../../../src/client/session/auth.ts';
import {
  type CredentialOptions,
  digestCredentials,
  recoverAppSecret,
} from '../../../src/client/session/credentials.ts';
import type { TokenSet } from '../../../src/client/session/tokens.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { SilentLog } from '../../support/silent-log.ts';

const APP_ID = 'example-app-id';
const ACCOUNT = {
  authUrl: 'https://auth.example.org',
  account: 'käthe@example.org',
  password: new Secret('pässwörd ☀'),
  appId: APP_ID,
  appSecret: new Secret('example-app-secret'),
};
const NONCE = '000102030405060708090a0b0c0d0e0f';
const SIGNED = { 'IOT-Open-AppID': APP_ID, 'IOT-Open-Nonce': NONCE };

/*
 * The expected values come from the openssl command line, an implementation independent of this one:
 *
 *   password_hash=$(printf %s "$PASSWORD" | openssl md5 -r)
 *   body_hash=$(printf %s "$BODY" | openssl sha256 -r | cut -c1-64)
 *   printf %s "IOT-Open-AppID=$APP_ID&IOT-Open-Body-Hash=$body_hash&IOT-Open-Nonce=$NONCE" \
 *     | openssl base64 -A \
 *     | openssl sha256 -mac HMAC -macopt key:"$APP_SECRET" -binary \
 *     | openssl md5 -r | cut -c1-32
 */
describe('a request for tokens', () => {
  const tokens = { accessToken: new Secret('access'), refreshToken: new Secret('refresh') };

  /** Returns the request by which these tokens are renewed. */
  async function requestFor(
    held?: TokenSet,
    more: Partial<CredentialOptions> = {},
  ): Promise<Partial<ServiceRequest<unknown>>> {
    let sent: Partial<ServiceRequest<unknown>> = {};
    const clock = new FakeClock();
    const log = new SilentLog();
    const transport: Pick<Transport, 'send' | 'serviceClock'> = {
      send: (name, prepare) => {
        const { headers, body } = prepare();
        expect(name).toBe(held ? 'refresh' : 'login');
        sent = { headers, body };
        return Promise.reject(new Error('it is not sent'));
      },
      serviceClock: new ServiceClock(clock),
    };
    const observer = { renewalEnded: () => undefined };
    const runtime = { clock, newNonce: () => NONCE };
    const issuer = createIssuer({ ...ACCOUNT, ...more }, transport, runtime, observer, log);
    await expect(issuer.renew(held)).rejects.toThrow('it is not sent');
    return sent;
  }

  const LOGIN = '{"account":"käthe@example.org","password":"f23681b53d0fa2ebe05cdcb57a13de87"}';

  test('logs in with the MD5 of the password, signed over these bytes', async () => {
    expect(await requestFor()).toEqual({
      body: LOGIN,
      headers: {
        ...SIGNED,
        'IOT-Open-Body-Hash': '1f68215cdd3bcef7784e7c959896f3c0e118e6ac9cdee9443e3ddc0e327416d4',
        'IOT-Open-Sign': '99ced5de529b6d6a50af0c5b2f29d9ed',
      },
    });
  });

  test('refreshes with the refresh token alone, unsigned', async () => {
    const body = '{"refreshToken":"refresh"}';
    expect(await requestFor(tokens)).toEqual({ body, headers: {} });
  });

  test('refreshes with both tokens, signed like a login', async () => {
    expect(await requestFor({ ...tokens, refreshForm: 'signed-pair' })).toEqual({
      body: '{"accessToken":"access","refreshToken":"refresh"}',
      headers: {
        ...SIGNED,
        'IOT-Open-Body-Hash': '08b2d47bc22766c81ad2446ee71c64b491d21415d4758c687943b9887f56aae2',
        'IOT-Open-Sign': '60ca817dcf22fc6c1fa7b22d3b0ccbc4',
      },
    });
  });

  test('is signed as openssl does values that URL-encoding would change', async () => {
    const app = {
      appId: 'app+id/with=signs&more',
      appSecret: new Secret('secret with spaces & signs'),
    };
    expect(await requestFor(undefined, app)).toMatchObject({
      body: LOGIN,
      headers: { 'IOT-Open-Sign': '1603f064e8a38520bc6562210f77d86f' },
    });
  });
});

/*
 * The encrypted forms come from the openssl command line, an implementation independent of this one:
 *
 *   digest=$(printf %s example-app-id | openssl md5 -r | cut -c1-32)
 *   key=$(printf %s "${digest:0:16}" | od -An -tx1 | tr -d ' \n')
 *   iv=$(printf %s "${digest:16}" | od -An -tx1 | tr -d ' \n')
 *   padding=$(( (16 - ${#SECRET} % 16) % 16 ))
 *   (printf %s "$SECRET"; head -c $padding /dev/zero) \
 *     | openssl enc -aes-128-cbc -K $key -iv $iv -nopad -base64 -A
 */
describe('recoverAppSecret', () => {
  test.each([
    ['sixteen-bytes-ok', 'uDZjkaVKjVwdMJvdTT+Gdg=='],
    ['example-app-secret', 'nBmESAXZ8MnOtB0hPC8cv1EP2jmbYJu3Fsuzvrarb24='],
  ])('recovers what openssl encrypted: %s', (secret, encrypted) => {
    expect(recoverAppSecret(new Secret(encrypted), APP_ID).reveal()).toBe(secret);
  });

  test.each([
    ['for another application id', 'uDZjkaVKjVwdMJvdTT+Gdg==', 'another'],
    ['that breaks off', 'uDZjkaVKjVwdMJvdTT+G', APP_ID],
    ['that is not Base64', '?!', APP_ID],
    ['that is empty', '', APP_ID],
    ['that is only padding', 'tQyMzRJ7CsL8FIxc6FTylw==', APP_ID],
  ])('refuses a secret %s and names the options, not the value', (_what, encrypted, appId) => {
    const recover = () => recoverAppSecret(new Secret(encrypted), appId);
    expect(recover).toThrow(ConfigError);
    expect(recover).toThrow(/^SOLAR_APP_SECRET_ENCRYPTED: \[secret\] .* SOLAR_APP_ID/);
    if (encrypted.length > 2) expect(recover).not.toThrow(encrypted);
  });
});

test('the digest of credentials hides them, and tells others apart', async () => {
  const digest = await digestCredentials(['account', 'password'], 'salt');
  expect(Buffer.from(digest, 'base64').toString('latin1')).not.toContain('account');
  for (const others of [
    ['accountp', 'assword'],
    ['password', 'account'],
    ['account', undefined],
  ])
    expect(await digestCredentials(others, 'salt')).not.toBe(digest);
  expect(await digestCredentials(['account', 'password'], 'salt')).toBe(digest);
});
