import { describe, expect, test } from 'vitest';
import { recoverAppSecret } from '../../src/client/app-secret.ts';
import { ConfigError } from '../../src/errors.ts';
import { Secret } from '../../src/secret.ts';

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
    { what: 'of nothing but padding', encrypted: 'tQyMzRJ7CsL8FIxc6FTylw==', appId: APP_ID },
  ])('refuses a form $what and names the options, not the value', ({ encrypted, appId }) => {
    const recover = () => recoverAppSecret(new Secret(encrypted), appId);
    expect(recover).toThrow(ConfigError);
    expect(recover).toThrow(/^SOLAR_APP_SECRET_ENCRYPTED: \[secret\] .* SOLAR_APP_ID/);
    if (encrypted.length > 2) expect(recover).not.toThrow(encrypted);
  });
});
