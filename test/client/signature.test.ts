import { describe, expect, test } from 'vitest';
import { hashBody, hashPassword, sign, signedHeaders } from '../../src/client/signature.ts';

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

describe('the signature agrees with openssl', () => {
  test.each(VECTORS)('about $what', ({ appId, appSecret, nonce, body, bodyHash, signature }) => {
    expect(hashBody(body)).toBe(bodyHash);
    expect(sign({ appId, bodyHash, nonce }, appSecret)).toBe(signature);
    expect(signedHeaders({ appId, bodyHash, nonce }, appSecret)).toEqual({
      'IOT-Open-AppID': appId,
      'IOT-Open-Nonce': nonce,
      'IOT-Open-Body-Hash': bodyHash,
      'IOT-Open-Sign': signature,
    });
  });

  // printf %s "$PASSWORD" | openssl md5 -r
  test.each([
    { password: 'demo-password', hash: '4b4d9529148d8d9440d7e20c78287f69' },
    { password: 'pässwörd ☀', hash: 'f23681b53d0fa2ebe05cdcb57a13de87' },
    { password: '', hash: 'd41d8cd98f00b204e9800998ecf8427e' },
  ])('about the password "$password"', ({ password, hash }) => {
    expect(hashPassword(password)).toBe(hash);
  });
});
