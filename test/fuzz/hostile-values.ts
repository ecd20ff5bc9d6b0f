import fc from 'fast-check';

/** Splits words at their blanks. */
export const wordsOf = (text: string): readonly string[] => text.split(' ');

/** Texts that mean something to somebody on the way. */
const TRICKY_TEXTS = [
  ...wordsOf(' 0 1 -1 007 1e999 -1e308 0x10 NaN Infinity null true value W kW MW % °C + - " \\ ☀️'),
  ...wordsOf('__proto__ constructor toString hasOwnProperty <script> Europe/Kyiv +25:00'),
  ...Array.from(' \n\0\u202E\uD800'),
  '2026-08-24T08:00:00Z',
  '2026-08-24 08:00:00',
  '275760-09-13T00:00:00.001Z',
  '9'.repeat(400),
  '!'.repeat(5000),
];

const TRICKY_NUMBERS = [
  0, -0, 1, -1, 0.5, 100, 105, 6553.5, 1e11, 8.64e15, -8.64e15, 1e16, 1e300, -1e306, 5e-324,
  9007199254740991, 1.797e308, -1.797e308,
];

/** A text that a person, a service or an attacker may send. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...TRICKY_TEXTS),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.string({ unit: fc.constantFrom('"', '\\', '\n', '\r', '\0', '\uDFFF', ',', '{', '}', '=') }),
);

/** A value without anything inside. */
export const hostileScalar: fc.Arbitrary<unknown> = fc.oneof(
  hostileText,
  fc.constantFrom(...TRICKY_NUMBERS),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
);

/** Any JSON at all, not deep. */
export const hostileJson: fc.Arbitrary<unknown> = fc.oneof(
  hostileScalar,
  fc.array(hostileScalar, { maxLength: 4 }),
  fc.dictionary(hostileText, hostileScalar, { maxKeys: 4 }),
  fc.jsonValue({ maxDepth: 4 }),
);

/** What YAML is made of, and a few names; and what may stand behind each. */
const SIGNS = [
  ...wordsOf(' [ ] { } , - ? : &a *a <<: !!binary !x " \' # ~ 1e3 %YAML --- ...'),
  ...wordsOf('key quantity log.level cache info basic_auth_users tls_server_config'),
];
const BEHIND = ['', ' ', '\n', '\n  ', '\t', '|\n', '>\n', ' 1.2\n'];

/** What was once too much for a parser: as long as a file of options may well be. */
const REPEATED = [...'[]{"\n', '{a: ', '- ', '? ', '&a ', '%a\n', '- &a [*a]\n', '@\n'];

/** An alias inside its own anchor, and one of one of one. */
const aliased = fc
  .nat(30)
  .chain((count) =>
    fc.constantFrom(
      `- &a [${'*a,'.repeat(count)}]`,
      `- &a {key: [${'*a,'.repeat(count)}]}`,
      `&a ${'[*a,'.repeat(count)}${']'.repeat(count)}`,
      Array.from({ length: count }, (_, at) => `- &a${at} [*a${at - 1}, *a${at - 1}]`).join('\n'),
    ),
  );

/** A text that may be YAML. */
export const hostileYaml: fc.Arbitrary<string> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .array(fc.tuple(fc.constantFrom(...SIGNS), fc.constantFrom(...BEHIND)), { maxLength: 30 })
      .map((parts) => parts.flat().join('')),
  },
  { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.stringify(value)) },
  { weight: 2, arbitrary: hostileText },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom(...REPEATED), fc.nat(3000))
      .map(([part, count]) => part.repeat(count)),
  },
  { weight: 1, arbitrary: aliased },
);
