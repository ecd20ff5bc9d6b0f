import { OPTION_BY_FLAG, type OptionDefinition, OPTIONS } from '../../config/options.ts';
import { commandIn, COMMANDS, GROUP, nameOf, SWITCHES } from '../commands.ts';
import { SHELLS } from './completion-script.ts';

/** What is answered instead of words where the name of a file is wanted: the shell knows its files itself. */
export const FILES = ':files';

/** The options that may be given more than once. */
const REPEATABLE: ReadonlySet<OptionDefinition['kind']> = new Set(['list', 'labels']);

/**
 * Lists the words that may stand in the place of the last one, which is typed in part. It looks only at the tables of
 * commands and options: a key pressed in a shell reads no configuration, asks no service and shows no secret.
 *
 * @param words - the words behind the name of the program. Bash makes words of their own of `=` and what is around it.
 */
export function completionWords(words: readonly string[]): readonly string[] {
  const current = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  const [, flag, typed = ''] = /^(--[^=]+=)(.*)$/.exec(current) ?? [];
  if (flag !== undefined)
    return startingWith(
      current,
      valuesAt(flag, typed).map((value) => (value === FILES ? value : flag + value)),
    );
  const last = before.at(-1) ?? '';
  const secondLast = before.at(-2) ?? '';
  const isBehindSign = last === '=' && secondLast.startsWith('--');
  if (current === '=' && last.startsWith('--')) return valuesAt(`${last}=`, '');
  const asked = isBehindSign ? `${secondLast}=` : last;
  if (asked.startsWith('--') && takesValue(asked))
    return startingWith(current, valuesAt(asked, current));
  if (current.startsWith('-')) return startingWith(current, flagsFor(before));
  const names = namesFor(before);
  return names.length > 0
    ? startingWith(current, names)
    : startingWith(current, wantedFlags(before));
}

/** The values of a flag, as far as they can be listed. */
function valuesAt(flag: string, typed: string): readonly string[] {
  const option = OPTION_BY_FLAG.get(flag.replace(/^--|=$/g, ''));
  if (option === undefined || option.secret === true) return [];
  const { choices, kind } = option;
  if (choices !== undefined) return choices;
  if (kind === 'boolean') return ['true', 'false'];
  if (kind === 'durationOrAuto') return ['auto'];
  // Hundreds of names would only push what was typed off the screen.
  if (kind === 'timeZone') return typed === '' ? [] : Intl.supportedValuesOf('timeZone');
  return kind === 'path' || kind === 'textFile' ? [FILES] : [];
}

/** Whether the next word is the value of a flag: a yes or no takes its value behind `=`. */
function takesValue(flag: string): boolean {
  if (flag.endsWith('=')) return true;
  const kind = OPTION_BY_FLAG.get(flag.slice(2))?.kind;
  return kind !== undefined && kind !== 'boolean' && kind !== 'secret';
}

/** The flags that the command takes, but those that are given already. */
function flagsFor(before: readonly string[]): readonly string[] {
  const command = commandIn(before);
  const name = command === undefined ? undefined : nameOf(command);
  const isTaken = (commands: readonly string[] | undefined): boolean =>
    commands === undefined || name === undefined || commands.includes(name);
  const switches = SWITCHES.filter(({ commands }) => isTaken(commands)).map(({ name: own }) => own);
  const options = OPTIONS.filter(({ secret, commands }) => secret !== true && isTaken(commands));
  const isGiven = (flag: string): boolean =>
    before.some((word) => word === `--${flag}` || word.startsWith(`--${flag}=`));
  const free = options.filter(({ flag, kind }) => REPEATABLE.has(kind) || !isGiven(flag));
  return [
    ...switches.filter((flag) => !isGiven(flag)),
    ...free.map(({ flag }) => flag),
    ...['help', 'help-all'],
    ...(name === undefined ? ['version'] : []),
  ].map((flag) => `--${flag}`);
}

/** The flags that most people need with the command, where nothing else can stand: all would fill the screen. */
function wantedFlags(before: readonly string[]): readonly string[] {
  const switches = SWITCHES.map(({ name }): string => name);
  const wanted = new Set([...(commandIn(before)?.options ?? []), ...switches, 'help', 'help-all']);
  return flagsFor(before).filter((flag) => wanted.has(flag.slice(2)));
}

/** The words that a command line goes on with: a command, the second word of one, or a shell. */
function namesFor(before: readonly string[]): readonly string[] {
  const command = commandIn(before);
  if (command !== undefined) return nameOf(command) === 'completion' ? freshly(SHELLS, before) : [];
  const names = COMMANDS.map((each) => nameOf(each).split(' '));
  if (before.includes(GROUP))
    return names.filter(([first]) => first === GROUP).map(([, second = '']) => second);
  return [...new Set(names.map(([first = '']) => first)), 'help'];
}

/** The words, unless one of them is there already. */
function freshly(words: readonly string[], before: readonly string[]): readonly string[] {
  return words.some((word) => before.includes(word)) ? [] : words;
}

function startingWith(typed: string, words: readonly string[]): readonly string[] {
  return words.filter((word) => word === FILES || word.startsWith(typed));
}
