import { format, inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { Secret } from '../../src/base/secret.ts';

const VALUE = 'not-for-your-eyes';

describe('Secret', () => {
  test.each([
    { way: 'String', print: (secret: Secret) => String(secret) },
    { way: 'JSON', print: (secret: Secret) => JSON.stringify({ secret }) },
    { way: 'inspection', print: (secret: Secret) => inspect({ secret }, { showHidden: true }) },
    {
      way: 'console formatting',
      print: (secret: Secret) => format('%s %j %o', secret, secret, secret),
    },
    { way: 'an error message', print: (secret: Secret) => String(new Error(secret.toString())) },
  ])('shows a placeholder by $way', ({ print }) => {
    const shown = print(new Secret(VALUE));
    expect(shown).toContain('[secret]');
    expect(shown).not.toContain(VALUE);
  });

  test('reveals its value only when asked', () => {
    expect(new Secret(VALUE).reveal()).toBe(VALUE);
  });
});
