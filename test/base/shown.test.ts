import { describe, expect, test } from 'vitest';

import { quote, toJsonLine } from '../../src/base/shown.ts';

describe('what is shown inside a sentence', () => {
  test.each([
    ['a plain text', 'night', '"night"'],
    ['a line break', 'a\nb', '"a\\nb"'],
    ['DEL, which a terminal obeys', 'a\u007fb', '"a\\u007fb"'],
    ['a C1 control character', 'a\u009bb', '"a\\u009bb"'],
    ['a line separator', 'a\u2028b', '"a\\u2028b"'],
    ['a text that nobody reads to its end', 'x'.repeat(61), `"${'x'.repeat(60)}…"`],
  ])('%s', (_, text, shown) => {
    expect(quote(text)).toBe(shown);
  });

  test('escapes the names inside a value as well', () => {
    expect(toJsonLine({ '\u007f': ['\u2029'] })).toBe('{"\\u007f":["\\u2029"]}');
  });
});
