import { describe, expect, test } from 'vitest';
import { OPTIONS } from '../../../src/config/options.ts';
import { parse, problemsOf } from './parse.ts';

const HEADERS = ['access-token', 'refresh-token', 'app-id', 'app-secret', 'app-secret-encrypted'];
const BODIES = ['account', 'password'];
const envOf = (flag: string): string => OPTIONS.find((option) => option.flag === flag)?.env ?? '';

/** A text that would identify its owner, if a message repeated it. */
const PLANTED = 'hunter2';

describe.each([...HEADERS, ...BODIES])('%s', (flag) => {
  const env = envOf(flag);
  const others = {
    SOLAR_ACCOUNT: 'someone',
    SOLAR_PASSWORD: 'p',
    SOLAR_APP_ID: 'a',
    SOLAR_ACCESS_TOKEN: 't',
  };

  test.each([
    ['…', 'is a placeholder'],
    ['<APP_ID>', 'is a placeholder'],
    ['<your password>', 'is a placeholder'],
    ['${APP_ID}', 'is a placeholder'],
    ['changeme', 'is a placeholder'],
    ['Change-Me', 'is a placeholder'],
    ['your-app-id', 'is a placeholder'],
    ['********', 'is a placeholder'],
    ['xxxx', 'is a placeholder'],
    [`${PLANTED}…`, 'has the character "…" (U+2026) in it'],
    [`“${PLANTED}”`, 'has the character "“" (U+201C) in it'],
    [`‘${PLANTED}’`, 'has the character "‘" (U+2018) in it'],
    [`"${PLANTED}"`, 'has quotes around it'],
    [`'${PLANTED}'`, 'has quotes around it'],
    [`${PLANTED}\u0007`, 'has the character "\\u0007" (U+0007) in it'],
    [`\u200B${PLANTED}`, 'has the character "\\u200b" (U+200B) in it'],
    [`${PLANTED}\n${PLANTED}`, 'is not a text'],
  ])('refuses %j, because it %s', async (text, why) => {
    const problems = await problemsOf({ env: { ...others, [env]: text } });
    expect(problems).toEqual([expect.stringContaining(`${env}: its value ${why}`)]);
    expect(problems.join()).not.toContain(PLANTED);
  });

  test.each([`\uFEFF${PLANTED}`, `${PLANTED}\r\n`, `${PLANTED}\n\n`])('takes %j', async (text) => {
    const { config } = await parse({ env: { ...others, [env]: text } });
    expect(valueOf(config, flag)).toBe(PLANTED);
  });
});

describe.each(HEADERS)('%s, which goes into a header,', (flag) => {
  const env = envOf(flag);

  test.each([
    [`${PLANTED} ${PLANTED}`, 'has the character " " (U+0020) in it'],
    [`é${PLANTED}`, 'has the character "é" (U+00E9) in it'],
    [`${PLANTED}...`, 'has "..." at an end'],
    [`${PLANTED}’`, 'has the character "’" (U+2019) in it'],
  ])('refuses %j, because it %s', async (text, why) => {
    const problems = await problemsOf({ env: { SOLAR_ACCESS_TOKEN: 't', [env]: text } });
    expect(problems).toEqual([expect.stringContaining(`${env}: its value ${why}`)]);
    expect(problems.join()).not.toContain(PLANTED);
  });

  test.each([
    ` ${PLANTED}\t`,
    `Bearer ${PLANTED}`,
    `IOT-Token: ${PLANTED}`,
    `iot-token:${PLANTED}`,
    `Authorization: Bearer ${PLANTED}`,
    `\uFEFFBearer  ${PLANTED} \r\n`,
  ])('takes %j without what was pasted with it', async (text) => {
    const { config } = await parse({ env: { SOLAR_ACCESS_TOKEN: 't', [env]: text } });
    expect(valueOf(config, flag)).toBe(PLANTED);
  });

  test('refuses a prefix alone', async () => {
    const problems = await problemsOf({ env: { SOLAR_ACCESS_TOKEN: 't', [env]: 'Bearer ' } });
    expect(problems).toEqual([expect.stringContaining(`${env}: its value is not a text`)]);
  });
});

test.each([
  'pässwörd',
  ' spaces stay ',
  'it’s',
  "half'",
  'p…w'.replace('…', '.'),
  '$ecret',
  'Bearer of news',
])('a password may be %j', async (text) => {
  const { config } = await parse({ env: { SOLAR_ACCOUNT: 'a', SOLAR_PASSWORD: text } });
  expect(config.password?.reveal()).toBe(text);
});

test('a file of a secret may have blanks and line ends around it', async () => {
  const env = { SOLAR_ACCOUNT: 'a', SOLAR_PASSWORD_FILE: '/run/x' };
  const { config } = await parse({ env, files: { '/run/x': `\uFEFF  ${PLANTED} \r\n \n` } });
  expect(config.password?.reveal()).toBe(PLANTED);
});

function valueOf(config: object, flag: string): string {
  const key = flag.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  const value = (config as Record<string, unknown>)[key] as string | { reveal(): string };
  return typeof value === 'string' ? value : value.reveal();
}
