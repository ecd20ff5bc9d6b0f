import { describe, expect, test } from 'vitest';
import { ConfigError } from '../../../src/base/errors.ts';
import { Secret } from '../../../src/base/secret.ts';
import {
  digestCredentials,
  hashBody,
  hashPassword,
  recoverAppSecret,
  sign,
  signedHeaders,
} from '../../../src/client/session/signature.ts';

/*
 * The expected values come from the openssl command line, an implementation independent of this one:
 *
 *   body_hash=$(printf %s "$BODY" | openssl sha256 -r | cut -c1-64)
 *   printf %s "IOT-Open-AppID=$APP_ID&IOT-Open-Body-Hash=$body_hash&IOT-Open-Nonce=$NONCE" \
 *     | openssl base64 -A \
 *     | openssl sha256 -mac HMAC -macopt key:"$APP_SECRET" -binary \
 *     | openssl md5 -r | cut -c1-32
 */
const VECTORS = [
  {
    what: 'a login',
    appId: 'example-app-id',
    appSecret: 'example-app-secret',
    nonce: '000102030405060708090a0b0c0d0e0f',
    body: '{"account":"user@example.org","password":"6c5ac7b4d3bd3311f033f971196cfa75"}',
    bodyHash: 'f09362779c6a4c1761698bba173f5663bf4b24012aa626c0f05a56ebc4093855',
    signature: 'd704202ba661ee02878daec6ae850965',
  },
  {
    what: 'a body that is not ASCII',
    appId: 'example-app-id',
    appSecret: 'example-app-secret',
    nonce: 'ffeeddccbbaa99887766554433221100',
    body: '{"account":"käthe@例え.jp","password":"6c5ac7b4d3bd3311f033f971196cfa75"}',
    bodyHash: '0884e78e3b8e6a77cde32524046c1b23ebbbbad9c289a0648abe2da765df8b23',
    signature: 'cea2123ee6a6b72a9c2c6a2769cfafdc',
  },
  {
    what: 'an empty body, and values that URL-encoding would change',
    appId: 'app+id/with=signs&more',
    appSecret: 'secret with spaces & signs',
    nonce: '000102030405060708090a0b0c0d0e0f',
    body: '',
    bodyHash: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    signature: 'a9b6531c5f965c4e0b3052b41a287960',
  },
];

describe('the signature', () => {
  test.each(VECTORS)(
    'is what openssl computes for $what',
    ({ appId, appSecret, nonce, body, bodyHash, signature }) => {
      expect(hashBody(body)).toBe(bodyHash);
      expect(sign({ appId, bodyHash, nonce }, appSecret)).toBe(signature);
      expect(signedHeaders({ appId, bodyHash, nonce }, appSecret)).toEqual({
        'IOT-Open-AppID': appId,
        'IOT-Open-Nonce': nonce,
        'IOT-Open-Body-Hash': bodyHash,
        'IOT-Open-Sign': signature,
      });
    },
  );

  // printf %s "$PASSWORD" | openssl md5 -r
  test.each([
    { password: 'demo-password', hash: '4b4d9529148d8d9440d7e20c78287f69' },
    { password: 'pässwörd ☀', hash: 'f23681b53d0fa2ebe05cdcb57a13de87' },
    { password: '', hash: 'd41d8cd98f00b204e9800998ecf8427e' },
  ])(
    'of a login has the hash that openssl computes for the password "$password"',
    ({ password, hash }) => {
      expect(hashPassword(password)).toBe(hash);
    },
  );
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
const APP_ID = 'example-app-id';

describe('recoverAppSecret', () => {
  test.each([
    { secret: 'x', encrypted: 'yqpxeFNmm6aVlcjHtm92PA==' },
    { secret: 'sixteen-bytes-ok', encrypted: 'uDZjkaVKjVwdMJvdTT+Gdg==' },
    {
      secret: 'example-app-secret',
      encrypted: 'nBmESAXZ8MnOtB0hPC8cv1EP2jmbYJu3Fsuzvrarb24=',
    },
    {
      secret: 'a-secret-longer-than-two-blocks-of-aes',
      encrypted: '0zt2sYbGvppylSGAKOY7LzxG2Z72FcVVM8NnoSSQu3RcFcJ3KrYco8va1pH2C1Xe',
    },
  ])('recovers what openssl encrypted: $secret', ({ secret, encrypted }) => {
    expect(recoverAppSecret(new Secret(encrypted), APP_ID).reveal()).toBe(secret);
  });

  test.each([
    { what: 'for another application id', encrypted: 'uDZjkaVKjVwdMJvdTT+Gdg==', appId: 'another' },
    { what: 'that breaks off', encrypted: 'uDZjkaVKjVwdMJvdTT+G', appId: APP_ID },
    { what: 'that is not Base64', encrypted: '?!', appId: APP_ID },
    { what: 'that is empty', encrypted: '', appId: APP_ID },
    { what: 'that is only padding', encrypted: 'tQyMzRJ7CsL8FIxc6FTylw==', appId: APP_ID },
  ])('refuses a secret $what and names the options, not the value', ({ encrypted, appId }) => {
    const recover = () => recoverAppSecret(new Secret(encrypted), appId);
    expect(recover).toThrow(ConfigError);
    expect(recover).toThrow(/^SOLAR_APP_SECRET_ENCRYPTED: \[secret\] .* SOLAR_APP_ID/);
    if (encrypted.length > 2) expect(recover).not.toThrow(encrypted);
  });
});

const SALT = '0123456789abcdef0123456789abcdef';

describe('the digest of credentials', () => {
  test('is the same for the same credentials and salt, and 32 bytes', async () => {
    const digest = await digestCredentials(['account', 'password'], SALT);
    expect(await digestCredentials(['account', 'password'], SALT)).toBe(digest);
    expect(Buffer.from(digest, 'base64')).toHaveLength(32);
  });

  test.each([
    { change: 'another salt', credentials: ['account', 'password'], salt: `${SALT}0` },
    { change: 'another password', credentials: ['account', 'passwore'], salt: SALT },
    { change: 'one more credential', credentials: ['account', 'password', ''], salt: SALT },
    { change: 'one credential less', credentials: ['account'], salt: SALT },
    {
      change: 'the same letters, split elsewhere',
      credentials: ['accountp', 'assword'],
      salt: SALT,
    },
    { change: 'another order', credentials: ['password', 'account'], salt: SALT },
    { change: 'an absent credential', credentials: ['account', undefined], salt: SALT },
  ])('differs with $change', async ({ credentials, salt }) => {
    expect(await digestCredentials(credentials, salt)).not.toBe(
      await digestCredentials(['account', 'password'], SALT),
    );
  });

  test('does not contain the credentials', async () => {
    const digest = await digestCredentials(['planted-account', 'planted-password'], SALT);
    expect(Buffer.from(digest, 'base64').toString('latin1')).not.toContain('planted');
    expect(digest).not.toContain('planted');
  });
});
