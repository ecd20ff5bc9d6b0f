import { expect, test } from 'vitest';
import { OPTION_BY_FLAG } from '../../../src/config/options.ts';
import { parse, problemsOf, valueOf } from './parse.ts';

const HEADERS = ['access-token', 'refresh-token', 'app-id', 'app-secret', 'app-secret-encrypted'];
const BODIES = ['account', 'password'];
const EVERY = [...HEADERS, ...BODIES];
const PASSWORD = ['password'];

/** A text that would identify its owner, if a message repeated it. */
const PLANTED = 'hunter2';

/** The environment that gives this text to a credential, beside enough others. */
function giving(flag: string, text: string) {
  const env = OPTION_BY_FLAG.get(flag)?.env ?? '';
  const others = { SOLAR_ACCOUNT: 'someone', SOLAR_PASSWORD: 'p', SOLAR_ACCESS_TOKEN: 't' };
  return { name: env, given: { env: { ...others, [env]: text } } };
}

test.each<[text: string, why: string, flags?: readonly string[]]>([
  ...['…', '<APP_ID>', '<your password>', '${APP_ID}', 'changeme', 'Change-Me', 'your-app-id'].map(
    (text): [string, string] => [text, 'is a placeholder'],
  ),
  ['********', 'is a placeholder'],
  ['xxxx', 'is a placeholder'],
  [`${PLANTED}…`, 'has the character "…" (U+2026) in it'],
  [`${PLANTED}”`, 'has the character "”" (U+201D) in it'],
  [`‘${PLANTED}’`, 'has the character "‘" (U+2018) in it'],
  [`"${PLANTED}"`, 'has quotes around it'],
  [`'${PLANTED}'`, 'has quotes around it'],
  [`${PLANTED}\u0007`, 'has the character "\\u0007" (U+0007) in it'],
  [`\u200B${PLANTED}`, 'has the character "\\u200b" (U+200B) in it'],
  [`${PLANTED}\n${PLANTED}`, 'is not a text'],
  [`${PLANTED} ${PLANTED}`, 'has the character " " (U+0020) in it', HEADERS],
  [`é${PLANTED}`, 'has the character "é" (U+00E9) in it', HEADERS],
  [`${PLANTED}...`, 'has "..." at an end', HEADERS],
  [`${PLANTED}’`, 'has the character "’" (U+2019) in it', HEADERS],
  ['Bearer ', 'is not a text', HEADERS],
])('no credential is %j, which %s', async (text, why, flags = EVERY) => {
  for (const flag of flags) {
    const { name, given } = giving(flag, text);
    const problems = await problemsOf(given);
    expect(problems).toEqual([expect.stringContaining(`${name}: its value ${why}`)]);
    expect(problems.join()).not.toContain(PLANTED);
  }
});

test.each<[text: string, flags: readonly string[], taken?: string]>([
  [`\uFEFF${PLANTED}\r\n\n`, EVERY],
  [` ${PLANTED}\t`, HEADERS],
  [`Bearer ${PLANTED}`, HEADERS],
  [`iot-token:${PLANTED}`, HEADERS],
  [`Authorization: Bearer ${PLANTED}`, HEADERS],
  [`\uFEFFIOT-Token: Bearer  ${PLANTED} \r\n`, HEADERS],
  ...['pässwörd', ' spaces stay ', 'it’s', "half'", 'p.w', '$ecret', 'Bearer of news'].map(
    (text): [string, readonly string[], string] => [text, PASSWORD, text],
  ),
])('of %j is taken what is no wrapping', async (text, flags, taken = PLANTED) => {
  for (const flag of flags) {
    const { config } = await parse(giving(flag, text).given);
    expect(valueOf(config, flag)).toBe(taken);
  }
});

test('a file of a secret may have blanks and line ends around it', async () => {
  const env = { SOLAR_ACCOUNT: 'a', SOLAR_PASSWORD_FILE: '/run/x' };
  const { config } = await parse({ env, files: { '/run/x': `\uFEFF  ${PLANTED} \r\n \n` } });
  expect(config.password?.reveal()).toBe(PLANTED);
});
