import { describe, expect, test } from 'vitest';
import { parseCommandLine } from '../../../src/commands/command-line.ts';
import { COMMANDS, nameOf } from '../../../src/commands/commands.ts';
import { ASK } from '../../../src/commands/completion/completion-script.ts';
import { completionWords } from '../../../src/commands/completion/completion-words.ts';
import { OPTIONS } from '../../../src/config/options.ts';

const FAMILIES = OPTIONS.find(({ flag }) => flag === 'family')?.choices ?? [];
const LEVELS = OPTIONS.find(({ flag }) => flag === 'log.level')?.choices ?? [];

describe('a command line is completed', () => {
  test.each<{ what: string; typed: readonly string[]; expected: readonly string[] }>([
    { what: 'by a command', typed: ['dem'], expected: ['demo'] },
    { what: 'by all commands with these letters', typed: ['se'], expected: ['serve', 'settings'] },
    { what: 'by the second word of a command', typed: ['settings', ''], expected: ['get', 'set'] },
    { what: 'by a command behind help', typed: ['help', 'hi'], expected: ['history'] },
    { what: 'by a shell', typed: ['completion', ''], expected: ['bash', 'zsh', 'fish'] },
    { what: 'by a family', typed: ['demo', '--family', ''], expected: FAMILIES },
    { what: 'by a choice', typed: ['--log.level', 'de'], expected: ['debug'] },
    {
      what: 'by a choice behind =, as zsh and fish have it',
      typed: ['--log.level=de'],
      expected: ['--log.level=debug'],
    },
    { what: 'by a choice behind =, as bash has it', typed: ['--log.level', '='], expected: LEVELS },
    { what: '… and its letters', typed: ['--log.level', '=', 'de'], expected: ['debug'] },
    { what: 'by yes or no', typed: ['--collect.alarms', '=', ''], expected: ['true', 'false'] },
    { what: 'by auto', typed: ['--cache.max-age', ''], expected: ['auto'] },
    { what: 'by a time zone', typed: ['--time-zone', 'Asia/Mani'], expected: ['Asia/Manila'] },
    { what: 'by files', typed: ['--config.file', 'so'], expected: [':files'] },
    { what: 'by files behind =', typed: ['--config.file=so'], expected: [':files'] },
    { what: 'by a folder', typed: ['history', '--output', ''], expected: [':files'] },
    { what: 'by a flag', typed: ['demo', '--fam'], expected: ['--family'] },
    { what: 'by a switch', typed: ['devices', '--exp'], expected: ['--explain'] },
    {
      what: 'by a flag that may be given again',
      typed: ['--station', '1', '--stati'],
      expected: ['--station'],
    },
  ])('$what', ({ typed, expected }) => {
    expect(completionWords(typed)).toEqual(expected);
  });

  test.each<{ what: string; typed: readonly string[] }>([
    { what: 'a flag that only other commands take', typed: ['check', '--fam'] },
    { what: 'a switch that only other commands take', typed: ['serve', '--js'] },
    { what: 'a flag that is given already', typed: ['--log.level', 'info', '--log.lev'] },
    { what: 'a second shell', typed: ['completion', 'bash', 'z'] },
    { what: 'a device, for which it would have to ask', typed: ['readings', 'Inv'] },
    { what: 'a value of any kind', typed: ['--station', ''] },
    { what: 'all time zones at once', typed: ['--time-zone', ''] },
    { what: 'a word behind a complete line', typed: ['check', 'd'] },
  ])('but not by $what', ({ typed }) => {
    expect(completionWords(typed)).toEqual([]);
  });

  test('by nothing that is a secret, wherever it would stand', () => {
    const secrets = OPTIONS.filter(({ secret }) => secret === true);
    expect(secrets.length).toBeGreaterThan(3);
    for (const { flag } of secrets)
      for (const command of ['', ...COMMANDS.map(nameOf)]) {
        const words = command.split(' ').filter((word) => word !== '');
        expect(completionWords([...words, '--'])).not.toContain(`--${flag}`);
        expect(completionWords([...words, `--${flag}=`])).toEqual([]);
      }
  });

  test('by every other flag of a command, and by nothing that the command refuses', () => {
    for (const command of COMMANDS.map(nameOf)) {
      const flags = completionWords([...command.split(' '), '--']);
      const taken = OPTIONS.filter(
        ({ secret, commands }) => secret !== true && (commands?.includes(command) ?? true),
      );
      expect(flags).toEqual(expect.arrayContaining(taken.map(({ flag }) => `--${flag}`)));
      for (const flag of flags)
        expect(parseCommandLine([...command.split(' '), `${flag}=1`], '1'), flag).not.toMatchObject(
          {
            problem: expect.stringContaining('belongs to') as string,
          },
        );
    }
  });

  test('by few words where nothing was typed', () => {
    for (const command of COMMANDS.map(nameOf))
      expect(completionWords([...command.split(' '), '']).length).toBeLessThan(20);
  });
});

describe('the program answers', () => {
  const answerTo = (...argv: readonly string[]) => parseCommandLine(argv, '1.2.3');

  test('a shell with a word a line', () => {
    expect(answerTo(ASK, 'se')).toEqual({ answer: 'serve\nsettings\n' });
    expect(answerTo(ASK, '--help', '--no-such')).toEqual({ answer: '' });
  });

  test.each(['bash', 'zsh', 'fish'])('%s with a script that asks it', (shell) => {
    expect(answerTo('completion', shell)).toEqual({
      answer: expect.stringContaining(ASK) as string,
    });
  });

  test.each([
    { argv: [], problem: 'completion: names no shell; accepted: bash, zsh, fish' },
    {
      argv: ['tcsh'],
      problem: 'completion: "tcsh" is no shell that has a script; accepted: bash, zsh, fish',
    },
    { argv: ['constructor'], problem: expect.stringContaining('is no shell') as string },
  ])('$argv with what it accepts', ({ argv, problem }) => {
    expect(answerTo('completion', ...argv)).toEqual({ problem });
  });
});
