import fc from 'fast-check';
import { hostileText } from './hostile-values.ts';

/** What YAML is made of, and a few names. */
const TOKENS = [
  '[',
  ']',
  '{',
  '}',
  ',',
  ': ',
  ':\n',
  '- ',
  '? ',
  '&a ',
  '*a',
  '<<: ',
  '!!binary ',
  '!x ',
  '|\n',
  '>\n',
  '"',
  "'",
  '#',
  '%YAML 1.2\n',
  '---\n',
  '...\n',
  '\n',
  '\n  ',
  '\t',
  ' ',
  'key',
  'quantity',
  'log.level',
  'cache',
  'info',
  'basic_auth_users',
  'tls_server_config',
  '1e3',
  '~',
];

/** What was once too much for a parser: as long as a file of options may well be. */
const REPEATED = [
  '[',
  '{a: ',
  '- ',
  '? ',
  ']',
  '&a ',
  '%a\n',
  '- &a [*a]\n',
  '{',
  '"',
  '\n',
  '@\n',
];

const repeated = fc
  .tuple(fc.constantFrom(...REPEATED), fc.nat(3000))
  .map(([part, count]) => part.repeat(count));
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
      .array(fc.constantFrom(...TOKENS), { maxLength: 40 })
      .map((tokens) => tokens.join('')),
  },
  { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.stringify(value)) },
  { weight: 2, arbitrary: hostileText },
  { weight: 1, arbitrary: repeated },
  { weight: 1, arbitrary: aliased },
);
