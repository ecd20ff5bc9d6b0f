import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openEnvelope } from '../../src/client/exchange/envelope.ts';
import { hostileJson, hostileText } from './hostile-values.ts';
import { readOrRefused } from './refusals.ts';
import { FUZZ_TIMEOUT_MS, holds } from './runs.ts';

const PATH = '/apis/path';

describe('an envelope', { timeout: FUZZ_TIMEOUT_MS }, () => {
  const words = fc.oneof(hostileText, fc.string({ maxLength: 200 }));

  test('is opened or refused, whatever is in it', () => {
    holds(
      fc.property(
        hostileJson,
        fc.boolean(),
        (payload, mayQuote) => void readOrRefused(() => openEnvelope(payload, PATH, mayQuote)),
      ),
    );
  });

  test('of a refusal shows no address, no token and no account, whatever surrounds it', () => {
    const secret = fc.constantFrom('me@example.org', 'a1B2'.repeat(8), '1234567890');
    holds(
      fc.property(words, secret, words, fc.constantFrom('message', 'msg'), (a, shown, b, field) => {
        const payload = { code: 1, [field]: `${a} ${shown} ${b}` };
        try {
          openEnvelope(payload, PATH, true);
        } catch (error) {
          expect((error as Error).message).not.toContain(shown);
          expect((error as Error).message).toMatch(/^[\x20-\x7e…]{1,250}$/);
          return;
        }
        throw new Error('opened');
      }),
    );
  });
});
