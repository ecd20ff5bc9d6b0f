import { describe, expect, test } from 'vitest';
import { parseCommandLine } from '../../src/commands/command-line.ts';
import { COMMANDS, nameOf, SWITCHES } from '../../src/commands/commands.ts';
import { OPTIONS } from '../../src/config/options.ts';

function helpOf(...argv: readonly string[]): string {
  const parsed = parseCommandLine(argv, '1.2.3');
  return 'answer' in parsed ? parsed.answer : `no help: ${JSON.stringify(parsed)}`;
}

const linesOf = (help: string): readonly string[] => help.trimEnd().split('\n');
const namesFlag = (help: string, flag: string): boolean =>
  new RegExp(`^ +(?:--help, )?--${flag.replaceAll('.', '\\.')}(?:\\s|$)`, 'm').test(help);
const FLAGS = OPTIONS.filter(({ secret }) => secret !== true);

describe('the help', () => {
  test('lists the commands and the options that most people need', () => {
    const help = helpOf('--help');
    expect(linesOf(help).length).toBeLessThan(45);
    for (const command of COMMANDS) expect(help).toContain(`  ${command.usage} `);
    expect(FLAGS.filter(({ flag }) => namesFlag(help, flag))).toHaveLength(12);
    expect(help).toContain('--help-all lists every option.');
  });

  test.each(['--help', '-h'])('is printed for %s wherever it stands', (flag) => {
    const { usage } = COMMANDS[1];
    expect(helpOf(flag)).toMatch(/^Usage: solar-exporter \[command\] \[options\]\n/);
    for (const argv of [
      ['check', flag],
      [flag, 'check'],
      ['--log.level', 'debug', 'check', flag],
      ['help', 'check'],
    ])
      expect(helpOf(...argv)).toMatch(
        new RegExp(`^Usage: solar-exporter ${usage} \\[options\\]\n`),
      );
  });

  test('of a word behind -- is none', () => {
    expect(helpOf('check', '--', '--help')).toContain('one word too many');
  });

  test('of a group says which commands it has', () => {
    expect(linesOf(helpOf('settings', '--help')).slice(0, 2)).toEqual([
      'Usage:',
      '  solar-exporter settings get <device> [options]              print the settings of a device',
    ]);
  });
});

describe('the help of a command', () => {
  test('says what it needs', () => {
    expect(helpOf('check', '--help')).toBe(`Usage: solar-exporter check [options]

Try the connection step by step, and say what works and what does not.

Needs in the environment, or each with _FILE at its end as the name of a file:
  SOLAR_ACCOUNT, SOLAR_PASSWORD, SOLAR_APP_ID and SOLAR_APP_SECRET; or SOLAR_ACCESS_TOKEN alone

Options:
  --json         print JSON
  --station      station id; repeatable as a flag, comma separated in the environment [default:
                 discover]
  --base-url     service that answers data requests [default: https://solar.siseli.com]
  --use-account  name of the account, where several are configured [default: the only one]
  --config.file  YAML file with any of these options as keys
  --help-all     list every option
`);
  });

  test.each(COMMANDS.map((command) => ({ command, name: nameOf(command) })))(
    'fits on a screen, and names every switch of its own: $name',
    ({ command, name }) => {
      const help = helpOf(...name.split(' '), '--help');
      expect(linesOf(help).length).toBeLessThanOrEqual(20);
      for (const line of linesOf(help)) expect(line.length).toBeLessThanOrEqual(100);
      for (const { name: flag, commands } of SWITCHES)
        expect(namesFlag(help, flag)).toBe((commands as readonly string[]).includes(name));
      for (const flag of command.options) expect(namesFlag(help, flag)).toBe(true);
    },
  );
});

describe('the whole help', () => {
  const all = helpOf('--help-all');

  test.each(FLAGS)('lists --$flag', ({ flag, commands }) => {
    expect(namesFlag(all, flag)).toBe(true);
    for (const command of COMMANDS.map(nameOf))
      expect(namesFlag(helpOf(...command.split(' '), '--help-all'), flag)).toBe(
        commands?.includes(command) ?? true,
      );
  });

  test('lists the options of some commands under their names', () => {
    expect(linesOf(all).filter((line) => line.startsWith('Options of '))).toEqual([
      'Options of some commands:',
      'Options of check, devices, readings, settings get, settings set and history:',
      'Options of history:',
      'Options of simulate and demo:',
    ]);
  });

  test.each(SWITCHES)('lists --$name with the commands that take it', ({ name, commands }) => {
    expect(namesFlag(all, name)).toBe(true);
    for (const command of commands)
      expect(namesFlag(helpOf(...command.split(' '), '--help-all'), name)).toBe(true);
  });

  test.each(OPTIONS.filter(({ secret }) => secret === true))(
    'names $env, and has no flag for it',
    ({ flag, env }) => {
      expect(all).toContain(env);
      expect(namesFlag(all, flag)).toBe(false);
    },
  );
});
