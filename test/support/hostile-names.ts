/** What a service, or whoever names a device in it, may send in place of a name. */
export const HOSTILE_NAMES: readonly (readonly [kind: string, name: string])[] = [
  ['a picture that runs a script', '<img src=x onerror=alert(1)>'],
  ['a script after the end of an attribute', '"><script>alert(1)</script>'],
  ['an attribute of its own', `' onmouseover='alert(1)' x="`],
  ['the end of a drawing', '</svg></text></title><script>alert(1)</script>'],
  ['the end of a table', '</td></tr></table></main><h1>Log in here</h1>'],
  ['a comment', '<!-- --!><script>alert(1)</script>'],
  ['entities', '&lt;b&gt; &amp;amp; &#60;script&#62; &nbsp'],
  ['a template', '${alert(1)} {{alert(1)}} `alert(1)`'],
  ['emoji', '🏠☀️👩‍👩‍👧‍👦🔋'],
  ['text that runs the other way', '\u202Egnp.tnega\u2066 \u05D1\u05D9\u05EA'],
  ['lines', 'first\nsecond\r\nthird\u2028fourth'],
  ['control characters', 'a\u0001b\u0007c\u001Bd'],
  ['a word of 10,000 letters', 'x'.repeat(10_000)],
  ['500 marks on one letter', 'a' + '\u0301'.repeat(500)],
  ['half of a character', 'a\uD800b'],
  ['the name of a property', '__proto__'],
];
