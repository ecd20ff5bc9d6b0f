import { describe, expect, test } from 'vitest';
import { digestOf } from '../../src/client/credentials-digest.ts';

const SALT = '0123456789abcdef0123456789abcdef';

describe('the digest of credentials', () => {
  test('is the same for the same credentials and salt, and 32 bytes', async () => {
    const digest = await digestOf(['account', 'password'], SALT);
    expect(await digestOf(['account', 'password'], SALT)).toBe(digest);
    expect(Buffer.from(digest, 'base64')).toHaveLength(32);
  });

  test.each([
    { change: 'another salt', credentials: ['account', 'password'], salt: `${SALT}0` },
    { change: 'another password', credentials: ['account', 'passwore'], salt: SALT },
    { change: 'one more', credentials: ['account', 'password', ''], salt: SALT },
    { change: 'one less', credentials: ['account'], salt: SALT },
    { change: 'texts cut elsewhere', credentials: ['accountp', 'assword'], salt: SALT },
    { change: 'another order', credentials: ['password', 'account'], salt: SALT },
    { change: 'nothing in its place', credentials: ['account', undefined], salt: SALT },
  ])('is another with $change', async ({ credentials, salt }) => {
    expect(await digestOf(credentials, salt)).not.toBe(
      await digestOf(['account', 'password'], SALT),
    );
  });

  test('holds none of them', async () => {
    const digest = await digestOf(['planted-account', 'planted-password'], SALT);
    expect(Buffer.from(digest, 'base64').toString('latin1')).not.toContain('planted');
    expect(digest).not.toContain('planted');
  });
});
