import { expect, test } from 'vitest';
import { problemsOf } from './parse.ts';

/** Every option that is gone, and a word of what is to be done in place of it. */
test.each([
  ['web.allowed-hosts', 'proxy'],
  ['accounts', 'one process for each'],
  ['use-account', 'one process for each'],
  ['request.daily-budget', '--request.rate'],
  ['path.device-details', 'a day'],
  ['push', '--output'],
  ['push-user', 'curl'],
  ['push-password', 'curl'],
  ...['error-rate', 'omit-total', 'null-readings'].map((name) => [`simulator.${name}`, 'tests']),
  ['simulator.settings-cached', 'demo'],
])('%s is refused as a flag, a variable and a key, with what to do', async (name, word) => {
  const variable = `SOLAR_${name.toUpperCase().replaceAll(/[.-]/g, '_')}`;
  const sentence = new RegExp(`: gone; .*${word}`);
  for (const [given, shown] of [
    [{ flags: { [name]: 'x' } }, `--${name}`],
    [{ env: { [variable]: 'x' } }, variable],
    [{ file: `${name}: x\n` }, `${name} in solar.yaml`],
  ] as const) {
    const problems = await problemsOf(given);
    expect(problems).toEqual([expect.stringMatching(sentence)]);
    expect(problems[0]?.startsWith(`${shown}: gone; `)).toBe(true);
  }
  // Compose passes unset variables as empty ones.
  expect(await problemsOf({ env: { [variable]: '' } })).toEqual([]);
});
