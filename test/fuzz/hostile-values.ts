import fc from 'fast-check';

/** Texts that mean something to somebody on the way. */
const TRICKY_TEXTS = [
  '',
  ' ',
  '0',
  '1',
  '-1',
  '007',
  '1e999',
  '-1e308',
  '0x10',
  'NaN',
  'Infinity',
  'null',
  'true',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'value',
  'W',
  'kW',
  'MW',
  '%',
  '°C',
  '+',
  '-',
  '"',
  '\\',
  '\n',
  '\0',
  '\uD800',
  '\u202E',
  '☀️',
  '<script>',
  'Europe/Kyiv',
  '+25:00',
  '2026-08-24T08:00:00Z',
  '2026-08-24 08:00:00',
  '275760-09-13T00:00:00.001Z',
  '9'.repeat(400),
  '!'.repeat(5000),
];

const TRICKY_NUMBERS = [
  0,
  -0,
  1,
  -1,
  0.5,
  100,
  105,
  6553.5,
  1e11,
  8.64e15,
  -8.64e15,
  1e16,
  1e300,
  -1e306,
  Number.MAX_SAFE_INTEGER,
  Number.MIN_VALUE,
  Number.MAX_VALUE,
  -Number.MAX_VALUE,
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
