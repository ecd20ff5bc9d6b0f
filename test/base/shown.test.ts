import { describe, expect, test } from 'vitest';

import {
  escapedLines,
  printable,
  printableLines,
  quote,
  toJsonLine,
} from '../../src/base/shown.ts';

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

describe('a text of the service on a terminal', () => {
  test.each([
    ['an escape sequence', 'a\u001b[2Jb', 'a?[2Jb'],
    ['a bell and a return', 'a\u0007b\rc', 'a?b?c'],
    ['a tab and DEL', 'a\tb\u007fc', 'a?b?c'],
    ['a C1 control character', 'a\u009b31mb', 'a?31mb'],
    ['marks of direction', 'a\u202eb\u2066c\u200fd', 'a?b?c?d'],
    ['separators', 'a\u2028b\u2029c', 'a?b?c'],
    ['half of a character', 'a\ud800b', 'a?b'],
    ['a whole one', 'a🔋b', 'a🔋b'],
    ['letters of the world', 'Дах café 屋根 בית', 'Дах café 屋根 בית'],
  ])('shows %s harmlessly', (_, text, shown) => {
    expect(printable(text)).toBe(shown);
    expect(printableLines(text)).toBe(shown);
    expect(JSON.parse(toJsonLine(text))).toBe(text);
    expect(printableLines(toJsonLine(text))).toBe(toJsonLine(text));
  });

  test('keeps the line breaks of a text that we wrote, and none of a name', () => {
    expect(printableLines('one\ntwo\r\n')).toBe('one\ntwo?\n');
    expect(printable('one\ntwo\r\n')).toBe('one?two??');
    expect(escapedLines('one\ntwo\r\n')).toBe('one\ntwo\\u000d\n');
  });
});
